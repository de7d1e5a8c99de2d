//! Answers to exercises.

use crate::found;
use crate::question::{Kernel, Solution};
use judge::kernel_file::{Language, excess};
use judge::set::Exercise;
use judge::{Check, Failure, Submission, Verdict};
use serde_json::{Value, json};
use std::path::Path;

/// Judges a kernel, as `cargo learn check` does.
pub fn judge(kernel: &Kernel) -> Result<Value, String> {
    let exercise = exercise(kernel)?;
    let verdict = verdict(&exercise, kernel)?;
    let failure = verdict.failure.as_ref();
    let found = failure.and_then(|failure| Some(found::json(failure.found.as_ref()?, &failure.text)));
    Ok(json!({
        "verdict": {
            "solved": verdict.is_passed(), "failure": failure.map(Failure::json), "counts": verdict.counts,
            "remark": verdict.remark(), "warnings": verdict.warnings,
        },
        "text": format!("{}\n{verdict}", exercise.heading()),
        "finding": found,
    }))
}

fn verdict(exercise: &Exercise, kernel: &Kernel) -> Result<Verdict, String> {
    if let Some(reason) = excess(kernel.text.len() as u64) {
        return Ok(Verdict::too_large(&exercise.card, &reason));
    }
    if kernel.ptx.is_none() {
        return Ok(Verdict::new(&exercise.card).fails(Check::Compiles, kernel.log.clone()));
    }
    let submission = submission(exercise, kernel)?;
    let Solution { text, ptx, .. } = &kernel.exercise.solution;
    let solution =
        Submission { file: "solution".into(), text: text.clone(), ptx: ptx.clone(), language: submission.language };
    let mut verdict = judge::judge(exercise, &solution, &submission).map_err(|error| error.to_string())?;
    verdict.warnings.clone_from(&kernel.log);
    verdict.refusal = judge::refusal(&kernel.text, &kernel.exercise.skeleton, submission.language);
    if let Some(estimate) = &mut verdict.estimate {
        estimate.differs_in_compiler = kernel.exercise.solution.differs_in_compiler;
    }
    Ok(verdict)
}

/// Returns the launches of a kernel in all cases of an exercise, for the player.
pub fn scenes(kernel: &Kernel) -> Result<Value, String> {
    let exercise = exercise(kernel)?;
    let scenes = judge::scenes(&exercise, &submission(&exercise, kernel)?).map_err(|error| error.to_string())?;
    let scenes = scenes.into_iter().map(|case| json!({ "name": case.name, "scene": case.scene }));
    Ok(json!({ "scenes": scenes.collect::<Vec<_>>() }))
}

fn exercise(kernel: &Kernel) -> Result<Exercise, String> {
    Exercise::parse(Path::new(&kernel.exercise.name), &kernel.exercise.card).map_err(|error| error.to_string())
}

fn submission(exercise: &Exercise, kernel: &Kernel) -> Result<Submission, String> {
    let of_extension = |language: &Language| language.extension() == kernel.language;
    let language = Language::ALL.into_iter().find(of_extension).ok_or("the languages are cu and rs")?;
    let ptx = kernel.ptx.clone().ok_or("the kernel's ptx or its compiler's log is missing")?;
    Ok(Submission { file: exercise.file_name(language).into(), language, text: kernel.text.clone(), ptx })
}
