//! Runs of kernels on the GPU or the emulator, and comparisons of their results.

use crate::twins::{with_one_less, with_work};
use crate::{is_slow_run, turn};
use common::device::DeviceChoice;
use common::problem::reduction::{Buffers, Reduction};
use common::problem::{Launch, LaunchResult, Size};
use common::session::Session;
use common::stage::{Blocks, Grid, Plan, Rung, Shape, Stage};
use common::verify::Report;
use stage01_naive::launch;

/// Sizes around a warp, around a block of 1024, and one that no block size divides; of these, one warp and one block more in
/// a quick run.
fn sizes() -> &'static [usize] {
    if is_slow_run() { &[1, 31, 32, 33, 1000, 1023, 1024, 1025] } else { &[33, 1025] }
}

/// Runs each number of elements and each shape once, and passes the comparison with the reference to `judge`.
pub fn run(rung: &Rung, sizes: &[usize], shapes: &[Shape], judge: impl Fn(&str, Report)) {
    let steps = rung.work.facts().steps.map(|_| 6);
    run_sizes(rung, sizes.iter().map(|&n| Size { steps, ..Size::new(n) }), shapes, judge);
}

/// Runs each size and shape once, and passes the comparison with the reference to `judge`.
pub(crate) fn run_sizes(
    rung: &Rung,
    sizes: impl Iterator<Item = Size>,
    shapes: &[Shape],
    judge: impl Fn(&str, Report),
) {
    let _turn = turn();
    let mut session = Session::open(DeviceChoice::Auto, None).unwrap();
    for size in sizes {
        for &shape in shapes {
            let plan = Plan::new(rung, size.clone(), shape).unwrap();
            let what = format!("{}, {}, {} blocks of {}", rung.kernel, plan.describe_size(), plan.grid, plan.block);
            let report = session.verify(&plan).unwrap_or_else(|error| panic!("{what}: {error}"));
            judge(&what, report);
        }
    }
}

fn require_passed(what: &str, report: Report) {
    assert!(report.passed(), "{what}: {report:?}");
}

/// Requires correct results of every kernel that the stage adds to other problems than E, at every size in many shapes. For
/// A and B this includes that momentum stays zero.
pub fn all_are_right(stage: &Stage) {
    for rung in own_rungs(stage, false) {
        run(rung, sizes(), &shapes(rung), require_passed);
        if rung.blocks.accept(1) && !matches!(rung.grid, Grid::Stride(_)) {
            // The emulator runs a warp with one lane no faster than a full warp.
            run(rung, &[1, 33], &[Shape::block(1)], require_passed);
        }
    }
}

/// Returns the rungs that a stage adds, of problem E or of the others.
pub(crate) fn own_rungs(stage: &Stage, of_planes: bool) -> impl Iterator<Item = &Rung> {
    let is_own = move |rung: &&Rung| !stage.is_baseline(rung) && (rung.work.facts().letter == "E") == of_planes;
    stage.rungs.iter().copied().filter(is_own)
}

/// Returns launch shapes of a rung: in every block size that it accepts, or in many of them, and for a grid-stride loop in grids
/// with more threads than elements and with fewer.
#[must_use]
pub fn shapes(rung: &Rung) -> Vec<Shape> {
    let blocks: Vec<u32> = match rung.blocks {
        // Less than a warp, whole warps, and a last warp that is partly empty; four does not divide all of them.
        Blocks::Any => vec![30, 96, 97, 128, 1024],
        Blocks::PowersOfTwo => vec![32, 64, 128, 256, 512, 1024],
        Blocks::MultiplesOf(unit) => [unit, 3 * unit, 256, 1024].into(),
        Blocks::OneOf(sizes) => sizes.to_vec(),
    };
    let Grid::Stride(_) = rung.grid else { return blocks.into_iter().map(Shape::block).collect() };
    let shapes = blocks.iter().zip([1, 7, 3, 64, 1, 2]).map(|(&block, grid)| Shape::grid(grid, block));
    shapes.chain([Shape::grid(7, blocks[0])]).collect()
}

/// Requires that the comparison fails for every such kernel that processes one body or value less than there is.
pub fn one_less_is_noticed(stage: &Stage) {
    own_rungs(stage, false).for_each(|rung| fails(&with_one_less(rung), rung.block));
}

/// Requires that the comparison fails for a faulty launch, in blocks of this size.
pub fn fails(rung: &Rung, block: u32) {
    let shapes = [Shape::block(block)];
    run(rung, &[33, 1025], &shapes, |what, report| assert!(!report.passed(), "{what}: {report:?}"));
}

/// Requires that the stage's own kernels of problem C add numbers of both signs modulo 2³², also if the sum exceeds 32 bits.
pub fn sums_wrap_around(stage: &Stage) {
    for rung in own_rungs(stage, false).filter(|rung| rung.work.facts().letter == "C") {
        let wrong = with_work(rung, Reduction { launch: sum_of_extremes });
        // The problem's reference is for its own values, and so must fail.
        let judge = |what: &str, report: Report| assert!(!report.passed(), "{what}: ran on the problem's values");
        run(&wrong, sizes(), &shapes(rung), judge);
    }
}

/// Runs the kernel on values near the ends of the 32-bit range, and compares with their 64-bit sum.
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

/// Requires that the prebuilt PTX of every kernel file is up to date.
pub fn ptx_is_of_the_sources(rungs: &[&Rung]) {
    for rung in rungs {
        for source in [Some(rung.source), rung.companion.map(|(source, _)| source)].into_iter().flatten() {
            for source in [Some(&source), source.rust].into_iter().flatten() {
                assert!(source.ptx_is_of(source.text), "the PTX of {} was not made from it", source.name());
                // The oldest driver that the programs accept, of CUDA 12.1, reads no newer version.
                let version = source.ptx().lines().find(|line| line.starts_with(".version "));
                assert_eq!(version, Some(".version 8.1"), "{}", source.name());
            }
        }
    }
}
