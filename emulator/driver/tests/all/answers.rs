//! Answers of single calls that an H100 gave, driver 580, or that were asked of a driver 590, and small functions that programs
//! look up but rarely call.

use crate::support::{context, last_error, on_hardware};
use cudarc::driver::sys::{self, CUresult};
use std::ffi::{CStr, CString, c_int, c_uint, c_void};
use std::ptr::{null, null_mut};

const OK: CUresult = CUresult::CUDA_SUCCESS;
const INVALID: CUresult = CUresult::CUDA_ERROR_INVALID_VALUE;

fn load(ptx: &str) -> CUresult {
    let ptx = CString::new(ptx).unwrap();
    let mut module = null_mut();
    // SAFETY: the output is valid for a write, and the text ends with a NUL.
    unsafe { sys::cuModuleLoadData(&mut module, ptx.as_ptr().cast()) }
}

#[test]
fn descriptions_are_those_of_nvidias_driver() {
    let _context = context();
    let expected = [
        (0, "no error"),
        (1, "invalid argument"),
        (2, "out of memory"),
        (3, "initialization error"),
        (101, "invalid device ordinal"),
        (200, "device kernel image is invalid"),
        (201, "invalid device context"),
        (209, "no kernel image is available for execution on the device"),
        (218, "a PTX JIT compilation failed"),
        (222, "the provided PTX was compiled with an unsupported toolchain."),
        (400, "invalid resource handle"),
        (500, "named symbol not found"),
        (600, "device not ready"),
        (700, "an illegal memory access was encountered"),
        (702, "the launch timed out and was terminated"),
        (710, "device-side assert triggered"),
        (716, "misaligned address"),
        (719, "unspecified launch failure"),
        (721, "tensor memory not completely freed"),
        (801, "operation not supported"),
        (900, "operation not permitted when stream is capturing"),
        (999, "unknown error"),
    ];
    for (code, text) in expected {
        let mut found = null();
        // SAFETY: the number is a status, the output is valid for a write, and the text lives as long as the program.
        let found = unsafe {
            let code = std::mem::transmute::<u32, CUresult>(code);
            assert_eq!(sys::cuGetErrorString(code, &mut found), OK);
            CStr::from_ptr(found).to_str().unwrap()
        };
        assert_eq!(found, text, "{code}");
    }
}

#[test]
fn an_asynchronous_allocation_of_nothing_is_null() {
    let _context = context();
    let mut address = 1;
    // SAFETY: the output is valid for a write.
    unsafe {
        assert_eq!(sys::cuMemAllocAsync(&mut address, 0, null_mut()), OK);
        assert_eq!(address, 0);
        assert_eq!(sys::cuMemAlloc_v2(&mut address, 0), INVALID);
    }
}

#[test]
fn a_device_is_not_its_own_peer_whatever_the_attribute() {
    let _context = context();
    // The function of a number, because the type of the binding has none that are unknown.
    type Query = unsafe extern "C" fn(*mut c_int, c_int, c_int, c_int) -> CUresult;
    let mut value = 0;
    for number in [1, 9999] {
        // SAFETY: the function has this type, takes any number, and the output is valid for a write.
        let code = unsafe { sys::culib().get::<Query>(b"cuDeviceGetP2PAttribute").unwrap()(&mut value, number, 0, 0) };
        assert_eq!(code, CUresult::CUDA_ERROR_INVALID_DEVICE);
    }
}

#[test]
fn a_text_is_ptx_if_it_begins_with_its_version() {
    let _context = context();
    let rest = ".target sm_80\n.address_size 64\n.visible .entry k() { ret; }";
    let text = |start: &str| format!("{start}.version 8.0\n{rest}");
    assert_eq!(load(&text("")), OK);
    assert_eq!(load(&text("\n// .target\n\t/* .target\n */ ")), OK);
    assert_eq!(load(&text(".target sm_80\n")), CUresult::CUDA_ERROR_INVALID_IMAGE);
    assert_eq!(load(&text("x ")), CUresult::CUDA_ERROR_INVALID_IMAGE);
    assert_eq!(load("/* .version 8.0"), CUresult::CUDA_ERROR_INVALID_IMAGE);
}

