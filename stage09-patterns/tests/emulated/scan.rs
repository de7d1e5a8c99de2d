//! The counts on the cards of the kernels of problems J and Q, compared with the emulator's, and slices that other blocks have taken.

use common::device::DeviceChoice;
use common::problem::scan::{Addends, Floats, Numbers, Scan};
use common::problem::{Launch, LaunchResult, Size};
use common::session::Session;
use common::stage::{Plan, Rung, Shape};
use cudarc::driver::LaunchConfig;
use emulator::Counters;
use stage_tests::results::{run, shapes};
use stage_tests::turn;
use stage_tests::twins::with_work;
use stage09_patterns::STAGE;
use stage09_patterns::scan::{
    LookBack, NUMBERS_EACH_LOOKING_BACK, SCAN_HILLIS_STEELE, SCAN_INCLUSIVE, SCAN_LOOK_BACK, SCAN_SHUFFLE, SCAN_VECTOR,
    SCAN_WORK_EFFICIENT, look_back_from,
};

/// Numbers: two levels of slices of 256.
const N: u64 = 1 << 16;
const SLICES: u64 = N / 256;
/// Warps of both scans, and of the last launch.
const SCANNING: u64 = N / 32 + SLICES / 32;
const ADDING: u64 = N / 32;
/// Slices of the kernel with 32 numbers per thread, whose sums are a part of one slice.
const LONG_SLICES: u64 = SLICES / 32;

/// Returns the counts of a run on one worker of the emulator, whose blocks run one after the other.
fn counts(rung: &Rung, n: usize) -> Counters {
    let _turn = turn();
    let mut session = Session::open(DeviceChoice::Emulator, None).unwrap();
    session.device.set_emulator_threads(1);
    let plan = Plan::new(rung, Size::new(n), Shape::block(256)).unwrap();
    let outcome = session.run(&plan, 1).unwrap();
    session.device.set_emulator_threads(0);
    assert!(outcome.report.passed(), "{}: {:?}", rung.kernel, outcome.report);
    outcome.counters.expect("the emulator counts")
}

#[test]
fn counts_are_those_of_all_launches_of_a_run() {
    for rung in [&SCAN_HILLIS_STEELE, &SCAN_WORK_EFFICIENT, &SCAN_SHUFFLE] {
        let count = counts(rung, N as usize);
        assert_eq!(count.global_load_requests, SCANNING + 2 * ADDING);
        // The sum of a slice is one word for all lanes.
        assert_eq!(count.global_load_sectors, 4 * SCANNING + (4 + 1) * ADDING);
        let sums = SLICES + 1;
        assert_eq!(count.global_store_requests, SCANNING + sums + ADDING);
        assert_eq!(count.global_store_sectors, 4 * SCANNING + sums + 4 * ADDING);
    }
}

#[test]
fn a_tree_has_twice_the_barriers_and_conflicts_and_shuffles_need_neither() {
    let [steps, tree, shuffles] =
        [&SCAN_HILLIS_STEELE, &SCAN_WORK_EFFICIENT, &SCAN_SHUFFLE].map(|rung| counts(rung, N as usize));
    assert_eq!([steps, tree, shuffles].map(|count| count.barriers), [8, 17, 2].map(|each| each * SCANNING));
    assert_eq!((steps.shared_load_conflicts, steps.shared_store_conflicts), (0, 0));
    assert!(tree.shared_load_conflicts > SCANNING && tree.shared_store_conflicts > SCANNING, "{tree:?}");
    assert_eq!((shuffles.shared_load_conflicts, shuffles.shared_store_conflicts), (0, 0));
    // Five shuffles of each warp, and of the first of each slice.
    assert_eq!((steps.shuffles, tree.shuffles, shuffles.shuffles), (0, 0, 5 * (SCANNING + SLICES + 1)));
}

#[test]
fn a_group_of_four_per_load_leaves_a_32nd_of_the_slices() {
    let count = counts(&SCAN_VECTOR, N as usize);
    let groups = N / 128;
    // The sums of the slices are in one sector, and each warp that adds loads one of them.
    assert_eq!(count.global_load_requests, groups + 1 + groups + ADDING / 32);
    assert_eq!(count.global_load_sectors, 16 * groups + 1 + 16 * groups + ADDING / 32);
    assert_eq!(count.global_store_requests, groups + LONG_SLICES + 2 + groups);
    assert_eq!(count.barriers, 2 * 8 * (LONG_SLICES + 1));
}

