//! Faulty variants of the launch functions, which the comparison must reject.

use common::problem::forces::Forces;
use common::problem::galaxy::Galaxy;
use common::problem::periodic::Periodic;
use common::problem::reduction::Reduction;
use common::problem::transpose::{self, Transpose};
use common::problem::{Launch, LaunchResult, Problem, forces, galaxy, periodic, reduction};
use common::stage::Rung;
use stage01_naive::launch;

/// Returns the rung with other launch functions, which live as long as the process.
#[must_use]
pub fn with_work(rung: &Rung, work: impl Problem + 'static) -> Rung {
    Rung { work: Box::leak(Box::new(work)), ..*rung }
}

/// Returns the rung with a launch function that passes one body or value less than there is.
#[must_use]
pub fn with_one_less(rung: &Rung) -> Rung {
    let works: [&'static dyn Problem; 5] = [
        &Forces { launch: forces_of_one_less },
        &Periodic { accelerate: accelerations_of_one_less, integrate: Some(launch::periodic_integrate), advance: None },
        &Reduction { launch: sum_of_one_less },
        &Galaxy { launch: galaxy_of_one_less },
        &Transpose { launch: transpose_of_one_less },
    ];
    let work = works.into_iter().find(|work| work.facts() == rung.work.facts());
    Rung { work: work.unwrap_or_else(|| panic!("{}: its problem has no such twin", rung.kernel)), ..*rung }
}

/// Launches without the last body.
///
/// # Errors
/// Returns the error of cudarc's launch.
pub fn forces_of_one_less(launch: &Launch, buffers: &mut forces::Buffers) -> LaunchResult {
    buffers.n -= 1;
    let result = launch::forces(launch, buffers);
    buffers.n += 1;
    result
}

/// Launches without the last body.
///
/// # Errors
/// Returns the error of cudarc's launch.
pub fn accelerations_of_one_less(launch: &Launch, buffers: &mut periodic::Buffers) -> LaunchResult {
    buffers.n -= 1;
    let result = launch::periodic_accelerate(launch, buffers);
    buffers.n += 1;
    result
}

/// Launches without the last value.
///
/// # Errors
/// Returns the error of cudarc's launch.
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

fn transpose_of_one_less(launch: &Launch, buffers: &mut transpose::Buffers) -> LaunchResult {
    buffers.n -= 1;
    let result = stage02_shared::launch::transpose(launch, buffers);
    buffers.n += 1;
    result
}
