//! What orders the work of streams, and what is found where nothing does: each finding beside a twin that is clean.

mod support;

use cudarc::driver::sys::{self, CUgraphInstantiate_flags, CUresult, CUstreamCaptureMode};
use cudarc::driver::{CudaContext, CudaFunction, CudaSlice, CudaStream, DevicePtr, PushKernelArg};
use emulator::{Diagnosis, Tool};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use support::{
    KERNELS, Range, context, function, last_error, read_memory, set, shape, take_findings, take_transfers, transfer,
    write_memory,
};

/// Checks are of the process: the tests take turns.
fn turn() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Adds one to a word, atomically or not, and waits for a word to be written.
const WORDS: &str = "
.version 8.1
.target sm_75
.address_size 64
.visible .entry add(.param .u64 word) {
    .reg .b64 %a; .reg .b32 %v;
    ld.param.u64 %a, [word];
    atom.global.add.u32 %v, [%a], 1;
    ret;
}
.visible .entry put(.param .u64 word) {
    .reg .b64 %a; .reg .b32 %v;
    ld.param.u64 %a, [word];
    mov.u32 %v, 1;
    st.global.u32 [%a], %v;
    ret;
}
.visible .entry produce(.param .u64 word) {
    .reg .b64 %a; .reg .b32 %v;
    ld.param.u64 %a, [word];
    mov.u32 %v, 1;
    st.global.u32 [%a+4], %v;
    membar.gl;
    st.volatile.global.u32 [%a], %v;
    ret;
}
.visible .entry consume(.param .u64 word) {
    .reg .b64 %a; .reg .b32 %v; .reg .pred %p;
    ld.param.u64 %a, [word];
AGAIN:
    ld.volatile.global.u32 %v, [%a];
    setp.ne.u32 %p, %v, 1;
    @%p bra AGAIN;
    membar.gl;
    ld.global.u32 %v, [%a+4];
    st.global.u32 [%a+8], %v;
    ret;
}
";

/// Streams of one context without cudarc's own events, 256 floats each in two buffers, and checks that are on.
struct Bench {
    streams: Vec<Arc<CudaStream>>,
    scale: CudaFunction,
    context: Arc<CudaContext>,
    buffers: [CudaSlice<f32>; 2],
    _turn: MutexGuard<'static, ()>,
}

impl Drop for Bench {
    fn drop(&mut self) {
        set("coalesced_set_checks", 0_u32);
        take_findings();
    }
}

impl Bench {
    fn new() -> Self {
        let (turn, context) = (turn(), context());
        // SAFETY: what the tests leave unordered is what they are about, and work runs when it is given here.
        unsafe { context.disable_event_tracking() };
        let streams: Vec<_> = (0..3).map(|_| context.new_stream().unwrap()).collect();
        let scale = function(&context, KERNELS, "scale");
        set("coalesced_set_checks", 1_u32);
        let buffers = [(); 2].map(|()| streams[0].clone_htod(&[1.0_f32; 256]).unwrap());
        context.synchronize().unwrap();
        take_findings();
        take_transfers();
        Self { streams, scale, context, buffers, _turn: turn }
    }

    /// The address of an element of a buffer.
    fn at(&self, buffer: usize, index: u64) -> u64 {
        let (address, _record) = self.buffers[buffer].device_ptr(&self.streams[0]);
        address + 4 * index
    }

    fn range(&self, buffer: usize, elements: std::ops::Range<u64>) -> Range {
        Range { address: self.at(buffer, elements.start), bytes: 4 * (elements.end - elements.start) }
    }

    /// Scales `count` elements from one address to another.
    fn scale(&self, stream: &Arc<CudaStream>, from: u64, to: u64, count: u32) {
        let mut launch = stream.launch_builder(&self.scale);
        launch.arg(&to).arg(&from).arg(&2.0_f32).arg(&count);
        // SAFETY: both addresses are of so many elements.
        unsafe { launch.launch(shape(2, 128, 0)) }.unwrap();
    }

    fn receive(&self, stream: &CudaStream, range: Range) {
        let what = "ncclRecv of rank 1 (communicator 0, call 7)";
        assert_eq!(transfer(stream, what, &[], &[range], 0, range.bytes), CUresult::CUDA_SUCCESS);
    }

    fn launch(&self, stream: &Arc<CudaStream>, name: &str, word: u64) {
        let kernel = function(&self.context, WORDS, name);
        // SAFETY: the address is of three words.
        unsafe { stream.launch_builder(&kernel).arg(&word).launch(shape(1, 1, 0)) }.unwrap();
    }
}

