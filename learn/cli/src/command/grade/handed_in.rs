//! The files that a learner handed in: in the folder itself, or in folders and archives below it, as browsers, platforms and
//! sessions leave them.

use super::archive::{Budget, Unpacked};
use super::files::{FileNames, MAX_ENTRIES, Part, sorted};
use super::inputs::Submission;
use super::names::{is_of_system, is_other_archive, is_zip, without_copy};
use crate::learner::PROGRESS_FILE;
use judge::Error;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The number of levels of folders and archives below the learner's in which exercises are looked for.
const MAX_DEPTH: usize = 6;

/// The largest number of stray files that are named.
const MAX_NAMED: usize = 5;

/// The log of a page, which is handed in with the kernels.
const LOG_FILE: &str = "log.json";

/// A learner's files.
#[derive(Debug, Default)]
pub(super) struct HandedIn {
    /// The files of exercises, by their names.
    files: BTreeMap<String, PathBuf>,
    /// The folder with the progress, if there is one.
    pub(super) progress: Option<PathBuf>,
}

/// A file of an exercise.
struct Candidate {
    path: PathBuf,
    /// Its place: files of several places may be of several learners.
    place: String,
    modified: Option<SystemTime>,
    copy: u64,
}

/// A search for a learner's files.
struct Search<'a> {
    names: &'a FileNames,
    unpacked: &'a mut Unpacked,
    budget: Budget,
    found: HandedIn,
    ignored: &'a mut Vec<String>,
    stray: Vec<String>,
    shown: &'a str,
}

impl HandedIn {
    /// Looks for the files with the names of a set's exercises. Of files with one name, the one nearest to the top is taken, and
    /// of those the newest. Symbolic links to folders are not followed. A line for each thing that is ignored is added to
    /// `ignored`, also if there is an error.
    ///
    /// # Errors
    /// There are no exercises, or two files with one name at the same level that may be of two learners.
    pub(super) fn find(
        submission: &Submission,
        names: &FileNames,
        unpacked: &mut Unpacked,
        ignored: &mut Vec<String>,
    ) -> Result<Self, Error> {
        let mut level = submission.parts.clone().map_err(Error::Usage)?;
        let shown = &submission.shown;
        let (budget, found) = (Budget::of_learner(), Self::default());
        let mut search = Search { names, unpacked, budget, found, ignored, stray: Vec::new(), shown };
        let mut entries = 0;
        for _ in 0..=MAX_DEPTH {
            entries += level.len();
            let (of_level, below) = search.look_at(level);
            level = below;
            search.take(of_level, submission.is_one_learners)?;
            if entries > MAX_ENTRIES {
                break;
            }
        }
        if !level.is_empty() || entries > MAX_ENTRIES {
            search.ignored.push(format!("{shown}: not all of its folders were looked at"));
        }
        if search.found.files.is_empty() {
            return Err(none(names, &search.stray));
        }
        search.ignored.extend(line_of_stray(shown, &search.stray));
        Ok(search.found)
    }

    /// Returns the file of an exercise with this name.
    pub(super) fn file(&self, name: &str) -> Option<&Path> {
        self.files.get(name).map(PathBuf::as_path)
    }
}

