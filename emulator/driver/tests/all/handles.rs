//! Invalid handles: null, never created, or destroyed. None of them may crash the driver.

use crate::support::{KERNELS, context, last_error, on_hardware, status};
use cudarc::driver::sys::{self, CUresult};
use cudarc::driver::{DriverError, result};
use std::ptr::{null, null_mut};

const INVALID: CUresult = CUresult::CUDA_ERROR_INVALID_HANDLE;

/// Returns an invalid handle of any kind. A real driver dereferences handles, so there this is null.
fn unknown<Kind>() -> *mut Kind {
    if on_hardware() { null_mut() } else { std::ptr::without_provenance_mut(0xDEAD_BEE0) }
}

#[test]
fn unknown_handles_are_errors() {
    let _context = context();
    let mut number = 0;
    let mut address = 0;
    // SAFETY: the outputs are valid for writes, and the emulator does not dereference handles.
    unsafe {
        let mut function = null_mut();
        assert_eq!(sys::cuModuleGetFunction(&mut function, unknown(), c"k".as_ptr()), INVALID);
        assert_eq!(sys::cuModuleGetGlobal_v2(&mut address, null_mut(), unknown(), c"k".as_ptr()), INVALID);
        assert_eq!(sys::cuModuleUnload(unknown()), INVALID);
        let attribute = sys::CUfunction_attribute::CU_FUNC_ATTRIBUTE_NUM_REGS;
        assert_eq!(sys::cuFuncGetAttribute(&mut number, attribute, unknown()), INVALID);
        let no_values = null_mut();
        let no_extra = null_mut();
        assert_eq!(sys::cuLaunchKernel(unknown(), 1, 1, 1, 1, 1, 1, 0, null_mut(), no_values, no_extra), INVALID);
        assert_eq!(sys::cuEventQuery(unknown()), INVALID);
        assert_eq!(sys::cuEventRecord(unknown(), null_mut()), INVALID);
        assert_eq!(sys::cuEventSynchronize(unknown()), INVALID);
        assert_eq!(sys::cuEventDestroy_v2(unknown()), INVALID);
        assert_eq!(sys::cuStreamDestroy_v2(unknown()), INVALID);
        // The predefined streams: 0 and 1 are the legacy default stream, 2 is the per-thread one.
        for defined in [0, 1, 2] {
            let stream = std::ptr::without_provenance_mut(defined);
            assert_eq!(sys::cuStreamSynchronize(stream), CUresult::CUDA_SUCCESS);
            assert_eq!(sys::cuStreamDestroy_v2(stream), INVALID);
        }
    }
    if !on_hardware() {
        // SAFETY: as above.
        unsafe {
            assert_eq!(sys::cuStreamSynchronize(unknown()), INVALID);
            assert!(last_error().contains("0xdeadbee0 is not the handle of a live stream"), "{}", last_error());
            assert_eq!(sys::cuCtxSetCurrent(unknown()), CUresult::CUDA_ERROR_INVALID_CONTEXT);
            assert_eq!(sys::cuCtxDestroy_v2(unknown()), CUresult::CUDA_ERROR_INVALID_CONTEXT);
        }
    }
}

#[test]
fn destroyed_handles_are_errors_and_never_reused() {
    if on_hardware() {
        return; // A real driver may crash.
    }
    let _context = context();
    let code: fn(Result<(), DriverError>) -> CUresult = status;
    // SAFETY: the emulator does not dereference handles.
    unsafe {
        let stream = result::stream::create(result::stream::StreamKind::Default).unwrap();
        assert_eq!(code(result::stream::destroy(stream)), CUresult::CUDA_SUCCESS);
        assert_ne!(result::stream::create(result::stream::StreamKind::Default).unwrap(), stream);
        assert_eq!(code(result::stream::destroy(stream)), INVALID);
        assert_eq!(code(result::stream::synchronize(stream)), INVALID);
        let event = result::event::create(sys::CUevent_flags::CU_EVENT_DEFAULT).unwrap();
        assert_eq!(code(result::event::destroy(event)), CUresult::CUDA_SUCCESS);
        assert_eq!(code(result::event::destroy(event)), INVALID);
        assert_eq!(code(result::event::record(event, null_mut())), INVALID);
    }
}

#[test]
fn functions_and_variables_end_with_their_module() {
    if on_hardware() {
        return; // A real driver may crash.
    }
    let context = context();
    let image = std::ffi::CString::new(KERNELS).unwrap();
    // SAFETY: the image is NUL-terminated, and the emulator does not dereference handles.
    unsafe {
        let module = result::module::load_data(image.as_ptr().cast()).unwrap();
        let function = result::module::get_function(module, c"scale".to_owned()).unwrap();
        let (address, bytes) = result::module::get_global(module, c"factors".to_owned()).unwrap();
        let mut values = [0_u8; 16];
        assert_eq!(bytes, values.len());
        result::memcpy_dtoh_sync(&mut values, address).unwrap();
        assert_eq!(status(result::free_sync(address)), CUresult::CUDA_ERROR_INVALID_VALUE);
        result::module::unload(module).unwrap();
        assert_eq!(status(result::module::unload(module)), INVALID);
        let attribute = sys::CUfunction_attribute::CU_FUNC_ATTRIBUTE_NUM_REGS;
        assert_eq!(status(result::function::get_function_attribute(function, attribute)), INVALID);
        let gone = status(result::memcpy_dtoh_sync(&mut values, address));
        assert_eq!(gone, CUresult::CUDA_ERROR_INVALID_VALUE);
    }
    context.synchronize().unwrap();
}

#[test]
fn the_objects_of_a_context_end_with_it() {
    if on_hardware() {
        return; // A real driver may crash.
    }
    let outlived = context();
    let doomed = context();
    // SAFETY: the emulator does not dereference handles.
    unsafe {
        let stream = result::stream::create(result::stream::StreamKind::Default).unwrap();
        let event = result::event::create(sys::CUevent_flags::CU_EVENT_DEFAULT).unwrap();
        let address = result::malloc_sync(64).unwrap();
        drop(doomed);
        outlived.bind_to_thread().unwrap();
        assert_eq!(status(result::stream::synchronize(stream)), INVALID);
        assert_eq!(status(result::event::query(event)), INVALID);
        assert_eq!(status(result::free_sync(address)), CUresult::CUDA_ERROR_INVALID_VALUE);
        assert_eq!(status(result::memset_d8_sync(address, 0, 64)), CUresult::CUDA_ERROR_INVALID_VALUE);
    }
}

#[test]
fn objects_of_another_context_are_errors() {
    let first = context();
    let second = context();
    let event = first.new_event(None).unwrap();
    let stream = second.new_stream().unwrap();
    // SAFETY: both handles are live.
    let recorded = unsafe { result::event::record(event.cu_event(), stream.cu_stream()) };
    assert_eq!(status(recorded), INVALID);
}

#[test]
fn null_outputs_are_errors() {
    let _context = context();
    let invalid = CUresult::CUDA_ERROR_INVALID_VALUE;
    // SAFETY: null is an error.
    unsafe {
        assert_eq!(sys::cuDeviceGet(null_mut(), 0), invalid);
        assert_eq!(sys::cuEventCreate(null_mut(), 0), invalid);
        assert_eq!(sys::cuModuleLoadData(null_mut(), c".version 8.1".as_ptr().cast()), invalid);
        assert_eq!(sys::cuModuleLoadData(&mut null_mut(), null()), invalid);
    }
}
