//! From the folders and archives of the command line to learners, each with a name and files.
//!
//! 1. A folder or archive with names that a platform gave is a class: what has one learner's name and number is that learner's.
//!    Folders and archives that contain nothing but one folder or archive are entered first.
//! 2. If only one is named, and it has several archives and no kernels, it is a class, too: each archive or folder is a learner.
//! 3. Everything else is one learner, with the name of the folder or archive.

use super::archive::{Budget, Unpacked};
use super::files::{FileNames, Part, sorted};
use super::names::{is_of_system, is_zip, of_platform, without_copy};
use judge::Error;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The files that one learner handed in.
#[derive(Debug)]
pub(super) struct Submission {
    /// The learner's name.
    pub(super) name: String,
    /// The learner's number on the platform, if the name has it.
    pub(super) id: Option<String>,
    /// The mark that tells learners of one name apart: a number of the platform's, or the folder around.
    apart: String,
    /// Whether all of it is certainly one learner's, as a platform says.
    pub(super) is_one_learners: bool,
    /// The path, as users know it.
    pub(super) shown: String,
    /// The files and folders, or the reason why there are none.
    pub(super) parts: Result<Vec<Part>, String>,
    /// A line for each thing that is refused.
    pub(super) ignored: Vec<String>,
}

/// Returns the learners of the named folders and archives, with distinct names. A line for all that is no learner's is added to
/// `notes`.
///
/// # Errors
/// There is nothing to grade.
pub(super) fn submissions(
    paths: &[PathBuf],
    names: &FileNames,
    unpacked: &mut Unpacked,
    notes: &mut Vec<String>,
) -> Result<Vec<Submission>, Error> {
    let mut all = Vec::new();
    for path in paths {
        let name = name_of(path);
        // Shells also name other files, such as a table next to the folders.
        if path.is_file() && !is_zip(&name) {
            notes.push(format!("{} is ignored: it is neither a folder nor a zip archive", path.display()));
            continue;
        }
        all.extend(of_path(path, &name, names, unpacked, (paths.len() == 1, notes)));
    }
    if all.is_empty() {
        return Err(Error::Usage("there is no folder or zip archive to grade".into()));
    }
    make_distinct(&mut all);
    Ok(all)
}

/// Returns the last part of a path. That of `.` has no name.
fn name_of(path: &Path) -> String {
    let whole = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let name = path.file_name().or_else(|| whole.file_name());
    name.map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned())
}

fn of_path(
    path: &Path,
    name: &str,
    names: &FileNames,
    unpacked: &mut Unpacked,
    (is_alone, notes): (bool, &mut Vec<String>),
) -> Vec<Submission> {
    let mut ignored = Vec::new();
    let opened = open(path, names, unpacked, &mut Budget::of_class(), &mut ignored);
    let entries = opened.map(|folder| inner(folder, names, unpacked, &mut ignored));
    let class = entries.as_ref().ok().and_then(|entries| {
        let entries = entries.as_ref().ok()?;
        // A learner's own file may have a name like a platform's.
        if entries.iter().any(|entry| names.exercise(&entry.name).is_some()) {
            return None;
        }
        let of_platform = by_platform(entries, unpacked, notes);
        of_platform.or_else(|| is_alone.then(|| by_archive(entries, unpacked, notes)).flatten())
    });
    if let Some(class) = class {
        notes.append(&mut ignored);
        return class;
    }
    let submitted = of_platform(name);
    let is_one_learners = submitted.is_some();
    let (name, id, number) = match submitted {
        Some(one) => (one.learner.to_owned(), one.is_learners.then(|| one.number.to_owned()), one.number.to_owned()),
        None => (stem(name), None, String::new()),
    };
    let around = path.parent().map(name_of).unwrap_or_default();
    let apart = if number.is_empty() { around } else { number };
    let shown = path.display().to_string();
    let parts = match entries {
        Ok(Ok(parts)) => Ok(parts),
        Ok(Err(error)) => Err(error.to_string()),
        Err(reason) => Err(format!("{shown} is refused: {reason}")),
    };
    vec![Submission { name, id, apart, is_one_learners, shown, parts, ignored }]
}

/// Returns the folder, or the one to which an archive is unpacked.
fn open(
    path: &Path,
    names: &FileNames,
    unpacked: &mut Unpacked,
    budget: &mut Budget,
    ignored: &mut Vec<String>,
) -> Result<PathBuf, String> {
    let is_archive = path.is_file() && is_zip(&path.to_string_lossy());
    if is_archive { unpacked.unpack(path, &|name| names.is_needed(name), budget, ignored) } else { Ok(path.to_owned()) }
}

