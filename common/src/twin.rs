//! The comparison of kernels in CUDA C++ with their Rust versions.

use crate::device::Backend;
use crate::error::Error;
use crate::options::Options;
use crate::outcome::{Outcome, Twin};
use crate::session::{Run, Session};
use crate::stage::{Plan, Shape};

/// The largest n at which a kernel and its Rust version are compared on the emulator: instructions outside of the loops weigh
/// little there, and it takes a small part of the time of the published size.
const COMPARED_N: usize = 4096;

/// Runs the Rust version of an outcome's kernel, if there is one, and adds the comparison to the outcome. A version that
/// cannot be compiled here is left out, and a line with the reason is returned.
///
/// # Errors
/// The same as [`Session::run`].
pub(crate) fn compare(
    options: &Options,
    session: &mut Session,
    outcome: &mut Outcome<'_>,
) -> Result<Option<String>, Error> {
    let mut runs = Vec::new();
    for plan in plans(&outcome.run.plan, options, session.device.backend)? {
        match session.run(&plan, options.max_runs()) {
            Ok(run) => runs.push(run),
            Err(Error::NoCompiler { reason, .. }) if plan.in_rust => return Ok(Some(left_out(&plan, &reason))),
            Err(error) => return Err(error),
        }
    }
    let Some(rust) = runs.last() else { return Ok(None) };
    let kernel = runs.first().filter(|run| !run.plan.in_rust).unwrap_or(&outcome.run);
    let ratio = ratio(rust, kernel);
    outcome.twin = Some(Twin { ratio, passed: rust.report.passed(), runs });
    Ok(None)
}

/// Returns the line for a Rust version that is left out although no language was chosen.
pub(crate) fn left_out(plan: &Plan, reason: &str) -> String {
    format!("Note: {} is left out: {reason}", plan.name())
}

/// Adds the comparison with `rust`, the outcome of a Rust version, to the outcome of its kernel in the same launch.
pub(crate) fn pair(outcomes: &mut [Outcome], rust: &Outcome) {
    let launch = |plan: &Plan| (plan.rung.kernel, plan.grid, plan.block);
    let is_same = |kernel: &Plan| {
        launch(kernel) == launch(&rust.run.plan) && kernel.size == rust.run.plan.size && !kernel.in_rust
    };
    let kernel = outcomes.iter_mut().find(|outcome| is_same(&outcome.run.plan)).filter(|_| rust.run.plan.in_rust);
    if let Some(kernel) = kernel {
        let ratio = ratio(&rust.run, &kernel.run);
        kernel.twin = Some(Twin { ratio, passed: rust.run.report.passed(), runs: Vec::new() });
    }
}

/// Returns the runs that compare a kernel with its Rust version, that of the Rust version last; none if there is no such
/// version. On a GPU that is one run, in the kernel's own launch. On the emulator the kernel runs again, one step at a small
/// size, unless it ran at such a size: the counts of that take a fraction of the time.
fn plans<'a>(plan: &Plan<'a>, options: &Options, backend: Backend) -> Result<Vec<Plan<'a>>, Error> {
    let small = match backend {
        Backend::Emulator if plan.sampling.is_none() => at_compared_size(plan, options)?,
        _ => plan.clone(),
    };
    let Some(rust) = small.in_rust() else { return Ok(Vec::new()) };
    let has_other_size = small.size != plan.size;
    Ok(has_other_size.then_some(small).into_iter().chain([rust]).collect())
}

fn at_compared_size<'a>(plan: &Plan<'a>, options: &Options) -> Result<Plan<'a>, Error> {
    let mut size = plan.size.clone();
    size.n = size.n.min(COMPARED_N);
    size.steps = size.steps.map(|_| 1);
    size.parameters = plan.facts().complete(&plan.facts().select_own(&options.parameters), true);
    Plan::new(plan.rung, size, Shape { grid: Some(plan.grid), block: plan.block })
}

/// Returns the time of one run divided by that of another, or the ratio of their warp instructions without times.
fn ratio(rust: &Run, kernel: &Run) -> Option<f64> {
    match (rust.timing, kernel.timing) {
        (Some(rust), Some(kernel)) => Some(rust.median / kernel.median),
        _ => Some(rust.counters?.warp_instructions as f64 / kernel.counters?.warp_instructions as f64),
    }
}

#[cfg(test)]
mod tests;
