//! Blocks that wait for other blocks: those that are resident take turns, and a wait without end is a fault.

use crate::support::machine::{Machine, Shape};
use emulator::{
    Counters, Distance, FaultKind, Finding, FindingKind, Launch, LaunchError, Options, Verdict, check, trace,
};

const WAITS: &str = include_str!("../turns/ptx/waits.ptx");
const BARRIERS: &str = include_str!("../turns/ptx/barriers.ptx");

/// Runs a kernel of results and further words, all of them zero at first, and returns both.
fn run(ptx: &str, kernel: &str, shape: Shape, words: &[usize], options: &Options) -> (Run, Vec<Vec<u32>>) {
    let machine = Machine::new(ptx);
    let addresses: Vec<u64> = words.iter().map(|&count| machine.upload(&vec![0; 4 * count])).collect();
    let arguments: Vec<[u8; 8]> = addresses.iter().map(|address| address.to_le_bytes()).collect();
    let arguments: Vec<&[u8]> = arguments.iter().map(<[u8; 8]>::as_slice).collect();
    let ended = machine.try_run(kernel, shape, &arguments, options);
    let words = addresses.iter().zip(words).map(|(&address, &count)| machine.words(address, count)).collect();
    (ended, words)
}

type Run = Result<Counters, LaunchError>;

fn options(threads: usize) -> Options {
    // No test may hang; none is ended by this.
    Options { threads, instruction_budget: Some(1 << 32), counters: true, ..Options::default() }
}

/// The message of a launch that ends with a deadlock.
fn deadlock(kernel: &str, blocks: u32, words: &[usize], options: &Options) -> String {
    let (ended, _) = run(WAITS, kernel, Shape::threads(64).blocks(blocks), words, options);
    match ended {
        Err(LaunchError::Fault(fault)) => {
            assert_eq!(fault.kind, FaultKind::Deadlock, "{fault}");
            fault.to_string()
        }
        other => panic!("{kernel}: {other:?}"),
    }
}

#[test]
fn blocks_wait_for_each_other_on_any_number_of_workers() {
    for threads in [1, 2, 5] {
        for blocks in [2, 7, 100, 1056] {
            let shape = Shape::threads(256).blocks(blocks);
            let count = blocks as usize;
            let (ended, words) = run(WAITS, "waitForAll", shape, &[count, 1], &options(threads));
            ended.unwrap_or_else(|error| panic!("{threads} workers, {blocks} blocks: {error}"));
            assert_eq!(words[0], vec![blocks; count]);
        }
    }
}

#[test]
fn a_chain_of_blocks_from_the_last_to_the_first_ends() {
    for threads in [1, 3] {
        let (ended, words) = run(WAITS, "waitForNext", Shape::threads(32).blocks(150), &[150, 150], &options(threads));
        ended.unwrap();
        assert_eq!(words[0], (1..=150).rev().collect::<Vec<u32>>());
    }
}

/// A loop that reads a different value each time yields to other blocks all the same.
#[test]
fn blocks_that_count_or_write_while_they_wait_let_others_go_first() {
    for kernel in ["waitAndCount", "waitBusily", "waitForClock"] {
        let words: &[usize] = if kernel == "waitForClock" { &[3, 1] } else { &[4, 1] };
        let (ended, words) = run(WAITS, kernel, Shape::threads(32).blocks(3), words, &options(1));
        ended.unwrap_or_else(|error| panic!("{kernel}: {error}"));
        let expected = if kernel == "waitForClock" { [7; 3] } else { [1; 3] };
        assert_eq!(words[0][..3], expected, "{kernel}");
    }
}

#[test]
fn tickets_are_served_in_their_order() {
    let expected = (0..64).fold(0_u32, |sum, ticket| sum.wrapping_mul(3).wrapping_add(ticket));
    let shape = Shape::threads(8).blocks(8);
    for threads in [1, 4] {
        let (ended, words) = run(WAITS, "enterInOrder", shape, &[1, 1, 1], &options(threads));
        ended.unwrap();
        assert_eq!(words[0], [expected]);
    }
}

#[test]
fn a_wait_for_a_block_that_cannot_start_is_a_fault_that_says_so() {
    // Of 64 threads, 32 blocks are resident on a multiprocessor.
    let few = |threads| Options { multiprocessors: 1, ..options(threads) };
    let (ended, _) = run(WAITS, "waitForAll", Shape::threads(64).blocks(32), &[32, 1], &few(1));
    ended.unwrap();
    for threads in [1, 2] {
        let message = deadlock("waitForAll", 40, &[40, 1], &few(threads));
        let line = 1 + WAITS.lines().position(|line| line.contains("ld.volatile.global.u32")).unwrap();
        let lines: Vec<&str> = message.lines().collect();
        assert!(lines[0].ends_with("no thread can continue"), "{message}");
        assert_eq!(lines[1], "    block (0, 0, 0) and 31 more:", "{message}");
        let polls = format!("      lane 0 of warp 0: polling memory (kernels/waits.cu:8, PTX line {line})");
        assert_eq!(lines[2], polls, "{message}");
        let waits = "      lanes 1-31 of warp 0, warp 1: at barrier 0 (kernels/waits.cu:10, PTX line ";
        assert!(lines[3].starts_with(waits), "{message}");
        let why = "    block (32, 0, 0) and 7 more cannot start until one of the 32 resident blocks ends";
        assert_eq!(lines[4], why, "{message}");
        assert!(message.contains("by thread (0, 0, 0) (warp 0, lane 0) of block (0, 0, 0)"), "{message}");
    }
}