fn findings() -> Vec<Diagnosis> {
    serde_json::from_str(&take_findings()).unwrap()
}

fn titles() -> Vec<String> {
    findings().into_iter().map(|finding| finding.title).collect()
}

#[test]
fn a_kernel_that_reads_what_a_transfer_still_writes_is_a_finding_with_both_places() {
    let bench = Bench::new();
    let [transfers, computes, _] = &bench.streams[..] else { panic!() };
    bench.receive(transfers, bench.range(0, 64..256));
    bench.scale(computes, bench.at(0, 0), bench.at(1, 0), 128);
    let found = findings();
    assert_eq!(found.len(), 1, "{found:?}");
    let base = bench.at(0, 0);
    let expected = format!(
        "race between streams: launch 1 of kernel `scale` on stream 2 reads what ncclRecv of rank 1 (communicator 0, call \
         7) on stream 1 may still be writing, and nothing orders the two: bytes 256 to 511 of the 1024 bytes allocated \
         at {base:#x}"
    );
    assert_eq!(found[0].title, expected);
    assert_eq!((found[0].tool, found[0].sides.len()), (Some(Tool::Racecheck), 1));
    assert_eq!(found[0].sides[0].verb, "read");
    assert!(found[0].sides[0].place.instruction.starts_with("ld.global"), "{:?}", found[0].sides[0]);
}

#[test]
fn an_event_a_stream_and_a_wait_of_the_host_order_the_same_two() {
    let bench = Bench::new();
    let [transfers, computes, _] = &bench.streams[..] else { panic!() };
    let compute = |stream| bench.scale(stream, bench.at(0, 0), bench.at(1, 0), 256);
    bench.receive(transfers, bench.range(0, 0..256));
    computes.wait(&transfers.record_event(None).unwrap()).unwrap();
    compute(computes);
    assert_eq!(titles(), [""; 0], "by an event");
    transfers.join(computes).unwrap();
    bench.receive(transfers, bench.range(0, 0..256));
    compute(transfers);
    assert_eq!(titles(), [""; 0], "by the stream");
    bench.receive(transfers, bench.range(0, 0..256));
    transfers.synchronize().unwrap();
    compute(computes);
    assert_eq!(titles(), [""; 0], "by a wait for the stream");
    transfers.join(computes).unwrap();
    bench.receive(transfers, bench.range(0, 0..256));
    transfers.record_event(None).unwrap().synchronize().unwrap();
    compute(computes);
    assert_eq!(titles(), [""; 0], "by a wait for an event");
    transfers.join(computes).unwrap();
    bench.receive(transfers, bench.range(0, 0..256));
    bench.context.synchronize().unwrap();
    compute(computes);
    assert_eq!(titles(), [""; 0], "by a wait for the context");
}

#[test]
fn an_event_that_is_recorded_too_early_orders_nothing() {
    let bench = Bench::new();
    let [transfers, computes, _] = &bench.streams[..] else { panic!() };
    let early = transfers.record_event(None).unwrap();
    bench.receive(transfers, bench.range(0, 0..256));
    computes.wait(&early).unwrap();
    bench.scale(computes, bench.at(0, 0), bench.at(1, 0), 256);
    assert_eq!(titles().len(), 1);
}

#[test]
fn halves_of_a_buffer_are_apart_and_one_element_in_common_is_not() {
    let bench = Bench::new();
    let [first, second, _] = &bench.streams[..] else { panic!() };
    bench.scale(first, bench.at(0, 0), bench.at(0, 0), 128);
    bench.scale(second, bench.at(0, 128), bench.at(0, 128), 128);
    bench.receive(first, bench.range(1, 0..100));
    bench.scale(second, bench.at(1, 100), bench.at(1, 100), 156);
    assert_eq!(titles(), [""; 0]);
    bench.receive(first, bench.range(1, 99..101));
    let found = titles();
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].contains("writes what launch 3 of kernel `scale` on stream 2"), "{found:?}");
    assert!(found[0].contains("bytes 400 to 403 of the 1024"), "{found:?}");
}

#[test]
fn events_order_along_a_chain_of_three_streams() {
    for broken in [false, true] {
        let bench = Bench::new();
        let [first, second, third] = &bench.streams[..] else { panic!() };
        bench.receive(first, bench.range(0, 0..256));
        if !broken {
            second.join(first).unwrap();
        }
        third.join(second).unwrap();
        bench.scale(third, bench.at(0, 0), bench.at(1, 0), 256);
        assert_eq!(titles().len(), usize::from(broken));
    }
}

