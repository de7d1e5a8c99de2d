//! The launches and counts of kernels for the pages of the book.

use crate::counters::group_digits;
use crate::device::How;
use crate::error::Error;
use crate::required_counts::{COUNTED_BUDGET, value};
use crate::set::Exercise;
use crate::submission::Submission;
use emulator::Scene;

/// A launch of a case as a scene.
#[derive(Debug)]
pub struct CaseScene {
    /// The name of the case, with the number of the launch if it has several.
    pub name: String,
    /// The launch, with the memory before and after it.
    pub scene: Scene,
}

/// Returns the launches of a kernel in all cases; those of a case end with the first fault.
///
/// # Errors
/// A case cannot be run with this kernel.
pub fn scenes(exercise: &Exercise, kernel: &Submission) -> Result<Vec<CaseScene>, Error> {
    let mut scenes = Vec::new();
    for case in &exercise.card.cases {
        let outcome = kernel.run(exercise, case, How::Kept(COUNTED_BUDGET))?;
        let launches = case.launches.len();
        for (index, scene) in outcome.scenes.into_iter().enumerate() {
            let name = match launches {
                1 => case.name.clone(),
                _ => format!("{}: launch {} of {launches}", case.name, index + 1),
            };
            scenes.push(CaseScene { name, scene });
        }
    }
    Ok(scenes)
}

/// Returns a count of a kernel in the first case as text. `counter` is a counter's name, or `COUNTER per COUNTER`.
///
/// # Errors
/// There is no such count; otherwise as for [`scenes`].
pub fn count_text(exercise: &Exercise, kernel: &Submission, counter: &str) -> Result<String, Error> {
    let outcome = kernel.run(exercise, &exercise.card.cases[0], How::Counted(COUNTED_BUDGET))?;
    let (count, per) = counter.split_once(" per ").map_or((counter, None), |(count, per)| (count, Some(per)));
    let value = value(count, per, &outcome.counts, &kernel.ptx).map_err(|reason| exercise.invalid(reason))?;
    Ok(group_digits(value))
}
