//! Kernels that fault: the launch succeeds, and the next call that waits and all later calls fail.

use crate::support::{FAULTS, context, function, last_error, on_hardware, shape, status, store};
use cudarc::driver::sys::CUresult;
use cudarc::driver::{CudaContext, DevicePtr, result};
use std::sync::Arc;

/// Launches a kernel without parameters and returns the status of waiting for it.
fn outcome_of(context: &Arc<CudaContext>, kernel: &str) -> CUresult {
    let stream = context.default_stream();
    let function = function(context, FAULTS, kernel);
    // SAFETY: the kernel has no parameters and accesses no memory.
    unsafe { stream.launch_builder(&function).launch(shape(1, 1, 0)) }.unwrap();
    status(stream.synchronize())
}

#[test]
fn an_access_out_of_bounds_is_sticky_and_its_message_has_the_place() {
    let context = context();
    let stream = context.default_stream();
    let kernel = function(&context, FAULTS, "store");
    let device = stream.clone_htod(&[5_u32; 4]).unwrap();
    let illegal = CUresult::CUDA_ERROR_ILLEGAL_ADDRESS;
    store(&stream, &kernel, 0x10).unwrap();
    // The launch reports nothing, and later work of the stream is dropped.
    store(&stream, &kernel, device.device_ptr(&stream).0).unwrap();
    assert_eq!(status(stream.synchronize()), illegal);
    if !on_hardware() {
        let message = last_error();
        assert!(message.contains("store") && message.contains("line 11") && message.contains("0x10"), "{message}");
    }
    assert_eq!(status(stream.synchronize()), illegal);
    assert_eq!(status(stream.clone_htod(&[1_u8])), illegal);
    assert_eq!(status(stream.clone_dtoh(&device)), illegal);
    assert_eq!(status(store(&stream, &kernel, device.device_ptr(&stream).0)), illegal);
    assert_eq!(status(context.new_event(None)), illegal);
    assert_eq!(status(kernel.num_regs()), illegal);
}

#[test]
fn a_use_of_freed_memory_is_named_as_that() {
    let context = context();
    if on_hardware() {
        return; // A real driver knows the address alone.
    }
    let stream = context.default_stream();
    let kernel = function(&context, FAULTS, "store");
    let _below = stream.clone_htod(&[5_u32; 16]).unwrap();
    let freed = stream.clone_htod(&[5_u32; 16]).unwrap();
    let _above = stream.clone_htod(&[5_u32; 16]).unwrap();
    let address = freed.device_ptr(&stream).0;
    drop(freed);
    let named = "at byte 4 of an allocation of 64 bytes that was freed before";
    let mut target = [0_u8; 4];
    // SAFETY: the target has four bytes.
    let copied = unsafe { result::memcpy_dtoh_sync(&mut target, address + 4) };
    assert_eq!(status(copied), CUresult::CUDA_ERROR_INVALID_VALUE);
    assert!(last_error().contains(named), "{}", last_error());
    store(&stream, &kernel, address + 4).unwrap();
    assert_eq!(status(stream.synchronize()), CUresult::CUDA_ERROR_ILLEGAL_ADDRESS);
    assert!(last_error().contains(named), "{}", last_error());
}

#[test]
fn a_copy_to_the_host_reports_an_earlier_fault() {
    let context = context();
    let stream = context.default_stream();
    let kernel = function(&context, FAULTS, "store");
    let device = stream.clone_htod(&[5_u32; 4]).unwrap();
    store(&stream, &kernel, 0x10).unwrap();
    assert_eq!(status(stream.clone_dtoh(&device)), CUresult::CUDA_ERROR_ILLEGAL_ADDRESS);
}

#[test]
fn an_event_reports_an_earlier_fault() {
    let context = context();
    let stream = context.default_stream();
    let kernel = function(&context, FAULTS, "store");
    store(&stream, &kernel, 0x10).unwrap();
    let event = stream.record_event(None).unwrap();
    assert_eq!(status(event.synchronize()), CUresult::CUDA_ERROR_ILLEGAL_ADDRESS);
    assert_eq!(status(event.try_is_complete()), CUresult::CUDA_ERROR_ILLEGAL_ADDRESS);
}

#[test]
fn a_misaligned_access() {
    let context = context();
    let stream = context.default_stream();
    let kernel = function(&context, FAULTS, "store");
    let device = stream.alloc_zeros::<u32>(4).unwrap();
    store(&stream, &kernel, device.device_ptr(&stream).0 + 1).unwrap();
    assert_eq!(status(stream.synchronize()), CUresult::CUDA_ERROR_MISALIGNED_ADDRESS);
}

#[test]
fn a_trap() {
    assert_eq!(outcome_of(&context(), "give_up"), CUresult::CUDA_ERROR_LAUNCH_FAILED);
    assert!(on_hardware() || last_error().contains("give_up"), "{}", last_error());
}

#[test]
fn a_fault_affects_one_context_and_ends_with_it() {
    if on_hardware() {
        return; // A fault disables a real driver for the process.
    }
    let faulty = context();
    let well = context();
    assert_eq!(outcome_of(&faulty, "give_up"), CUresult::CUDA_ERROR_LAUNCH_FAILED);
    let stream = well.default_stream();
    let device = stream.clone_htod(&[1_u8, 2]).unwrap();
    assert_eq!(stream.clone_dtoh(&device).unwrap(), [1, 2]);
    drop(faulty);
    assert_eq!(outcome_of(&context(), "give_up"), CUresult::CUDA_ERROR_LAUNCH_FAILED);
}

#[test]
fn the_primary_context_is_new_after_its_last_release() {
    if on_hardware() {
        return; // A fault disables a real driver for the process.
    }
    crate::support::install();
    let used_bytes = || {
        let (free, total) = result::mem_get_info().unwrap();
        total - free
    };
    // Concurrent tests allocate a few bytes, far less than half of this leak.
    const LEAK: usize = 1 << 24;
    let primary = CudaContext::new(0).unwrap();
    let before = used_bytes();
    let leaked = primary.default_stream().alloc_zeros::<u8>(LEAK).unwrap().leak();
    assert!(used_bytes() > before + LEAK / 2, "{leaked:#x}");
    assert_eq!(outcome_of(&primary, "give_up"), CUresult::CUDA_ERROR_LAUNCH_FAILED);
    drop(primary);
    let primary = CudaContext::new(0).unwrap();
    let stream = primary.default_stream();
    let device = stream.clone_htod(&[1_u8, 2]).unwrap();
    assert_eq!(stream.clone_dtoh(&device).unwrap(), [1, 2]);
    assert!(used_bytes() < before + LEAK / 2);
}
