//! A learner's folder: its files, and the locks on its progress.

use super::progress_file::{progress_file, read_progress, write_progress};
use super::remembered::recall;
use super::write::{keep_before, write_new, write_whole};
use judge::Error;
use judge::kernel_file::{self, Language};
use judge::progress::{Entry, Progress};
use judge::set::{Exercise, Set, sha256};
use std::ffi::OsStr;
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

/// The file that is locked while the progress is changed.
const LOCK_FILE: &str = ".progress.lock";

/// The file that is locked while a program watches the folder.
const WATCH_FILE: &str = ".watching.lock";

/// The time that a program may take between deleting a file, or making an empty one, and writing it.
const SAVING: Duration = Duration::from_millis(300);

/// A learner's folder.
#[derive(Clone, Debug)]
pub struct Folder {
    /// The path of the folder.
    pub path: PathBuf,
    /// The language of new exercises as long as there is no progress.
    assumed: Language,
}

impl Folder {
    /// Finds the learner's folder: the one named, or else the first that contains exercises of the current folder, its
    /// parents, the folder started last, and `usual`. A folder without progress contains exercises if it has the file of one.
    ///
    /// # Errors
    /// None of them contains exercises.
    pub fn find(named: Option<&Path>, usual: &Path, set: &Set) -> Result<Self, Error> {
        let current = std::env::current_dir().unwrap_or_default();
        let begun = |path: &PathBuf| {
            let assumed = language_of_files(path, set);
            let is_begun = assumed.is_some() || progress_file(path).is_file();
            is_begun.then(|| Self { path: relative(path, &current), assumed: assumed.unwrap_or(Language::Cuda) })
        };
        candidates(named, usual).iter().find_map(begun).ok_or_else(|| match named {
            Some(named) => Error::Usage(format!(
                "{} contains no exercises; `cargo learn start --language rust {}` copies them there",
                named.display(),
                in_shell(named)
            )),
            None => Error::Usage(none_yet(recall().filter(|folder| !folder.is_dir()).as_deref())),
        })
    }

    /// Returns the folder that [`Self::find`] returns, or else the one that `start` would make.
    pub fn found_or_usual(named: Option<&Path>, usual: &Path, set: &Set) -> PathBuf {
        Self::find(named, usual, set).map_or_else(|_| named.unwrap_or(usual).to_owned(), |found| found.path)
    }

    /// Copies the exercises of a set to a folder, and returns the folder and the number of files written. Existing files are
    /// not changed. The progress gets the path of a set that is not the repository's, which is the case if `is_own`.
    ///
    /// # Errors
    /// The set does not have the language, or the folder contains files but no exercises, or those of another set, or cannot be
    /// written.
    pub fn begin(path: &Path, set: &Set, is_own: bool, language: Language) -> Result<(Self, usize), Error> {
        set.require(language)?;
        fs::create_dir_all(path).map_err(Error::file("make the folder", path))?;
        let folder = Self { path: path.to_owned(), assumed: language };
        let is_empty = fs::read_dir(path).map_err(Error::file("read", path))?.next().is_none();
        let is_begun = || progress_file(path).is_file() || language_of_files(path, set).is_some();
        if !is_empty && !is_begun() {
            return Err(Error::Usage(format!("{} contains other files; name a new folder", path.display())));
        }
        let mut progress = folder.progress()?;
        let named = is_own.then(|| set.folder.canonicalize().unwrap_or_else(|_| set.folder.clone()));
        if progress_file(path).is_file() && progress.set != named {
            let other = progress.set.as_ref().map_or("the course".into(), |set| set.display().to_string());
            return Err(Error::Usage(format!(
                "{} has the exercises of {other}; name a new folder for those of {}",
                path.display(),
                set.folder.display()
            )));
        }
        progress.choose(language);
        progress.set = named;
        write_progress(&progress, path)?;
        let mut written = 0;
        for exercise in &set.exercises {
            let file = folder.file(exercise, language);
            if !file.exists() && write_new(&file, exercise.initial_text(language)?)? {
                written += 1;
            }
        }
        Ok((folder, written))
    }

