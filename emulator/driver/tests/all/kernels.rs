//! Modules, functions and launches through cudarc.

use crate::support::{FAULTS, KERNELS, context, function, last_error, module, on_hardware, shape, status};
use cudarc::driver::sys::{self, CUfunction_attribute_enum as Attribute, CUresult};
use cudarc::driver::{DevicePtr, PushKernelArg};
use cudarc::nvrtc::Ptx;
use std::ffi::{CStr, c_void};
use std::ptr::null_mut;

const MAX_DYNAMIC_SHARED: Attribute = Attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;

#[test]
fn a_kernel_writes_its_results_and_nothing_else() {
    let context = context();
    let stream = context.default_stream();
    let scale = function(&context, KERNELS, "scale");
    for length in [1_u32, 31, 33, 1000, 1025] {
        let x: Vec<f32> = (0..length).map(|index| index as f32).collect();
        let input = stream.clone_htod(&x).unwrap();
        let mut output = stream.clone_htod(&vec![-1.0_f32; length as usize + 1]).unwrap();
        let mut launch = stream.launch_builder(&scale);
        launch.arg(&mut output).arg(&input).arg(&0.5_f32).arg(&length);
        // SAFETY: the kernel reads and writes `length` elements, which both slices have.
        unsafe { launch.launch(shape(length.div_ceil(128), 128, 0)) }.unwrap();
        let result = stream.clone_dtoh(&output).unwrap();
        let expected: Vec<f32> = x.iter().map(|value| value / 2.0).chain([-1.0]).collect();
        assert_eq!(result, expected);
    }
}

#[test]
fn variables_are_written_and_read_by_name() {
    let context = context();
    let stream = context.default_stream();
    let module = module(&context, KERNELS);
    let copy = module.load_function("copy_factors").unwrap();
    let mut factors = module.get_global("factors", &stream).unwrap();
    // SAFETY: the variable is four f32.
    let mut factors = unsafe { factors.transmute_mut::<f32>(4) }.unwrap();
    stream.memcpy_htod(&[1.0_f32, -2.0, 0.25, 8.0], &mut factors).unwrap();
    let launches = module.get_global("launches", &stream).unwrap();
    assert_eq!(stream.clone_dtoh(&launches).unwrap(), [0; 4]);
    let mut output = stream.alloc_zeros::<f32>(4).unwrap();
    for _ in 0..2 {
        // SAFETY: four threads write the four elements.
        unsafe { stream.launch_builder(&copy).arg(&mut output).launch(shape(1, 4, 0)) }.unwrap();
    }
    assert_eq!(stream.clone_dtoh(&output).unwrap(), [1.0, -2.0, 0.25, 8.0]);
    assert_eq!(stream.clone_dtoh(&launches).unwrap(), [8, 0, 0, 0]);
    assert_eq!(status(module.get_global("factor", &stream)), CUresult::CUDA_ERROR_NOT_FOUND);
}

#[test]
fn dynamic_shared_memory_above_48_kib_has_to_be_allowed() {
    let context = context();
    let stream = context.default_stream();
    let reverse = function(&context, KERNELS, "reverse");
    let launch = |bytes| {
        let mut values = stream.clone_htod(&(0..256).collect::<Vec<u32>>()).unwrap();
        // SAFETY: 256 threads reverse the 256 elements through as many words of shared memory.
        unsafe { stream.launch_builder(&reverse).arg(&mut values).launch(shape(1, 256, bytes)) }?;
        stream.clone_dtoh(&values)
    };
    let reversed: Vec<u32> = (0..256).rev().collect();
    assert_eq!(launch(1024).unwrap(), reversed);
    assert_eq!(launch(48 << 10).unwrap(), reversed);
    assert_eq!(status(launch((48 << 10) + 1)), CUresult::CUDA_ERROR_INVALID_VALUE);
    assert!(on_hardware() || last_error().contains("cuFuncSetAttribute"), "{}", last_error());
    reverse.set_attribute(MAX_DYNAMIC_SHARED, 227 << 10).unwrap();
    assert_eq!(launch(227 << 10).unwrap(), reversed);
    assert_eq!(status(reverse.set_attribute(MAX_DYNAMIC_SHARED, (227 << 10) + 1)), CUresult::CUDA_ERROR_INVALID_VALUE);
    assert_eq!(status(reverse.set_attribute(MAX_DYNAMIC_SHARED, -1)), CUresult::CUDA_ERROR_INVALID_VALUE);
}