impl Search<'_> {
    /// Returns the files of exercises, and what is in the folders and archives.
    fn look_at(&mut self, level: Vec<Part>) -> (BTreeMap<String, Vec<Candidate>>, Vec<Part>) {
        let mut of_level: BTreeMap<String, Vec<Candidate>> = BTreeMap::new();
        let mut below = Vec::new();
        for Part { path, name } in level {
            let is_link = path.is_symlink();
            // A link to a file is refused later, with a line. Opening a pipe would not end.
            let is_file = path.is_file() || is_link && !path.is_dir();
            if path.is_dir() && is_link {
                self.ignore(&path, "it is a symbolic link");
            } else if path.is_dir() {
                // One that cannot be read is left out.
                below.extend(if is_of_system(&name) { Vec::new() } else { sorted(&path).unwrap_or_default() });
            } else if let Some((of, copy)) = self.names.exercise(&name).filter(|_| is_file) {
                let place = self.place(&path);
                let modified = std::fs::metadata(&path).and_then(|metadata| metadata.modified()).ok();
                of_level.entry(of).or_default().push(Candidate { path, place, modified, copy });
            } else if !is_file || is_of_system(&name) || name == LOG_FILE || name.contains(".before-") {
                // Of no interest, or what `cargo learn reset` keeps.
            } else if name == PROGRESS_FILE {
                let folder = path.parent().unwrap_or(Path::new(".")).to_owned();
                _ = self.found.progress.get_or_insert(folder);
            } else if is_zip(&name) && !is_link {
                let names = self.names;
                let is_needed = |name: &str| names.is_needed(name);
                match self.unpacked.unpack(&path, &is_needed, &mut self.budget, self.ignored) {
                    Ok(folder) => below.extend(sorted(&folder).unwrap_or_default()),
                    Err(reason) => {
                        let line = format!("{} is refused: {reason}", self.unpacked.shown(&path));
                        self.ignored.push(line);
                    }
                }
            } else if is_other_archive(&name) {
                self.ignore(&path, "it is an archive, and only .zip is unpacked");
            } else {
                let inside = self.inside(&path);
                self.stray.push(inside);
            }
        }
        (of_level, below)
    }

    /// Takes a file of each exercise of which there is none that is nearer to the top.
    fn take(&mut self, of_level: BTreeMap<String, Vec<Candidate>>, is_one_learners: bool) -> Result<(), Error> {
        let mut newest = Vec::new();
        for (name, mut files) in of_level {
            files.sort_by(|a, b| (a.modified, a.copy, &a.path).cmp(&(b.modified, b.copy, &b.path)));
            let Some(last) = files.pop() else { continue };
            if let Some(other) = files.iter().find(|other| !is_one_learners && other.place != last.place) {
                return Err(self.twice(&other.path, &last.path));
            }
            if let Some(nearer) = self.found.files.get(&name) {
                let nearer = self.unpacked.shown(nearer);
                self.ignore(&last.path, &format!("{nearer} is nearer to the top"));
                continue;
            }
            if !files.is_empty() {
                let others: Vec<String> = files.iter().map(|other| self.inside(&other.path)).collect();
                newest.push(format!("{} (not {})", self.inside(&last.path), others.join(", ")));
            }
            self.found.files.insert(name, last.path);
        }
        if !newest.is_empty() {
            let line = format!("{}: graded is the newest: {}", self.shown, newest.join("; "));
            self.ignored.push(line);
        }
        Ok(())
    }

    fn ignore(&mut self, path: &Path, reason: &str) {
        let line = format!("{} is ignored: {reason}", self.unpacked.shown(path));
        self.ignored.push(line);
    }

    /// Returns the folder or archive of a file. Copies of an archive are one place.
    fn place(&self, file: &Path) -> String {
        let folder = self.unpacked.shown(file.parent().unwrap_or(file));
        folder.split('/').map(|part| if is_zip(part) { without_copy(part).0 } else { part.to_owned() }).collect()
    }

    /// Returns a path within what was handed in.
    fn inside(&self, path: &Path) -> String {
        let path = self.unpacked.shown(path);
        let inside = path.strip_prefix(self.shown).map(|rest| rest.trim_start_matches('/'));
        inside.filter(|inside| !inside.is_empty()).unwrap_or(&path).to_owned()
    }

    fn twice(&self, one: &Path, other: &Path) -> Error {
        let advice = if is_zip(self.shown) {
            "unpack it and name them".to_owned()
        } else {
            format!("name {}", Path::new(self.shown).join("*").display())
        };
        Error::Usage(format!(
            "contains {} and {}: if it has the folders of several learners, {advice}",
            self.inside(one),
            self.inside(other)
        ))
    }
}

fn none(names: &FileNames, stray: &[String]) -> Error {
    let others = if stray.is_empty() { String::new() } else { format!(", but {}", list_names(stray)) };
    Error::Usage(format!("contains no exercises, such as {}{others}", names.examples().join(" or ")))
}

/// Returns a line with the files that are no exercise by their names.
fn line_of_stray(shown: &str, stray: &[String]) -> Option<String> {
    let verb = if stray.len() == 1 { "is ignored: it has" } else { "are ignored: they have" };
    (!stray.is_empty()).then(|| format!("{shown}: {} {verb} the name of no exercise", list_names(stray)))
}

/// Returns the first names, and the number of the others.
fn list_names(names: &[String]) -> String {
    let named: Vec<&str> = names.iter().take(MAX_NAMED).map(String::as_str).collect();
    match names.len().saturating_sub(MAX_NAMED) {
        0 => named.join(", "),
        more => format!("{} and {more} more", named.join(", ")),
    }
}
