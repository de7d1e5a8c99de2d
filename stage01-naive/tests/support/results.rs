//! Running kernels on whichever device there is, and judging their results.

use common::device::DeviceChoice;
use common::options::DEFAULT_SEED;
use common::stage::{Plan, Row, Session, Shape};
use common::verify::Report;
use common::workload::{Launch, LaunchResult, Size, Work, forces, galaxy, periodic, reduction};
use stage01_naive::launch;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Around a warp, around a block of 1024, and one that no block size divides.
const SIZES: [usize; 8] = [1, 31, 32, 33, 1000, 1023, 1024, 1025];

/// Faults are of the last launch in the process, so that tests take turns.
static TURN: Mutex<()> = Mutex::new(());

/// Waits for the tests before this one.
pub fn turn() -> MutexGuard<'static, ()> {
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs each size and shape once, and hands the comparison to `judge`.
pub fn run(row: &Row, sizes: &[usize], shapes: &[Shape], judge: impl Fn(&str, Report)) {
    let _turn = turn();
    let mut session = Session::open(DeviceChoice::Auto, false).unwrap();
    for &n in sizes {
        for &shape in shapes {
            let steps = row.companion.map(|_| 3);
            let plan = Plan::new(row, Size { n, steps, seed: DEFAULT_SEED }, shape).unwrap();
            let what = format!("{} n = {n}, {} blocks of {}", row.kernel, plan.grid, plan.block);
            let report = session.verify(&plan).unwrap_or_else(|error| panic!("{what}: {error}"));
            judge(&what, report);
        }
    }
}

/// The kernel is right at every size in every shape; for tutorials A and B that includes that momentum stays zero.
pub fn passes(row: &Row, shapes: &[Shape]) {
    run(row, &SIZES, shapes, |what, report| assert!(report.passed(), "{what}: {report:?}"));
}

/// The checks notice when the kernel is told of one body or value less than there is.
pub fn fails_with_one_less(row: &Row) {
    let work = match row.work {
        Work::Forces { .. } => Work::Forces { launch: forces_of_one_less },
        Work::Periodic { integrate, .. } => Work::Periodic { accelerate: accelerations_of_one_less, integrate },
        Work::Reduction { .. } => Work::Reduction { launch: sum_of_one_less },
        Work::Galaxy { .. } => Work::Galaxy { launch: galaxy_of_one_less },
        Work::Coulomb { .. } => panic!("{}: not for tutorial E", row.kernel),
    };
    fails(&Row { work, ..*row }, row.block);
}

/// The checks notice what is wrong with a launch, in blocks of this size.
pub fn fails(row: &Row, block: u32) {
    let shapes = [Shape::block(block)];
    run(row, &[33, 1025], &shapes, |what, report| assert!(!report.passed(), "{what}: {report:?}"));
}

/// The kernel of tutorial C adds numbers of both signs and beyond 32 bits like 64-bit integers modulo 2³².
pub fn sums_wrap_around(row: &Row, shapes: &[Shape]) {
    let row = Row { work: Work::Reduction { launch: sum_of_extremes }, ..*row };
    // The workload expects the sums of its own values, and so must see others.
    run(&row, &SIZES, shapes, |what, report| assert!(!report.passed(), "{what}: ran on the workload's values"));
}

pub fn forces_of_one_less(launch: &Launch, buffers: &mut forces::Buffers) -> LaunchResult {
    buffers.n -= 1;
    let result = launch::forces(launch, buffers);
    buffers.n += 1;
    result
}

pub fn accelerations_of_one_less(launch: &Launch, buffers: &mut periodic::Buffers) -> LaunchResult {
    buffers.n -= 1;
    let result = launch::periodic_accelerate(launch, buffers);
    buffers.n += 1;
    result
}

pub fn sum_of_one_less(launch: &Launch, buffers: &mut reduction::Buffers) -> LaunchResult {
    buffers.n -= 1;
    let result = launch::reduction(launch, buffers);
    buffers.n += 1;
    result
}

fn galaxy_of_one_less(launch: &Launch, buffers: &mut galaxy::Buffers) -> LaunchResult {
    buffers.n -= 1;
    let result = launch::galaxy(launch, buffers);
    buffers.n += 1;
    result
}

/// Runs on values near the ends of the 32-bit range instead, and compares with their 64-bit sum.
fn sum_of_extremes(launch: &Launch, buffers: &mut reduction::Buffers) -> LaunchResult {
    let patterns = [i32::MIN, i32::MIN + 7, -1, i32::MAX, i32::MAX - 3, i32::MIN];
    let values: Vec<i32> = patterns.into_iter().cycle().take(buffers.n as usize).collect();
    let exact: i64 = values.iter().map(|&value| i64::from(value)).sum();
    launch.stream.memcpy_htod(&values, &mut buffers.data)?;
    launch::reduction(launch, buffers)?;
    let partials = launch.stream.clone_dtoh(&buffers.partials)?;
    let sum: i64 = partials.iter().map(|&partial| i64::from(partial)).sum();
    assert_eq!(sum.rem_euclid(1 << 32), exact.rem_euclid(1 << 32), "n = {}", buffers.n);
    Ok(())
}
