//! Libraries, whose kernels run in any context, and the linker.

use crate::support::{context, last_error, on_hardware};
use cudarc::driver::sys::{self, CUresult};
use std::ffi::{CStr, CString, c_int, c_void};
use std::ptr::null_mut;

const OK: CUresult = CUresult::CUDA_SUCCESS;

/// A kernel that stores the result of a function in another text.
const KERNEL: &str = ".version 8.1\n.target sm_75\n.address_size 64
.extern .func (.param .b32 result) number();
.visible .entry store(.param .u64 output)
{
    .reg .b32 %r<1>;
    .reg .b64 %d<1>;
    {
    .param .b32 answer;
    call.uni (answer), number;
    ld.param.b32 %r0, [answer];
    }
    ld.param.u64 %d0, [output];
    st.global.u32 [%d0], %r0;
    ret;
}";

const FUNCTION: &str = ".version 8.3\n.target sm_80\n.address_size 64
.global .align 4 .u32 calls;
.visible .func (.param .b32 result) number()
{
    .local .align 4 .b8 depot[4];
    .reg .b32 %r<1>;
    mov.u32 %r0, 42;
    st.local.u32 [depot], %r0;
    ld.local.u32 %r0, [depot];
    st.param.b32 [result], %r0;
    ret;
}";

/// Links texts. Returns the linked text or the status.
fn link(texts: &[&str]) -> Result<CString, CUresult> {
    let ptx = sys::CUjitInputType::CU_JIT_INPUT_PTX;
    let mut state = null_mut();
    let mut image = null_mut();
    let mut bytes = 0;
    // SAFETY: the outputs are valid for writes, the texts have the lengths that are passed, and the image is copied before the
    // linker that owns it is destroyed.
    unsafe {
        assert_eq!(sys::cuLinkCreate_v2(0, null_mut(), null_mut(), &mut state), OK);
        for text in texts {
            let data = text.as_ptr().cast_mut().cast();
            let name = c"part".as_ptr();
            let code = sys::cuLinkAddData_v2(state, ptx, data, text.len(), name, 0, null_mut(), null_mut());
            assert_eq!(code, OK, "{}", last_error());
        }
        let code = sys::cuLinkComplete(state, &mut image, &mut bytes);
        let linked = (code == OK).then(|| CStr::from_ptr(image.cast()).to_owned());
        assert_eq!(sys::cuLinkDestroy(state), OK);
        if on_hardware() {
            return linked.ok_or(code);
        }
        assert_eq!(sys::cuLinkDestroy(state), CUresult::CUDA_ERROR_INVALID_HANDLE);
        assert!(linked.as_ref().is_none_or(|text| text.as_bytes_with_nul().len() == bytes));
        linked.ok_or(code)
    }
}

fn load(image: &CStr) -> Result<sys::CUlibrary, CUresult> {
    let mut library = null_mut();
    let none = null_mut();
    let values = null_mut();
    let options = null_mut();
    // SAFETY: the output is valid for a write, the text is NUL-terminated, and there are no options.
    let code =
        unsafe { sys::cuLibraryLoadData(&mut library, image.as_ptr().cast(), none, values, 0, options, null_mut(), 0) };
    if code == OK { Ok(library) } else { Err(code) }
}

fn kernel(library: sys::CUlibrary, name: &CStr) -> Result<sys::CUkernel, CUresult> {
    let mut kernel = null_mut();
    // SAFETY: the output is valid for a write.
    let code = unsafe { sys::cuLibraryGetKernel(&mut kernel, library, name.as_ptr()) };
    if code == OK { Ok(kernel) } else { Err(code) }
}

/// Launches `store` in the current context. Returns the stored number.
fn run(kernel: sys::CUkernel) -> u32 {
    let mut function = null_mut();
    let mut address = 0_u64;
    let mut found = 0_u32;
    // SAFETY: the outputs are valid for writes, and the kernel stores 4 bytes in an allocation of 4 bytes.
    unsafe {
        assert_eq!(sys::cuKernelGetFunction(&mut function, kernel), OK);
        assert_eq!(sys::cuMemAlloc_v2(&mut address, 4), OK);
        let mut arguments = [(&raw mut address).cast::<c_void>()];
        let values = arguments.as_mut_ptr();
        let extra = null_mut();
        assert_eq!(sys::cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, null_mut(), values, extra), OK);
        assert_eq!(sys::cuMemcpyDtoH_v2((&raw mut found).cast(), address, 4), OK);
        assert_eq!(sys::cuMemFree_v2(address), OK);
    }
    found
}

