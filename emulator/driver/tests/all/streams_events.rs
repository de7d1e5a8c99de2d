//! Streams and events through cudarc.

use crate::support::{KERNELS, context, function, on_hardware, shape, status};
use cudarc::driver::sys::{self, CUevent_flags, CUresult};
use cudarc::driver::{PushKernelArg, result};
use std::ffi::c_void;
use std::ptr::null_mut;

#[test]
fn synchronizing_a_stream_completes_its_work() {
    let context = context();
    let scale = function(&context, KERNELS, "scale");
    let streams = [context.default_stream(), context.per_thread_stream(), context.new_stream().unwrap()];
    for stream in &streams {
        let input = stream.clone_htod(&[1.0_f32, 2.0, 3.0]).unwrap();
        let mut output = stream.alloc_zeros::<f32>(3).unwrap();
        let mut launch = stream.launch_builder(&scale);
        launch.arg(&mut output).arg(&input).arg(&3.0_f32).arg(&3_u32);
        // SAFETY: the kernel reads and writes the three elements of both slices.
        unsafe { launch.launch(shape(1, 32, 0)) }.unwrap();
        stream.synchronize().unwrap();
        assert_eq!(stream.clone_dtoh(&output).unwrap(), [3.0, 6.0, 9.0]);
    }
}

#[test]
fn streams_wait_for_each_other() {
    let context = context();
    let first = context.new_stream().unwrap();
    let second = first.fork().unwrap();
    let data = first.clone_htod(&[1_u8, 2, 3]).unwrap();
    second.join(&first).unwrap();
    assert_eq!(second.clone_dtoh(&data).unwrap(), [1, 2, 3]);
    assert!(context.new_stream_with_priority(-5).is_ok());
    assert!(on_hardware() || result::stream::get_priority_range() == Ok((0, 0)));
}

#[test]
fn time_between_events_is_not_negative() {
    let context = context();
    let stream = context.default_stream();
    let timed = Some(CUevent_flags::CU_EVENT_DEFAULT);
    let start = stream.record_event(timed).unwrap();
    std::thread::sleep(std::time::Duration::from_millis(20));
    let end = stream.record_event(timed).unwrap();
    assert!((20.0..20_000.0).contains(&start.elapsed_ms(&end).unwrap()));
    assert_eq!(start.elapsed_ms(&start).unwrap(), 0.0);
    assert!(on_hardware() || end.elapsed_ms(&start).unwrap() == 0.0);
    assert!(start.is_complete() && end.try_is_complete().unwrap());
}

#[test]
fn an_event_without_timing_has_no_elapsed_time() {
    let context = context();
    let stream = context.default_stream();
    let timed = Some(CUevent_flags::CU_EVENT_DEFAULT);
    let recorded = stream.record_event(timed).unwrap();
    let unrecorded = context.new_event(timed).unwrap();
    assert!(unrecorded.try_is_complete().unwrap());
    stream.wait(&unrecorded).unwrap();
    unrecorded.synchronize().unwrap();
    let invalid = CUresult::CUDA_ERROR_INVALID_HANDLE;
    assert_eq!(status(recorded.elapsed_ms(&unrecorded)), invalid);
    let untimed = stream.record_event(None).unwrap();
    assert_eq!(status(recorded.elapsed_ms(&untimed)), invalid);
}

#[test]
fn host_functions_are_called_in_order() {
    unsafe extern "C" fn add_one(counter: *mut c_void) {
        // SAFETY: the test passes its counter and waits before it reads it.
        unsafe { *counter.cast::<u32>() += 1 };
    }
    let stream = context().new_stream().unwrap();
    let mut counter = 0_u32;
    // SAFETY: the counter outlives the wait below.
    unsafe {
        let counter = (&raw mut counter).cast();
        result::stream::launch_host_function(stream.cu_stream(), add_one, counter).unwrap();
        result::stream::launch_host_function(stream.cu_stream(), add_one, counter).unwrap();
    }
    stream.synchronize().unwrap();
    assert_eq!(counter, 2);
}

#[test]
fn callbacks_receive_their_stream_and_its_status() {
    unsafe extern "C" fn note(stream: sys::CUstream, status: CUresult, place: *mut c_void) {
        // SAFETY: the test passes its list and waits before it reads it.
        unsafe { (*place.cast::<Vec<(sys::CUstream, CUresult)>>()).push((stream, status)) };
    }
    let context = context();
    let stream = context.new_stream().unwrap();
    let mut calls: Vec<(sys::CUstream, CUresult)> = Vec::new();
    let place = (&raw mut calls).cast();
    // SAFETY: the list outlives the waits below.
    unsafe {
        sys::cuStreamAddCallback(stream.cu_stream(), Some(note), place, 0).result().unwrap();
        stream.synchronize().unwrap();
        assert_eq!(sys::cuStreamAddCallback(stream.cu_stream(), None, place, 0), CUresult::CUDA_ERROR_INVALID_VALUE);
        assert_eq!(
            sys::cuStreamAddCallback(stream.cu_stream(), Some(note), place, 1),
            CUresult::CUDA_ERROR_INVALID_VALUE
        );
    }
    assert_eq!(calls, [(stream.cu_stream(), CUresult::CUDA_SUCCESS)]);
    if on_hardware() {
        return;
    }
    let kernel = function(&context, crate::support::FAULTS, "store");
    crate::support::store(&stream, &kernel, 0).unwrap();
    // SAFETY: as above.
    unsafe { sys::cuStreamAddCallback(stream.cu_stream(), Some(note), place, 0) }.result().unwrap();
    assert_eq!(status(stream.synchronize()), CUresult::CUDA_ERROR_ILLEGAL_ADDRESS);
    assert_eq!(calls[1], (stream.cu_stream(), CUresult::CUDA_ERROR_ILLEGAL_ADDRESS));
}

#[test]
fn unknown_flags_are_errors() {
    let _context = context();
    let mut stream = null_mut();
    let mut event = null_mut();
    let invalid = CUresult::CUDA_ERROR_INVALID_VALUE;
    // SAFETY: the outputs are valid for writes.
    unsafe {
        assert_eq!(sys::cuStreamCreate(&mut stream, 8), invalid);
        assert_eq!(sys::cuEventCreate(&mut event, 64), invalid);
        assert_eq!(sys::cuEventCreate(&mut event, CUevent_flags::CU_EVENT_INTERPROCESS as u32), invalid);
        assert_eq!(sys::cuStreamCreate(null_mut(), 0), invalid);
    }
}
