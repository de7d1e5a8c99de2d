//! A launch, with counters or without.

use super::workers::{Options, run};
use crate::ground::dimensions::Launch;
use crate::ground::fault::Fault;
use crate::ground::refusal::LaunchError;
use crate::machine::events::Blind;
use crate::memory::device::Memory;
use crate::module::kernel::Kernel;
use crate::observers::counters::{Counters, Counting};

/// Runs a kernel to its end and returns its counters (all zero when they are off).
///
/// Results do not depend on the number of worker threads, except where the order of atomics between blocks
/// shows, as on hardware.
///
/// # Errors
/// [`LaunchError::Invalid`] for a shape that the device does not take, [`LaunchError::Fault`] for a kernel
/// that does something wrong.
pub fn launch(
    kernel: &Kernel,
    memory: &Memory,
    launch: &Launch<'_>,
    options: &Options,
) -> Result<Counters, LaunchError> {
    memory.mark_all_written();
    if !options.counters {
        without_fault(run(kernel, memory, launch, options, |job| job.work::<Blind>())?)?;
        return Ok(Counters::default());
    }
    let blocks = &kernel.program().blocks;
    let counted = run(kernel, memory, launch, options, |job| job.work::<Counting>().finish(blocks))?;
    let parts = without_fault(counted)?;
    Ok(parts.iter().fold(Counters::default(), |mut sum, part| {
        sum.add(part);
        sum
    }))
}

/// A fault ends a launch that is not checked.
fn without_fault<T>((parts, fault): (Vec<T>, Option<Fault>)) -> Result<Vec<T>, LaunchError> {
    fault.map_or(Ok(parts), |fault| Err(LaunchError::Fault(Box::new(fault))))
}