#[test]
fn a_later_write_waits_for_every_reader() {
    for missing in [None, Some(0), Some(1)] {
        let bench = Bench::new();
        let [first, second, third] = &bench.streams[..] else { panic!() };
        bench.scale(first, bench.at(0, 0), bench.at(1, 0), 100);
        bench.scale(second, bench.at(0, 0), bench.at(1, 100), 100);
        for (index, reader) in [first, second].into_iter().enumerate().filter(|(index, _)| Some(*index) != missing) {
            third.join(reader).unwrap_or_else(|error| panic!("{index}: {error}"));
        }
        bench.receive(third, bench.range(0, 0..256));
        let found = titles();
        assert_eq!(found.len(), usize::from(missing.is_some()), "{found:?}");
        assert!(found.iter().all(|title| title.contains("may still be reading")), "{found:?}");
    }
}

#[test]
fn the_default_stream_waits_for_blocking_streams_and_they_for_it() {
    let bench = Bench::new();
    let (default, thread, aside) =
        (bench.context.default_stream(), bench.context.per_thread_stream(), &bench.streams[0]);
    let mut raw = std::ptr::null_mut();
    // SAFETY: the output is valid for a write, and the stream is never destroyed.
    let blocking = unsafe {
        sys::cuStreamCreate(&mut raw, 0).result().unwrap();
        bench.context.wrap_borrowed_stream(raw)
    };
    let reads = |stream| bench.scale(stream, bench.at(0, 0), bench.at(1, 0), 256);
    for (writer, reader) in [(&default, &blocking), (&blocking, &default), (&default, &thread), (&thread, &default)] {
        bench.receive(writer, bench.range(0, 0..256));
        reads(reader);
        assert_eq!(titles(), [""; 0]);
        bench.context.synchronize().unwrap();
    }
    for (writer, reader) in [(&default, aside), (aside, &default), (&blocking, &thread)] {
        bench.receive(writer, bench.range(0, 0..256));
        reads(reader);
        assert_eq!(titles().len(), 1, "{writer:?} {reader:?}");
        bench.context.synchronize().unwrap();
    }
}

#[test]
fn copies_and_fills_are_work_as_kernels_are() {
    let mut bench = Bench::new();
    let [first, second, _] = [0, 1, 2].map(|index| Arc::clone(&bench.streams[index]));
    first.memset_zeros(&mut bench.buffers[0]).unwrap();
    let [source, target] = &mut bench.buffers;
    second.memcpy_dtod(source, target).unwrap();
    let found = titles();
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(
        found[0].contains("copy on the device number 1 on stream 2 reads what memset number 1 on stream 1"),
        "{found:?}"
    );
    second.join(&first).unwrap();
    first.join(&second).unwrap();
    first.memcpy_htod(&[1.0_f32; 256], &mut bench.buffers[0]).unwrap();
    assert_eq!(titles(), [""; 0]);
    let copied = second.clone_dtoh(&bench.buffers[0]).unwrap();
    assert_eq!((copied[0], titles().len()), (1.0, 1), "a copy to the host beside one from it");
}

#[test]
fn a_copy_to_pageable_memory_orders_the_host_and_one_to_page_locked_memory_does_not() {
    for locked in [false, true] {
        let bench = Bench::new();
        let [first, second, _] = &bench.streams[..] else { panic!() };
        let mut pageable = [0.0_f32; 256];
        let mut pinned = std::ptr::null_mut();
        first.context().bind_to_thread().unwrap();
        // SAFETY: both targets have the bytes of a buffer.
        unsafe {
            sys::cuMemHostAlloc(&mut pinned, 1024, 0).result().unwrap();
            let target = if locked { pinned } else { pageable.as_mut_ptr().cast() };
            sys::cuMemcpyDtoHAsync_v2(target, bench.at(0, 0), 1024, first.cu_stream()).result().unwrap();
        }
        bench.receive(second, bench.range(0, 0..256));
        assert_eq!(titles().len(), usize::from(locked));
        // SAFETY: the memory was allocated above.
        unsafe { sys::cuMemFreeHost(pinned) }.result().unwrap();
    }
}

