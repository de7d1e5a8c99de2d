//! Stream capture and graphs.

use crate::support::{FAULTS, KERNELS, context, function, last_error, on_hardware, shape, status, store};
use cudarc::driver::sys::{self, CUgraphInstantiate_flags as Flags, CUresult};
use cudarc::driver::sys::{CUstreamCaptureMode as Mode, CUstreamCaptureStatus as Status};
use cudarc::driver::{CudaContext, CudaGraph, CudaStream, DevicePtr, DriverError, PushKernelArg, result};
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::Arc;

const LOCAL: Mode = Mode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
const RELAXED: Mode = Mode::CU_STREAM_CAPTURE_MODE_RELAXED;

/// Creates a context and a stream. cudarc's automatic events are off, because a captured stream cannot wait for events
/// outside the capture.
fn stream() -> (Arc<CudaContext>, Arc<CudaStream>) {
    let context = context();
    // SAFETY: each test orders its work on a slice.
    unsafe { context.disable_event_tracking() };
    let stream = context.new_stream().unwrap();
    (context, stream)
}

fn end(stream: &Arc<CudaStream>) -> CudaGraph {
    stream.end_capture(Flags(0)).unwrap_or_else(|error| panic!("{error}: {}", last_error())).expect("a graph")
}

#[test]
fn captured_work_runs_when_its_graph_is_launched() {
    let (context, stream) = stream();
    let scale = function(&context, KERNELS, "scale");
    let mut host = vec![1.0_f32, 2.0, 3.0, 4.0];
    let mut input = stream.alloc_zeros::<f32>(4).unwrap();
    let mut output = stream.clone_htod(&[-1.0_f32; 8]).unwrap();
    let mut copy = stream.alloc_zeros::<f32>(4).unwrap();
    let mut factor = 2.0_f32;
    stream.begin_capture(LOCAL).unwrap();
    assert_eq!(stream.capture_status().unwrap(), Status::CU_STREAM_CAPTURE_STATUS_ACTIVE);
    // SAFETY: `host` lives as long as the graph.
    unsafe { result::memcpy_htod_async(input.device_ptr(&stream).0, &host, stream.cu_stream()) }.unwrap();
    let mut launch = stream.launch_builder(&scale);
    launch.arg(&mut output).arg(&input).arg(&factor).arg(&4_u32);
    // SAFETY: the kernel reads and writes four elements.
    unsafe { launch.launch(shape(1, 32, 0)) }.unwrap();
    stream.memcpy_dtod(&output.slice(0..4), &mut copy).unwrap();
    stream.memset_zeros(&mut input).unwrap();
    factor += 1.0;
    let graph = end(&stream);
    assert_eq!(stream.capture_status().unwrap(), Status::CU_STREAM_CAPTURE_STATUS_NONE);
    assert_eq!(stream.clone_dtoh(&output).unwrap(), [-1.0; 8], "captured work has run");
    graph.upload().unwrap();
    for round in 0..2 {
        graph.launch().unwrap();
        let expected: Vec<f32> = host.iter().map(|x| 2.0 * x).collect();
        assert_eq!(
            stream.clone_dtoh(&copy).unwrap(),
            expected,
            "round {round}: a launch uses the factor of the capture, not {factor}"
        );
        assert_eq!(stream.clone_dtoh(&output).unwrap()[4..], [-1.0; 4]);
        assert_eq!(stream.clone_dtoh(&input).unwrap(), [0.0; 4]);
        // A copy from the host reads the memory at the time of the launch.
        host.iter_mut().for_each(|x| *x += 10.0);
    }
}

