//! The files that a learner handed in: in the folder itself or in folders below it, as archives and sessions leave them.

use crate::learner::progress_file;
use judge::Error;
use judge::kernel_file::Language;
use judge::set::{Exercise, Set};
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// The number of levels of folders below the learner's in which exercises are looked for.
const MAX_DEPTH: usize = 4;

/// The largest number of entries of folders that are looked at.
const MAX_ENTRIES: usize = 20_000;

/// The largest number of stray files that are named.
const MAX_NAMED: usize = 5;

/// Returns the names of the files of all exercises.
pub(super) fn file_names(set: &Set) -> Vec<String> {
    let of = |exercise: &Exercise| Language::ALL.map(|one| exercise.is_in(one).then(|| exercise.file_name(one)));
    set.exercises.iter().flat_map(of).flatten().collect()
}

/// A learner's files.
#[derive(Debug, Default)]
pub(super) struct HandedIn {
    /// The files of exercises, by their names.
    files: BTreeMap<String, PathBuf>,
    /// The folder with the progress, if there is one.
    pub(super) progress: Option<PathBuf>,
    /// A line for each thing that is ignored.
    pub(super) ignored: Vec<String>,
}

impl HandedIn {
    /// Looks for the files with the names of a set's exercises. Of files with one name, the one nearest to the top is taken.
    /// Symbolic links to folders are not followed.
    ///
    /// # Errors
    /// The folder cannot be read, contains no exercises, or contains two files with one name at the same level.
    pub(super) fn find(folder: &Path, names: &[String]) -> Result<Self, Error> {
        let mut found = Self::default();
        let mut level = vec![folder.to_owned()];
        let mut stray = Vec::new();
        let mut entries = 0;
        for _ in 0..=MAX_DEPTH {
            let mut below = Vec::new();
            let mut of_level = BTreeMap::new();
            for path in &level {
                for entry in sorted(path, path == folder)? {
                    entries += 1;
                    match Entry::new(&entry, names) {
                        Entry::Folder => below.push(entry),
                        Entry::Link => {
                            found.ignored.push(format!("{} is ignored: it is a symbolic link", entry.display()))
                        }
                        Entry::Exercise(name) => {
                            if let Some(other) = of_level.insert(name, entry.clone()) {
                                return Err(twice(folder, &other, &entry));
                            }
                        }
                        Entry::Progress => _ = found.progress.get_or_insert(path.clone()),
                        Entry::Stray => stray.push(inside(folder, &entry)),
                        Entry::Other => {}
                    }
                }
            }
            found.add(of_level);
            level = below;
            if entries > MAX_ENTRIES {
                found.ignored.push(format!("{}: not all of its folders were looked at", folder.display()));
                break;
            }
        }
        found.ignored.extend(line_of_stray(folder, &stray));
        if found.files.is_empty() { Err(none(names, &stray)) } else { Ok(found) }
    }

    /// Adds the files of the next level. Those that are there already are nearer to the top.
    fn add(&mut self, files: BTreeMap<String, PathBuf>) {
        for (name, file) in files {
            match self.files.get(&name) {
                Some(nearer) => self.ignored.push(format!(
                    "{} is ignored: {} is nearer to the top",
                    file.display(),
                    nearer.display()
                )),
                None => _ = self.files.insert(name, file),
            }
        }
    }

    /// Returns the file of an exercise with this name.
    pub(super) fn file(&self, name: &str) -> Option<&Path> {
        self.files.get(name).map(PathBuf::as_path)
    }
}

/// Returns the entries of a folder in ascending order. Folders below the first that cannot be read are left out.
fn sorted(folder: &Path, is_first: bool) -> Result<Vec<PathBuf>, Error> {
    let entries = match std::fs::read_dir(folder) {
        Err(_) if !is_first => return Ok(Vec::new()),
        entries => entries.map_err(Error::file("read", folder))?,
    };
    let mut paths: Vec<PathBuf> = entries.flatten().take(MAX_ENTRIES).map(|entry| entry.path()).collect();
    paths.sort();
    Ok(paths)
}

/// The kind of an entry of a folder for `grade`.
enum Entry {
    Folder,
    /// A symbolic link to a folder.
    Link,
    /// The file of an exercise, with its name.
    Exercise(String),
    Progress,
    /// A kernel by its ending, and no exercise by its name.
    Stray,
    Other,
}

impl Entry {
    fn new(path: &Path, names: &[String]) -> Self {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        // A link to a file is refused later, with a line. Opening a pipe would not end.
        let is_file = path.is_file() || path.is_symlink();
        match path.is_dir() {
            true if path.is_symlink() => Self::Link,
            true if !name.starts_with('.') => Self::Folder,
            false if is_file && names.contains(&name) => Self::Exercise(name),
            false if is_file && path.parent().is_some_and(|parent| progress_file(parent) == path) => Self::Progress,
            false if is_file && Language::from_file(path).is_some() => Self::Stray,
            _ => Self::Other,
        }
    }
}

/// Returns the path of a file relative to a folder that contains it.
fn inside(folder: &Path, file: &Path) -> String {
    file.strip_prefix(folder).unwrap_or(file).display().to_string()
}

fn twice(folder: &Path, one: &Path, other: &Path) -> Error {
    Error::Usage(format!(
        "contains {} and {}: if it has the folders of several learners, name {}",
        inside(folder, one),
        inside(folder, other),
        folder.join("*").display()
    ))
}

fn none(names: &[String], stray: &[String]) -> Error {
    let of = |language: &Language| names.iter().find(|name| Language::from_file(Path::new(name)) == Some(*language));
    let examples: Vec<&str> = Language::ALL.iter().filter_map(of).map(String::as_str).collect();
    let others = if stray.is_empty() { String::new() } else { format!(", but {}", list_names(stray)) };
    Error::Usage(format!("contains no exercises, such as {}{others}", examples.join(" or ")))
}

/// Returns a line with the files that are kernels by their ending and no exercise by their name.
fn line_of_stray(folder: &Path, stray: &[String]) -> Option<String> {
    let verb = if stray.len() == 1 { "is ignored: it has" } else { "are ignored: they have" };
    (!stray.is_empty()).then(|| format!("{}: {} {verb} the name of no exercise", folder.display(), list_names(stray)))
}

/// Returns the first names, and the number of the others.
fn list_names(names: &[String]) -> String {
    let named: Vec<&str> = names.iter().take(MAX_NAMED).map(String::as_str).collect();
    match names.len().saturating_sub(MAX_NAMED) {
        0 => named.join(", "),
        more => format!("{} and {more} more", named.join(", ")),
    }
}

/// Returns why a file is not graded.
pub(super) fn describe_ignored(path: &Path) -> String {
    let is_archive =
        path.extension().and_then(OsStr::to_str).is_some_and(|end| ["zip", "gz", "tgz", "7z", "xz"].contains(&end));
    let reason = if is_archive { "it is an archive; unpack it first" } else { "it is not a folder" };
    format!("{} is ignored: {reason}", path.display())
}
