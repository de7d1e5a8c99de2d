//! Unpacks zip archives, which strangers made, into a temporary folder.
//!
//! Only what may be graded is decompressed: files of exercises, progress, and archives in the archive. All else becomes an empty
//! file, so that it can be named. An entry that leads out of the archive, a link, an encrypted entry and one without a valid
//! name are refused alone, each with a line; an archive that is too large is refused whole.

use super::names::is_zip;
use judge::Error;
use judge::kernel_file::MAX_BYTES;
use std::fs::{self, File};
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tempfile::TempDir;
use zip::ZipArchive;
use zip::read::ZipFile;
use zip::result::ZipError;

/// The largest archive in an archive, in bytes.
const MAX_INNER_BYTES: u64 = 64 << 20;

/// The largest number of characters of a part of a path, which file systems allow in bytes.
const MAX_NAME: usize = 120;

/// The largest number of folders in a path.
const MAX_FOLDERS: usize = 16;

/// The bytes and files that may still be unpacked for a learner, or for a class.
pub(super) struct Budget {
    /// The number of entries.
    entries: usize,
    /// The number of bytes.
    bytes: u64,
}

impl Budget {
    /// Returns the budget of a learner.
    pub(super) fn of_learner() -> Self {
        Self { entries: 20_000, bytes: 256 << 20 }
    }

    /// Returns the budget of a whole class.
    pub(super) fn of_class() -> Self {
        Self { entries: 400_000, bytes: 4 << 30 }
    }
}

/// The temporary folder, and what its folders are the contents of.
pub(super) struct Unpacked {
    root: TempDir,
    archives: Vec<(PathBuf, String)>,
}

impl Unpacked {
    /// Makes the folder.
    ///
    /// # Errors
    /// The system has no place for it.
    pub(super) fn new() -> Result<Self, Error> {
        let root = tempfile::Builder::new().prefix("grade-").tempdir();
        let root = root.map_err(|error| Error::System(format!("cannot make a temporary folder: {error}")))?;
        Ok(Self { root, archives: Vec::new() })
    }

    /// Returns a path as users know it: with the archive's in place of the temporary folder's.
    pub(super) fn shown(&self, path: &Path) -> String {
        let inside =
            self.archives.iter().rev().find_map(|(folder, shown)| Some((path.strip_prefix(folder).ok()?, shown)));
        match inside {
            Some((inside, shown)) if inside.as_os_str().is_empty() => shown.clone(),
            Some((inside, shown)) => format!("{shown}/{}", inside.display()),
            None => path.display().to_string(),
        }
    }

    /// Unpacks an archive to a new folder, and returns that. `is_needed` tells the files that are decompressed. A line for each
    /// refused entry is added to `refused`.
    ///
    /// # Errors
    /// The reason why the archive is refused, in words.
    pub(super) fn unpack(
        &mut self,
        archive: &Path,
        is_needed: &dyn Fn(&str) -> bool,
        budget: &mut Budget,
        refused: &mut Vec<String>,
    ) -> Result<PathBuf, String> {
        let folder = self.root.path().join(self.archives.len().to_string());
        let shown = self.shown(archive);
        self.archives.push((folder.clone(), shown.clone()));
        fs::create_dir(&folder).map_err(|error| error.to_string())?;
        let file = File::open(archive).map_err(|error| error.to_string())?;
        let mut zip = ZipArchive::new(BufReader::new(file)).map_err(|error| in_words(&error))?;
        budget.entries = budget.entries.checked_sub(zip.len()).ok_or("it has too many entries")?;
        for index in 0..zip.len() {
            match extract(&mut zip, index, &folder, is_needed, budget) {
                Ok(()) => {}
                Err(Refusal::Archive(reason)) => {
                    let _ = fs::remove_dir_all(&folder);
                    return Err(reason);
                }
                Err(Refusal::Entry(name, reason)) => refused.push(format!("{shown}/{name} is refused: {reason}")),
            }
        }
        Ok(folder)
    }
}

/// A refusal, with the reason in words.
enum Refusal {
    Archive(String),
    /// An entry with this name.
    Entry(String, String),
}

