//! Handles that name nothing: null, invented, or destroyed. None of them may crash.

use crate::support::{KERNELS, context, last_error, on_hardware, status};
use cudarc::driver::sys::{self, CUresult};
use cudarc::driver::{DriverError, result};
use std::ptr::{null, null_mut};

const INVALID: CUresult = CUresult::CUDA_ERROR_INVALID_HANDLE;

/// Returns a handle of any kind that names nothing. A real driver takes handles for pointers, so there only null.
fn unknown<Kind>() -> *mut Kind {
    if on_hardware() { null_mut() } else { std::ptr::without_provenance_mut(0xDEAD_BEE0) }
}

#[test]
fn handles_that_name_nothing_are_refused() {
    let _context = context();
    let (mut number, mut address) = (0, 0);
    // SAFETY: outputs are valid for writes; the handles are looked up and not followed.
    unsafe {
        let mut function = null_mut();
        assert_eq!(sys::cuModuleGetFunction(&mut function, unknown(), c"k".as_ptr()), INVALID);
        assert_eq!(sys::cuModuleGetGlobal_v2(&mut address, null_mut(), unknown(), c"k".as_ptr()), INVALID);
        assert_eq!(sys::cuModuleUnload(unknown()), INVALID);
        let attribute = sys::CUfunction_attribute::CU_FUNC_ATTRIBUTE_NUM_REGS;
        assert_eq!(sys::cuFuncGetAttribute(&mut number, attribute, unknown()), INVALID);
        let (no_values, no_extra) = (null_mut(), null_mut());
        assert_eq!(sys::cuLaunchKernel(unknown(), 1, 1, 1, 1, 1, 1, 0, null_mut(), no_values, no_extra), INVALID);
        assert_eq!(sys::cuEventQuery(unknown()), INVALID);
        assert_eq!(sys::cuEventRecord(unknown(), null_mut()), INVALID);
        assert_eq!(sys::cuEventSynchronize(unknown()), INVALID);
        assert_eq!(sys::cuEventDestroy_v2(unknown()), INVALID);
        assert_eq!(sys::cuStreamDestroy_v2(unknown()), INVALID);
        // The streams that CUDA defines: 0 and 1 the legacy stream, 2 the one of the thread.
        for defined in [0, 1, 2] {
            let stream = std::ptr::without_provenance_mut(defined);
            assert_eq!(sys::cuStreamSynchronize(stream), CUresult::CUDA_SUCCESS);
            assert_eq!(sys::cuStreamDestroy_v2(stream), INVALID);
        }
    }
    if !on_hardware() {
        // SAFETY: as before.
        unsafe {
            assert_eq!(sys::cuStreamSynchronize(unknown()), INVALID);
            assert!(last_error().contains("0xdeadbee0 is no stream"), "{}", last_error());
            assert_eq!(sys::cuCtxSetCurrent(unknown()), CUresult::CUDA_ERROR_INVALID_CONTEXT);
            assert_eq!(sys::cuCtxDestroy_v2(unknown()), CUresult::CUDA_ERROR_INVALID_CONTEXT);
        }
    }
}

#[test]
fn destroyed_handles_are_refused() {
    if on_hardware() {
        return; // A real driver may crash.
    }
    let _context = context();
    let code: fn(Result<(), DriverError>) -> CUresult = status;
    // SAFETY: the handles are looked up and not followed.
    unsafe {
        let stream = result::stream::create(result::stream::StreamKind::Default).unwrap();
        assert_eq!(code(result::stream::destroy(stream)), CUresult::CUDA_SUCCESS);
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
    // SAFETY: the image is text that ends with NUL; handles are looked up and not followed.
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
fn what_a_context_owns_ends_with_it() {
    if on_hardware() {
        return; // A real driver may crash.
    }
    let outlived = context();
    let doomed = context();
    // SAFETY: handles are looked up and not followed.
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
fn objects_of_another_context_are_refused() {
    let (first, second) = (context(), context());
    let (event, stream) = (first.new_event(None).unwrap(), second.new_stream().unwrap());
    // SAFETY: both handles live.
    let recorded = unsafe { result::event::record(event.cu_event(), stream.cu_stream()) };
    assert_eq!(status(recorded), INVALID);
}

#[test]
fn null_outputs_are_refused() {
    let _context = context();
    let invalid = CUresult::CUDA_ERROR_INVALID_VALUE;
    // SAFETY: null is refused.
    unsafe {
        assert_eq!(sys::cuDeviceGet(null_mut(), 0), invalid);
        assert_eq!(sys::cuEventCreate(null_mut(), 0), invalid);
        assert_eq!(sys::cuModuleLoadData(null_mut(), c".version 8.1".as_ptr().cast()), invalid);
        assert_eq!(sys::cuModuleLoadData(&mut null_mut(), null()), invalid);
    }
}