#[test]
fn function_attributes_describe_the_kernel() {
    let context = context();
    let scale = function(&context, KERNELS, "scale");
    let bounded = function(&context, KERNELS, "bounded");
    assert_eq!(scale.max_threads_per_block().unwrap(), 1024);
    assert_eq!(bounded.max_threads_per_block().unwrap(), 256);
    assert_eq!((scale.shared_size_bytes().unwrap(), bounded.shared_size_bytes().unwrap()), (0, 16384));
    assert_eq!((scale.const_size_bytes().unwrap(), scale.local_size_bytes().unwrap()), (16, 0));
    assert_eq!((scale.ptx_version().unwrap(), scale.binary_version().unwrap()), (75, 90));
    assert!((2..=32).contains(&scale.num_regs().unwrap()), "{:?}", scale.num_regs());
    assert_eq!(scale.get_attribute(MAX_DYNAMIC_SHARED).unwrap(), 48 << 10);
    assert_eq!(bounded.get_attribute(MAX_DYNAMIC_SHARED).unwrap(), 32 << 10);
    let read_only = bounded.set_attribute(Attribute::CU_FUNC_ATTRIBUTE_NUM_REGS, 8);
    assert_eq!(status(read_only), CUresult::CUDA_ERROR_INVALID_VALUE);
}

#[test]
fn invalid_launch_shapes_are_errors() {
    let context = context();
    let stream = context.default_stream();
    let give_up = function(&context, FAULTS, "give_up");
    let launch = |grid_dim, block_dim| {
        let shape = cudarc::driver::LaunchConfig { grid_dim, block_dim, shared_mem_bytes: 0 };
        // SAFETY: the launch fails, so the kernel, which would fault, does not run.
        status(unsafe { stream.launch_builder(&give_up).launch(shape) })
    };
    let one = (1, 1, 1);
    for wrong in [(0, 1, 1), (1, 0, 1), (1, 1, 0), (1025, 1, 1), (32, 33, 1), (1, 1, 65)] {
        assert_eq!(launch(one, wrong), CUresult::CUDA_ERROR_INVALID_VALUE, "block {wrong:?}");
    }
    for wrong in [(0, 1, 1), (1 << 31, 1, 1), (1, 65536, 1), (1, 1, 65536)] {
        assert_eq!(launch(wrong, one), CUresult::CUDA_ERROR_INVALID_VALUE, "grid {wrong:?}");
    }
    stream.synchronize().unwrap();
}

#[test]
fn a_block_larger_than_maxntid_is_an_error() {
    let context = context();
    let stream = context.default_stream();
    let bounded = function(&context, KERNELS, "bounded");
    let mut output = stream.alloc_zeros::<u32>(1).unwrap();
    // SAFETY: the kernel writes the one element.
    let mut launch =
        |threads| unsafe { status(stream.launch_builder(&bounded).arg(&mut output).launch(shape(1, threads, 0))) };
    assert_eq!(launch(257), CUresult::CUDA_ERROR_INVALID_VALUE);
    assert_eq!(launch(256), CUresult::CUDA_SUCCESS);
    assert_eq!(stream.clone_dtoh(&output).unwrap(), [7]);
}

