//! Running kernels on whichever device there is, and judging their results.

use crate::turn;
use crate::twins::{of_one_less, with_work};
use common::device::DeviceChoice;
use common::plan::Plan;
use common::problem::reduction::{Buffers, Reduction};
use common::problem::{Launch, LaunchResult, Size};
use common::session::Session;
use common::stage::{Rung, Shape};
use common::verify::Report;
use stage01_naive::launch;

/// Around a warp, around a block of 1024, and one that no block size divides.
const SIZES: [usize; 8] = [1, 31, 32, 33, 1000, 1023, 1024, 1025];

/// Runs each size and shape once, and hands the comparison to `judge`.
pub fn run(rung: &Rung, sizes: &[usize], shapes: &[Shape], judge: impl Fn(&str, Report)) {
    let _turn = turn();
    let mut session = Session::open(DeviceChoice::Auto, false).unwrap();
    for &n in sizes {
        for &shape in shapes {
            let steps = rung.work.facts().steps.map(|_| 6);
            let plan = Plan::new(rung, Size { steps, ..Size::of(n) }, shape).unwrap();
            let what = format!("{} n = {n}, {} blocks of {}", rung.kernel, plan.grid, plan.block);
            let report = session.verify(&plan).unwrap_or_else(|error| panic!("{what}: {error}"));
            judge(&what, report);
        }
    }
}

fn require_passed(what: &str, report: Report) {
    assert!(report.passed(), "{what}: {report:?}");
}

/// The kernel is right at every size in every shape; for problems A and B that includes that momentum stays zero.
pub fn passes(rung: &Rung, shapes: &[Shape]) {
    run(rung, &SIZES, shapes, require_passed);
}

/// The kernel is right in blocks of one thread, of which each has a warp: at few sizes, since the emulator runs a warp of one
/// lane no faster than a full one.
pub fn passes_in_blocks_of_one_thread(rung: &Rung) {
    run(rung, &[1, 33], &[Shape::block(1)], require_passed);
}

/// The checks notice when the kernel is told of one body or value less than there is.
pub fn fails_with_one_less(rung: &Rung) {
    fails(&of_one_less(rung), rung.block);
}

/// The checks notice what is wrong with a launch, in blocks of this size.
pub fn fails(rung: &Rung, block: u32) {
    let shapes = [Shape::block(block)];
    run(rung, &[33, 1025], &shapes, |what, report| assert!(!report.passed(), "{what}: {report:?}"));
}

/// The kernel of problem C adds numbers of both signs and beyond 32 bits like 64-bit integers modulo 2³².
pub fn sums_wrap_around(rung: &Rung, shapes: &[Shape]) {
    let rung = with_work(rung, Reduction { launch: sum_of_extremes });
    // The problem expects the sums of its own values, and so must see others.
    run(&rung, &SIZES, shapes, |what, report| assert!(!report.passed(), "{what}: ran on the problem's values"));
}

/// Runs on values near the ends of the 32-bit range instead, and compares with their 64-bit sum.
fn sum_of_extremes(launch: &Launch, buffers: &mut Buffers) -> LaunchResult {
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

/// The prebuilt PTX of every kernel file is of the file as it is.
pub fn ptx_is_of_the_sources(rungs: &[&Rung]) {
    for rung in rungs {
        for source in [Some(rung.source), rung.companion.map(|(source, _)| source)].into_iter().flatten() {
            for source in [Some(&source), source.rust].into_iter().flatten() {
                assert!(source.ptx_is_of(source.text), "the PTX of {} was not made from it", source.name());
            }
        }
    }
}
