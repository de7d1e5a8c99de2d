//! Mutants of the stage's kernels: a test fails for each, or it is equivalent to the kernel.

use common::problem::periodic::{Buffers, Periodic};
use common::problem::{Launch, LaunchResult};
use common::stage::{Rung, Stage};
use stage_tests::mutants::{self, Change, Equivalent, same};
use stage01_naive::{PERIODIC_GLOBAL, STAGE, launch};

/// A body alone that the next step moves from just above the box's edge to just below it: 1 less this rounds to 1.
const STEP_FROM_THE_EDGE: f32 = 1.0 / (1 << 30) as f32;

/// No seeded body comes to the edge: the first step puts a body that is alone there.
static PERIODIC_AT_THE_EDGE: Rung = Rung {
    work: &Periodic { accelerate: launch::periodic_accelerate, integrate: Some(integrate_to_the_edge), advance: None },
    ..PERIODIC_GLOBAL
};

fn integrate_to_the_edge(launch: &Launch, buffers: &mut Buffers) -> LaunchResult {
    launch::periodic_integrate(launch, buffers)?;
    let place = STEP_FROM_THE_EDGE;
    let velocity = -2.0 * STEP_FROM_THE_EDGE / buffers.dt;
    let body = [place, place, velocity, velocity, 0.0, 0.0];
    if buffers.n == 1 && launch.stream.clone_dtoh(&buffers.bodies)?[2] != velocity {
        launch.stream.memcpy_htod(&body, &mut buffers.bodies)?;
    }
    Ok(())
}

const EQUIVALENT: &[Equivalent] = &[
    same(
        &["computeForces", "nbody_sim_notile"],
        "for (int j = 0; j < n; ++j) {",
        &[(Change::Strictness, 1), (Change::Guard, 1)],
        "n is at least 1, and a single body has no force",
    ),
    same(
        &["periodicGlobal"],
        "for (int j = 0; j < n; ++j, source += RECORD) {",
        &[(Change::Strictness, 1), (Change::Guard, 1)],
        "n is at least 1, and a single body has no force",
    ),
    same(
        &["periodicGlobal"],
        "const float box = d > 0.5f",
        &[(Change::Strictness, 20)],
        "half a box away both images are as near, and either is right",
    ),
    same(
        &["reduceGmem"],
        "const unsigned int count = first < n",
        &[(Change::Strictness, 1), (Change::Clamp, 1)],
        "n - first is 0 for first = n, and t + half is below the size of the block in any case",
    ),
    same(
        &["reduceGmem"],
        "for (unsigned int half = blockDim.x / 2; half >= WARP; half /= 2) {",
        &[(Change::Strictness, 1)],
        "compared with 127, which is no power of two",
    ),
    same(&["reduceGmem"], "if (t < WARP) {", &[(Change::Guard, 1)], "threads of the other warps have no t < half"),
    same(
        &["reduceGmem"],
        "if (t < WARP) {",
        &[(Change::Strictness, 1)],
        "lane 31 adds nothing here and exits: what is named in the mask and has exited is not waited for",
    ),
    same(&["reduceGmem"], "__syncwarp();", &[(Change::Barrier, 1)], "only thread 0 goes on, with what it wrote itself"),
];

/// Of the twins in Rust.
const EQUIVALENT_IN_RUST: &[Equivalent] = &[
    same(
        &["periodicGlobal in Rust"],
        "let box_ = if d > 0.5 {",
        &[(Change::Strictness, 1)],
        "half a box away both images are as near, and either is right",
    ),
    same(
        &["reduceGmem in Rust"],
        "let count = if first < n",
        &[(Change::Strictness, 1), (Change::Clamp, 1)],
        "n - first is 0 for first = n, and t + half is below the size of the block in any case",
    ),
    same(
        &["reduceGmem in Rust"],
        "if t < WARP {",
        &[(Change::Strictness, 1)],
        "lane 31 adds nothing here and exits: what is named in the mask and has exited is not waited for",
    ),
];

/// The stage, with a body that crosses the box's edge.
fn at_the_edge() -> Stage {
    let rungs = STAGE.rungs.iter().map(|&rung| match rung.kernel {
        "periodicGlobal" => &PERIODIC_AT_THE_EDGE,
        _ => rung,
    });
    Stage { rungs: rungs.collect::<Vec<_>>().leak(), ..STAGE }
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn every_mutant_is_noticed_or_does_the_same() {
    mutants::all_are_noticed(&at_the_edge(), &mutants::SIZES, EQUIVALENT);
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn every_mutant_in_rust_is_noticed_or_does_the_same() {
    mutants::all_in_rust_are_noticed(&at_the_edge(), &mutants::SIZES, EQUIVALENT_IN_RUST);
}

#[test]
fn a_mutant_is_noticed() {
    mutants::one_is_noticed(&STAGE, &mutants::SIZES, Change::Guard);
}
