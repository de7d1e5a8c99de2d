//! Program order, events, waits of the host, default streams and graphs. Each finding has a counterpart without one.

use super::streams::{Streams, findings, titles};
use crate::support::process::own_process;
use crate::support::set;
use cudarc::driver::sys::{self, CUgraphInstantiate_flags, CUstreamCaptureMode};
use emulator::Tool;

#[test]
fn a_kernel_that_reads_what_a_transfer_still_writes_is_a_finding_about_both() {
    own_process!();
    let streams = Streams::new();
    let [transfers, computes, _] = &streams.all[..] else { panic!() };
    streams.receive(transfers, streams.range(0, 64..256));
    streams.scale(computes, streams.at(0, 0), streams.at(1, 0), 128);
    let found = findings();
    assert_eq!(found.len(), 1, "{found:?}");
    let base = streams.at(0, 0);
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
fn events_streams_and_waits_of_the_host_order_work() {
    own_process!();
    let streams = Streams::new();
    let [transfers, computes, _] = &streams.all[..] else { panic!() };
    let compute = |stream| streams.scale(stream, streams.at(0, 0), streams.at(1, 0), 256);
    streams.receive(transfers, streams.range(0, 0..256));
    computes.wait(&transfers.record_event(None).unwrap()).unwrap();
    compute(computes);
    assert_eq!(titles(), [""; 0], "by an event");
    transfers.join(computes).unwrap();
    streams.receive(transfers, streams.range(0, 0..256));
    compute(transfers);
    assert_eq!(titles(), [""; 0], "by the stream");
    streams.receive(transfers, streams.range(0, 0..256));
    transfers.synchronize().unwrap();
    compute(computes);
    assert_eq!(titles(), [""; 0], "by a wait for the stream");
    transfers.join(computes).unwrap();
    streams.receive(transfers, streams.range(0, 0..256));
    transfers.record_event(None).unwrap().synchronize().unwrap();
    compute(computes);
    assert_eq!(titles(), [""; 0], "by a wait for an event");
    transfers.join(computes).unwrap();
    streams.receive(transfers, streams.range(0, 0..256));
    streams.context.synchronize().unwrap();
    compute(computes);
    assert_eq!(titles(), [""; 0], "by a wait for the context");
}

#[test]
fn an_event_that_is_recorded_too_early_orders_nothing() {
    own_process!();
    let streams = Streams::new();
    let [transfers, computes, _] = &streams.all[..] else { panic!() };
    let early = transfers.record_event(None).unwrap();
    streams.receive(transfers, streams.range(0, 0..256));
    computes.wait(&early).unwrap();
    streams.scale(computes, streams.at(0, 0), streams.at(1, 0), 256);
    assert_eq!(titles().len(), 1);
}

#[test]
fn halves_of_a_buffer_do_not_conflict_and_one_common_element_does() {
    own_process!();
    let streams = Streams::new();
    let [first, second, _] = &streams.all[..] else { panic!() };
    streams.scale(first, streams.at(0, 0), streams.at(0, 0), 128);
    streams.scale(second, streams.at(0, 128), streams.at(0, 128), 128);
    streams.receive(first, streams.range(1, 0..100));
    streams.scale(second, streams.at(1, 100), streams.at(1, 100), 156);
    assert_eq!(titles(), [""; 0]);
    streams.receive(first, streams.range(1, 99..101));
    let found = titles();
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].contains("writes what launch 3 of kernel `scale` on stream 2"), "{found:?}");
    assert!(found[0].contains("bytes 400 to 403 of the 1024"), "{found:?}");
}

#[test]
fn events_order_along_a_chain_of_three_streams() {
    own_process!();
    for broken in [false, true] {
        let streams = Streams::new();
        let [first, second, third] = &streams.all[..] else { panic!() };
        streams.receive(first, streams.range(0, 0..256));
        if !broken {
            second.join(first).unwrap();
        }
        third.join(second).unwrap();
        streams.scale(third, streams.at(0, 0), streams.at(1, 0), 256);
        assert_eq!(titles().len(), usize::from(broken));
    }
}

#[test]
fn a_later_write_waits_for_every_reader() {
    own_process!();
    for missing in [None, Some(0), Some(1)] {
        let streams = Streams::new();
        let [first, second, third] = &streams.all[..] else { panic!() };
        streams.scale(first, streams.at(0, 0), streams.at(1, 0), 100);
        streams.scale(second, streams.at(0, 0), streams.at(1, 100), 100);
        for (index, reader) in [first, second].into_iter().enumerate().filter(|(index, _)| Some(*index) != missing) {
            third.join(reader).unwrap_or_else(|error| panic!("{index}: {error}"));
        }
        streams.receive(third, streams.range(0, 0..256));
        let found = titles();
        assert_eq!(found.len(), usize::from(missing.is_some()), "{found:?}");
        assert!(found.iter().all(|title| title.contains("may still be reading")), "{found:?}");
    }
}

