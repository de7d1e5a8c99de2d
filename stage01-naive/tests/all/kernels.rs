//! Every kernel of the stage, on whichever device there is, at sizes around a warp and a block.

use common::device::DeviceChoice;
use common::problem::forces::Forces;
use common::problem::galaxy::Galaxy;
use common::problem::periodic::Periodic;
use common::problem::reduction::Reduction;
use common::problem::{Launch, LaunchResult, Size, forces, galaxy, periodic};
use common::session::Session;
use common::stage::{Plan, Shape};
use stage_tests::results::{
    fails, fails_with_one_less, passes, passes_in_blocks_of_one_thread, ptx_is_of_the_sources, sums_wrap_around,
};
use stage_tests::turn;
use stage_tests::twins::{accelerations_of_one_less, forces_of_one_less, sum_of_one_less, with_work};
use stage01_naive::{
    COMPUTE_FORCES, COMPUTE_FORCES_TILING, NBODY_SIM_NOTILE, PERIODIC_GLOBAL, REDUCE_GMEM, STAGE, launch,
};

/// 96 threads are three warps, 100 leave a fourth partly empty.
const ANY_BLOCKS: [Shape; 4] = [Shape::block(96), Shape::block(100), Shape::block(128), Shape::block(1024)];

#[test]
fn blocks_of_one_thread_are_right() {
    for rung in [&COMPUTE_FORCES, &COMPUTE_FORCES_TILING, &PERIODIC_GLOBAL, &NBODY_SIM_NOTILE] {
        passes_in_blocks_of_one_thread(rung);
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
    let shapes = [32, 64, 128, 256, 512, 1024].map(Shape::block);
    passes(&REDUCE_GMEM, &shapes);
    sums_wrap_around(&REDUCE_GMEM, &shapes);
}

#[test]
fn nbody_sim_notile_is_right_at_every_size() {
    passes(&NBODY_SIM_NOTILE, &ANY_BLOCKS);
}

#[test]
fn nbody_sim_notile_is_right_after_several_steps() {
    let _turn = turn();
    let mut session = Session::open(DeviceChoice::Auto, None).unwrap();
    let size = Size { steps: Some(5), ..Size::of(100) };
    let plan = Plan::new(&NBODY_SIM_NOTILE, size, Shape::block(64)).unwrap();
    let report = session.verify(&plan).unwrap();
    assert!(report.passed(), "{report:?}");
}

#[test]
fn every_rung_of_the_stage_has_its_prebuilt_ptx() {
    ptx_is_of_the_sources(STAGE.rungs);
}

// Wrong twins: launches that a check must not let pass.

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

type PeriodicLaunch = fn(&Launch, &mut periodic::Buffers) -> LaunchResult;

fn step_of_half_the_length(launch: &Launch, buffers: &mut periodic::Buffers) -> LaunchResult {
    buffers.dt /= 2.0;
    let result = launch::periodic_integrate(launch, buffers);
    buffers.dt *= 2.0;
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
fn one_body_or_value_less_is_noticed() {
    STAGE.rungs.iter().for_each(|rung| fails_with_one_less(rung));
}

#[test]
fn wrong_launches_of_problem_a_fail_the_check() {
    let wrong: [fn(&Launch, &mut forces::Buffers) -> LaunchResult; 3] =
        [forces_of_one_less, forces_with_swapped_outputs, nothing_is_launched];
    for launch in wrong {
        fails(&with_work(&COMPUTE_FORCES, Forces { launch }), 128);
    }
}

#[test]
fn wrong_launches_of_problem_b_fail_the_check() {
    let (accelerate, integrate) = (accelerations_of_one_less, Some(launch::periodic_integrate as PeriodicLaunch));
    fails(&with_work(&PERIODIC_GLOBAL, Periodic { accelerate, integrate, advance: None }), 128);
    let (accelerate, integrate) = (launch::periodic_accelerate, Some(step_of_half_the_length as PeriodicLaunch));
    fails(&with_work(&PERIODIC_GLOBAL, Periodic { accelerate, integrate, advance: None }), 128);
}

#[test]
fn a_wrong_launch_of_problem_c_fails_the_check() {
    fails(&with_work(&REDUCE_GMEM, Reduction { launch: sum_of_one_less }), 128);
}

#[test]
fn a_wrong_launch_of_problem_d_fails_the_check() {
    fails(&with_work(&NBODY_SIM_NOTILE, Galaxy { launch: galaxy_with_another_softening }), 128);
}
