//! Runs of an exercise's solution, which learners' results are compared with.

use crate::device::{How, Outcome};
use crate::error::Error;
use crate::set::{Case, Exercise};
use crate::submission::Submission;
use std::collections::BTreeMap;

/// The number of warp instructions that a launch of a solution may execute.
pub const INSTRUCTION_BUDGET: u64 = 1_000_000_000;

/// Returns the buffers that a case compares, after a run of the solution, as numbers.
///
/// # Errors
/// The card or the solution is invalid.
pub fn solve(exercise: &Exercise, solution: &Submission, case: &Case) -> Result<BTreeMap<String, Vec<f64>>, Error> {
    let outcome = run(exercise, solution, case)?;
    let numbers = |(name, bytes): (String, Vec<u8>)| {
        let values = case.buffers.get(&name).map_or_else(Vec::new, |buffer| buffer.0.numbers(&bytes));
        (name, values)
    };
    Ok(outcome.results.into_iter().map(numbers).collect())
}

/// Runs the solution on the inputs of a case.
///
/// # Errors
/// The card or the solution is invalid.
pub fn run(exercise: &Exercise, solution: &Submission, case: &Case) -> Result<Outcome, Error> {
    let outcome = solution.run(exercise, case, How::Counted(INSTRUCTION_BUDGET))?;
    match outcome.fault {
        Some(fault) => Err(solution.invalid(fault.diagnosis.title)),
        None => Ok(outcome),
    }
}
