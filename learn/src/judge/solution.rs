//! Runs of an exercise's solution, which learners' results are compared with.

use super::device::{Device, How, Outcome};
use super::submission::compile;
use crate::error::Error;
use crate::kernel_file::Language;
use crate::set::{Case, Exercise, LaunchLine, Role};
use std::collections::BTreeMap;

/// The number of warp instructions that a launch of a solution may execute.
pub const INSTRUCTION_BUDGET: u64 = 1_000_000_000;

/// Returns the buffers that a case compares, after a run of the solution, as numbers.
///
/// # Errors
/// The set is invalid, or there is no compiler.
pub fn solve(exercise: &Exercise, language: Language, case: &Case) -> Result<BTreeMap<String, Vec<f64>>, Error> {
    let outcome = run(exercise, language, case)?;
    let numbers = |(name, bytes): (String, Vec<u8>)| {
        let values = case.buffers.get(&name).map_or_else(Vec::new, |buffer| buffer.0.numbers(&bytes));
        (name, values)
    };
    Ok(outcome.results.into_iter().map(numbers).collect())
}

/// Runs the solution on the inputs of a case.
///
/// # Errors
/// The set is invalid, or there is no compiler.
pub fn run(exercise: &Exercise, language: Language, case: &Case) -> Result<Outcome, Error> {
    let file = exercise.source_file(&Role::Solution, language);
    let text = exercise.source(&Role::Solution, language)?;
    let invalid = |reason: String| Error::Set { path: file.clone(), reason };
    let ptx = match exercise.prebuilt(&Role::Solution, language, &text) {
        Some(ptx) => ptx,
        None => compile(&file, language, None, &text)?.map_err(invalid)?,
    };
    let line = exercise.card.launch_line.then(|| LaunchLine::of(&text)).transpose().map_err(invalid)?;
    let device = Device::prepare(&exercise.card, case, &ptx).map_err(invalid)?;
    let outcome = device.run(line, How::Counted { budget: INSTRUCTION_BUDGET }).map_err(invalid)?;
    match outcome.fault {
        Some(fault) => Err(invalid(fault.title)),
        None => Ok(outcome),
    }
}
