//! A kernel of a set for a page: its launches, and what it counts. They are taken from the prebuilt PTX.

use super::SOLUTION_BUDGET;
use super::counts::shown as number;
use super::device::{Device, How, Outcome};
use super::limits::value;
use crate::error::Error;
use crate::set::{Case, Exercise, LaunchLine, Role};
use emulator::Scene;
use kernel_file::Language;

/// A launch of a case.
#[derive(Debug)]
pub struct Shown {
    /// The case's name, and which of its launches where it has several.
    pub name: String,
    /// The launch, with what it left.
    pub scene: Scene,
}

/// The launches of a kernel in all cases, up to the first that ends with a fault in each.
///
/// # Errors
/// There is no such kernel, its prebuilt PTX is missing or of another text, or a case cannot be run.
pub fn shown(exercise: &Exercise, role: &Role, language: Language) -> Result<Vec<Shown>, Error> {
    let mut shown = Vec::new();
    for case in &exercise.card.cases {
        let (outcome, _) = run(exercise, role, language, case, How::Kept { budget: SOLUTION_BUDGET })?;
        let launches = case.launches.len();
        for (index, scene) in outcome.scenes.into_iter().enumerate() {
            let name = match launches {
                1 => case.name.clone(),
                _ => format!("{}: launch {} of {launches}", case.name, index + 1),
            };
            shown.push(Shown { name, scene });
        }
    }
    Ok(shown)
}

/// What a kernel counts in the first case, as a text: a counter, or `COUNTER per COUNTER`.
///
/// # Errors
/// As [`shown`], and where there is no such counter.
pub fn counted(exercise: &Exercise, role: &Role, language: Language, counter: &str) -> Result<String, Error> {
    let case = &exercise.card.cases[0];
    let (outcome, ptx) = run(exercise, role, language, case, How::Counted { budget: SOLUTION_BUDGET })?;
    let (count, per) = counter.split_once(" per ").map_or((counter, None), |(count, per)| (count, Some(per)));
    let wrong = |reason| Error::Set { path: exercise.folder.join("card.toml"), reason };
    value(count, per, &outcome.counts, &ptx).map(number).map_err(wrong)
}

fn run(
    exercise: &Exercise,
    role: &Role,
    language: Language,
    case: &Case,
    how: How,
) -> Result<(Outcome, String), Error> {
    let (file, text) = (exercise.source_file(role, language), exercise.source(role, language)?);
    let wrong = |reason: String| Error::Set { path: file.clone(), reason };
    let ptx = exercise.prebuilt(role, language, &text);
    let ptx = ptx.ok_or_else(|| wrong("it has no PTX of this text; `cargo x ptx` makes it".into()))?;
    let line = exercise.card.launch_line.then(|| LaunchLine::of(&text)).transpose().map_err(wrong)?;
    let outcome =
        Device::prepare(&exercise.card, case, &ptx).and_then(|device| device.run(line, how)).map_err(wrong)?;
    Ok((outcome, ptx))
}
