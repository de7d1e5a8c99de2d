//! `cargo learn grade`: a table of many learners.

mod handed_in;
mod report;

use crate::actions::Judged;
use crate::learner::{progress_file, read_progress};
use crate::output::say;
use crate::refusal::refusal;
use crate::worker::Worker;
use handed_in::{HandedIn, describe_ignored, file_names};
use judge::Error;
use judge::kernel_file::{self, Language};
use judge::progress::Progress;
use judge::set::{Exercise, OTHER_INPUTS, Set};
use judge::{Check, Verdict};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// A learner's folder, with the verdicts on its files or the reason why it could not be graded.
struct Learner<'a> {
    name: String,
    exercises: Result<Vec<Graded<'a>>, String>,
    /// A line for each file that is ignored, and for the folder's progress if it is.
    ignored: Vec<String>,
}

/// An exercise of a learner, with the verdict on the learner's file if there is one.
struct Graded<'a> {
    exercise: &'a Exercise,
    file: Option<(Language, PathBuf, Judged)>,
    /// A line for each file that is refused, in either language.
    refused: Vec<String>,
}

/// The word for an exercise without a file.
const MISSING: &str = "missing";

/// The word for an exercise that is solved with much more work than the solution's.
const WASTEFUL: &str = "wasteful";

/// The number of seeds that the clock chooses from: small enough to be typed again.
const SEEDS: u128 = 1_000_000;

/// Returns a seed that learners cannot know when they hand in.
pub fn seed_of_clock() -> u64 {
    let time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    (time.as_micros() % SEEDS) as u64
}

/// Grades the exercises `only`, or all if there are none, in the folders. A folder that cannot be read has a row with the reason. Returns whether all learners have solved
/// everything.
pub fn run(
    worker: &Worker,
    folders: &[PathBuf],
    (set, only): (Set, &[String]),
    csv: Option<&Path>,
    as_json: bool,
) -> Result<bool, Error> {
    let names = file_names(&set);
    let set = &set.only(only)?;
    // Shells also name other files, such as a table next to the folders.
    let (files, folders): (Vec<&PathBuf>, Vec<&PathBuf>) = folders.iter().partition(|path| path.is_file());
    files.iter().for_each(|file| eprintln!("{}", report::without_control(&describe_ignored(file))));
    if folders.is_empty() {
        return Err(Error::Usage("there is no folder to grade".into()));
    }
    let learners: Vec<Learner<'_>> = folders.iter().map(|path| learner(worker, path, set, &names)).collect();
    if let Some(file) = csv {
        let text = report::to_csv(&learners, set).map_err(|error| Error::System(error.to_string()))?;
        crate::learner::write_whole(file, text)?;
    }
    if as_json {
        say(&format!("{:#}", report::to_json(&learners, worker.seed)))
    } else {
        report::print(&learners, set);
        if let Some(seed) = worker.seed {
            say(&format!("Each kernel was also run with other sizes and inputs: --seed {seed} repeats them."));
        }
    }
    Ok(learners.iter().all(|learner| learner.solved() == set.exercises.len()))
}

/// Grades a folder.
fn learner<'a>(worker: &Worker, path: &Path, set: &'a Set, names: &[String]) -> Learner<'a> {
    // The path of `.` has no name.
    let whole = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let name = path.file_name().or_else(|| whole.file_name());
    let name = name.map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned());
    let mut ignored = Vec::new();
    let exercises = HandedIn::find(path, names).and_then(|mut found| {
        ignored.append(&mut found.ignored);
        let progress = found.progress.as_deref().map_or(Ok(None), |folder| progress(folder, set));
        let progress = progress.unwrap_or_else(|reason| {
            ignored.push(reason);
            None
        });
        set.exercises.iter().map(|exercise| grade_exercise(worker, &found, progress.as_ref(), exercise)).collect()
    });
    let exercises = exercises.map_err(|error| match error {
        Error::Usage(reason) => reason,
        error => error.to_string(),
    });
    Learner { name, exercises, ignored }
}