    /// Returns the exercise with this name or a unique beginning of it, as [`Set::find`] does, and the language of the
    /// learner's file: the one of the name's ending, or else the one of the progress. The name may be a path in this folder,
    /// as shells complete it.
    ///
    /// # Errors
    /// There is no such exercise, or no file with this ending, or the path is in another folder.
    pub fn find_file<'a>(&self, set: &'a Set, name: &str) -> Result<(&'a Exercise, Language), Error> {
        let name = self.name_in_path(name)?;
        let exercise = set.find(name)?;
        let language = self.progress()?.language();
        let Some(named) = Language::from_file(Path::new(name)) else { return Ok((exercise, language)) };
        // The folder's own language is written when it is missing.
        if named != language && !self.file(exercise, named).exists() {
            set.require(named)?;
            let word = named.word();
            return Err(Error::Usage(format!(
                "there is no file {}; `cargo learn start --language {word} {}` adds the exercises in this language",
                self.file(exercise, named).display(),
                in_shell(&self.path)
            )));
        }
        Ok((exercise, named))
    }

    /// Returns the file's name in a path in this folder. A name without a folder stays as it is.
    fn name_in_path<'a>(&self, path: &'a str) -> Result<&'a str, Error> {
        let (folder, name) = match (Path::new(path).parent(), Path::new(path).file_name().and_then(OsStr::to_str)) {
            (Some(folder), Some(name)) if !folder.as_os_str().is_empty() => (folder, name),
            _ => return Ok(path),
        };
        match (folder.canonicalize(), self.path.canonicalize()) {
            (Ok(named), Ok(own)) if named == own => Ok(name),
            (Ok(_), _) => Err(Error::Usage(format!(
                "{path} is not in your folder, {}; `--folder {}` chooses the other",
                self.path.display(),
                in_shell(folder)
            ))),
            (Err(_), _) => Err(Error::Usage(format!("{path}: there is no folder {}", folder.display()))),
        }
    }

    /// Returns the path of the learner's file for an exercise.
    #[must_use]
    pub fn file(&self, exercise: &Exercise, language: Language) -> PathBuf {
        let name = exercise.file_name(language);
        // Messages are shorter without `./`.
        if self.path == Path::new(".") { PathBuf::from(name) } else { self.path.join(name) }
    }

    /// Reads the learner's file for an exercise. If there is none, for instance because the exercise is new in the set, writes
    /// the initial text first.
    ///
    /// # Errors
    /// The file cannot be read or written, or is too large.
    pub fn text(&self, exercise: &Exercise, language: Language) -> Result<String, Error> {
        let file = self.file(exercise, language);
        if !file.exists() {
            write_new(&file, exercise.initial_text(language)?)?;
        }
        kernel_file::read(&file)
    }

    /// Reads the learner's file for an exercise while other programs may be saving it: some delete it first, or write it in two
    /// steps. Returns `None` if it stays away.
    ///
    /// # Errors
    /// The file cannot be read, or is too large.
    pub fn saved_text(&self, exercise: &Exercise, language: Language) -> Result<Option<String>, Error> {
        let file = self.file(exercise, language);
        let is_there = || fs::metadata(&file).is_ok_and(|metadata| metadata.len() > 0);
        let start = Instant::now();
        while !is_there() && start.elapsed() < SAVING {
            thread::sleep(SAVING / 30);
        }
        if file.exists() { kernel_file::read(&file).map(Some) } else { Ok(None) }
    }

    /// Reads the progress. If there is none, for instance because the learner has deleted a damaged file, it begins anew.
    ///
    /// # Errors
    /// It cannot be read, or is damaged; the text advises what to do.
    pub fn progress(&self) -> Result<Progress, Error> {
        match read_progress(&self.path) {
            Ok(progress) => Ok(progress.unwrap_or_else(|| Progress::new(self.assumed))),
            Err(Error::Set { path, reason }) => Err(Error::Set {
                path,
                reason: format!(
                    "{reason}\nCorrect the file, or delete it: your kernels stay, and `cargo learn check --all --folder {}` \
                     finds the solved ones again.",
                    in_shell(&self.path)
                ),
            }),
            Err(error) => Err(error),
        }
    }

    /// Changes the progress of a file while no other program can. Writes nothing if nothing changes.
    ///
    /// # Errors
    /// It cannot be read or written.
    pub fn update(&self, file: &str, change: impl FnOnce(&mut Entry)) -> Result<(), Error> {
        let path = self.path.join(LOCK_FILE);
        let lock = File::create(&path).map_err(Error::file("write", &path))?;
        lock.lock().map_err(Error::file("lock", &path))?;
        let mut progress = self.progress()?;
        let before = progress.clone();
        change(progress.files.entry(file.to_owned()).or_default());
        if progress == before { Ok(()) } else { write_progress(&progress, &self.path) }
    }

    /// Locks the folder for a program that watches it, until the returned value is dropped.
    ///
    /// # Errors
    /// Another program watches it.
    pub fn watch(&self) -> Result<File, Error> {
        let path = self.path.join(WATCH_FILE);
        let lock = File::create(&path).map_err(Error::file("write", &path))?;
        match lock.try_lock() {
            Ok(()) => Ok(lock),
            Err(TryLockError::WouldBlock) => Err(Error::Usage(format!(
                "another `cargo learn` watches {}: continue there, or quit it with q",
                self.path.display()
            ))),
            Err(TryLockError::Error(error)) => Err(Error::file("lock", path)(error)),
        }
    }

    /// Returns whether this text of the file has passed before.
    #[must_use]
    pub fn is_solved(entry: &Entry, text: &str) -> bool {
        entry.solved.as_deref() == Some(sha256(text).as_str())
    }

    /// Replaces the learner's file with the initial text. Returns the name under which the old file is kept, or `None` if it
    /// was unchanged or missing.
    ///
    /// # Errors
    /// A file cannot be written. The learner's file is then unchanged.
    pub fn reset(&self, exercise: &Exercise, language: Language) -> Result<Option<PathBuf>, Error> {
        let file = self.file(exercise, language);
        let initial = exercise.initial_text(language)?;
        let kept = match fs::read(&file) {
            Ok(bytes) if bytes == initial.as_bytes() => return Ok(None),
            Ok(_) => Some(keep_before(&file)?),
            Err(_) => None,
        };
        write_whole(&file, initial)?;
        self.update(&exercise.file_name(language), |entry| entry.solved = None)?;
        Ok(kept)
    }
}