#[test]
fn a_call_that_cannot_be_captured_invalidates_the_capture() {
    let (context, stream) = stream();
    let mut data = stream.alloc_zeros::<u32>(4).unwrap();
    let unsupported = CUresult::CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    let wrong: [(&str, &dyn Fn() -> CUresult); 5] = [
        ("synchronize", &|| status(stream.synchronize())),
        // SAFETY: the stream exists.
        ("query", &|| unsafe { sys::cuStreamQuery(stream.cu_stream()) }),
        ("wait for the context", &|| status(context.synchronize())),
        // SAFETY: the allocation fails.
        ("allocate", &|| status(unsafe { result::malloc_sync(64) })),
        // SAFETY: the address is of four words.
        ("copy at once", &|| status(unsafe { result::memcpy_htod_sync(data.device_ptr(&stream).0, &[1_u32]) })),
    ];
    for (name, call) in wrong {
        if on_hardware() && name == "copy at once" {
            continue;
        }
        stream.begin_capture(LOCAL).unwrap();
        assert_eq!(call(), unsupported, "{name}");
        assert_eq!(stream.capture_status().unwrap(), Status::CU_STREAM_CAPTURE_STATUS_INVALIDATED, "{name}");
        let ended = stream.end_capture(Flags(0)).map(drop);
        assert_eq!(status(ended), CUresult::CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, "{name}");
        assert_eq!(stream.capture_status().unwrap(), Status::CU_STREAM_CAPTURE_STATUS_NONE, "{name}");
    }
    // In relaxed mode such calls are permitted, except on the captured stream.
    stream.begin_capture(RELAXED).unwrap();
    // SAFETY: the memory is not used before it is freed.
    unsafe { result::free_sync(result::malloc_sync(64).unwrap()) }.unwrap();
    stream.memset_zeros(&mut data).unwrap();
    end(&stream).launch().unwrap();
}

