//! `cargo x learn grade`: a table of many learners.

use crate::actions::Judged;
use crate::error::Error;
use crate::kernel_file::{self, Language};
use crate::learner::Progress;
use crate::output::say;
use crate::set::{Exercise, Set};
use crate::worker::Worker;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// A learner's folder, with the verdicts on its files or the reason why it could not be graded.
struct Learner<'a> {
    name: String,
    exercises: Result<Vec<Graded<'a>>, String>,
    /// Why the folder's progress is ignored, if it is.
    ignored: Option<String>,
}

/// A file of a learner with its verdict.
struct Graded<'a> {
    exercise: &'a Exercise,
    language: Language,
    judged: Judged,
}

/// Grades the folders. A folder that cannot be read has a row with the reason. Returns whether all learners have solved
/// everything.
pub fn run(worker: &Worker, folders: &[PathBuf], set: &Set, csv: Option<&Path>, as_json: bool) -> Result<bool, Error> {
    let learners: Vec<Learner<'_>> = folders.iter().map(|path| learner(worker, path, set)).collect();
    if let Some(file) = csv {
        let text = to_csv(&learners).map_err(|error| Error::System(error.to_string()))?;
        crate::learner::write_whole(file, text)?;
    }
    match as_json {
        true => say(&format!("{:#}", to_json(&learners))),
        false => print(&learners, set),
    }
    Ok(learners.iter().all(|learner| learner.solved() == set.exercises.len()))
}

/// Grades a folder.
fn learner<'a>(worker: &Worker, path: &Path, set: &'a Set) -> Learner<'a> {
    let name = path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned());
    let (progress, ignored) = match progress(path, set) {
        Ok(progress) => (progress, None),
        Err(reason) => (None, Some(reason)),
    };
    let exercises = grade(worker, path, progress.as_ref(), set).map_err(|error| match error {
        Error::Usage(reason) => reason,
        error => error.to_string(),
    });
    Learner { name, exercises, ignored }
}

/// Reads the progress in a learner's folder, which learners can edit. The error says in one line why it is ignored.
fn progress(path: &Path, set: &Set) -> Result<Option<Progress>, String> {
    let ignored = |path: &Path, reason: &str| format!("{} is ignored: {reason}", path.display());
    let progress = match Progress::read(path) {
        Ok(Some(progress)) => progress,
        Ok(None) => return Ok(None),
        Err(Error::Set { path, reason } | Error::File { path, reason, .. }) => return Err(ignored(&path, &reason)),
        Err(error) => return Err(ignored(path, &error.to_string())),
    };
    for exercise in &set.exercises {
        for file in Language::ALL.map(|language| exercise.file_name(language)) {
            let (hints, most) = (progress.entry(&file).hints, exercise.card.hints.len());
            if hints > most {
                return Err(ignored(&Progress::file(path), &format!("{file} has {hints} hints, of {most}")));
            }
        }
    }
    Ok(Some(progress))
}

/// Judges the files of a folder. An exercise without a file is open.
fn grade<'a>(
    worker: &Worker,
    path: &Path,
    progress: Option<&Progress>,
    set: &'a Set,
) -> Result<Vec<Graded<'a>>, Error> {
    std::fs::read_dir(path).map_err(Error::file("read", path))?;
    let mut graded = Vec::new();
    for exercise in &set.exercises {
        graded.extend(grade_exercise(worker, path, progress, exercise)?);
    }
    match graded.is_empty() {
        true => {
            let [cuda, rust] = Language::ALL.map(|language| set.exercises[0].file_name(language));
            Err(Error::Usage(format!("contains no exercises, such as {cuda} or {rust}")))
        }
        false => Ok(graded),
    }
}