#[test]
fn a_kernel_of_a_library_runs_in_every_context() {
    let first = context();
    let library = load(&link(&[KERNEL, FUNCTION]).unwrap()).unwrap();
    let store = kernel(library, c"store").unwrap();
    assert_eq!(run(store), 42);
    drop(first);
    let _second = context();
    assert_eq!(run(store), 42, "the context in which it was loaded has been destroyed");
    assert_eq!(kernel(library, c"vanish").unwrap_err(), CUresult::CUDA_ERROR_NOT_FOUND);
    // SAFETY: the library is not used afterwards, except for calls that fail.
    unsafe { assert_eq!(sys::cuLibraryUnload(library), OK) };
    if on_hardware() {
        return; // A real driver may crash.
    }
    assert_eq!(kernel(library, c"store").unwrap_err(), CUresult::CUDA_ERROR_INVALID_HANDLE);
    let mut function = null_mut();
    // SAFETY: the output is valid for a write.
    assert_eq!(unsafe { sys::cuKernelGetFunction(&mut function, store) }, CUresult::CUDA_ERROR_INVALID_HANDLE);
}

#[test]
fn a_library_can_be_queried() {
    let _context = context();
    let library = load(&link(&[KERNEL, FUNCTION]).unwrap()).unwrap();
    let store = kernel(library, c"store").unwrap();
    let mut count = 0;
    let mut kernels = [null_mut(); 2];
    let mut bytes = 0;
    let mut offset = 9;
    let mut address = 0;
    let mut threads = 0;
    let mut of_kernel = null_mut();
    let mut name = std::ptr::null();
    let attribute = sys::CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK;
    // SAFETY: the outputs are valid for writes, `kernels` for two, and the name lives as long as the library.
    unsafe {
        assert_eq!(sys::cuLibraryGetKernelCount(&mut count, library), OK);
        assert_eq!(sys::cuLibraryEnumerateKernels(kernels.as_mut_ptr(), 2, library), OK);
        assert_eq!((count, kernels), (1, [store, null_mut()]));
        assert_eq!(sys::cuLibraryGetGlobal(&mut address, &mut bytes, library, c"calls".as_ptr()), OK);
        assert_eq!((address == 0, bytes), (false, 4));
        assert_eq!(sys::cuKernelGetAttribute(&mut threads, attribute, store, 0), OK);
        assert_eq!(threads, 1024);
        assert_eq!(sys::cuKernelGetParamInfo(store, 0, &mut offset, &mut bytes), OK);
        assert_eq!((offset, bytes), (0, 8));
        assert_eq!(sys::cuKernelGetLibrary(&mut of_kernel, store), OK);
        assert_eq!(of_kernel, library);
        assert_eq!(sys::cuKernelGetName(&mut name, store), OK);
        assert_eq!(CStr::from_ptr(name), c"store");
    }
}

#[test]
fn handles_of_libraries_and_modules_are_not_interchangeable() {
    let _context = context();
    if on_hardware() {
        return; // A real driver dereferences handles.
    }
    let image = link(&[KERNEL, FUNCTION]).unwrap();
    let library = load(&image).unwrap();
    let mut module = null_mut();
    let mut count = 0;
    // SAFETY: the outputs are valid for writes, and the emulator does not dereference handles.
    unsafe {
        assert_eq!(sys::cuModuleLoadData(&mut module, image.as_ptr().cast()), OK);
        assert_eq!(sys::cuLibraryGetKernelCount(&mut count, module.cast()), CUresult::CUDA_ERROR_INVALID_HANDLE);
        assert!(last_error().contains("the handle is of a module, not of a library"), "{}", last_error());
        assert_eq!(sys::cuModuleUnload(library.cast()), CUresult::CUDA_ERROR_INVALID_HANDLE);
        assert!(last_error().contains("unload the library"), "{}", last_error());
    }
}

#[test]
fn a_single_text_is_linked_unchanged() {
    let _context = context();
    if on_hardware() {
        return; // A real driver links machine code.
    }
    let text = ".version 8.1\n.target sm_75\n.address_size 64\n.file 1 \"a\"\n.extern .func f;";
    assert_eq!(link(&[text]).unwrap().to_str(), Ok(text));
}

