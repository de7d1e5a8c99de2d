//! The folder, its files, and who may change the progress.

use super::progress::{Entry, PROGRESS_FILE, Progress};
use super::remembered::remembered;
use super::write::{keep_before, write_whole};
use crate::error::Error;
use crate::set::{Exercise, Set, sha256};
use kernel_file::Language;
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};

/// Held while the progress is changed.
const LOCK_FILE: &str = ".progress.lock";

/// Held as long as a program watches.
const WATCH_FILE: &str = ".watching.lock";

/// A learner's folder.
#[derive(Clone, Debug)]
pub struct Folder {
    /// Where it is.
    pub path: PathBuf,
}

impl Folder {
    /// The folder of exercises that the learner means: the named one; the current one, or one around it; the last that was
    /// begun; `usual`.
    ///
    /// # Errors
    /// None of them has exercises in it.
    pub fn find(named: Option<&Path>, usual: &Path) -> Result<Self, Error> {
        let is_begun = |path: &Path| path.join(PROGRESS_FILE).is_file();
        let (current, remembered) = (std::env::current_dir().unwrap_or_default(), remembered());
        let path = match named {
            Some(named) => Some(named).filter(|path| is_begun(path)),
            None => current.ancestors().chain(remembered.as_deref()).chain([usual]).find(|path| is_begun(path)),
        };
        let path = path.map(|path| Self { path: relative(path, &current) });
        path.ok_or_else(|| match named {
            Some(named) => Error::Usage(format!(
                "{} has no exercises; `cargo x learn start --language rust {0}` begins them there",
                named.display()
            )),
            None => Error::Usage(
                "you have no exercises yet; type\n  cargo x learn start --language rust   to write kernels in Rust\n  \
                 cargo x learn start --language cuda   to write them in CUDA C++"
                    .into(),
            ),
        })
    }

    /// Begins the exercises of a set: files that are there already stay as they are. How many were written.
    ///
    /// # Errors
    /// A folder with something else in it, or one that cannot be written.
    pub fn begin(path: &Path, set: &Set, language: Language) -> Result<(Self, usize), Error> {
        fs::create_dir_all(path).map_err(Error::file("make the folder", path))?;
        let folder = Self { path: path.to_owned() };
        let is_empty = fs::read_dir(path).map_err(Error::file("read", path))?.next().is_none();
        if !is_empty && !path.join(PROGRESS_FILE).is_file() {
            return Err(Error::Usage(format!("{} has other files in it; name a new folder", path.display())));
        }
        let mut progress = if is_empty { Progress::new(language) } else { folder.progress()? };
        progress.choose(language);
        progress.write(path)?;
        let mut written = 0;
        for exercise in &set.exercises {
            let file = folder.file(exercise, language);
            if !file.exists() {
                write_whole(&file, exercise.beginning(language)?)?;
                written += 1;
            }
        }
        Ok((folder, written))
    }

    /// The learner's file of an exercise.
    #[must_use]
    pub fn file(&self, exercise: &Exercise, language: Language) -> PathBuf {
        let name = exercise.file_name(language);
        // Shorter in messages than ./11_guard.rs.
        if self.path == Path::new(".") { PathBuf::from(name) } else { self.path.join(name) }
    }

    /// The text of that file; the beginning is written where there is none, as for exercises that are new in a set.
    ///
    /// # Errors
    /// It cannot be read or written.
    pub fn text(&self, exercise: &Exercise, language: Language) -> Result<String, Error> {
        let file = self.file(exercise, language);
        if !file.exists() {
            write_whole(&file, exercise.beginning(language)?)?;
        }
        let bytes = fs::read(&file).map_err(Error::file("read", &file))?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// What was done.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn progress(&self) -> Result<Progress, Error> {
        Progress::read(&self.path)
    }

    /// Changes what is known of a file, while no other program does. Nothing is written where nothing changes.
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
        if progress == before { Ok(()) } else { progress.write(&self.path) }
    }

    /// Says that this program watches the folder, until what is returned is dropped.
    ///
    /// # Errors
    /// Another one does.
    pub fn watch(&self) -> Result<File, Error> {
        let path = self.path.join(WATCH_FILE);
        let lock = File::create(&path).map_err(Error::file("write", &path))?;
        match lock.try_lock() {
            Ok(()) => Ok(lock),
            Err(TryLockError::WouldBlock) => Err(Error::Usage(format!(
                "another `cargo x learn` watches {}: go on there, or end it with q",
                self.path.display()
            ))),
            Err(TryLockError::Error(error)) => Err(Error::file("lock", path)(error)),
        }
    }

    /// Whether this text of the file has passed before.
    #[must_use]
    pub fn is_solved(entry: &Entry, text: &str) -> bool {
        entry.solved.as_deref() == Some(sha256(text).as_str())
    }

    /// Puts the beginning in place of the learner's file, which is kept beside it; the name under which it is.
    ///
    /// # Errors
    /// A file cannot be written; the learner's is then as it was.
    pub fn reset(&self, exercise: &Exercise, language: Language) -> Result<Option<PathBuf>, Error> {
        let (file, beginning) = (self.file(exercise, language), exercise.beginning(language)?);
        let kept = match fs::read(&file) {
            Ok(bytes) if bytes == beginning.as_bytes() => return Ok(None),
            Ok(_) => Some(keep_before(&file)?),
            Err(_) => None,
        };
        write_whole(&file, beginning)?;
        self.update(&exercise.file_name(language), |entry| entry.solved = None)?;
        Ok(kept)
    }
}

/// A path from the current folder, where it lies in there: shorter in messages.
fn relative(path: &Path, current: &Path) -> PathBuf {
    match path.strip_prefix(current) {
        Ok(inside) if inside.as_os_str().is_empty() => PathBuf::from("."),
        Ok(inside) => inside.to_owned(),
        Err(_) => path.to_owned(),
    }
}