#[test]
fn cudarc_orders_what_its_slices_are_used_for() {
    let _turn = turn();
    let context = context();
    let scale = function(&context, KERNELS, "scale");
    set("coalesced_set_checks", 1_u32);
    let (first, second) = (context.new_stream().unwrap(), context.new_stream().unwrap());
    let mut input = first.clone_htod(&[1.0_f32; 256]).unwrap();
    let mut output = second.alloc_zeros::<f32>(256).unwrap();
    for _ in 0..3 {
        for stream in [&first, &second] {
            let mut launch = stream.launch_builder(&scale);
            launch.arg(&mut output).arg(&input).arg(&3.0_f32).arg(&256_u32);
            // SAFETY: the kernel reads and writes the elements of both slices.
            unsafe { launch.launch(shape(2, 128, 0)) }.unwrap();
        }
        second.memcpy_dtod(&output, &mut input).unwrap();
    }
    assert_eq!(first.clone_dtoh(&input).unwrap(), [27.0; 256]);
    set("coalesced_set_checks", 0_u32);
    assert_eq!(titles(), [""; 0]);
}

#[test]
fn atomics_go_together_and_plain_stores_do_not() {
    for (kernel, expected) in [("add", 0), ("put", 1)] {
        let bench = Bench::new();
        bench.launch(&bench.streams[0], kernel, bench.at(0, 0));
        bench.launch(&bench.streams[1], kernel, bench.at(0, 0));
        assert_eq!(titles().len(), expected, "{kernel}");
        bench.receive(&bench.streams[2], bench.range(0, 0..1));
        assert_eq!(titles().len(), 2 - expected, "a transfer waits for all of them");
    }
}

#[test]
fn a_word_that_is_handed_over_orders_kernels_and_streams() {
    let bench = Bench::new();
    let [first, second, third] = &bench.streams[..] else { panic!() };
    let word = bench.at(0, 0);
    bench.launch(first, "produce", word);
    bench.launch(second, "consume", word);
    assert_eq!(titles(), [""; 0], "the second kernel waits for the word");
    // SAFETY: the words are inside the buffer.
    unsafe {
        sys::cuStreamWriteValue32_v2(second.cu_stream(), word + 40, 1, 0).result().unwrap();
        sys::cuStreamWaitValue32_v2(third.cu_stream(), word + 40, 1, 0).result().unwrap();
    }
    bench.receive(third, bench.range(0, 0..4));
    assert_eq!(titles(), [""; 0], "the third stream waits for a word of the second");
    bench.receive(first, bench.range(0, 2..4));
    assert_eq!(titles().len(), 1, "the first waits for nobody");
}

#[test]
fn branches_of_a_graph_are_ordered_as_they_were_captured() {
    for joined in [true, false] {
        let bench = Bench::new();
        let [first, second, third] = &bench.streams[..] else { panic!() };
        first.begin_capture(CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED).unwrap();
        second.join(first).unwrap();
        bench.receive(second, bench.range(0, 0..256));
        if joined {
            first.join(second).unwrap();
        }
        bench.scale(first, bench.at(0, 0), bench.at(1, 0), 256);
        first.join(second).unwrap();
        let graph = first.end_capture(CUgraphInstantiate_flags(0)).unwrap().unwrap();
        assert_eq!(titles(), [""; 0], "nothing has run");
        (0..3).for_each(|_| graph.launch().unwrap());
        let found = titles();
        assert_eq!(found.len(), usize::from(!joined), "{found:?}");
        assert!(found.iter().all(|title| title.contains("ncclRecv of rank 1") && title.contains("kernel `scale`")));
        bench.scale(first, bench.at(1, 0), bench.at(0, 0), 256);
        assert_eq!(titles(), [""; 0], "what follows on the stream of the launch");
        graph.launch().unwrap();
        third.join(first).unwrap();
        bench.receive(third, bench.range(1, 0..256));
        assert_eq!(titles(), [""; 0], "an event behind the graph");
        bench.receive(second, bench.range(1, 0..256));
        assert_eq!(titles().len(), 1, "a stream that waits for neither");
    }
}

#[test]
fn memory_is_not_freed_on_a_stream_while_another_uses_it() {
    for ordered in [true, false] {
        let bench = Bench::new();
        let [first, second, _] = &bench.streams[..] else { panic!() };
        let mut address = 0;
        // SAFETY: the memory is used before it is freed, by work that runs when it is given.
        unsafe {
            sys::cuMemAllocAsync(&mut address, 1024, first.cu_stream()).result().unwrap();
            bench.receive(first, Range { address, bytes: 1024 });
            if ordered {
                second.join(first).unwrap();
            }
            sys::cuMemFreeAsync(address, second.cu_stream()).result().unwrap();
        }
        assert_eq!(titles().len(), usize::from(!ordered));
    }
}