#[test]
fn several_texts_are_linked_under_the_newest_header() {
    let _context = context();
    if on_hardware() {
        return;
    }
    let first = ".version 8.1\n.target sm_75\n.address_size 64\n.file 1 \"a\"\n.extern .func f;";
    let second = "// c\n.version 9.0\n.target sm_100, debug\n.address_size 64\n.visible .func f\n{\n .loc 1 2 3\n\
                  .local .b8 l;\n}\0";
    let linked = ".version 9.0\n.target sm_100, debug\n.address_size 64\n.extern .func f;\n// c\n.visible .func f\n{\n\
                  .local .b8 l;\n}";
    assert_eq!(link(&[first, second]).unwrap().to_str(), Ok(linked));
}

#[test]
fn a_complete_link_takes_no_more_texts() {
    let _context = context();
    let ptx = sys::CUjitInputType::CU_JIT_INPUT_PTX;
    let mut state = null_mut();
    let mut image = null_mut();
    let mut bytes = 0;
    // SAFETY: the outputs are valid for writes, and the text has the length that is passed.
    unsafe {
        assert_eq!(sys::cuLinkCreate_v2(0, null_mut(), null_mut(), &mut state), OK);
        let add = || {
            let data = FUNCTION.as_ptr().cast_mut().cast();
            let name = c"part".as_ptr();
            sys::cuLinkAddData_v2(state, ptx, data, FUNCTION.len(), name, 0, null_mut(), null_mut())
        };
        assert_eq!(add(), OK);
        assert_eq!(sys::cuLinkComplete(state, &mut image, &mut bytes), OK);
        assert_eq!(add(), CUresult::CUDA_ERROR_INVALID_VALUE);
        assert_eq!(sys::cuLinkDestroy(state), OK);
    }
}

#[test]
fn texts_that_cannot_be_linked_are_errors() {
    let _context = context();
    assert_eq!(link(&[]).unwrap_err(), CUresult::CUDA_ERROR_INVALID_VALUE);
    if on_hardware() {
        return; // A real driver links machine code, and reports the undefined function when it links.
    }
    let lacking = link(&[KERNEL]).unwrap();
    assert_eq!(load(&lacking).unwrap_err(), CUresult::CUDA_ERROR_INVALID_PTX);
    assert!(last_error().contains("`number`, whose code is not in the module"), "{}", last_error());
    let mut state = null_mut();
    let cubin = sys::CUjitInputType::CU_JIT_INPUT_CUBIN;
    // SAFETY: as above.
    unsafe {
        assert_eq!(sys::cuLinkCreate_v2(0, null_mut(), null_mut(), &mut state), OK);
        let data = KERNEL.as_ptr().cast_mut().cast();
        let bytes = KERNEL.len();
        let code = sys::cuLinkAddData_v2(state, cubin, data, bytes, c"part".as_ptr(), 0, null_mut(), null_mut());
        assert_eq!(code, CUresult::CUDA_ERROR_NO_BINARY_FOR_GPU);
    }
    assert!(last_error().contains("the emulator links PTX (kind 1)"), "{}", last_error());
}

#[test]
fn an_address_has_the_attributes_of_its_allocation() {
    use sys::CUpointer_attribute as A;
    let _context = context();
    let mut address = 0_u64;
    let mut start = 0_u64;
    let mut bytes = 0_usize;
    let mut kind = 0_u32;
    let mut managed = 7 as c_int;
    // SAFETY: the outputs are valid for writes of the attributes' types.
    unsafe {
        assert_eq!(sys::cuMemAlloc_v2(&mut address, 1000), OK);
        let inside = address + 999;
        let start_attribute = A::CU_POINTER_ATTRIBUTE_RANGE_START_ADDR;
        assert_eq!(sys::cuPointerGetAttribute((&raw mut start).cast(), start_attribute, inside), OK);
        let mut numbers = [
            A::CU_POINTER_ATTRIBUTE_RANGE_SIZE,
            A::CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
            A::CU_POINTER_ATTRIBUTE_IS_MANAGED,
        ];
        let mut values = [(&raw mut bytes).cast(), (&raw mut kind).cast(), (&raw mut managed).cast()];
        assert_eq!(sys::cuPointerGetAttributes(3, numbers.as_mut_ptr(), values.as_mut_ptr(), inside), OK);
        assert_eq!((start, bytes, kind, managed), (address, 1000, 2, 0));
        let outside = sys::cuPointerGetAttribute((&raw mut start).cast(), start_attribute, 64);
        assert_eq!(outside, CUresult::CUDA_ERROR_INVALID_VALUE);
        assert_eq!(sys::cuMemFree_v2(address), OK);
    }
}
