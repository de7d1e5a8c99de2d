//! The places of allocations, with and without checks, and the messages about addresses beside them.

use crate::support::machine::{Machine, Shape, counting};
use emulator::{LaunchError, Memory};

/// Returns the distances between the ends and the starts of allocations that follow each other.
fn gaps(memory: &Memory, sizes: &[u64]) -> Vec<u64> {
    let bases: Vec<u64> = sizes.iter().map(|bytes| memory.allocate(*bytes).expect("memory")).collect();
    assert!(bases.iter().all(|base| base.is_multiple_of(256)));
    bases.windows(2).zip(sizes).map(|(pair, bytes)| pair[1] - pair[0] - bytes).collect()
}

#[test]
fn tracked_allocations_lie_far_apart_at_uneven_distances() {
    let memory = Memory::new(1 << 30);
    memory.track_writes(true);
    let gaps = gaps(&memory, &[4096; 20]);
    assert!(gaps.iter().all(|gap| *gap > 100 << 30), "{gaps:x?}");
    assert!(gaps.windows(2).all(|pair| pair[0].abs_diff(pair[1]) > 1 << 29), "{gaps:x?}");
    assert!(gaps.iter().all(|gap| !gap.is_power_of_two()));
}

/// Programs may allocate as often as they like.
#[test]
fn address_space_is_left_after_many_tracked_allocations() {
    let memory = Memory::new(1 << 30);
    memory.track_writes(true);
    for _ in 0..20_000 {
        let address = memory.allocate(1 << 20).expect("memory");
        memory.free(address).expect("it was allocated");
    }
    assert!(memory.allocate(1 << 29).expect("memory") < 1 << 45);
}

#[test]
fn other_allocations_lie_beside_each_other() {
    let memory = Memory::new(1 << 30);
    assert!(gaps(&memory, &[4096; 20]).iter().all(|gap| (4096..4096 + 256).contains(gap)));
}

#[test]
fn allocated_and_freed_addresses_are_handed_out() {
    let memory = Memory::new(1 << 30);
    memory.track_writes(true);
    let [first, freed, last] = [4096; 3].map(|bytes| memory.allocate(bytes).expect("memory"));
    memory.free(freed).expect("it was allocated");
    assert!(
        [first, first + 4095, freed, freed + 4095, last, last + 4095].iter().all(|&address| memory.hands_out(address))
    );
    assert!(![0, first - 1, last + (1 << 30), 0x7FFF_0000_0000].iter().any(|&address| memory.hands_out(address)));
}

/// Loads a word at an address.
const LOAD: &str = ".version 8.1\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 at) {\n\
    .reg .b64 %a; .reg .b32 %v;\nld.param.u64 %a, [at];\nld.global.u32 %v, [%a];\nret;\n}\n";

#[test]
fn messages_tell_where_an_address_is() {
    for tracks in [false, true] {
        let machine = Machine::new(LOAD);
        machine.memory.track_writes(tracks);
        let [first, freed, last] = [4096, 512, 64].map(|bytes| machine.memory.allocate(bytes).expect("memory"));
        machine.memory.free(freed).expect("it was allocated");
        for (address, place) in [
            (first + 4096, "just past the end of an allocation of 4096 bytes"),
            (first + 4100, "4 bytes past the end of an allocation of 4096 bytes"),
            (first - 8, "8 bytes before an allocation of 4096 bytes"),
            (freed, "at byte 0 of an allocation of 512 bytes that was freed before"),
            (freed + 508, "at byte 508 of an allocation of 512 bytes that was freed before"),
            (last + 64, "just past the end of an allocation of 64 bytes"),
            (0, "not in any allocation"),
            (last + (1 << 30), "not in any allocation"),
        ] {
            let launched = machine.try_run("k", Shape::threads(1), &[&address.to_le_bytes()], &counting());
            let Err(LaunchError::Fault(fault)) = launched else { panic!("{address:#x}: {launched:?}") };
            let expected = format!("4 bytes of global memory at {address:#x}, {place}");
            assert_eq!(fault.detail, expected, "tracks writes: {tracks}");
        }
    }
}
