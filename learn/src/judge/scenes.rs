//! The launches and counts of a set's own kernels for the pages of the book, from the prebuilt PTX.

use super::counters::grouped;
use super::device::{Device, How, Outcome};
use super::required_counts::value;
use super::solution::INSTRUCTION_BUDGET;
use crate::error::Error;
use crate::kernel_file::Language;
use crate::set::{Case, Exercise, LaunchLine, Role};
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
/// There is no such kernel, its prebuilt PTX is missing or out of date, or a case cannot be run.
pub fn scenes(exercise: &Exercise, role: &Role, language: Language) -> Result<Vec<CaseScene>, Error> {
    let mut scenes = Vec::new();
    for case in &exercise.card.cases {
        let (outcome, _) = run(exercise, role, language, case, How::Kept { budget: INSTRUCTION_BUDGET })?;
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
pub fn count_text(exercise: &Exercise, role: &Role, language: Language, counter: &str) -> Result<String, Error> {
    let case = &exercise.card.cases[0];
    let (outcome, ptx) = run(exercise, role, language, case, How::Counted { budget: INSTRUCTION_BUDGET })?;
    let (count, per) = counter.split_once(" per ").map_or((counter, None), |(count, per)| (count, Some(per)));
    let invalid = |reason| Error::Set { path: exercise.folder.join("card.toml"), reason };
    value(count, per, &outcome.counts, &ptx).map(grouped).map_err(invalid)
}

fn run(
    exercise: &Exercise,
    role: &Role,
    language: Language,
    case: &Case,
    how: How,
) -> Result<(Outcome, String), Error> {
    let (file, text) = (exercise.source_file(role, language), exercise.source(role, language)?);
    let invalid = |reason: String| Error::Set { path: file.clone(), reason };
    let ptx = exercise.prebuilt(role, language, &text);
    let ptx = ptx.ok_or_else(|| invalid("its PTX is missing or out of date; run `cargo x ptx`".into()))?;
    let line = exercise.card.launch_line.then(|| LaunchLine::of(&text)).transpose().map_err(invalid)?;
    let outcome =
        Device::prepare(&exercise.card, case, &ptx).and_then(|device| device.run(line, how)).map_err(invalid)?;
    Ok((outcome, ptx))
}