#[test]
fn captures_begin_and_end_on_valid_streams_and_threads() {
    let (context, stream) = stream();
    let begun_on_legacy = context.default_stream().begin_capture(LOCAL);
    assert_eq!(status(begun_on_legacy), CUresult::CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    assert_eq!(status(stream.end_capture(Flags(0)).map(drop)), CUresult::CUDA_ERROR_ILLEGAL_STATE);
    stream.begin_capture(LOCAL).unwrap();
    assert_eq!(status(stream.begin_capture(LOCAL)), CUresult::CUDA_ERROR_ILLEGAL_STATE);
    std::thread::scope(|scope| {
        let elsewhere = || status(stream.end_capture(Flags(0)).map(drop));
        let code = scope.spawn(elsewhere).join().unwrap();
        assert_eq!(code, CUresult::CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD);
    });
    // That ended the capture.
    assert_eq!(status(stream.end_capture(Flags(0)).map(drop)), CUresult::CUDA_ERROR_ILLEGAL_STATE);
    stream.begin_capture(LOCAL).unwrap();
    let mut state = Status::CU_STREAM_CAPTURE_STATUS_NONE;
    let mut id = 0;
    // SAFETY: the outputs are valid for writes or null.
    unsafe {
        sys::cuStreamGetCaptureInfo_v2(stream.cu_stream(), &mut state, &mut id, null_mut(), null_mut(), null_mut())
            .result()
            .unwrap();
    }
    assert!(state == Status::CU_STREAM_CAPTURE_STATUS_ACTIVE && id > 0);
    let flags =
        Flags::CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH | Flags::CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH;
    assert_eq!(status(stream.end_capture(flags).map(drop)), CUresult::CUDA_ERROR_INVALID_VALUE);
    stream.begin_capture(RELAXED).unwrap();
    let graph = std::thread::scope(|scope| {
        let elsewhere = || {
            context.bind_to_thread().unwrap();
            stream.end_capture(Flags(0)).map(|graph| graph.is_some())
        };
        scope.spawn(elsewhere).join().unwrap()
    });
    assert_eq!(graph, Ok(true), "an empty graph");
}

#[test]
fn streams_join_a_capture_through_events_and_must_be_joined_to_its_origin() {
    let (context, first) = stream();
    let second = context.new_stream().unwrap();
    let mut a = first.clone_htod(&[1_u32; 4]).unwrap();
    let mut b = first.clone_htod(&[2_u32; 4]).unwrap();
    let outside = first.record_event(None).unwrap();
    first.begin_capture(LOCAL).unwrap();
    second.wait(&first.record_event(None).unwrap()).unwrap();
    assert_eq!(second.capture_status().unwrap(), Status::CU_STREAM_CAPTURE_STATUS_ACTIVE);
    second.memset_zeros(&mut b).unwrap();
    first.memset_zeros(&mut a).unwrap();
    let inside = second.record_event(None).unwrap();
    first.wait(&inside).unwrap();
    let graph = end(&first);
    graph.launch().unwrap();
    assert_eq!((first.clone_dtoh(&a).unwrap(), first.clone_dtoh(&b).unwrap()), (vec![0; 4], vec![0; 4]));
    // A stream that is not joined, and one that waits for an event outside the capture.
    first.begin_capture(LOCAL).unwrap();
    second.wait(&first.record_event(None).unwrap()).unwrap();
    second.memset_zeros(&mut b).unwrap();
    assert_eq!(status(first.end_capture(Flags(0)).map(drop)), CUresult::CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
    assert_eq!(second.capture_status().unwrap(), Status::CU_STREAM_CAPTURE_STATUS_NONE);
    // The end of another stream than the first, and a wait of the host.
    for (refused, code) in [
        (
            &(|| second.end_capture(Flags(0)).map(drop)) as &dyn Fn() -> Result<(), DriverError>,
            CUresult::CUDA_ERROR_STREAM_CAPTURE_UNMATCHED,
        ),
        (&|| second.record_event(None)?.synchronize(), CUresult::CUDA_ERROR_CAPTURED_EVENT),
    ] {
        first.begin_capture(LOCAL).unwrap();
        second.wait(&first.record_event(None).unwrap()).unwrap();
        assert_eq!(status(refused()), code);
        assert_eq!(second.capture_status().unwrap(), Status::CU_STREAM_CAPTURE_STATUS_INVALIDATED);
        assert_eq!(status(first.end_capture(Flags(0)).map(drop)), CUresult::CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
        assert_eq!(second.capture_status().unwrap(), Status::CU_STREAM_CAPTURE_STATUS_NONE);
    }
    first.begin_capture(LOCAL).unwrap();
    assert_eq!(status(first.wait(&outside)), CUresult::CUDA_ERROR_STREAM_CAPTURE_ISOLATION);
    assert_eq!(status(first.end_capture(Flags(0)).map(drop)), CUresult::CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    assert_eq!(status(second.wait(&inside)), CUresult::CUDA_ERROR_INVALID_VALUE);
}

#[test]
fn the_legacy_stream_cannot_be_used_while_a_blocking_stream_is_captured() {
    let (context, _) = stream();
    let legacy = context.default_stream();
    let mut data = legacy.alloc_zeros::<u32>(4).unwrap();
    let mut blocking = null_mut();
    // SAFETY: the output is valid for a write, and the stream is destroyed at the end.
    unsafe {
        sys::cuStreamCreate(&mut blocking, 0).result().unwrap();
        result::stream::begin_capture(blocking, RELAXED).unwrap();
        assert_eq!(status(legacy.memset_zeros(&mut data)), CUresult::CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
        let mut graph = null_mut();
        assert_eq!(sys::cuStreamEndCapture(blocking, &mut graph), CUresult::CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
        assert!(graph.is_null());
        legacy.memset_zeros(&mut data).unwrap();
        sys::cuStreamDestroy_v2(blocking).result().unwrap();
    }
}

#[test]
fn host_functions_can_be_captured_and_launches_of_graphs_cannot() {
    unsafe extern "C" fn add_one(counter: *mut c_void) {
        // SAFETY: the test passes its counter and waits before it reads it.
        unsafe { *counter.cast::<u32>() += 1 };
    }
    let (_, stream) = stream();
    let mut counter = 0_u32;
    let place = (&raw mut counter).cast();
    stream.begin_capture(LOCAL).unwrap();
    // SAFETY: the counter outlives the launches.
    unsafe { result::stream::launch_host_function(stream.cu_stream(), add_one, place) }.unwrap();
    let graph = end(&stream);
    graph.launch().unwrap();
    graph.launch().unwrap();
    stream.synchronize().unwrap();
    // SAFETY: the counter is no longer used elsewhere.
    assert_eq!(unsafe { place.cast::<u32>().read_volatile() }, 2);
    stream.begin_capture(RELAXED).unwrap();
    assert_eq!(status(graph.launch()), CUresult::CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    assert_eq!(status(stream.end_capture(Flags(0)).map(drop)), CUresult::CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
}

#[test]
fn a_fault_in_a_graph_is_reported_by_the_next_call_that_waits() {
    if on_hardware() {
        return; // A fault disables a real driver for the process.
    }
    let (context, stream) = stream();
    let kernel = function(&context, FAULTS, "store");
    let mut data = stream.clone_htod(&[7_u32]).unwrap();
    stream.begin_capture(LOCAL).unwrap();
    store(&stream, &kernel, 0).unwrap();
    stream.memset_zeros(&mut data).unwrap();
    let graph = end(&stream);
    graph.launch().unwrap();
    assert_eq!(status(stream.synchronize()), CUresult::CUDA_ERROR_ILLEGAL_ADDRESS);
    assert!(last_error().contains("out-of-bounds access in kernel `store`"), "{}", last_error());
}

#[test]
fn destroyed_graphs_and_invalid_launches_are_errors() {
    let (context, stream) = stream();
    let give_up = function(&context, FAULTS, "give_up");
    stream.begin_capture(LOCAL).unwrap();
    // SAFETY: the launch fails, and the kernel has no parameters.
    let refused = unsafe { stream.launch_builder(&give_up).launch(shape(1, 1025, 0)) };
    assert_eq!(status(refused), CUresult::CUDA_ERROR_INVALID_VALUE);
    drop(stream.end_capture(Flags(0)));
    let mut mode = LOCAL;
    // SAFETY: the mode is valid for reads and writes.
    unsafe { sys::cuThreadExchangeStreamCaptureMode(&mut mode) }.result().unwrap();
    assert_eq!(mode, Mode::CU_STREAM_CAPTURE_MODE_GLOBAL);
    if on_hardware() {
        return; // A real driver dereferences destroyed handles.
    }
    let mut graph = null_mut();
    let mut executable = null_mut();
    // SAFETY: the outputs are valid for writes, and the emulator does not dereference handles.
    unsafe {
        result::stream::begin_capture(stream.cu_stream(), LOCAL).unwrap();
        sys::cuStreamEndCapture(stream.cu_stream(), &mut graph).result().unwrap();
        sys::cuGraphInstantiateWithFlags(&mut executable, graph, 0).result().unwrap();
        sys::cuGraphDestroy(graph).result().unwrap();
        sys::cuGraphLaunch(executable, stream.cu_stream()).result().unwrap();
        sys::cuGraphExecDestroy(executable).result().unwrap();
        let invalid = CUresult::CUDA_ERROR_INVALID_VALUE;
        assert_eq!(sys::cuGraphDestroy(graph), invalid);
        assert_eq!(sys::cuGraphInstantiateWithFlags(&mut executable, graph, 0), invalid);
        assert_eq!(sys::cuGraphLaunch(executable, stream.cu_stream()), invalid);
        assert_eq!(sys::cuGraphExecDestroy(executable), invalid);
    }
}

/// The answers of an H200, driver 580. It answers in the global mode as in the thread's own, but that mode concerns the threads of all
/// tests.
#[test]
fn other_streams_and_allocations_during_a_capture_answer_as_a_gpu() {
    let (context, stream) = stream();
    let other = context.new_stream().unwrap();
    let buffer = other.alloc_zeros::<u8>(8).unwrap();
    let address = buffer.device_ptr(&other).0;
    let event = context.new_event(None).unwrap();
    event.record(&other).unwrap();
    let refuses = |mode, call: &dyn Fn() -> CUresult| {
        stream.begin_capture(mode).unwrap();
        let answer = call();
        let ended = stream.end_capture(Flags(0)).map(drop).map_or_else(|error| error.0, |()| CUresult::CUDA_SUCCESS);
        match answer {
            CUresult::CUDA_SUCCESS => assert_eq!(ended, CUresult::CUDA_SUCCESS),
            _ => assert_eq!(
                (answer, ended),
                (CUresult::CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, CUresult::CUDA_ERROR_STREAM_CAPTURE_INVALIDATED)
            ),
        }
        answer != CUresult::CUDA_SUCCESS
    };
    let mut bytes = [0_u8; 8];
    let bytes = bytes.as_mut_ptr().cast();
    // SAFETY: the handles and the buffer live as long as the calls, and all outputs are valid for writes. What is allocated stays.
    let calls: [(&str, bool, bool, &dyn Fn() -> CUresult); 7] = unsafe {
        [
            ("wait for a stream", true, false, &|| sys::cuStreamSynchronize(other.cu_stream())),
            ("query a stream", true, false, &|| sys::cuStreamQuery(other.cu_stream())),
            ("wait for an event", true, false, &|| sys::cuEventSynchronize(event.cu_event())),
            ("copy to the host", false, false, &|| sys::cuMemcpyDtoH_v2(bytes, address, 8)),
            ("allocate", true, false, &|| sys::cuMemAlloc_v2(&mut 0, 16)),
            ("allocate host memory", true, false, &|| sys::cuMemAllocHost_v2(&mut null_mut(), 16)),
            ("wait for all", true, true, &|| sys::cuCtxSynchronize()),
        ]
    };
    for (name, if_local, if_relaxed, call) in calls {
        assert_eq!(refuses(LOCAL, call), if_local, "{name}");
        assert_eq!(refuses(RELAXED, call), if_relaxed, "{name}, relaxed");
    }
}