#[test]
fn look_back_moves_each_number_in_and_out_once() {
    let [vector, look_back] = [&SCAN_VECTOR, &SCAN_LOOK_BACK].map(|rung| counts(rung, N as usize));
    let groups = N / 128;
    let slices = LONG_SLICES / 2;
    // A block that finds the slice before it known looks once.
    assert_eq!(look_back.global_load_requests, groups + slices - 1);
    assert_eq!(look_back.global_store_requests, groups + 2 * slices - 1);
    assert_eq!(look_back.global_atomic_requests, slices);
    let inclusive = counts(&SCAN_INCLUSIVE, N as usize);
    assert_eq!(inclusive.global_load_sectors, look_back.global_load_sectors);
    assert_eq!(inclusive.global_store_sectors, look_back.global_store_sectors);
    // One more for each of 16 rows of eight warps, and for the first warp.
    assert_eq!(inclusive.shuffles, look_back.shuffles + slices * (16 * 8 + 1));
    let sectors = |count: Counters| count.global_load_sectors + count.global_store_sectors;
    assert_eq!(sectors(look_back) / (8 * N / 32), 1);
    assert_eq!(sectors(vector) / (8 * N / 32), 2);
}

/// The number of slices that this many blocks after them look back over: more than a warp has lanes, and than twice as many.
const TAKEN: usize = 70;

/// Numbers and their sums, as words have them.
trait Number: Copy + Default {
    fn plus(self, other: Self) -> Self;
    fn minus(self, other: Self) -> Self;
    fn bits(self) -> u32;
}

impl Number for i32 {
    fn plus(self, other: Self) -> Self {
        self.wrapping_add(other)
    }

    fn minus(self, other: Self) -> Self {
        self.wrapping_sub(other)
    }

    fn bits(self) -> u32 {
        self.cast_unsigned()
    }
}

impl Number for f32 {
    fn plus(self, other: Self) -> Self {
        self + other
    }

    fn minus(self, other: Self) -> Self {
        self - other
    }

    fn bits(self) -> u32 {
        self.to_bits()
    }
}

/// The launch of blocks that come after [`TAKEN`] others, of which each has published the sum of its slice, and only the first that
/// of all. It is a launch of all blocks if there are not so many.
fn after_others<const IS_INCLUSIVE: bool, I: Addends<Number: Number>>(
    launch: &Launch,
    data: &mut LookBack<I>,
    _: usize,
) -> LaunchResult {
    let slice = (NUMBERS_EACH_LOOKING_BACK * launch.config.block_dim.0) as usize;
    let numbers = launch.stream.clone_dtoh(&data.numbers.values)?;
    let taken = if numbers.len() > TAKEN * slice { TAKEN } else { 0 };
    let mut words = vec![0_u64; data.words.len()];
    words[0] = taken as u64;
    let mut prefixes = launch.stream.clone_dtoh(&data.numbers.prefixes)?;
    let mut sum = I::Number::default();
    for (index, part) in numbers.chunks(slice).take(taken).enumerate() {
        let before = sum;
        for (number, prefix) in part.iter().zip(&mut prefixes[index * slice..]) {
            let before = sum;
            sum = sum.plus(*number);
            *prefix = if IS_INCLUSIVE { sum } else { before };
        }
        let state = if index == 0 { 2 } else { 1 };
        words[1 + index] = state << 32 | u64::from(sum.minus(before).bits());
    }
    launch.stream.memcpy_htod(&words, &mut data.words)?;
    launch.stream.memcpy_htod(&prefixes, &mut data.numbers.prefixes)?;
    let blocks = launch.config.grid_dim.0 - taken as u32;
    look_back_from(&Launch { config: LaunchConfig { grid_dim: (blocks, 1, 1), ..launch.config }, ..*launch }, data)
}

/// Returns the kernels of one launch after others.
pub fn look_back_after_others() -> [Rung; 2] {
    let integers = Scan { scan: after_others::<false, Numbers>, add: None };
    let floats = Scan { scan: after_others::<true, Floats>, add: None };
    [with_work(&SCAN_LOOK_BACK, integers), with_work(&SCAN_INCLUSIVE, floats)]
}

#[test]
fn a_block_looks_back_over_more_slices_than_a_warp_has_lanes() {
    let slice = NUMBERS_EACH_LOOKING_BACK as usize * 128;
    let sizes = [TAKEN * slice + 1, (TAKEN + 2) * slice + 7];
    for rung in look_back_after_others() {
        run(&rung, &sizes, &[Shape::block(128)], |what, report| assert!(report.passed(), "{what}: {report:?}"));
        let count = counts(&rung, TAKEN * 2 * slice + 1);
        // 70 slices are three windows.
        assert_eq!(count.global_load_requests, 1 + 3);
    }
}

#[test]
fn levels_of_sums_are_right_at_every_block_size() {
    let slice = NUMBERS_EACH_LOOKING_BACK as usize * 128;
    // With blocks of 64, three levels; with the longest slices, two.
    let sizes = [64 * 64 - 1, 64 * 64, 64 * 64 + 1, slice - 1, slice, slice + 1, 4 * slice + 5, 20_001];
    for rung in STAGE.rungs.iter().filter(|rung| ["J", "Q"].contains(&rung.work.facts().letter)) {
        run(rung, &sizes, &shapes(rung), |what, report| assert!(report.passed(), "{what}: {report:?}"));
    }
}
