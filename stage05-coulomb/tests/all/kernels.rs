//! Every kernel of the stage, on whichever device there is, at sizes around warps, tiles and chunks; all points.

use common::problem::coulomb::{Buffers, Coulomb, Method};
use common::problem::{Launch, LaunchResult};
use common::stage::{Rung, Shape};
use stage_tests::planes::{all_are_right, each_report};
use stage_tests::twins::with_work;
use stage05_coulomb::{
    COULOMB_COARSENED, COULOMB_COARSENED_COALESCED, COULOMB_CONSTANT, COULOMB_SCATTER, STAGE, launch,
};

#[test]
fn every_kernel_is_right_at_every_size_and_block() {
    all_are_right(&STAGE);
}

// Wrong twins: launches that a check must not let pass.

fn right(launch: &Launch, buffers: &mut Buffers) -> LaunchResult {
    // Kernels with constant memory have other parameters.
    match launch.module.get_global("atom_chunk", launch.stream) {
        Ok(_) => launch::from_constant(launch, buffers),
        Err(_) => launch::from_global(launch, buffers),
    }
}

fn one_atom_less(launch: &Launch, buffers: &mut Buffers) -> LaunchResult {
    buffers.n -= 1;
    let result = right(launch, buffers);
    buffers.n += 1;
    result
}

fn another_spacing(launch: &Launch, buffers: &mut Buffers) -> LaunchResult {
    let spacing = buffers.spacing;
    buffers.spacing *= 1.01;
    let result = right(launch, buffers);
    buffers.spacing = spacing;
    result
}

fn shifted_by_a_point(launch: &Launch, buffers: &mut Buffers) -> LaunchResult {
    right(launch, buffers)?;
    let mut potential = launch.stream.clone_dtoh(&buffers.potential)?;
    potential.rotate_left(1);
    launch.stream.memcpy_htod(&potential, &mut buffers.potential)
}

fn one_row_less(launch: &Launch, buffers: &mut Buffers) -> LaunchResult {
    buffers.height -= 1;
    let result = right(launch, buffers);
    buffers.height += 1;
    result
}

fn nothing_is_launched(_: &Launch, _: &mut Buffers) -> LaunchResult {
    Ok(())
}

fn launched_twice(launch: &Launch, buffers: &mut Buffers) -> LaunchResult {
    right(launch, buffers)?;
    right(launch, buffers)
}

/// Which of the methods a rung has; kernels with a chunk of constant memory have its size as a constant.
fn method_of(rung: &Rung) -> Method {
    match (rung.kernel, rung.work.facts().constants) {
        ("coulombScatter", _) => Method::Scatter,
        (_, []) => Method::Gather,
        _ => Method::Chunks,
    }
}

type WrongLaunch = fn(&Launch, &mut Buffers) -> LaunchResult;

fn fails(rung: &Rung, launch: WrongLaunch, atoms: &[usize]) {
    let wrong = with_work(rung, Coulomb { method: method_of(rung), launch });
    let judge = |what: &str, report: common::verify::Report| assert!(!report.passed(), "{what}: {report:?}");
    each_report(&wrong, &[(33, 7)], atoms, Shape::block(rung.block), judge);
}

#[test]
fn the_launch_that_the_wrong_ones_are_made_from_is_right() {
    for rung in STAGE.rungs {
        let twin = with_work(rung, Coulomb { method: method_of(rung), launch: right });
        let judge = |what: &str, report: common::verify::Report| assert!(report.passed(), "{what}: {report:?}");
        each_report(&twin, &[(33, 7)], &[33, 4097], Shape::block(rung.block), judge);
    }
}

#[test]
fn wrong_launches_fail_the_check() {
    let wrong: [WrongLaunch; 5] =
        [one_atom_less, another_spacing, shifted_by_a_point, one_row_less, nothing_is_launched];
    for rung in STAGE.rungs {
        for launch in wrong {
            fails(rung, launch, &[33, 4097]);
        }
    }
}

#[test]
fn kernels_that_add_to_the_points_fail_the_check_when_launched_twice() {
    for rung in [&COULOMB_SCATTER, &COULOMB_CONSTANT, &COULOMB_COARSENED, &COULOMB_COARSENED_COALESCED] {
        fails(rung, launched_twice, &[33]);
    }
}