/// Launches `scale` on one element with a parameter buffer of `bytes` bytes. Returns the status and the output.
fn launch_by_buffer(kernel_params: *mut *mut c_void, bytes: usize) -> (CUresult, Vec<f32>) {
    let context = context();
    let stream = context.default_stream();
    let scale = function(&context, KERNELS, "scale");
    let input = stream.clone_htod(&[6.0_f32]).unwrap();
    let output = stream.alloc_zeros::<f32>(1).unwrap();
    let y = output.device_ptr(&stream).0;
    let x = input.device_ptr(&stream).0;
    let mut buffer = [y, x, u64::from(1.5_f32.to_bits()) | 1 << 32, 0];
    let mut size = bytes;
    let [pointer_key, size_key] = [1, 2].map(std::ptr::without_provenance_mut::<c_void>);
    let mut extra = [pointer_key, buffer.as_mut_ptr().cast(), size_key, (&raw mut size).cast(), null_mut()];
    // SAFETY: the buffer contains the parameters of `scale` for slices of one element and has at least `bytes` bytes.
    let code = unsafe {
        let function = scale.cu_function();
        let extra = extra.as_mut_ptr();
        sys::cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, null_mut(), kernel_params, extra)
    };
    (code, stream.clone_dtoh(&output).unwrap())
}