#[test]
fn the_same_two_again_are_told_once_and_nothing_without_checks() {
    let bench = Bench::new();
    let [first, second, _] = &bench.streams[..] else { panic!() };
    let both = || {
        bench.receive(first, bench.range(0, 0..256));
        bench.scale(second, bench.at(0, 0), bench.at(1, 0), 256);
    };
    (0..5).for_each(|_| both());
    assert_eq!(titles().len(), 2, "the kernel reads what is received, and then what it reads is received");
    set("coalesced_set_checks", 0_u32);
    both();
    assert_eq!(titles(), [""; 0]);
    set("coalesced_set_checks", 1_u32);
    both();
    assert_eq!(titles().len(), 1, "anew");
}

#[test]
fn bytes_are_exposed_beside_which_no_kernel_could_run() {
    let exposed = |run: fn(&Bench)| {
        let bench = Bench::new();
        run(&bench);
        let taken: serde_json::Value = serde_json::from_str(&take_transfers()).unwrap();
        assert_eq!(taken[0]["device"], 0);
        assert_eq!(taken[0]["bytes"], 1024, "{taken}");
        let again: serde_json::Value = serde_json::from_str(&take_transfers()).unwrap();
        assert_eq!(again[0]["bytes"], 0, "{again}");
        taken[0]["exposed_bytes"].as_u64().unwrap()
    };
    assert_eq!(exposed(|bench| bench.receive(&bench.streams[0], bench.range(0, 0..256))), 1024, "no kernel at all");
    assert_eq!(
        exposed(|bench| {
            bench.receive(&bench.streams[0], bench.range(0, 0..256));
            bench.scale(&bench.streams[1], bench.at(1, 0), bench.at(1, 128), 128);
        }),
        0,
        "a kernel that is given later"
    );
    assert_eq!(
        exposed(|bench| {
            bench.scale(&bench.streams[1], bench.at(1, 0), bench.at(1, 128), 128);
            bench.receive(&bench.streams[0], bench.range(0, 0..256));
        }),
        0,
        "a kernel that was given before"
    );
    assert_eq!(
        exposed(|bench| {
            bench.scale(&bench.streams[1], bench.at(1, 0), bench.at(1, 128), 128);
            bench.streams[0].join(&bench.streams[1]).unwrap();
            bench.receive(&bench.streams[0], bench.range(0, 0..256));
            bench.streams[1].join(&bench.streams[0]).unwrap();
            bench.scale(&bench.streams[1], bench.at(1, 0), bench.at(1, 128), 128);
        }),
        1024,
        "kernels before and behind it"
    );
    assert_eq!(
        exposed(|bench| {
            bench.receive(&bench.streams[0], bench.range(0, 0..256));
            bench.context.synchronize().unwrap();
            bench.scale(&bench.streams[1], bench.at(1, 0), bench.at(1, 128), 128);
        }),
        1024,
        "the host waits between"
    );
}

#[test]
fn libraries_reach_memory_past_all_streams_and_tell_of_their_transfers() {
    let _turn = turn();
    let context = context();
    let stream = context.default_stream();
    let slice = stream.clone_htod(&[1_u8; 64]).unwrap();
    let (address, _sync) = slice.device_ptr(&stream);
    let mut bytes = [0; 4];
    assert_eq!(write_memory(address + 2, &[7, 8]), CUresult::CUDA_SUCCESS);
    assert_eq!(read_memory(&mut bytes, address), CUresult::CUDA_SUCCESS);
    assert_eq!(bytes, [1, 1, 7, 8]);
    assert_eq!(read_memory(&mut bytes, address + 61), CUresult::CUDA_ERROR_INVALID_VALUE);
    assert_eq!(write_memory(address + 61, &bytes), CUresult::CUDA_ERROR_INVALID_VALUE);
    let whole = [Range { address, bytes: 64 }];
    assert_eq!(transfer(&stream, "ncclSend of rank 0", &whole, &[], 64, 0), CUresult::CUDA_SUCCESS);
    let past = [Range { address: address + 1, bytes: 64 }];
    assert_eq!(transfer(&stream, "ncclRecv of rank 0", &[], &past, 0, 64), CUresult::CUDA_ERROR_INVALID_VALUE);
    assert!(last_error().contains("64 bytes"), "{}", last_error());
}
