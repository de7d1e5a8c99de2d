//! Every kernel of the stage, on whichever device there is, at sizes around a warp and a block.

use common::device::DeviceChoice;
use common::problem::forces::Forces;
use common::problem::galaxy::Galaxy;
use common::problem::periodic::Periodic;
use common::problem::reduction::Reduction;
use common::problem::{Launch, LaunchResult, Size, forces, galaxy, periodic};
use common::session::Session;
use common::stage::{Plan, Shape};
use stage_tests::results::{all_are_right, fails, one_less_is_noticed, sums_wrap_around};
use stage_tests::turn;
use stage_tests::twins::{accelerations_of_one_less, forces_of_one_less, sum_of_one_less, with_work};
use stage01_naive::{COMPUTE_FORCES, NBODY_SIM_NOTILE, PERIODIC_GLOBAL, REDUCE_GMEM, STAGE, launch};

#[test]
fn every_kernel_is_right_at_every_size_and_block() {
    all_are_right(&STAGE);
}

#[test]
fn sums_of_both_signs_wrap_around() {
    sums_wrap_around(&STAGE);
}

#[test]
fn nbody_sim_notile_is_right_after_several_steps() {
    let _turn = turn();
    let mut session = Session::open(DeviceChoice::Auto, None).unwrap();
    let size = Size { steps: Some(5), ..Size::new(100) };
    let plan = Plan::new(&NBODY_SIM_NOTILE, size, Shape::block(64)).unwrap();
    let report = session.verify(&plan).unwrap();
    assert!(report.passed(), "{report:?}");
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
    one_less_is_noticed(&STAGE);
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
    let accelerate = accelerations_of_one_less;
    let integrate = Some(launch::periodic_integrate as PeriodicLaunch);
    fails(&with_work(&PERIODIC_GLOBAL, Periodic { accelerate, integrate, advance: None }), 128);
    let accelerate = launch::periodic_accelerate;
    let integrate = Some(step_of_half_the_length as PeriodicLaunch);
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
