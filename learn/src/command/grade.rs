//! `cargo x learn grade`: a table of many learners.

use crate::actions::Judged;
use crate::error::Error;
use crate::kernel_file::Language;
use crate::learner::{Folder, Progress};
use crate::output::say;
use crate::set::{Exercise, Set};
use crate::worker::Worker;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// A learner's folder, with the verdicts on its files or the reason why it could not be graded.
struct Learner {
    name: String,
    language: Option<Language>,
    exercises: Result<Vec<(String, Judged)>, String>,
}

/// Grades the folders. A folder that cannot be read has a row with the reason. Returns whether all learners have solved
/// everything.
pub fn run(worker: &Worker, folders: &[PathBuf], set: &Set, csv: Option<&Path>, as_json: bool) -> Result<bool, Error> {
    let mut learners = Vec::new();
    for path in folders {
        let name =
            path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned());
        let progress = Progress::read(path);
        let language = progress.as_ref().map(Progress::language).ok();
        let exercises =
            progress.and_then(|progress| grade(worker, path, &progress, set)).map_err(|error| error.to_string());
        learners.push(Learner { name, language, exercises });
    }
    if let Some(file) = csv {
        let text = to_csv(&learners, set).map_err(|error| Error::System(error.to_string()))?;
        crate::learner::write_whole(file, text)?;
    }
    match as_json {
        true => say(&format!("{:#}", to_json(&learners, set))),
        false => print(&learners, set),
    }
    Ok(learners.iter().all(|learner| learner.solved() == set.exercises.len()))
}

/// Judges all files of a folder. An exercise without a file is open.
fn grade(worker: &Worker, path: &Path, progress: &Progress, set: &Set) -> Result<Vec<(String, Judged)>, Error> {
    let (folder, language) = (Folder { path: path.to_owned() }, progress.language());
    let mut judged = Vec::new();
    for exercise in &set.exercises {
        let file = folder.file(exercise, language);
        if file.is_file() {
            let entry = progress.entry(&exercise.file_name(language));
            let verdict = Some(worker.judge(exercise, language, &file)?);
            judged.push((exercise.name.clone(), Judged { verdict, entry, unrecorded: None }));
        }
    }
    Ok(judged)
}

impl Learner {
    fn solved(&self) -> usize {
        self.exercises.iter().flatten().filter(|(_, judged)| judged.failure().is_none()).count()
    }

    fn of<'a>(&'a self, exercise: &Exercise) -> Option<&'a Judged> {
        let exercises = self.exercises.as_ref().ok()?;
        exercises.iter().find(|(name, _)| *name == exercise.name).map(|(_, judged)| judged)
    }
}

fn print(learners: &[Learner], set: &Set) {
    let width = learners.iter().map(|learner| learner.name.len()).max().unwrap_or(0).max("learner".len());
    say(&format!("{:<width$}  solved  hints  revealed  open", "learner"));
    for learner in learners {
        let judged = match &learner.exercises {
            Ok(judged) => judged,
            Err(reason) => {
                say(&format!("{:<width$}  {reason}", learner.name));
                continue;
            }
        };
        let hints: usize = judged.iter().map(|(_, judged)| judged.entry.hints).sum();
        let revealed = judged.iter().filter(|(_, judged)| judged.entry.revealed).count();
        let open = judged.iter().find(|(_, judged)| judged.failure().is_some());
        let open = open
            .and_then(|(name, judged)| Some(format!("{name}: {}", judged.failure()?.check.word())))
            .unwrap_or_default();
        let solved = format!("{}/{}", learner.solved(), set.exercises.len());
        say(&format!("{:<width$}  {solved:<6}  {hints:<5}  {revealed:<8}  {open}", learner.name));
    }
}

fn to_json(learners: &[Learner], set: &Set) -> Value {
    let rows = learners.iter().map(|learner| match (&learner.exercises, learner.language) {
        (Err(reason), _) => json!({"learner": learner.name, "error": reason}),
        (_, language) => {
            let exercises =
                set.exercises.iter().filter_map(|exercise| Some(learner.of(exercise)?.json(exercise, language?)));
            json!({"learner": learner.name, "exercises": exercises.collect::<Vec<_>>()})
        }
    });
    Value::Array(rows.collect())
}

fn to_csv(learners: &[Learner], set: &Set) -> Result<Vec<u8>, Box<dyn std::error::Error>> {
    let mut table = csv::Writer::from_writer(Vec::new());
    table.write_record(["learner", "exercise", "language", "solved", "failing", "hints", "revealed", "counts"])?;
    for learner in learners {
        if let Err(reason) = &learner.exercises {
            table.write_record([&learner.name, "", "", "no", reason, "", "", ""])?;
        }
        let language = learner.language.map_or("", Language::extension);
        for exercise in &set.exercises {
            let Some(judged) = learner.of(exercise) else { continue };
            let failing = judged.failure().map_or("", |failure| failure.check.word());
            let counts = judged.verdict.iter().flat_map(|verdict| &verdict.counts).map(ToString::to_string);
            let solved = if failing.is_empty() { "yes" } else { "no" };
            let revealed = if judged.entry.revealed { "yes" } else { "no" };
            let (hints, counts) = (judged.entry.hints.to_string(), counts.collect::<Vec<_>>().join("; "));
            table.write_record([
                &learner.name,
                &exercise.name,
                language,
                solved,
                failing,
                &hints,
                revealed,
                &counts,
            ])?;
        }
    }
    Ok(table.into_inner()?)
}
