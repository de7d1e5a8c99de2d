//! `cargo x learn check`.

use super::say;
use crate::error::Error;
use crate::judge::{Failure, Verdict};
use crate::learner::{Entry, Folder};
use crate::set::{Exercise, Set, sha256};
use crate::worker::{OnGpu, Worker};
use kernel_file::Language;
use serde_json::{Value, json};

/// What is known of a learner's file after a check.
#[derive(Debug)]
pub struct Judged {
    /// What was said now; `None` where the file has passed before as it is.
    pub verdict: Option<Verdict>,
    /// What is known of it.
    pub entry: Entry,
    /// Why that could not be written down.
    pub unrecorded: Option<Error>,
}

impl Judged {
    /// The check that fails, if one does.
    pub fn failure(&self) -> Option<&Failure> {
        self.verdict.as_ref().and_then(|verdict| verdict.failure.as_ref())
    }

    /// Name and state of an exercise for another program.
    pub fn json(&self, exercise: &Exercise, language: Language) -> Value {
        let failure = self.failure().map(|failure| json!({"check": failure.check.word(), "text": failure.text, "checks_after": failure.checks_after}));
        json!({
            "exercise": exercise.name, "language": language.extension(), "solved": self.failure().is_none(),
            "was_run": self.verdict.is_some(), "failure": failure,
            "counts": self.verdict.as_ref().map_or(&[][..], |verdict| &verdict.counts),
            "gpu": self.verdict.as_ref().and_then(|verdict| verdict.gpu.as_ref()).map(OnGpu::json),
            "hints": self.entry.hints, "revealed": self.entry.revealed,
        })
    }
}

/// Checks a file unless it has passed as it is, and notes that it has.
pub fn judge_one(worker: &Worker, folder: &Folder, exercise: &Exercise, language: Language) -> Result<Judged, Error> {
    let (text, name) = (folder.text(exercise, language)?, exercise.file_name(language));
    let entry = folder.progress()?.entry(&name);
    if Folder::is_solved(&entry, &text) {
        return Ok(Judged { verdict: None, entry, unrecorded: None });
    }
    let verdict = worker.judge(exercise, language, &folder.file(exercise, language))?;
    // Saved again in the meantime, it is checked again; this verdict may be of either text.
    let is_passed = verdict.is_passed() && folder.text(exercise, language)? == text;
    let solved = is_passed.then(|| sha256(&text));
    // A verdict is of use in a folder that cannot be written, too.
    let is_news = solved != entry.solved;
    let unrecorded = is_news.then(|| folder.update(&name, |entry| entry.solved.clone_from(&solved)).err()).flatten();
    Ok(Judged { verdict: Some(verdict), entry: Entry { solved, ..entry }, unrecorded })
}

/// Checks the named exercises, or all; whether they are solved.
pub fn run(worker: &Worker, folder: &Folder, set: &Set, names: &[String], as_json: bool) -> Result<bool, Error> {
    let named = names.iter().map(|name| set.find(name)).collect::<Result<Vec<_>, _>>()?;
    let exercises = if names.is_empty() { set.exercises.iter().collect() } else { named };
    let language = folder.progress()?.language();
    let (mut solved, mut rows) = (0, Vec::new());
    for exercise in &exercises {
        let judged = judge_one(worker, folder, exercise, language)?;
        solved += usize::from(judged.failure().is_none());
        if as_json {
            rows.push(judged.json(exercise, language));
        } else {
            say(&verdict_text(exercise, &judged));
        }
    }
    if as_json {
        say(&format!("{:#}", Value::Array(rows)));
    } else if exercises.len() > 1 {
        say(&format!("{solved} of {} solved", exercises.len()));
    }
    Ok(solved == exercises.len())
}

/// The verdict as text.
pub fn verdict_text(exercise: &Exercise, judged: &Judged) -> String {
    let heading = format!("{}  {}", exercise.name, exercise.card.title);
    let mut text = match (&judged.verdict, judged.failure()) {
        (None, _) => format!("{heading}\nsolved before"),
        (_, Some(failure)) => format!("{heading}\n{failure}"),
        (Some(verdict), None) => {
            let counts: String = verdict.counts.iter().map(|count| format!("\n  {count}")).collect();
            let gpu = verdict.gpu.as_ref().map_or_else(String::new, |gpu| format!("\n  {gpu}"));
            format!("{heading}\nsolved: it compiles, runs, is clean, and its results are correct{counts}{gpu}")
        }
    };
    if let Some(error) = &judged.unrecorded {
        text.push_str(&format!("\n  This is not in your progress: {error}"));
    }
    text
}
