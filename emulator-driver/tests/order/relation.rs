//! Program order, events, waits of the host, default streams, graphs: each finding beside a twin that is clean.

use super::bench::{Bench, findings, titles};
use crate::support::set;
use cudarc::driver::sys::{self, CUgraphInstantiate_flags, CUstreamCaptureMode};
use emulator::Tool;

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
    assert_eq!(titles().len(), 1, "again");
}
