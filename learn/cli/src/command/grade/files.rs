//! Files and folders by their names.

use super::names::{is_zip, of_platform, without_copy};
use crate::learner::PROGRESS_FILE;
use judge::Error;
use judge::kernel_file::Language;
use judge::set::{Exercise, Set};
use std::path::{Path, PathBuf};

/// The largest number of entries of folders that are looked at.
pub(super) const MAX_ENTRIES: usize = 20_000;

/// The names of the files of all exercises.
pub(super) struct FileNames(Vec<String>);

impl FileNames {
    /// Returns the names of a set's files.
    pub(super) fn new(set: &Set) -> Self {
        let of = |exercise: &Exercise| Language::ALL.map(|one| exercise.is_in(one).then(|| exercise.file_name(one)));
        Self(set.exercises.iter().flat_map(of).flatten().collect())
    }

    /// Returns the name of the exercise's file that a file is, or is a copy of, with the number of the copy.
    pub(super) fn exercise(&self, name: &str) -> Option<(String, u64)> {
        let is_own = self.0.iter().any(|one| one == name);
        let (of, number) = if is_own { (name.to_owned(), 0) } else { without_copy(name) };
        self.0.contains(&of).then_some((of, number))
    }

    /// Returns the name of the first file in each language.
    pub(super) fn examples(&self) -> Vec<&str> {
        let of =
            |language: &Language| self.0.iter().find(|name| Language::from_file(Path::new(name)) == Some(*language));
        Language::ALL.iter().filter_map(of).map(String::as_str).collect()
    }

    /// Returns whether a file is read, which may have a platform's name.
    pub(super) fn is_needed(&self, name: &str) -> bool {
        let name = of_platform(name).map_or(name, |one| one.rest);
        name == PROGRESS_FILE || self.exercise(name).is_some()
    }
}

/// A file or folder with the name that the learner gave it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Part {
    /// The path, whose last part may have more than the name.
    pub(super) path: PathBuf,
    /// The name.
    pub(super) name: String,
}

impl Part {
    /// Returns whether it is a folder, and no link to one.
    pub(super) fn is_folder(&self) -> bool {
        self.path.is_dir() && !self.path.is_symlink()
    }

    /// Returns whether it is an archive, and no link to one.
    pub(super) fn is_archive(&self) -> bool {
        is_zip(&self.name) && self.path.is_file() && !self.path.is_symlink()
    }
}

/// Returns the entries of a folder in ascending order, and at most one more than [`MAX_ENTRIES`].
///
/// # Errors
/// It cannot be read.
pub(super) fn sorted(folder: &Path) -> Result<Vec<Part>, Error> {
    let entries = std::fs::read_dir(folder).map_err(Error::file("read", folder))?;
    let part =
        |entry: std::fs::DirEntry| Part { path: entry.path(), name: entry.file_name().to_string_lossy().into_owned() };
    let mut parts: Vec<Part> = entries.flatten().take(MAX_ENTRIES + 1).map(part).collect();
    parts.sort();
    Ok(parts)
}