/// Reads the progress in a learner's folder, which learners can edit. The error says in one line why it is ignored.
fn progress(path: &Path, set: &Set) -> Result<Option<Progress>, String> {
    let ignored = |path: &Path, reason: &str| format!("{} is ignored: {reason}", path.display());
    let file = progress_file(path);
    if file.is_symlink() {
        return Err(ignored(&file, "it is a symbolic link"));
    }
    let progress = match read_progress(path) {
        Ok(Some(progress)) => progress,
        Ok(None) => return Ok(None),
        Err(Error::Set { path, reason } | Error::File { path, reason, .. }) => return Err(ignored(&path, &reason)),
        Err(error) => return Err(ignored(path, &error.to_string())),
    };
    for exercise in &set.exercises {
        for name in Language::ALL.map(|language| exercise.file_name(language)) {
            let hints = progress.entry(&name).hints;
            let most = exercise.card.hints.len();
            if hints > most {
                return Err(ignored(&file, &format!("{name} has {hints} hints, of {most}")));
            }
        }
    }
    Ok(Some(progress))
}

/// Judges the learner's file for an exercise. If there is one in each language, a file that passes counts, and otherwise one
/// that the learner has changed, in the language of the progress if both are changed.
fn grade_exercise<'a>(
    worker: &Worker,
    found: &HandedIn,
    progress: Option<&Progress>,
    exercise: &'a Exercise,
) -> Result<Graded<'a>, Error> {
    let mut files = Vec::new();
    for language in Language::ALL.into_iter().filter(|language| exercise.is_in(*language)) {
        if let Some(file) = found.file(&exercise.file_name(language)) {
            // A file that is too large to be read gets a verdict that says so.
            let is_changed =
                file.is_symlink() || kernel_file::read(file).ok() != Some(exercise.initial_text(language)?);
            let is_other = progress.is_some_and(|progress| progress.language() != language);
            files.push((!is_changed, is_other, language, file));
        }
    }
    files.sort();
    let mut graded = None;
    let mut refused = Vec::new();
    for (is_unchanged, _, language, file) in files {
        let verdict = verdict(worker, exercise, language, file);
        let failure = verdict.as_ref().ok().and_then(|verdict| verdict.failure.as_ref());
        if let Some(failure) = failure.filter(|failure| failure.check == Check::Refused) {
            refused.push(format!("{} is refused: {}", file.display(), failure.text));
        }
        let verdict = match (&graded, verdict) {
            (None, verdict) => verdict?,
            // A compiler that is missing for a second file does not take the first one's verdict away.
            (Some(_), Err(_)) => continue,
            (Some(_), Ok(verdict)) if !verdict.is_passed() => continue,
            (Some(_), Ok(verdict)) => verdict,
        };
        let entry = progress.map(|progress| progress.entry(&exercise.file_name(language))).unwrap_or_default();
        let is_done = verdict.is_passed() || is_unchanged;
        let judged = Judged { verdict: Some(verdict), entry, unrecorded: None };
        graded = Some((language, file.to_owned(), judged));
        if is_done {
            break;
        }
    }
    Ok(Graded { exercise, file: graded, refused })
}

/// Judges a file, unless it is refused.
fn verdict(worker: &Worker, exercise: &Exercise, language: Language, file: &Path) -> Result<Verdict, Error> {
    match refusal(exercise, language, file)? {
        Some(reason) => Ok(Verdict::new(&exercise.card).fails(Check::Refused, reason)),
        None => worker.judge(exercise, language, file),
    }
}

impl Learner<'_> {
    fn solved(&self) -> usize {
        self.exercises.iter().flatten().filter(|graded| graded.failing().is_none()).count()
    }
}

impl Graded<'_> {
    /// Returns the check that the exercise fails in one word, or `None` if it is solved.
    fn failing(&self) -> Option<&'static str> {
        self.file.as_ref().map_or(Some(MISSING), |(.., judged)| Some(judged.failure()?.check.word()))
    }

    /// Returns whether the exercise passes with the sizes and inputs that learners see, and fails with others.
    fn fails_elsewhere(&self) -> bool {
        let failure = self.file.as_ref().and_then(|(.., judged)| judged.failure());
        failure.is_some_and(|failure| failure.text.ends_with(OTHER_INPUTS))
    }

    /// Returns the verdict on the file, if there is a file.
    fn verdict(&self) -> Option<&Verdict> {
        self.file.as_ref()?.2.verdict.as_ref()
    }

    /// Returns whether the exercise is solved: `yes`, `no`, or with too much work.
    fn solved(&self) -> &'static str {
        match self.failing() {
            Some(_) => "no",
            None if self.verdict().is_some_and(Verdict::is_wasteful) => WASTEFUL,
            None => "yes",
        }
    }
}