#[test]
fn the_default_stream_waits_for_blocking_streams_and_they_for_it() {
    own_process!();
    let streams = Streams::new();
    let default = streams.context.default_stream();
    let thread = streams.context.per_thread_stream();
    let non_blocking = &streams.all[0];
    let mut raw = std::ptr::null_mut();
    // SAFETY: the output is valid for a write, and the stream is never destroyed.
    let blocking = unsafe {
        sys::cuStreamCreate(&mut raw, 0).result().unwrap();
        streams.context.wrap_borrowed_stream(raw)
    };
    let reads = |stream| streams.scale(stream, streams.at(0, 0), streams.at(1, 0), 256);
    for (writer, reader) in [(&default, &blocking), (&blocking, &default), (&default, &thread), (&thread, &default)] {
        streams.receive(writer, streams.range(0, 0..256));
        reads(reader);
        assert_eq!(titles(), [""; 0]);
        streams.context.synchronize().unwrap();
    }
    for (writer, reader) in [(&default, non_blocking), (non_blocking, &default), (&blocking, &thread)] {
        streams.receive(writer, streams.range(0, 0..256));
        reads(reader);
        assert_eq!(titles().len(), 1, "{writer:?} {reader:?}");
        streams.context.synchronize().unwrap();
    }
}

#[test]
fn branches_of_a_graph_are_ordered_as_they_were_captured() {
    own_process!();
    for joined in [true, false] {
        let streams = Streams::new();
        let [first, second, third] = &streams.all[..] else { panic!() };
        first.begin_capture(CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED).unwrap();
        second.join(first).unwrap();
        streams.receive(second, streams.range(0, 0..256));
        if joined {
            first.join(second).unwrap();
        }
        streams.scale(first, streams.at(0, 0), streams.at(1, 0), 256);
        first.join(second).unwrap();
        let graph = first.end_capture(CUgraphInstantiate_flags(0)).unwrap().unwrap();
        assert_eq!(titles(), [""; 0], "nothing has run");
        (0..3).for_each(|_| graph.launch().unwrap());
        let found = titles();
        assert_eq!(found.len(), usize::from(!joined), "{found:?}");
        assert!(found.iter().all(|title| title.contains("ncclRecv of rank 1") && title.contains("kernel `scale`")));
        streams.scale(first, streams.at(1, 0), streams.at(0, 0), 256);
        assert_eq!(titles(), [""; 0], "later work on the stream of the launch");
        graph.launch().unwrap();
        assert_eq!(titles().len(), usize::from(!joined), "again");
        third.join(first).unwrap();
        streams.receive(third, streams.range(1, 0..256));
        assert_eq!(titles(), [""; 0], "an event after the graph");
        streams.receive(second, streams.range(1, 0..256));
        assert_eq!(titles().len(), 1, "a stream that waits for neither");
    }
}

#[test]
fn a_repeated_conflict_is_reported_once_and_nothing_without_checks() {
    own_process!();
    let streams = Streams::new();
    let [first, second, _] = &streams.all[..] else { panic!() };
    let both = || {
        streams.receive(first, streams.range(0, 0..256));
        streams.scale(second, streams.at(0, 0), streams.at(1, 0), 256);
    };
    (0..5).for_each(|_| both());
    assert_eq!(titles().len(), 2, "the kernel reads the received data, and the next transfer overwrites it");
    set("coalesced_set_checks", 0_u32);
    both();
    assert_eq!(titles(), [""; 0]);
    set("coalesced_set_checks", 1_u32);
    both();
    assert_eq!(titles().len(), 1, "again");
}

/// Idle streams are removed when there are many. A stream that waits for work that the host has not waited for is not idle.
#[test]
fn a_stream_keeps_its_dependencies_when_idle_streams_are_removed() {
    own_process!();
    for waits in [true, false] {
        let streams = Streams::new();
        let [first, second, _] = &streams.all[..] else { panic!() };
        streams.receive(first, streams.range(0, 0..256));
        if waits {
            second.join(first).unwrap();
        }
        for _ in 0..130 {
            let idle = streams.context.new_stream().unwrap();
            streams.scale(&idle, streams.at(1, 0), streams.at(1, 0), 1);
            idle.synchronize().unwrap();
        }
        assert_eq!(titles(), [""; 0]);
        streams.scale(second, streams.at(0, 0), streams.at(0, 0), 1);
        assert_eq!(titles().len(), usize::from(!waits));
    }
}