#[test]
fn a_word_that_is_no_instruction_fails_when_the_module_is_loaded() {
    let _context = context();
    let kernel =
        |body: &str| format!(".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() {{ {body} ret; }}");
    let no_type = ".reg .f32 %f<2>; add.f33 %f1, %f1, %f1;";
    for body in ["nonsense;", ".reg .b32 %r<2>; addd.u32 %r1, %r1, 1;", "{ multiply.f32; }", no_type] {
        assert_eq!(load(&kernel(body)), CUresult::CUDA_ERROR_INVALID_PTX, "{body}");
        assert!(on_hardware() || last_error().contains("is not an instruction of PTX"), "{}", last_error());
    }
    let head = ".version 8.0\n.target sm_80\n.address_size 64\n.extern .func far();\n";
    assert_eq!(load(&format!("{head}.visible .entry k() {{ call far; ret; }}")), CUresult::CUDA_ERROR_INVALID_PTX);
    // An instruction that exists, and that the emulator does not run: only its kernel is refused.
    let unsupported = ".reg .b32 %r<3>; .reg .b64 %rd<2>; suld.b.1d.b32.trap %r1, [%rd1, {%r2}];";
    assert_eq!(load(&kernel(unsupported)), OK);
}

#[test]
fn host_memory_is_unregistered_where_it_was_registered() {
    let _context = context();
    let memory = vec![0_u8; 3 << 12];
    let mut pinned = null_mut();
    let mut flags = 0;
    // SAFETY: the emulator does not access registered memory, and all outputs are valid for writes.
    unsafe {
        let at = |bytes: usize| memory.as_ptr().wrapping_add(bytes).cast_mut().cast::<c_void>();
        let unregister = |place| sys::cuMemHostUnregister(place);
        assert_eq!(unregister(at(0)), CUresult::CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
        assert_eq!(sys::cuMemHostRegister_v2(at(0), 2 << 12, 1), OK);
        assert_eq!(sys::cuMemHostGetFlags(&mut flags, at(5)), OK);
        assert_eq!(flags, 3);
        assert_eq!(unregister(at(1 << 12)), INVALID, "inside");
        assert_eq!(unregister(at(0)), OK);
        assert_eq!(sys::cuMemHostGetFlags(&mut flags, at(5)), INVALID);
        assert_eq!(sys::cuMemHostAlloc(&mut pinned, 64, 0), OK);
        assert_eq!(sys::cuMemHostGetFlags(&mut flags, pinned), OK);
        assert_eq!(flags, 2, "all page-locked memory is mapped");
        assert_eq!(unregister(pinned), INVALID, "it was not registered");
        assert_eq!(sys::cuMemFreeHost(pinned), OK);
    }
}

#[test]
fn functions_modules_contexts_and_streams_tell_about_themselves() {
    let context = context();
    let module = crate::support::module(&context, crate::support::KERNELS);
    let stream = context.new_stream().unwrap();
    // SAFETY: all outputs are valid for writes, and all handles are alive, or null.
    unsafe {
        let mut raw = null_mut();
        let mut name = null();
        let mut function = null_mut();
        assert_eq!(sys::cuFuncGetName(&mut name, null_mut()), INVALID);
        let image = CString::new(crate::support::KERNELS).unwrap();
        assert_eq!(sys::cuModuleLoadData(&mut raw, image.as_ptr().cast()), OK);
        let mut count: c_uint = 0;
        assert_eq!(sys::cuModuleGetFunctionCount(&mut count, raw), OK);
        let mut functions = vec![null_mut(); count as usize + 1];
        assert_eq!(sys::cuModuleEnumerateFunctions(functions.as_mut_ptr(), count, raw), OK);
        assert!(count > 1 && !functions[count as usize - 1].is_null() && functions[count as usize].is_null());
        assert_eq!(sys::cuModuleGetFunction(&mut function, raw, c"scale".as_ptr()), OK);
        assert!(functions.contains(&function));
        let mut owner = null_mut();
        assert_eq!(sys::cuFuncGetModule(&mut owner, function), OK);
        assert_eq!(owner, raw);
        assert_eq!(sys::cuFuncLoad(function), OK);
        let mut ids = [0; 3];
        assert_eq!(sys::cuStreamGetId(stream.cu_stream(), &mut ids[0]), OK);
        assert_eq!(sys::cuStreamGetId(null_mut(), &mut ids[1]), OK);
        assert_eq!(sys::cuStreamGetId(std::ptr::without_provenance_mut(2), &mut ids[2]), OK);
        assert!(ids[0] != ids[1] && ids[1] != ids[2] && ids[0] != ids[2], "{ids:?}");
        let mut id = 0;
        assert_eq!(sys::cuCtxGetId(context.cu_ctx(), &mut id), OK);
        assert_eq!(sys::cuModuleUnload(raw), OK);
    }
    drop(module);
}
