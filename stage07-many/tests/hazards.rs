//! The findings of `--check` for a step that reads a buffer while a transfer on another stream still writes it. A
//! separate program, since its rank occupies the whole process.

use common::device::DeviceChoice;
use emulator::Diagnosis;
use stage07_many::ranks::process::place::{MEETING, Place};
use stage07_many::ranks::rank::Rank;
use stage07_many::ranks::tape::{Bytes, Parts, Tape};

const BODIES: usize = 64;

/// Returns the findings for a gather on one stream and a copy of its result on the other, with or without an order
/// between them.
fn findings(rank: &Rank, is_ordered: bool) -> Vec<Diagnosis> {
    let own = rank.upload(&vec![1.0_f32; 4 * BODIES]).expect("room");
    let mut all = rank.zeros::<f32>(4 * BODIES).expect("room");
    let mut used = rank.zeros(4 * BODIES).expect("room");
    let mut tape = Tape::new(rank, Parts::All, false);
    let gather = || rank.world.all_gather(&own, &mut all);
    tape.exchange("all_gather", &rank.transfers, Bytes::default(), gather).expect("a transfer");
    if is_ordered {
        tape.wait(&rank.compute, &rank.transfers).expect("an event");
    }
    let copy = || rank.compute.memcpy_dtod(&all, &mut used);
    tape.compute("copy", &rank.compute, 0.0, copy).expect("a copy");
    rank.finish().expect("both streams end");
    rank.device.take_findings().expect("findings")
}

#[test]
fn a_buffer_that_is_read_too_early_is_found_by_the_order_of_streams() {
    let listener = std::net::TcpListener::bind(("127.0.0.1", 0)).expect("a port");
    let root = listener.local_addr().expect("an address").to_string();
    drop(listener);
    // SAFETY: this is the only test in its process, and no other thread has started.
    unsafe { std::env::set_var(MEETING, &root) };
    let place = Place { rank: 0, world: 1, local_rank: 0, local_world: 1, root };
    let rank = Rank::open(place, DeviceChoice::Emulator, None, false).expect("a rank");
    rank.device.set_checks(true);
    let ordered = findings(&rank, true);
    assert!(ordered.is_empty(), "{ordered:?}");
    let early = findings(&rank, false);
    assert!(!early.is_empty(), "nothing is found");
    let said = format!("{early:?}");
    assert!(said.contains("ncclAllGather"), "{said}");
}