/// Returns the advice for a learner without exercises. `moved` is the folder that was started last, if it is no longer there.
fn none_yet(moved: Option<&Path>) -> String {
    let first = moved.map_or_else(
        || "you have no exercises yet; type".to_owned(),
        |moved| format!("{} is not there any more; name your folder with --folder, or type", moved.display()),
    );
    format!(
        "{first}\n  cargo learn start --language rust   to write kernels in Rust\n  \
         cargo learn start --language cuda   to write them in CUDA C++"
    )
}

/// Returns the set that the progress in the learner's folder names, if it is not the repository's. The folder is the one that
/// [`Folder::find`] finds.
#[must_use]
pub fn own_set(named: Option<&Path>, usual: &Path, repositorys: &Set) -> Option<PathBuf> {
    let is_begun = |path: &&PathBuf| progress_file(path).is_file() || language_of_files(path, repositorys).is_some();
    let folders = candidates(named, usual);
    // A damaged progress is reported later.
    read_progress(folders.iter().find(is_begun)?).ok()??.set
}

/// Returns the folders that may be the learner's, in the order of the search: the one named, or else the current folder, its
/// parents, the folder started last, and `usual`.
fn candidates(named: Option<&Path>, usual: &Path) -> Vec<PathBuf> {
    match named {
        Some(named) => vec![named.to_owned()],
        None => {
            let current = std::env::current_dir().unwrap_or_default();
            let current = current.ancestors().map(Path::to_owned);
            current.chain(recall()).chain([usual.to_owned()]).collect()
        }
    }
}

/// Returns the language in which a folder has more files that were changed since the start, or, if neither, more files.
/// Returns `None` if it has no file of an exercise.
fn language_of_files(path: &Path, set: &Set) -> Option<Language> {
    let count = |language| {
        let files = set.exercises.iter().filter_map(|exercise| {
            let file = path.join(exercise.file_name(language));
            // Opening a pipe would not end.
            let text = file.is_file().then(|| kernel_file::read(&file).ok()).flatten()?;
            Some(exercise.initial_text(language).is_ok_and(|initial| text != initial))
        });
        files.fold((0, 0), |(changed, all), is_changed| (changed + usize::from(is_changed), all + 1))
    };
    let [cuda, rust] = Language::ALL.map(count);
    match (cuda, rust) {
        ((_, 0), (_, 0)) => None,
        _ if rust > cuda => Some(Language::Rust),
        _ => Some(Language::Cuda),
    }
}

/// Returns a path as it is typed in a shell.
fn in_shell(path: &Path) -> String {
    let path = path.display().to_string();
    let is_plain = path.chars().all(|character| character.is_alphanumeric() || "/\\:._-".contains(character));
    if is_plain { path } else { format!("'{path}'") }
}

/// Returns a path relative to the current folder if it is below it, which is shorter in messages.
fn relative(path: &Path, current: &Path) -> PathBuf {
    match path.strip_prefix(current) {
        Ok(inside) if inside.as_os_str().is_empty() => PathBuf::from("."),
        Ok(inside) => inside.to_owned(),
        Err(_) => path.to_owned(),
    }
}