fn extract(
    zip: &mut ZipArchive<BufReader<File>>,
    index: usize,
    folder: &Path,
    is_needed: &dyn Fn(&str) -> bool,
    budget: &mut Budget,
) -> Result<(), Refusal> {
    let damaged = |error: ZipError| Refusal::Entry(format!("entry {}", index + 1), in_words(&error));
    // Raw, as an encrypted entry or one with another compression has a name and a kind, too.
    let entry = zip.by_index_raw(index).map_err(damaged)?;
    let raw = String::from_utf8_lossy(entry.name_raw()).into_owned();
    let name = entry.name().map_or(raw, |name| name.into_owned());
    let refused = |reason: &str| Refusal::Entry(name.clone(), reason.to_owned());
    let path = safe_path(&name).map_err(refused)?;
    let to = folder.join(&path);
    if entry.is_dir() {
        return fs::create_dir_all(&to).map_err(|error| refused(&error.to_string()));
    }
    if entry.is_symlink() {
        return Err(refused("it is a symbolic link"));
    }
    if entry.encrypted() {
        return Err(refused("it is encrypted"));
    }
    let last = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let modified = modified(&entry);
    drop(entry);
    let most = match (is_needed(&last), is_zip(&last)) {
        (true, _) => MAX_BYTES,
        (false, true) => MAX_INNER_BYTES,
        (false, false) => 0,
    };
    let mut write = || -> io::Result<u64> {
        fs::create_dir_all(to.parent().unwrap_or(folder))?;
        let mut file = File::create_new(&to)?;
        let written = if most == 0 {
            0
        } else {
            let entry = zip.by_index(index).map_err(|error| io::Error::other(in_words(&error)))?;
            io::copy(&mut entry.take(most + 1), &mut file)?
        };
        file.set_modified(modified)?;
        Ok(written)
    };
    match write() {
        Ok(written) => {
            let left = budget.bytes.checked_sub(written);
            budget.bytes = left.ok_or_else(|| Refusal::Archive("what is in it is too large".into()))?;
            if written <= most {
                return Ok(());
            }
            let _ = fs::remove_file(&to);
            Err(refused(&format!("it has more than {most} bytes")))
        }
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(refused("the archive has it twice")),
        Err(error) => {
            let _ = fs::remove_file(&to);
            Err(refused(&error.to_string()))
        }
    }
}

/// Returns the path of an entry below the folder of its archive.
fn safe_path(name: &str) -> Result<PathBuf, &'static str> {
    // Some programs on Windows write backslashes.
    let parts: Vec<&str> = name.split(['/', '\\']).filter(|part| !part.is_empty() && *part != ".").collect();
    let has_drive = name.as_bytes().get(1) == Some(&b':');
    let is_invalid = |part: &&str| {
        part.chars().count() > MAX_NAME
            || part.chars().any(|one| one.is_control() || cfg!(windows) && "<>:\"|?*".contains(one))
    };
    if name.starts_with(['/', '\\']) || has_drive {
        Err("its name is an absolute path")
    } else if parts.contains(&"..") {
        Err("its name leads out of the archive")
    } else if parts.is_empty() || parts.len() > MAX_FOLDERS || parts.iter().any(is_invalid) {
        Err("its name is invalid")
    } else {
        Ok(parts.iter().collect())
    }
}

/// Returns the time of an entry: in UTC if the archive has that, or else the clock's of where it was made.
fn modified<R: Read>(entry: &ZipFile<'_, R>) -> SystemTime {
    let utc = entry.extra_data_fields().find_map(|field| match field {
        zip::ExtraField::ExtendedTimestamp(times) => times.mod_time(),
        _ => None,
    });
    let clock = || {
        let time = entry.last_modified()?;
        let days = days(u64::from(time.year()), u64::from(time.month()), u64::from(time.day()));
        Some(((days * 24 + u64::from(time.hour())) * 60 + u64::from(time.minute())) * 60 + u64::from(time.second()))
    };
    UNIX_EPOCH + Duration::from_secs(utc.map(u64::from).or_else(clock).unwrap_or(0))
}

/// Returns the number of days from 1970 to a date, as Howard Hinnant's `days_from_civil`: years begin in March, so that the day
/// that some lack is their last.
fn days(year: u64, month: u64, day: u64) -> u64 {
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let leap_days = year / 4 - year / 100 + year / 400;
    365 * year + leap_days + (153 * month + 2) / 5 + day - 1 - 719_468
}

fn in_words(error: &ZipError) -> String {
    match error {
        ZipError::InvalidArchive(reason) => format!("it is not a zip archive, or damaged: {reason}"),
        error => error.to_string(),
    }
}
