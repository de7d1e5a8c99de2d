//! The lines below a table about times that it lacks, and about the sources of those that it has.

use crate::outcome::Outcome;
use crate::report::print::name_lines;
use cuda_cpp::Assembler;
use predict::Way;
use std::collections::BTreeMap;

/// Returns a line for each reason why an estimate is from the PTX, or why there is none, with its kernels.
pub fn lines(rows: &[Outcome]) -> Vec<String> {
    let fallbacks = by_reason(rows, "From the PTX", |outcome| {
        outcome.estimate.as_ref()?.as_ref().ok()?.launches.iter().find_map(|launch| launch.fallback.as_deref())
    });
    let is_rough = |outcome: &&Outcome| {
        outcome.run.is_edited && matches!(&outcome.estimate, Some(Ok(estimate)) if estimate.way == Way::Ptx)
    };
    let edited = rows.iter().find(is_rough).filter(|_| Assembler::find().is_none()).map(|outcome| {
        let kernel = outcome.run.plan.rung.kernel;
        format!("{kernel} was edited: `cargo learn ptxas` fetches ptxas (44 MB), which narrows its range.")
    });
    let refusals = by_reason(rows, "No time", |outcome| Some(outcome.estimate.as_ref()?.as_ref().err()?.as_str()));
    fallbacks.into_iter().chain(edited).chain(refusals).collect()
}

/// Returns a line for each reason, with its kernels.
fn by_reason<'o>(rows: &'o [Outcome], what: &str, reason: impl Fn(&'o Outcome<'o>) -> Option<&'o str>) -> Vec<String> {
    let mut reasons: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for outcome in rows {
        let Some(reason) = reason(outcome) else { continue };
        let kernels = reasons.entry(reason).or_default();
        let kernel = outcome.run.plan.rung.kernel.to_owned();
        if !kernels.contains(&kernel) {
            kernels.push(kernel);
        }
    }
    let lines = |(reason, kernels): (&str, Vec<String>)| {
        std::iter::once(format!("{what}, because {reason}:")).chain(name_lines(&kernels))
    };
    reasons.into_iter().flat_map(lines).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::samples::outcome;

    #[test]
    fn a_refusal_is_a_line_with_its_reason() {
        let mut refused = outcome(None, None);
        refused.estimate = Some(Err("local memory is not modeled".into()));
        assert_eq!(lines(&[refused]), ["No time, because local memory is not modeled:", "  computeForces"]);
        assert_eq!(lines(&[outcome(None, None)]), [""; 0]);
    }
}
