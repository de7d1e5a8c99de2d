//! The twins in Rust do what the kernels do.

use common::problem::coulomb::{Buffers, Coulomb, Method, Plane};
use common::problem::forces::Forces;
use common::problem::galaxy::Galaxy;
use common::problem::periodic::Periodic;
use common::problem::reduction::Reduction;
use common::problem::{Launch, LaunchResult, Size};
use common::stage::{Rung, Shape};
use stage_tests::kept::Kept;
use stage_tests::languages::{SIZES, does_the_same, does_the_same_to_memory, same_as_kept, takes_no_more_instructions};
use stage_tests::planes::over_a_plane;
use stage_tests::twins::with_work;
use stage05_coulomb::launch::from_global;
use stage06_limit::{
    COULOMB_SOFTWARE_ROOT, COULOMB_SPLIT_ATOMS, COULOMB_TILE, FORCES_MIXED_ROOTS_SHARED, GALAXY_MIXED_ROOTS,
    PERIODIC_FUSED, REDUCE_STREAMING, coulomb, forces, galaxy, periodic, reduction,
};

/// Warps add to the same sums: one to a block, they come one after the other, as blocks do.
fn same_by_warps(kept: &Rung) {
    same_as_kept(kept, &[Shape::block(32)], 0.05);
    let steps = kept.work.facts().steps.map(|_| 2);
    let sizes = SIZES.map(|n| Size { steps, ..Size::new(n) });
    [64, 128, 256].into_iter().for_each(|block| does_the_same_to_memory(kept, &sizes, Shape::block(block)));
}

fn kept_forces(launch: &Launch, data: &mut Kept<forces::MixedRoots>) -> LaunchResult {
    forces::adding_mixed_roots(launch, &mut data.0)
}

#[test]
fn forces_do_the_same() {
    same_by_warps(&with_work(&FORCES_MIXED_ROOTS_SHARED, Forces { launch: kept_forces }));
}

fn kept_step(launch: &Launch, data: &mut Kept<galaxy::MixedRoots>) -> LaunchResult {
    galaxy::step_of_mixed_roots(launch, &mut data.0)
}

#[test]
fn galaxies_do_the_same() {
    same_by_warps(&with_work(&GALAXY_MIXED_ROOTS, Galaxy { launch: kept_step }));
}

fn kept_fused(launch: &Launch, data: &mut Kept<periodic::Fractions>) -> LaunchResult {
    periodic::fused(launch, &mut data.0)
}

#[test]
fn steps_in_the_box_do_the_same() {
    let work = Periodic { accelerate: kept_fused, integrate: None, advance: None };
    same_as_kept(&with_work(&PERIODIC_FUSED, work), &[Shape::block(1024)], 0.05);
}

fn kept_sum(launch: &Launch, data: &mut Kept<reduction::OnePass>) -> LaunchResult {
    reduction::one_pass(launch, &mut data.0)
}

#[test]
fn sums_do_the_same() {
    let shapes = [(7, 64), (2, 128), (5, 256), (1, 512), (3, 1024)].map(|(grid, block)| Shape::grid(grid, block));
    same_as_kept(&with_work(&REDUCE_STREAMING, Reduction { launch: kept_sum }), &shapes, 0.05);
}

fn kept_tile(launch: &Launch, data: &mut Kept<Buffers>) -> LaunchResult {
    from_global(launch, &mut data.0)
}

fn kept_split(launch: &Launch, data: &mut Kept<Buffers>) -> LaunchResult {
    coulomb::adding(launch, &mut data.0)
}

fn kept_software(launch: &Launch, data: &mut Kept<coulomb::SoftwareRoots>) -> LaunchResult {
    coulomb::adding_software_roots(launch, &mut data.0)
}

/// At planes that tiles do not divide, with atoms for one chunk and for several.
fn same_potentials<L: Plane>(rung: &Rung, launch: fn(&Launch, &mut Kept<L>) -> LaunchResult) {
    let kept = with_work(rung, Coulomb { method: Method::Gather, launch });
    let shape = Shape::block(rung.block);
    let sizes = [over_a_plane(1, (1, 1)), over_a_plane(33, (129, 7)), over_a_plane(513, (127, 65))];
    does_the_same(&kept, &sizes, shape);
    takes_no_more_instructions(&kept, &over_a_plane(1000, (256, 64)), shape, 0.05);
}

#[test]
fn tiles_of_points_do_the_same() {
    same_potentials(&COULOMB_TILE, kept_tile);
    same_potentials(&COULOMB_SPLIT_ATOMS, kept_split);
    same_potentials(&COULOMB_SOFTWARE_ROOT, kept_software);
}
