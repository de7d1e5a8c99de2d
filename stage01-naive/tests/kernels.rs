//! Every kernel of the stage, on whichever device there is, at sizes around a warp and a block.

use common::device::DeviceChoice;
use common::options::DEFAULT_SEED;
use common::stage::{Plan, Row, Session, Shape};
use common::verify::Report;
use common::workload::{Launch, LaunchResult, Size, Work, forces, galaxy, periodic, reduction};
use stage01_naive::{
    COMPUTE_FORCES, COMPUTE_FORCES_TILING, NBODY_SIM_NOTILE, PERIODIC_GLOBAL, REDUCE_GMEM, STAGE, launch,
};
use std::sync::Mutex;

const SIZES: [usize; 8] = [1, 31, 32, 33, 1000, 1023, 1024, 1025];

/// Counters and faults are of the last launch in the process, so that tests take turns.
static TURN: Mutex<()> = Mutex::new(());

/// Runs each size and shape once, and hands the comparison to `judge`.
fn run(row: &Row, sizes: &[usize], shapes: &[Shape], judge: impl Fn(&str, Report)) {
    let _turn = TURN.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
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

fn passes(row: &Row, shapes: &[Shape]) {
    run(row, &SIZES, shapes, |what, report| assert!(report.passed(), "{what}: {report:?}"));
}

fn fails(row: &Row, sizes: &[usize]) {
    run(row, sizes, &[Shape::block(128)], |what, report| assert!(!report.passed(), "{what}: {report:?}"));
}

/// 96 threads are three warps, 100 leave a fourth partly empty.
const ANY_BLOCKS: [Shape; 4] = [Shape::block(96), Shape::block(100), Shape::block(128), Shape::block(1024)];

#[test]
fn blocks_of_one_thread_are_right() {
    for row in [&COMPUTE_FORCES, &COMPUTE_FORCES_TILING, &PERIODIC_GLOBAL, &NBODY_SIM_NOTILE] {
        run(row, &[1, 33], &[Shape::block(1)], |what, report| assert!(report.passed(), "{what}: {report:?}"));
    }
}

#[test]
fn compute_forces_is_right_at_every_size() {
    passes(&COMPUTE_FORCES, &ANY_BLOCKS);
}

#[test]
fn compute_forces_tiling_is_right_with_more_and_fewer_threads_than_bodies() {
    passes(&COMPUTE_FORCES_TILING, &[Shape::grid(1, 32), Shape::grid(3, 100), Shape::grid(64, 256)]);
}

#[test]
fn periodic_global_is_right_at_every_size() {
    passes(&PERIODIC_GLOBAL, &ANY_BLOCKS);
}

#[test]
fn reduce_gmem_is_right_at_every_size_and_block() {
    passes(&REDUCE_GMEM, &[32, 64, 128, 256, 512, 1024].map(Shape::block));
}

#[test]
fn nbody_sim_notile_is_right_at_every_size() {
    passes(&NBODY_SIM_NOTILE, &ANY_BLOCKS);
}

#[test]
fn nbody_sim_notile_is_right_after_several_steps() {
    let _turn = TURN.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let mut session = Session::open(DeviceChoice::Auto, false).unwrap();
    let size = Size { n: 100, steps: Some(5), seed: DEFAULT_SEED };
    let plan = Plan::new(&NBODY_SIM_NOTILE, size, Shape::block(64)).unwrap();
    let report = session.verify(&plan).unwrap();
    assert!(report.passed(), "{report:?}");
}

#[test]
fn every_row_of_the_stage_has_its_prebuilt_ptx() {
    for row in STAGE.rows {
        for source in [Some(row.source), row.companion.map(|(source, _)| source)].into_iter().flatten() {
            assert!(source.ptx_is_of(source.cuda), "ptx/{}.ptx was not made from the .cu file as it is", source.file);
        }
    }
}

// Wrong twins: launches that a check must not let pass.

/// The last body is neither a target nor a source.
fn forces_of_one_body_less(launch: &Launch, buffers: &mut forces::Buffers) -> LaunchResult {
    buffers.n -= 1;
    let result = launch::forces(launch, buffers);
    buffers.n += 1;
    result
}

/// Components end up in each other's arrays.
fn forces_with_swapped_outputs(launch: &Launch, buffers: &mut forces::Buffers) -> LaunchResult {
    std::mem::swap(&mut buffers.fx, &mut buffers.fy);
    let result = launch::forces(launch, buffers);
    std::mem::swap(&mut buffers.fx, &mut buffers.fy);
    result
}

fn nothing_is_launched(_: &Launch, _: &mut forces::Buffers) -> LaunchResult {
    Ok(())
}

fn accelerations_of_one_body_less(launch: &Launch, buffers: &mut periodic::Buffers) -> LaunchResult {
    buffers.n -= 1;
    let result = launch::periodic_accelerate(launch, buffers);
    buffers.n += 1;
    result
}

fn step_of_half_the_length(launch: &Launch, buffers: &mut periodic::Buffers) -> LaunchResult {
    buffers.dt /= 2.0;
    let result = launch::periodic_integrate(launch, buffers);
    buffers.dt *= 2.0;
    result
}

fn sum_of_one_value_less(launch: &Launch, buffers: &mut reduction::Buffers) -> LaunchResult {
    buffers.n -= 1;
    let result = launch::reduction(launch, buffers);
    buffers.n += 1;
    result
}

fn galaxy_with_another_softening(launch: &Launch, buffers: &mut galaxy::Buffers) -> LaunchResult {
    let right = buffers.epsilon_squared;
    buffers.epsilon_squared *= 1.01;
    let result = launch::galaxy(launch, buffers);
    buffers.epsilon_squared = right;
    result
}

#[test]
fn wrong_launches_of_tutorial_a_fail_the_check() {
    for launch in [forces_of_one_body_less, forces_with_swapped_outputs, nothing_is_launched] {
        fails(&Row { work: Work::Forces { launch }, ..COMPUTE_FORCES }, &[33, 1025]);
    }
}

#[test]
fn wrong_launches_of_tutorial_b_fail_the_check() {
    let (accelerate, integrate) = (accelerations_of_one_body_less, launch::periodic_integrate);
    fails(&Row { work: Work::Periodic { accelerate, integrate }, ..PERIODIC_GLOBAL }, &[33, 1025]);
    let (accelerate, integrate) = (launch::periodic_accelerate, step_of_half_the_length);
    fails(&Row { work: Work::Periodic { accelerate, integrate }, ..PERIODIC_GLOBAL }, &[33, 1025]);
}

#[test]
fn a_wrong_launch_of_tutorial_c_fails_the_check() {
    fails(&Row { work: Work::Reduction { launch: sum_of_one_value_less }, ..REDUCE_GMEM }, &[33, 1025]);
}

#[test]
fn a_wrong_launch_of_tutorial_d_fails_the_check() {
    fails(&Row { work: Work::Galaxy { launch: galaxy_with_another_softening }, ..NBODY_SIM_NOTILE }, &[33, 1025]);
}