/// Returns the entries of a folder; if it has only a folder or an archive, the entries of that.
fn inner(
    folder: PathBuf,
    names: &FileNames,
    unpacked: &mut Unpacked,
    ignored: &mut Vec<String>,
) -> Result<Vec<Part>, Error> {
    let all = sorted(&folder)?;
    let [only] = &all.iter().filter(|part| !is_of_system(&part.name)).collect::<Vec<_>>()[..] else { return Ok(all) };
    if !(only.is_folder() || only.is_archive()) || of_platform(&only.name).is_some() {
        return Ok(all);
    }
    match open(&only.path, names, unpacked, &mut Budget::of_class(), ignored) {
        Ok(opened) => sorted(&opened),
        Err(reason) => Err(Error::Usage(format!("{} is refused: {reason}", unpacked.shown(&only.path)))),
    }
}

/// Returns the learners by the names of a platform, if there are any.
fn by_platform(entries: &[Part], unpacked: &Unpacked, notes: &mut Vec<String>) -> Option<Vec<Submission>> {
    let mut learners: BTreeMap<(String, String), Submission> = BTreeMap::new();
    let mut others = Vec::new();
    for entry in entries {
        let Some(one) = of_platform(&entry.name) else {
            if !is_of_system(&entry.name) {
                others.push(unpacked.shown(&entry.path));
            }
            continue;
        };
        let learner = learners.entry((one.learner.to_owned(), one.number.to_owned())).or_insert_with(|| Submission {
            name: one.learner.to_owned(),
            id: one.is_learners.then(|| one.number.to_owned()),
            apart: one.number.to_owned(),
            is_one_learners: true,
            // Files without a folder have only the learner in common.
            shown: if one.rest.is_empty() { unpacked.shown(&entry.path) } else { one.learner.to_owned() },
            parts: Ok(Vec::new()),
            ignored: Vec::new(),
        });
        let added = match one.rest {
            "" if entry.is_folder() => sorted(&entry.path),
            "" => Err(Error::Usage(format!("{} is ignored: it is no folder", unpacked.shown(&entry.path)))),
            rest => Ok(vec![Part { path: entry.path.clone(), name: rest.to_owned() }]),
        };
        match (added, &mut learner.parts) {
            (Ok(added), Ok(parts)) => parts.extend(added),
            (Err(error), _) => learner.ignored.push(error.to_string()),
            (Ok(_), Err(_)) => {}
        }
    }
    if learners.is_empty() {
        return None;
    }
    notes.extend(others.iter().map(|other| format!("{other} is ignored: its name has no learner's name")));
    Some(learners.into_values().collect())
}

/// Returns a learner for each archive and folder, if there are several archives that are not copies of one.
fn by_archive(entries: &[Part], unpacked: &Unpacked, notes: &mut Vec<String>) -> Option<Vec<Submission>> {
    let mut archives: Vec<String> =
        entries.iter().filter(|entry| is_zip(&entry.name)).map(|entry| without_copy(&entry.name).0).collect();
    archives.sort();
    archives.dedup();
    if archives.len() < 2 {
        return None;
    }
    let mut learners = Vec::new();
    for entry in entries.iter().filter(|entry| !is_of_system(&entry.name)) {
        let shown = unpacked.shown(&entry.path);
        if !entry.is_folder() && !entry.is_archive() {
            notes.push(format!("{shown} is ignored: it is neither a folder nor a zip archive"));
            continue;
        }
        let parts = if entry.is_folder() { sorted(&entry.path) } else { Ok(vec![entry.clone()]) };
        learners.push(Submission {
            name: stem(&entry.name),
            id: None,
            apart: shown.clone(),
            is_one_learners: false,
            shown,
            parts: parts.map_err(|error| error.to_string()),
            ignored: Vec::new(),
        });
    }
    Some(learners)
}

/// Returns a name without `.zip`.
fn stem(name: &str) -> String {
    if is_zip(name) { name[..name.len() - ".zip".len()].to_owned() } else { name.to_owned() }
}

/// Appends what tells learners of one name apart to their names, and where that does not help, a number.
fn make_distinct(all: &mut [Submission]) {
    for append in [|one: &Submission, _| format!(" ({})", one.apart), |_: &Submission, number| format!(" #{number}")] {
        let mut of_name: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (index, one) in all.iter().enumerate() {
            of_name.entry(one.name.clone()).or_default().push(index);
        }
        for same in of_name.into_values().filter(|same| same.len() > 1) {
            for (index, number) in same.into_iter().zip(1..) {
                let end = append(&all[index], number);
                all[index].name.push_str(&end);
            }
        }
    }
}
