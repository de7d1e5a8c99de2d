//! Variants of the launch functions: faulty ones, which the comparison must reject, and ones that keep their outputs.

use common::problem::forces::Forces;
use common::problem::galaxy::Galaxy;
use common::problem::periodic::Periodic;
use common::problem::reduction::Reduction;
use common::problem::transpose::Transpose;
use common::problem::{Launch, LaunchResult, Problem, forces, galaxy, periodic, reduction, transpose};
use common::stage::Rung;
use stage01_naive::launch;
use std::sync::Mutex;

/// Returns the rung with other launch functions, which live as long as the process.
#[must_use]
pub fn with_work(rung: &Rung, work: impl Problem + 'static) -> Rung {
    Rung { work: Box::leak(Box::new(work)), ..*rung }
}

/// Returns the variant of a rung among launch functions of several problems.
fn twin(rung: &Rung, works: &[&'static dyn Problem]) -> Rung {
    let work = works.iter().find(|work| work.facts() == rung.work.facts());
    Rung { work: *work.unwrap_or_else(|| panic!("{}: its problem has no such twin", rung.kernel)), ..*rung }
}

/// Returns the rung with a launch function that passes one body or value less than there is.
#[must_use]
pub fn with_one_less(rung: &Rung) -> Rung {
    twin(
        rung,
        &[
            &Forces { launch: forces_of_one_less },
            &Periodic {
                accelerate: accelerations_of_one_less,
                integrate: Some(launch::periodic_integrate),
                advance: None,
            },
            &Reduction { launch: sum_of_one_less },
            &Galaxy { launch: galaxy_of_one_less },
            &Transpose { launch: transpose_of_one_less },
        ],
    )
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

/// The outputs of the last launch of a rung made by [`keeping_outputs`].
static OUTPUT: Mutex<Vec<u32>> = Mutex::new(Vec::new());

/// Takes the outputs that launches of [`keeping_outputs`] have written since the last call.
#[must_use]
pub fn take_outputs() -> Vec<u32> {
    std::mem::take(&mut *OUTPUT.lock().expect("no test panics while it writes"))
}

/// Returns the rung with launch functions that keep the outputs.
#[must_use]
pub fn keeping_outputs(rung: &Rung) -> Rung {
    twin(
        rung,
        &[
            &Forces { launch: kept_forces },
            &Periodic { accelerate: kept_accelerations, integrate: Some(launch::periodic_integrate), advance: None },
            &Reduction { launch: kept_sums },
            &Galaxy { launch: kept_galaxy },
            &Transpose { launch: kept_transpose },
        ],
    )
}

/// Keeps the words of an output for [`take_outputs`].
pub fn keep(words: impl Iterator<Item = u32>) {
    OUTPUT.lock().expect("no test panics while it writes").extend(words);
}

fn kept_forces(launch: &Launch, buffers: &mut forces::Buffers) -> LaunchResult {
    launch::forces(launch, buffers)?;
    for output in [&buffers.fx, &buffers.fy, &buffers.fz] {
        keep(launch.stream.clone_dtoh(output)?.into_iter().map(f32::to_bits));
    }
    Ok(())
}

fn kept_accelerations(launch: &Launch, buffers: &mut periodic::Buffers) -> LaunchResult {
    launch::periodic_accelerate(launch, buffers)?;
    keep(launch.stream.clone_dtoh(&buffers.bodies)?.into_iter().map(f32::to_bits));
    Ok(())
}

fn kept_sums(launch: &Launch, buffers: &mut reduction::Buffers) -> LaunchResult {
    launch::reduction(launch, buffers)?;
    keep(launch.stream.clone_dtoh(&buffers.partials)?.into_iter().map(i32::cast_unsigned));
    Ok(())
}

fn kept_galaxy(launch: &Launch, buffers: &mut galaxy::Buffers) -> LaunchResult {
    launch::galaxy(launch, buffers)?;
    for output in [&buffers.new_position, &buffers.new_velocity] {
        keep(launch.stream.clone_dtoh(output)?.into_iter().flatten().map(f32::to_bits));
    }
    Ok(())
}

fn kept_transpose(launch: &Launch, buffers: &mut transpose::Buffers) -> LaunchResult {
    stage02_shared::launch::transpose(launch, buffers)?;
    keep(launch.stream.clone_dtoh(&buffers.output)?.into_iter().map(f32::to_bits));
    Ok(())
}
