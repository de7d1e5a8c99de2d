//! The bytes that a launch accesses, and access to the memory of other devices.

use emulator::{Accesses, Dim3, FaultKind, Launch, LaunchError, Memory, Module, Options, check_accesses, launch};
use std::sync::Arc;

/// Returns a module with a kernel whose body may use `%t` (the thread), `%g` (the address of its word) and `%v`.
fn module(body: &str, memory: &Arc<Memory>) -> Module {
    let ptx = format!(
        ".version 8.1\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 global) {{\n\
         .reg .b32 %t, %v; .reg .b64 %g, %d; .reg .pred %p;\nmov.u32 %t, %tid.x;\n\
         ld.param.u64 %g, [global];\nmul.wide.u32 %d, %t, 4;\nadd.s64 %g, %g, %d;\n{body}\nret;\n}}\n"
    );
    Module::load(&ptx, memory).unwrap()
}

fn shape(address: &[u8; 8]) -> Launch<'_> {
    let one = Dim3 { x: 1, y: 1, z: 1 };
    let block = Dim3 { x: 32, ..one };
    Launch { grid: one, block, dynamic_shared_bytes: 0, parameters: address, cooperative: false, cluster: None }
}

/// Returns the accessed ranges of an allocation of `bytes` bytes: offset, size, whether it is written, whether it is strong, and
/// the line.
fn accesses(body: &str, bytes: u64) -> Vec<(u64, u64, bool, bool, Option<u32>)> {
    let memory = Arc::new(Memory::new(1 << 20));
    let global = memory.allocate(bytes).unwrap();
    let module = module(body, &memory);
    let parameters = global.to_le_bytes();
    let checked = check_accesses(&module.kernels()[0], &memory, &shape(&parameters), &Options::default()).unwrap();
    let Accesses { ranges, places } = checked.1;
    let range = |range: &emulator::Accessed| {
        let line = range.place.map(|place| places[place].line);
        (range.address - global, range.bytes, range.writes, range.strong, line)
    };
    ranges.iter().map(range).collect()
}

const FIRST_LINE: u32 = 10;

#[test]
fn adjacent_bytes_of_one_line_are_one_range() {
    let body = "ld.global.u32 %v, [%g+128];\nst.global.u32 [%g], %v;";
    let expected = [(0, 128, true, false, Some(FIRST_LINE + 1)), (128, 128, false, false, Some(FIRST_LINE))];
    assert_eq!(accesses(body, 256), expected);
}

#[test]
fn gaps_are_not_part_of_a_range() {
    let body = "and.b32 %v, %t, 1;\nsetp.eq.u32 %p, %v, 0;\n@%p st.global.u8 [%g+1], %v;";
    let found = accesses(body, 256);
    let expected: Vec<_> = (0..16).map(|pair| (8 * pair + 1, 1, true, false, Some(FIRST_LINE + 2))).collect();
    assert_eq!(found, expected);
}

#[test]
fn atomics_and_volatile_loads_are_strong() {
    let body = "atom.global.add.u32 %v, [%g], 1;\nld.volatile.global.u32 %v, [%g+128];";
    let expected = [(0, 128, true, true, Some(FIRST_LINE)), (128, 128, false, true, Some(FIRST_LINE + 1))];
    assert_eq!(accesses(body, 256), expected);
}

/// Stores to an allocation of device 1 from a kernel on device 0.
fn store_elsewhere(peers: &[u32]) -> Result<u8, LaunchError> {
    let first = Memory::new(1 << 20);
    let second = first.for_device(1);
    let own = Arc::new(first.with_peers(peers.iter().copied()));
    let here = own.allocate(128).unwrap();
    let there = second.allocate(128).unwrap();
    assert_eq!((own.device_of(here), own.device_of(there + 127)), (Some(0), Some(1)));
    assert_eq!((own.available_bytes(), second.available_bytes()), ((1 << 20) - 128, (1 << 20) - 128));
    let parameters = there.to_le_bytes();
    let module = module("st.global.u32 [%g], 7;", &own);
    launch(&module.kernels()[0], &own, &shape(&parameters), &Options::default())?;
    let mut byte = [0];
    first.read(there + 124, &mut byte).unwrap();
    Ok(byte[0])
}

#[test]
fn memory_of_another_device_requires_peer_access() {
    assert_eq!(store_elsewhere(&[1]).unwrap(), 7);
    assert_eq!(store_elsewhere(&[1, 2]).unwrap(), 7);
    for peers in [&[][..], &[2]] {
        let Err(LaunchError::Fault(fault)) = store_elsewhere(peers) else { panic!("no fault") };
        assert_eq!(fault.kind, FaultKind::OutOfBounds);
        assert!(
            fault.detail.ends_with("in memory of device 1: the kernel's context has no peer access to it"),
            "{fault}"
        );
    }
}

#[test]
fn all_devices_have_the_same_amount_of_memory() {
    let first = Memory::new(1000);
    let second = first.for_device(63);
    let one = first.allocate(1000).unwrap();
    assert!(first.allocate(1).is_err());
    let two = second.allocate(900).unwrap();
    assert!(two >= one + 1000 && second.allocate(101).is_err());
    second.free(one).unwrap();
    assert_eq!((first.available_bytes(), second.available_bytes()), (1000, 100));
}

/// Words of a freed allocation serve again, but what they contained does not, whichever access is the first.
#[test]
fn memory_that_was_freed_is_unwritten_when_it_is_allocated_again() {
    const BYTES: usize = 1 << 20;
    let memory = Memory::new(1 << 30);
    let used = || {
        let address = memory.allocate(BYTES as u64).unwrap();
        memory.write(address, &[7; BYTES]).unwrap();
        memory.free(address).unwrap();
        memory.allocate(BYTES as u64).unwrap()
    };
    let contents = |address| {
        let mut contents = vec![0; BYTES];
        memory.read(address, &mut contents).unwrap();
        memory.free(address).unwrap();
        contents
    };
    assert!(contents(used()) == [0xFF; BYTES]);
    let part = used();
    memory.write(part + 1, &[1; 6]).unwrap();
    let written = contents(part);
    assert_eq!(written[..8], [0xFF, 1, 1, 1, 1, 1, 1, 0xFF]);
    assert!(written[8..].iter().all(|byte| *byte == 0xFF));
    let whole = used();
    memory.fill(whole, &3_u16.to_le_bytes(), BYTES as u64 / 2).unwrap();
    assert!(contents(whole).as_chunks().0.iter().all(|half| *half == [3, 0]));
    let both = used();
    memory.copy(both, both + 8, 8).unwrap();
    assert!(contents(both) == [0xFF; BYTES]);
}
