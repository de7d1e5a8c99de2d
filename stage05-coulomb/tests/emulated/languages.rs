//! The twins in Rust do what the kernels do.

use common::problem::coulomb::{Buffers, Coulomb, Method};
use common::problem::{Launch, LaunchResult};
use common::stage::{Rung, Shape};
use stage_tests::kept::keep;
use stage_tests::languages::{does_the_same, takes_no_more_instructions};
use stage_tests::planes::over_a_plane;
use stage_tests::twins::with_work;
use stage05_coulomb::{
    COULOMB_COARSENED, COULOMB_COARSENED_COALESCED, COULOMB_CONSTANT, COULOMB_GATHER, COULOMB_SCATTER, launch,
};

fn kept(launch: &Launch, buffers: &Buffers) -> LaunchResult {
    keep(launch.stream.clone_dtoh(&buffers.potential)?.into_iter().map(f32::to_bits));
    Ok(())
}

fn kept_from_global(launch: &Launch, buffers: &mut Buffers) -> LaunchResult {
    launch::from_global(launch, buffers)?;
    kept(launch, buffers)
}

fn kept_from_constant(launch: &Launch, buffers: &mut Buffers) -> LaunchResult {
    launch::from_constant(launch, buffers)?;
    kept(launch, buffers)
}

/// At planes that tiles do not divide, with these many atoms over the largest, and with atoms for two chunks; then
/// instructions, where the loops take most.
fn same_in_rust(rung: &Rung, work: Coulomb<Buffers>, atoms: usize, share: f64) {
    let kept = with_work(rung, work);
    let shape = Shape::block(rung.block);
    let sizes = [over_a_plane(1, (1, 1)), over_a_plane(atoms, (129, 7)), over_a_plane(4100, (7, 5))];
    does_the_same(&kept, &sizes, shape);
    takes_no_more_instructions(&kept, &over_a_plane(1000, (256, 64)), shape, share);
}

#[test]
fn gather_does_the_same() {
    same_in_rust(&COULOMB_GATHER, Coulomb { method: Method::Gather, launch: kept_from_global }, 33, 0.05);
}

#[test]
fn scatter_does_the_same() {
    same_in_rust(&COULOMB_SCATTER, Coulomb { method: Method::Scatter, launch: kept_from_global }, 33, 0.05);
}

#[test]
fn chunks_of_constant_memory_do_the_same() {
    let work = || Coulomb { method: Method::Chunks, launch: kept_from_constant };
    same_in_rust(&COULOMB_CONSTANT, work(), 33, 0.05);
    same_in_rust(&COULOMB_COARSENED, work(), 33, 0.05);
    // Both compilers take two atoms a round. What is left of an odd number NVRTC sums with other fused multiply-adds than
    // the rounds before, for this kernel alone.
    same_in_rust(&COULOMB_COARSENED_COALESCED, work(), 34, 0.05);
}