#[test]
fn a_wait_for_what_nobody_writes_is_a_fault() {
    for threads in [1, 2] {
        for (kernel, words) in [("waitTogether", &[640, 1][..]), ("runForEver", &[1]), ("enterInOrder", &[1, 1, 1])] {
            // The ticket of the first who enters is not zero.
            let machine = Machine::new(WAITS);
            let addresses: Vec<u64> = words.iter().map(|&count| machine.upload(&vec![0; 4 * count])).collect();
            if kernel == "enterInOrder" {
                machine.memory.write(addresses[1], &[5]).unwrap();
            }
            let arguments: Vec<[u8; 8]> = addresses.iter().map(|address| address.to_le_bytes()).collect();
            let arguments: Vec<&[u8]> = arguments.iter().map(<[u8; 8]>::as_slice).collect();
            let shape = Shape::threads(64).blocks(10);
            let fault = match machine.try_run(kernel, shape, &arguments, &options(threads)) {
                Err(LaunchError::Fault(fault)) => fault,
                other => panic!("{kernel}: {other:?}"),
            };
            assert_eq!(fault.kind, FaultKind::Deadlock, "{fault}");
            assert!(fault.detail.starts_with("no thread can continue\n    block (0, 0, 0)"), "{fault}");
            assert!(!fault.detail.contains("cannot start"), "{fault}");
            let how = if kernel == "runForEver" { "in an infinite loop" } else { "polling memory" };
            assert!(fault.detail.contains(how), "{fault}");
        }
    }
}

#[test]
fn counters_of_launches_without_waits_do_not_depend_on_workers() {
    let shape = Shape::threads(128).blocks(300);
    let counters = |threads| run(BARRIERS, "withoutAnything", shape, &[38400, 38400, 1], &options(threads)).0.unwrap();
    assert_eq!(counters(1), counters(3));
}

/// Returns the result of three steps of the barriers' kernels on these numbers.
fn steps(numbers: &[u32], block: usize) -> Vec<u32> {
    let count = numbers.len();
    (0..3).fold(numbers.to_vec(), |from, _| {
        (0..count).map(|i| from[i].wrapping_add(from[(i + block + 1) % count])).collect()
    })
}

const BLOCKS: usize = 9;
const THREADS: usize = 96;

/// The verdict on a kernel of three steps, and whether it computed what it should.
fn checked(kernel: &str, cooperative: bool) -> (Verdict, bool) {
    let machine = Machine::new(BARRIERS);
    machine.memory.track_writes(true);
    let numbers: Vec<u32> = (0..(BLOCKS * THREADS) as u32).map(|i| i * 7919 % 1013).collect();
    let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
    let addresses = [machine.upload(&bytes), machine.upload(&vec![0; bytes.len()]), machine.upload(&[0; 4])];
    let free = machine.memory.available_bytes();
    let parameters = addresses.map(u64::to_le_bytes).concat();
    let shape = Shape::threads(THREADS as u32).blocks(BLOCKS as u32);
    let launch = Launch { cooperative, ..shape.launch(&parameters) };
    let verdict = check(machine.kernel(kernel), &machine.memory, &launch, &options(1)).unwrap();
    assert_eq!(machine.memory.available_bytes(), free, "a launch keeps no memory");
    (verdict, machine.words(addresses[1], numbers.len()) == steps(&numbers, THREADS))
}

#[test]
fn a_barrier_of_the_grid_by_hand_is_correct() {
    for kernel in ["rightBarrier", "orderedBarrier", "fencesOfAll", "workspaceBarrier"] {
        let (verdict, right) = checked(kernel, kernel == "workspaceBarrier");
        assert_eq!(verdict, Verdict::default(), "{kernel}");
        assert!(right, "{kernel}");
    }
}

#[test]
fn a_launch_that_is_not_cooperative_has_no_workspace() {
    let fault = checked("workspaceBarrier", false).0.fault.unwrap();
    assert!(fault.kind == FaultKind::OutOfBounds && fault.detail.contains("at 0x4,"), "{fault}");
}

#[test]
fn a_barrier_of_the_grid_without_one_of_its_parts_races() {
    for kernel in ["withoutFence", "withoutFirstBarrier", "withoutWait", "withoutAnything"] {
        let found = checked(kernel, false).0.findings;
        let between_blocks =
            |finding: &Finding| matches!(finding.kind, FindingKind::Race { distance: Distance::BetweenBlocks, .. });
        assert!(found.iter().any(between_blocks), "{kernel}: {found:?}");
    }
}

/// The block that is traced is the only one that is, and others run as far as it waits for them.
#[test]
fn a_block_that_waits_for_others_is_traced_to_its_end() {
    let machine = Machine::new(BARRIERS);
    let words = BLOCKS * THREADS;
    let addresses = [vec![1; 4 * words], vec![0; 4 * words], vec![0; 4]].map(|bytes| machine.upload(&bytes));
    let parameters = addresses.map(u64::to_le_bytes).concat();
    let launch = Shape::threads(THREADS as u32).blocks(BLOCKS as u32).launch(&parameters);
    for (kernel, waits) in [("rightBarrier", true), ("withoutWait", false)] {
        machine.memory.write(addresses[2], &[0; 4]).unwrap();
        let trace = trace(machine.kernel(kernel), &machine.memory, &launch, 5, 100_000).unwrap();
        assert!(!trace.cut && trace.fault.is_none(), "{kernel}: {:?}", trace.fault);
        let barriers = trace.steps.iter().filter(|step| step.warp == 2 && step.written.is_empty());
        assert!(barriers.count() >= 6, "{kernel}");
        let others = machine.words(addresses[2], 1)[0];
        assert_eq!(others > 3, waits, "{kernel}: {others} arrivals");
    }
}
