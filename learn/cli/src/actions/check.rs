//! Checking one file of a learner, and the text and JSON of its verdict.

use crate::learner::Folder;
use crate::worker::Worker;
use judge::Error;
use judge::kernel_file::Language;
use judge::progress::Entry;
use judge::set::{Exercise, sha256};
use judge::{Estimated, Failure, OnGpu, Verdict};
use serde_json::{Value, json};

/// The outcome of a check of a learner's file.
#[derive(Debug)]
pub struct Judged {
    /// The verdict, or `None` if the file has not changed since it passed.
    pub verdict: Option<Verdict>,
    /// The progress of the file.
    pub entry: Entry,
    /// The error that kept the progress from being written, if any.
    pub unrecorded: Option<Error>,
}

impl Judged {
    /// Returns the failed check, if any.
    pub fn failure(&self) -> Option<&Failure> {
        self.verdict.as_ref().and_then(|verdict| verdict.failure.as_ref())
    }

    /// Returns the outcome as JSON.
    pub fn json(&self, exercise: &Exercise, language: Language) -> Value {
        json!({
            "exercise": exercise.name, "language": language.extension(), "solved": self.failure().is_none(),
            "was_run": self.verdict.is_some(), "failure": self.failure().map(Failure::json),
            "counts": self.verdict.as_ref().map_or(&[][..], |verdict| &verdict.counts),
            "printed": self.verdict.as_ref().map_or("", |verdict| &verdict.printed),
            "warnings": self.verdict.as_ref().map_or("", |verdict| &verdict.warnings),
            "remark": self.verdict.as_ref().and_then(Verdict::remark),
            "shares": self.verdict.as_ref().map_or(&[][..], |verdict| &verdict.shares),
            "wasteful": self.verdict.as_ref().is_some_and(Verdict::is_wasteful),
            "estimate": self.verdict.as_ref().and_then(|verdict| verdict.estimate.as_ref()).map(Estimated::json),
            "gpu": self.verdict.as_ref().and_then(|verdict| verdict.gpu.as_ref()).map(OnGpu::json),
            "hints": self.entry.hints, "revealed": self.entry.revealed,
        })
    }
}

/// Checks a learner's file, unless it has not changed since it passed, and records whether it passes. A check with a seed
/// records nothing.
pub fn check(worker: &Worker, folder: &Folder, exercise: &Exercise, language: Language) -> Result<Judged, Error> {
    let text = folder.text(exercise, language)?;
    let name = exercise.file_name(language);
    let entry = folder.progress()?.entry(&name);
    // Other sizes and inputs are not those with which it passed.
    if worker.seed.is_none() && Folder::is_solved(&entry, &text) {
        return Ok(Judged { verdict: None, entry, unrecorded: None });
    }
    let verdict = worker.judge(exercise, language, &folder.file(exercise, language))?;
    // If the file has been saved again in the meantime, the verdict may be on either text, and another check follows.
    let now = folder.saved_text(exercise, language)?;
    let is_passed = verdict.is_passed() && now.as_ref() == Some(&text);
    let solved = is_passed.then(|| sha256(&text));
    // The verdict is shown even if the folder cannot be written.
    let solved = if worker.seed.is_some() { entry.solved.clone() } else { solved };
    let has_changed = solved != entry.solved;
    let unrecorded =
        has_changed.then(|| folder.update(&name, |entry| entry.solved.clone_from(&solved)).err()).flatten();
    Ok(Judged { verdict: Some(verdict), entry: Entry { solved, ..entry }, unrecorded })
}

/// Returns the verdict as text, with the exercise in its first line.
pub fn verdict_text(exercise: &Exercise, judged: &Judged) -> String {
    let verdict = judged.verdict.as_ref().map_or("solved before".to_owned(), Verdict::to_string);
    let mut text = format!("{}\n{verdict}", exercise.heading());
    if let Some(error) = &judged.unrecorded {
        text.push_str(&format!("\n  This is not in your progress: {error}"));
    }
    text
}
