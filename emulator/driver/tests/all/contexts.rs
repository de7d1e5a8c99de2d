//! Calls before a process has a context, and the lifetime of contexts. This is a single test in its own process, because it
//! is about the state of the process and begins before `cuInit`.

use crate::support::process::own_process;
use crate::support::{install, on_hardware, status};
use cudarc::driver::sys::{self, CUresult};
use cudarc::driver::{CudaContext, DriverError, result};
use std::ptr::null_mut;

fn synchronize() -> CUresult {
    status(result::ctx::synchronize())
}

fn before_cu_init() {
    let mut version = 0;
    // SAFETY: the output is valid for a write.
    let code = unsafe { sys::cuDriverGetVersion(&mut version) };
    assert!(code == CUresult::CUDA_SUCCESS && (on_hardware() || version == 12080), "{version}");
    let name = DriverError(CUresult::CUDA_ERROR_ILLEGAL_ADDRESS).error_name().map(|name| name.to_owned());
    assert_eq!(name.unwrap().as_c_str(), c"CUDA_ERROR_ILLEGAL_ADDRESS");
    assert_eq!(status(result::device::get_count()), CUresult::CUDA_ERROR_NOT_INITIALIZED);
    assert_eq!(status(result::ctx::get_current()), CUresult::CUDA_ERROR_NOT_INITIALIZED);
    // SAFETY: the allocation fails.
    assert_eq!(status(unsafe { result::malloc_sync(4) }), CUresult::CUDA_ERROR_NOT_INITIALIZED);
    // SAFETY: the flags are invalid.
    assert_eq!(unsafe { sys::cuInit(1) }, CUresult::CUDA_ERROR_INVALID_VALUE);
}

fn without_a_context() {
    result::init().unwrap();
    assert_eq!(result::ctx::get_current(), Ok(None));
    assert_eq!(synchronize(), CUresult::CUDA_ERROR_INVALID_CONTEXT);
    assert_eq!(status(result::device::get(-1)), CUresult::CUDA_ERROR_INVALID_DEVICE);
    assert_eq!(status(result::device::get(64)), CUresult::CUDA_ERROR_INVALID_DEVICE);
    // SAFETY: the primary context of device 0 has not been retained.
    assert_eq!(status(unsafe { result::primary_ctx::release(0) }), CUresult::CUDA_ERROR_INVALID_CONTEXT);
    // SAFETY: null removes the current context, of which there is none.
    unsafe { result::ctx::set_current(null_mut()) }.unwrap();
}

fn contexts_are_current_by_thread() {
    let context = CudaContext::new_non_primary(0, 0).unwrap();
    assert_eq!(synchronize(), CUresult::CUDA_SUCCESS);
    let elsewhere = std::thread::spawn(synchronize).join().unwrap();
    assert_eq!(elsewhere, CUresult::CUDA_ERROR_INVALID_CONTEXT);
    let mut popped = null_mut();
    let inner = CudaContext::new_non_primary(0, 0).unwrap();
    // SAFETY: the output is valid for a write, and both contexts are live.
    unsafe {
        assert_eq!(sys::cuCtxPushCurrent_v2(context.cu_ctx()), CUresult::CUDA_SUCCESS);
        assert_eq!(result::ctx::get_current(), Ok(Some(context.cu_ctx())));
        assert_eq!(sys::cuCtxPopCurrent_v2(&mut popped), CUresult::CUDA_SUCCESS);
    }
    assert_eq!((popped, result::ctx::get_current()), (context.cu_ctx(), Ok(Some(inner.cu_ctx()))));
    let mut created = null_mut();
    let before = result::ctx::get_current();
    // SAFETY: the output is valid for a write, and the context is destroyed once.
    unsafe {
        sys::cuCtxCreate_v2(&mut created, 0, 0).result().unwrap();
        assert_eq!(result::ctx::get_current(), Ok(Some(created)));
        sys::cuCtxDestroy_v2(created).result().unwrap();
    }
    assert_eq!(result::ctx::get_current(), before);
    context.set_blocking_synchronize().unwrap();
    let stack = sys::CUlimit::CU_LIMIT_STACK_SIZE;
    let launches = sys::CUlimit::CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH;
    context.set_limit(stack, 4096).unwrap();
    assert_eq!(context.get_limit(stack).unwrap(), 4096);
    assert!(on_hardware() || status(context.get_limit(launches)) == CUresult::CUDA_ERROR_UNSUPPORTED_LIMIT);
}

fn the_primary_context_is_counted() {
    let first = CudaContext::new(0).unwrap();
    let second = CudaContext::new(0).unwrap();
    assert_eq!(first.cu_ctx(), second.cu_ctx());
    // SAFETY: a primary context cannot be destroyed.
    assert_eq!(unsafe { sys::cuCtxDestroy_v2(first.cu_ctx()) }, CUresult::CUDA_ERROR_INVALID_CONTEXT);
    drop(first);
    assert_eq!(synchronize(), CUresult::CUDA_SUCCESS);
    drop(second);
    assert_eq!(synchronize(), CUresult::CUDA_ERROR_CONTEXT_IS_DESTROYED);
    let mut flags = 9;
    let mut active = 9;
    // SAFETY: the outputs are valid for writes.
    unsafe { sys::cuDevicePrimaryCtxGetState(0, &mut flags, &mut active) }.result().unwrap();
    assert_eq!((flags, active), (0, 0));
}

fn a_reset_ends_what_others_use() {
    let context = CudaContext::new(0).unwrap();
    // SAFETY: device 0 exists.
    unsafe { sys::cuDevicePrimaryCtxReset_v2(0) }.result().unwrap();
    assert_eq!(synchronize(), CUresult::CUDA_ERROR_CONTEXT_IS_DESTROYED);
    let again = CudaContext::new(0).unwrap();
    assert_eq!(synchronize(), CUresult::CUDA_SUCCESS);
    // The release of the first user does not destroy the context of the second.
    drop(context);
    again.bind_to_thread().ok();
    assert_eq!(status(again.synchronize()), CUresult::CUDA_SUCCESS);
}

#[test]
fn contexts_come_and_go() {
    own_process!();
    install();
    before_cu_init();
    without_a_context();
    contexts_are_current_by_thread();
    the_primary_context_is_counted();
    if !on_hardware() {
        a_reset_ends_what_others_use();
    }
}
