//! Launches with or without counters.

use super::workers::{Options, run};
use crate::ground::dimensions::Launch;
use crate::ground::fault::Fault;
use crate::ground::refusal::LaunchError;
use crate::machine::events::Unobserved;
use crate::memory::device::Memory;
use crate::module::kernel::Kernel;
use crate::observers::counters::{Counters, Counting};

/// Runs a kernel to its end and returns its counters, which are all zero if counters are off.
///
/// The results do not depend on the number of worker threads, unless they depend on the order of atomics between blocks,
/// as on hardware.
///
/// # Errors
/// Returns [`LaunchError::Invalid`] if shape or parameters are invalid, and [`LaunchError::Fault`] if the kernel does
/// something wrong.
pub fn launch(
    kernel: &Kernel,
    memory: &Memory,
    launch: &Launch<'_>,
    options: &Options,
) -> Result<Counters, LaunchError> {
    memory.mark_all_written();
    if !options.counters {
        without_fault(run(kernel, memory, launch, options, |job| job.work::<Unobserved>())?)?;
        return Ok(Counters::default());
    }
    let blocks = &kernel.program().blocks;
    let counted = run(kernel, memory, launch, options, |job| job.work::<Counting>().finish(blocks))?;
    let parts = without_fault(counted)?;
    Ok(parts.iter().fold(Counters::default(), |mut sum, part| {
        sum.add(part, 1);
        sum
    }))
}

/// Turns a fault into an error.
fn without_fault<T>((parts, fault): (Vec<T>, Option<Fault>)) -> Result<Vec<T>, LaunchError> {
    fault.map_or(Ok(parts), |fault| Err(LaunchError::Fault(Box::new(fault))))
}