/// Judges the learner's file for an exercise. If there is one in each language, a file that passes counts, and otherwise one
/// that the learner has changed, in the language of the progress if both are changed.
fn grade_exercise<'a>(
    worker: &Worker,
    path: &Path,
    progress: Option<&Progress>,
    exercise: &'a Exercise,
) -> Result<Option<Graded<'a>>, Error> {
    let mut files = Vec::new();
    for language in Language::ALL {
        let file = path.join(exercise.file_name(language));
        if file.is_file() {
            // A file that is too large to be read gets a verdict that says so.
            let is_changed = kernel_file::read(&file).ok() != Some(exercise.initial_text(language)?);
            let is_other = progress.is_some_and(|progress| progress.language() != language);
            files.push((!is_changed, is_other, language, file));
        }
    }
    files.sort();
    let mut graded: Option<Graded<'_>> = None;
    for (is_unchanged, _, language, file) in files {
        let verdict = match (&graded, worker.judge(exercise, language, &file)) {
            (None, verdict) => verdict?,
            // A compiler that is missing for a second file does not take the first one's verdict away.
            (Some(_), Err(_)) => continue,
            (Some(_), Ok(verdict)) if !verdict.is_passed() => continue,
            (Some(_), Ok(verdict)) => verdict,
        };
        let entry = progress.map(|progress| progress.entry(&exercise.file_name(language))).unwrap_or_default();
        let is_done = verdict.is_passed() || is_unchanged;
        let judged = Judged { verdict: Some(verdict), entry, unrecorded: None };
        graded = Some(Graded { exercise, language, judged });
        if is_done {
            break;
        }
    }
    Ok(graded)
}

impl Learner<'_> {
    fn solved(&self) -> usize {
        self.exercises.iter().flatten().filter(|graded| graded.judged.failure().is_none()).count()
    }
}

fn print(learners: &[Learner<'_>], set: &Set) {
    let width = learners.iter().map(|learner| learner.name.len()).max().unwrap_or(0).max("learner".len());
    say(&format!("{:<width$}  solved  hints  revealed  open", "learner"));
    for learner in learners {
        match &learner.exercises {
            Ok(graded) => {
                let entries = || graded.iter().map(|graded| &graded.judged.entry);
                let hints: usize = entries().map(|entry| entry.hints).sum();
                let revealed = entries().filter(|entry| entry.revealed).count();
                let open = graded.iter().find_map(|graded| {
                    Some(format!("{}: {}", graded.exercise.name, graded.judged.failure()?.check.word()))
                });
                let solved = format!("{}/{}", learner.solved(), set.exercises.len());
                let open = open.unwrap_or_default();
                say(&format!("{:<width$}  {solved:<6}  {hints:<5}  {revealed:<8}  {open}", learner.name));
            }
            Err(reason) => say(&format!("{:<width$}  {reason}", learner.name)),
        }
        if let Some(ignored) = &learner.ignored {
            say(ignored);
        }
    }
}

fn to_json(learners: &[Learner<'_>]) -> Value {
    let rows = learners.iter().map(|learner| {
        let mut row = json!({"learner": learner.name});
        match &learner.exercises {
            Err(reason) => row["error"] = reason.clone().into(),
            Ok(graded) => {
                row["exercises"] =
                    graded.iter().map(|graded| graded.judged.json(graded.exercise, graded.language)).collect();
            }
        }
        if let Some(ignored) = &learner.ignored {
            row["ignored"] = ignored.clone().into();
        }
        row
    });
    Value::Array(rows.collect())
}

fn to_csv(learners: &[Learner<'_>]) -> Result<Vec<u8>, Box<dyn std::error::Error>> {
    let mut table = csv::Writer::from_writer(Vec::new());
    table.write_record(["learner", "exercise", "language", "solved", "failing", "hints", "revealed", "counts"])?;
    for learner in learners {
        if let Err(reason) = &learner.exercises {
            table.write_record([&learner.name, "", "", "no", reason, "", "", ""])?;
        }
        for Graded { exercise, language, judged } in learner.exercises.iter().flatten() {
            let failing = judged.failure().map_or("", |failure| failure.check.word());
            let counts = judged.verdict.iter().flat_map(|verdict| &verdict.counts).map(ToString::to_string);
            let solved = if failing.is_empty() { "yes" } else { "no" };
            let revealed = if judged.entry.revealed { "yes" } else { "no" };
            let (hints, counts) = (judged.entry.hints.to_string(), counts.collect::<Vec<_>>().join("; "));
            table.write_record([
                &learner.name,
                &exercise.name,
                language.extension(),
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
