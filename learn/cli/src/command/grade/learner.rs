//! Learners with the verdicts on their files.

use super::archive::Unpacked;
use super::files::FileNames;
use super::handed_in::HandedIn;
use super::inputs::Submission;
use super::verdicts::{Verdicts, in_parallel};
use super::{MISSING, WASTEFUL};
use crate::actions::Judged;
use crate::learner::{progress_file, read_progress};
use judge::kernel_file::{self, Language};
use judge::progress::Progress;
use judge::set::{Exercise, OTHER_INPUTS, Set};
use judge::{Check, Error, Verdict};
use std::path::{Path, PathBuf};

/// A learner, with what is known of each exercise, or the reason why nothing is.
pub(super) struct Learner<T> {
    pub(super) name: String,
    /// The number on the platform or on the roster, if there is one.
    pub(super) id: Option<String>,
    /// The address on the roster, or nothing.
    pub(super) email: String,
    pub(super) exercises: Result<T, String>,
    /// A line for each file that is ignored, and for the progress if it is.
    pub(super) ignored: Vec<String>,
}

/// A learner with the verdicts on the files.
pub(super) type Marked<'a> = Learner<Vec<Graded<'a>>>;

/// The findings about a learner.
pub(super) struct Found {
    files: HandedIn,
    progress: Option<Progress>,
}

/// An exercise of a learner, with the verdict on the learner's file if there is one.
pub(super) struct Graded<'a> {
    pub(super) exercise: &'a Exercise,
    pub(super) file: Option<(Language, PathBuf, Judged)>,
    /// A line for each file that is refused, in either language.
    pub(super) refused: Vec<String>,
}

/// Looks for the files of a learner.
pub(super) fn found(submission: Submission, set: &Set, names: &FileNames, unpacked: &mut Unpacked) -> Learner<Found> {
    let mut ignored = Vec::new();
    let files = HandedIn::find(&submission, names, unpacked, &mut ignored);
    let Submission { name, id, ignored: refused, .. } = submission;
    ignored.splice(0..0, refused);
    let exercises = files.map(|files| {
        let progress = files.progress.as_deref().map_or(Ok(None), |folder| progress(folder, set, unpacked));
        let progress = progress.unwrap_or_else(|reason| {
            ignored.push(reason);
            None
        });
        Found { files, progress }
    });
    Learner { name, id, email: String::new(), exercises: exercises.map_err(reason), ignored }
}

/// Judges the files of all learners.
pub(super) fn judged<'a>(
    verdicts: &Verdicts<'_>,
    learners: Vec<Learner<Found>>,
    unpacked: &Unpacked,
    set: &'a Set,
) -> Vec<Marked<'a>> {
    let work = |index: usize| {
        let (learner, exercise) = (&learners[index / set.exercises.len()], &set.exercises[index % set.exercises.len()]);
        let found = learner.exercises.as_ref().ok()?;
        Some(grade_exercise(verdicts, found, unpacked, exercise).map_err(reason))
    };
    let mut graded = in_parallel(learners.len() * set.exercises.len(), work).into_iter();
    let mut marked = Vec::new();
    for Learner { name, id, email, exercises, ignored } in learners {
        let own: Vec<_> = graded.by_ref().take(set.exercises.len()).flatten().collect();
        let exercises = exercises.and_then(|_| own.into_iter().collect());
        marked.push(Learner { name, id, email, exercises, ignored });
    }
    marked
}

fn reason(error: Error) -> String {
    match error {
        Error::Usage(reason) => reason,
        error => error.to_string(),
    }
}

/// Reads the progress in a learner's folder, which learners can edit. The error says in one line why it is ignored.
fn progress(path: &Path, set: &Set, unpacked: &Unpacked) -> Result<Option<Progress>, String> {
    let file = progress_file(path);
    let ignored = |reason: &str| format!("{} is ignored: {reason}", unpacked.shown(&file));
    if file.is_symlink() {
        return Err(ignored("it is a symbolic link"));
    }
    let progress = match read_progress(path) {
        Ok(Some(progress)) => progress,
        Ok(None) => return Ok(None),
        Err(Error::Set { reason, .. } | Error::File { reason, .. }) => return Err(ignored(&reason)),
        Err(error) => return Err(ignored(&error.to_string())),
    };
    for exercise in &set.exercises {
        for name in Language::ALL.map(|language| exercise.file_name(language)) {
            let hints = progress.entry(&name).hints;
            let most = exercise.card.hints.len();
            if hints > most {
                return Err(ignored(&format!("{name} has {hints} hints, of {most}")));
            }
        }
    }
    Ok(Some(progress))
}

/// Judges the learner's file for an exercise. If there is one in each language, a file that passes counts, and otherwise one
/// that the learner has changed, in the language of the progress if both are changed.
fn grade_exercise<'a>(
    verdicts: &Verdicts<'_>,
    found: &Found,
    unpacked: &Unpacked,
    exercise: &'a Exercise,
) -> Result<Graded<'a>, Error> {
    let progress = found.progress.as_ref();
    let mut files = Vec::new();
    for language in Language::ALL.into_iter().filter(|language| exercise.is_in(*language)) {
        if let Some(file) = found.files.file(&exercise.file_name(language)) {
            // A file that is too large to be read gets a verdict that says so.
            let is_changed =
                file.is_symlink() || kernel_file::read(file).ok() != Some(exercise.initial_text(language)?);
            let is_other = progress.is_some_and(|progress| progress.language() != language);
            files.push((!is_changed, is_other, language, file));
        }
    }
    files.sort();
    let mut graded: Option<(Language, PathBuf, Judged)> = None;
    let mut refused = Vec::new();
    for (is_unchanged, _, language, file) in files {
        let verdict = verdicts.verdict(exercise, language, file);
        let failure = verdict.as_ref().ok().and_then(|verdict| verdict.failure.as_ref());
        if let Some(failure) = failure.filter(|failure| failure.check == Check::Refused) {
            refused.push(format!("{} is refused: {}", unpacked.shown(file), failure.text));
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

impl Marked<'_> {
    pub(super) fn solved(&self) -> usize {
        self.exercises.iter().flatten().filter(|graded| graded.failing().is_none()).count()
    }
}

impl Graded<'_> {
    /// Returns the check that the exercise fails in one word, or `None` if it is solved.
    pub(super) fn failing(&self) -> Option<&'static str> {
        self.file.as_ref().map_or(Some(MISSING), |(.., judged)| Some(judged.failure()?.check.word()))
    }

    /// Returns whether the exercise passes with the sizes and inputs that learners see, and fails with others.
    pub(super) fn fails_elsewhere(&self) -> bool {
        let failure = self.file.as_ref().and_then(|(.., judged)| judged.failure());
        failure.is_some_and(|failure| failure.text.ends_with(OTHER_INPUTS))
    }

    /// Returns the verdict on the file, if there is a file.
    pub(super) fn verdict(&self) -> Option<&Verdict> {
        self.file.as_ref()?.2.verdict.as_ref()
    }

    /// Returns whether the exercise is solved: `yes`, `no`, or with too much work.
    pub(super) fn solved(&self) -> &'static str {
        match self.failing() {
            Some(_) => "no",
            None if self.verdict().is_some_and(Verdict::is_wasteful) => WASTEFUL,
            None => "yes",
        }
    }
}