#[test]
fn parameters_can_be_passed_in_one_buffer() {
    assert_eq!(launch_by_buffer(null_mut(), 24), (CUresult::CUDA_SUCCESS, vec![9.0]));
    assert_eq!(launch_by_buffer(null_mut(), 32).0, CUresult::CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
    assert_eq!(launch_by_buffer(null_mut(), 0).0, CUresult::CUDA_ERROR_INVALID_VALUE);
    let both = [null_mut(); 4].as_mut_ptr();
    assert_eq!(launch_by_buffer(both, 24).0, CUresult::CUDA_ERROR_INVALID_VALUE);
}

#[test]
fn missing_parameters_are_an_error() {
    let context = context();
    let stream = context.default_stream();
    let scale = function(&context, KERNELS, "scale");
    // SAFETY: the launch fails, because no parameter is passed.
    let code =
        unsafe { sys::cuLaunchKernel(scale.cu_function(), 1, 1, 1, 1, 1, 1, 0, null_mut(), null_mut(), null_mut()) };
    assert_eq!(code, CUresult::CUDA_ERROR_INVALID_VALUE);
    stream.synchronize().unwrap();
}

#[test]
fn a_function_has_one_handle() {
    let context = context();
    let module = module(&context, KERNELS);
    let handle = |name| module.load_function(name).unwrap().cu_function();
    assert_eq!(handle("scale"), handle("scale"));
    assert_ne!(handle("scale"), handle("reverse"));
    assert_eq!(status(module.load_function("scales")), CUresult::CUDA_ERROR_NOT_FOUND);
    let names = "its kernels are: scale, copy_factors, reverse, bounded";
    assert!(on_hardware() || last_error().contains(names), "{}", last_error());
}

#[test]
fn images_that_are_not_ptx_of_this_device_are_errors() {
    let context = context();
    let load = |text: &str| status(context.load_module(Ptx::from_src(text)));
    assert_eq!(load("garbage"), CUresult::CUDA_ERROR_INVALID_IMAGE);
    assert_eq!(load(""), CUresult::CUDA_ERROR_INVALID_IMAGE);
    let load_bytes = |image: &CStr| {
        let mut module = null_mut();
        // SAFETY: the output is valid for a write, and the image is NUL-terminated.
        unsafe { sys::cuModuleLoadData(&mut module, image.as_ptr().cast()) }
    };
    assert_eq!(load_bytes(c".version 8.1 \xff"), CUresult::CUDA_ERROR_INVALID_IMAGE);
    // A real driver reads on behind these headers.
    if !on_hardware() {
        assert_eq!(load_bytes(c"\x7fELF\x02"), CUresult::CUDA_ERROR_NO_BINARY_FOR_GPU);
        assert_eq!(load_bytes(c"\x50\xed\x55\xba\x01"), CUresult::CUDA_ERROR_NO_BINARY_FOR_GPU);
    }
    assert_eq!(load(&KERNELS.replace("mul.f32 ", "mul.f32 ?")), CUresult::CUDA_ERROR_INVALID_PTX);
    assert!(on_hardware() || last_error().contains("line 33"), "{}", last_error());
    let newer = KERNELS.replace("sm_75", "sm_100").replace("8.1", "8.6");
    assert_eq!(load(&newer), CUresult::CUDA_ERROR_INVALID_PTX);
    assert!(on_hardware() || last_error().contains("sm_100"), "{}", last_error());
    let missing = context.load_module(Ptx::from_file("/no/such/file.ptx"));
    assert_eq!(status(missing), CUresult::CUDA_ERROR_FILE_NOT_FOUND);
}

#[test]
fn only_the_unsupported_kernel_of_a_module_is_an_error() {
    let context = context();
    if on_hardware() {
        return; // A real driver supports the instruction, or fails to load the module.
    }
    let module = context.load_module(Ptx::from_src(KERNELS.replace("mul.f32", "mul.wide.f32"))).unwrap();
    assert_eq!(status(module.load_function("scale")), CUresult::CUDA_ERROR_INVALID_PTX);
    let expected = "1 instruction:\n  line 33: `mul.wide.f32` in `scale`";
    assert!(last_error().contains(expected), "{}", last_error());
    let reverse = module.load_function("reverse").unwrap();
    let stream = context.default_stream();
    let mut data = stream.clone_htod(&[1.0_f32, 2.0, 3.0, 4.0]).unwrap();
    let mut launch = stream.launch_builder(&reverse);
    launch.arg(&mut data).arg(&4_u32);
    // SAFETY: the kernel reads and writes the four elements.
    unsafe { launch.launch(shape(1, 4, 16)) }.unwrap();
    assert_eq!(stream.clone_dtoh(&data).unwrap(), [4.0, 3.0, 2.0, 1.0]);
}

#[test]
fn the_compiler_log_contains_errors_and_notes() {
    use sys::CUjit_option as Option;
    let _context = context();
    let load = |text: &str, capacity: usize, [buffer, size]: [Option; 2]| {
        let image = std::ffi::CString::new(text).unwrap();
        let mut log = vec![b'#'; 400];
        let mut module = null_mut();
        let mut values: [*mut c_void; 2] = [log.as_mut_ptr().cast(), capacity as *mut c_void];
        let image = image.as_ptr().cast();
        let values_pointer = values.as_mut_ptr();
        // SAFETY: the options are a buffer of at least `capacity` bytes and that length.
        let code =
            unsafe { sys::cuModuleLoadDataEx(&mut module, image, 2, [buffer, size].as_mut_ptr(), values_pointer) };
        (code, String::from_utf8(log[..values[1] as usize].to_vec()).unwrap())
    };
    let errors = [Option::CU_JIT_ERROR_LOG_BUFFER, Option::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES];
    let wrong = KERNELS.replace("mul.f32 ", "mul.f32 ?");
    let (code, log) = load(&wrong, 400, errors);
    assert_eq!(code, CUresult::CUDA_ERROR_INVALID_PTX);
    assert!(log.contains("line 33"), "{log}");
    assert_eq!(load(KERNELS, 400, errors), (CUresult::CUDA_SUCCESS, String::new()));
    let (code, log) = load(&wrong, 10, errors);
    assert!(code == CUresult::CUDA_ERROR_INVALID_PTX && log.len() < 11, "{log}");
    if !on_hardware() {
        let notes = [Option::CU_JIT_INFO_LOG_BUFFER, Option::CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES];
        let (code, log) = load(&KERNELS.replace("mul.f32", "mul.wide.f32"), 400, notes);
        assert!(code == CUresult::CUDA_SUCCESS && log.contains("kernel `scale`: not supported"), "{log}");
        assert!(log.contains("line 33: `mul.wide.f32`"), "{log}");
        assert_eq!(load(KERNELS, 400, notes), (CUresult::CUDA_SUCCESS, String::new()));
    }
}
