//! Blocks that wait for those before them, by tickets and published sums: they end in any number, and the order is checked.

use crate::support::machine::{Machine, Shape};
use emulator::{
    Counters, Distance, FaultKind, Finding, FindingKind, Hazard, LaunchError, MemorySpace, Options, Verdict, check,
};

const LOOK_BACK: &str = include_str!("../turns/ptx/look_back.ptx");

/// Of 64 threads, 32 blocks are resident on a multiprocessor.
const THREADS: u32 = 64;
const RESIDENT: u32 = 32;

/// Memory with the arguments of a launch: the ticket, the words or flags, the sums, and the numbers.
struct Arguments {
    machine: Machine,
    addresses: [u64; 4],
    blocks: u32,
}

impl Arguments {
    fn new(blocks: u32) -> Self {
        let machine = Machine::new(LOOK_BACK);
        machine.memory.track_writes(true);
        let numbers: Vec<u8> = numbers(blocks).flat_map(u32::to_le_bytes).collect();
        let zeros = |words: u32| machine.upload(&vec![0; 4 * words as usize]);
        let addresses = [zeros(1), zeros(2 * blocks), zeros(blocks), machine.upload(&numbers)];
        Self { machine, addresses, blocks }
    }

    fn run(&self, kernel: &str, threads: usize) -> Result<Counters, LaunchError> {
        let arguments = self.addresses.map(u64::to_le_bytes);
        let arguments: Vec<&[u8]> = arguments.iter().map(<[u8; 8]>::as_slice).collect();
        let options = Options { threads, multiprocessors: 1, instruction_budget: Some(1 << 32), ..Options::default() };
        self.machine.try_run(kernel, Shape::threads(THREADS).blocks(self.blocks), &arguments, &options)
    }

    fn check(&self, kernel: &str) -> Verdict {
        let parameters = self.addresses.map(u64::to_le_bytes).concat();
        let launch = Shape::threads(THREADS).blocks(self.blocks).launch(&parameters);
        check(self.machine.kernel(kernel), &self.machine.memory, &launch, &Options::default()).unwrap()
    }

    fn is_right(&self) -> bool {
        let sums = numbers(self.blocks).scan(0_u32, |sum, number| {
            *sum += number;
            Some(*sum)
        });
        self.machine.words(self.addresses[2], self.blocks as usize) == sums.collect::<Vec<u32>>()
    }
}

fn numbers(blocks: u32) -> impl Iterator<Item = u32> {
    (0..blocks).map(|block| block * 7919 % 1013)
}

/// A sum and its state are one word of 64 bits, which other workers must not see in halves.
#[test]
fn a_word_of_64_bits_is_seen_whole() {
    for _ in 0..12 {
        let all = Arguments::new(10 * RESIDENT + 1);
        all.run("oneWord", 2).unwrap();
        assert!(all.is_right());
    }
}

#[test]
fn any_number_of_blocks_ends_if_each_waits_for_those_that_have_started() {
    for threads in [1, 2, 5] {
        for kernel in ["oneWord", "releaseAndAcquire", "fences"] {
            let all = Arguments::new(10 * RESIDENT + 1);
            all.run(kernel, threads).unwrap_or_else(|error| panic!("{kernel}, {threads} workers: {error}"));
            assert!(all.is_right(), "{kernel}, {threads} workers");
        }
    }
}

#[test]
fn a_wait_for_blocks_that_start_later_ends_only_if_all_are_resident() {
    for threads in [1, 2] {
        let all = Arguments::new(RESIDENT);
        all.run("laterBlocks", threads).unwrap();
        assert!(all.is_right());
        match Arguments::new(RESIDENT + 1).run("laterBlocks", threads) {
            Err(LaunchError::Fault(fault)) => {
                assert_eq!(fault.kind, FaultKind::Deadlock, "{fault}");
                let why = "block (32, 0, 0) cannot start until one of the 32 resident blocks ends";
                assert!(fault.detail.contains(why), "{fault}");
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn sums_published_in_order_are_clean() {
    for kernel in ["oneWord", "releaseAndAcquire", "fences"] {
        let all = Arguments::new(20);
        assert_eq!(all.check(kernel), Verdict::default(), "{kernel}");
        assert!(all.is_right(), "{kernel}");
    }
}

/// The blocks run one after the other, so that the sums are right all the same.
#[test]
fn sums_published_without_an_order_race() {
    for kernel in ["withoutRelease", "flagBeforeSum", "fenceBeforeSum", "withoutWait"] {
        let all = Arguments::new(20);
        let Verdict { findings, fault } = all.check(kernel);
        let between_blocks = |hazard, finding: &Finding| {
            let memory = MemorySpace::Global;
            finding.kind == FindingKind::Race { hazard, memory, distance: Distance::BetweenBlocks }
        };
        let is_of_sums = |finding: &&Finding| between_blocks(Hazard::ReadAfterWrite, finding);
        assert!(findings.iter().any(|finding| is_of_sums(&finding)), "{kernel}: {findings:?}");
        assert!(fault.is_none() && all.is_right(), "{kernel}");
    }
}
