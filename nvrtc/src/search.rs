//! The search for NVRTC, which toolkits and Python wheels install in different places under versioned names.

use crate::names::{HERE, toolkit};
use crate::{Nvrtc, pinned};
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The environment variable that names the library's file.
const FILE_VARIABLE: &str = "COALESCED_NVRTC";

/// The advice for a platform without a wheel.
const ELSEWHERE: &str = if cfg!(target_os = "macos") {
    "NVIDIA has no compiler for CUDA C++ on macOS"
} else {
    "install the CUDA toolkit, which contains the compiler, NVRTC"
};

/// The error if no NVRTC can be used. Its text is one line with the command that installs it.
#[derive(Debug)]
pub struct Missing {
    /// The file that cannot be used, with the reason.
    unusable: Option<String>,
    /// Whether the environment variable named the file.
    is_named: bool,
}

impl std::error::Error for Missing {}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unusable = self.unusable.as_deref().unwrap_or_default();
        if self.is_named {
            return write!(f, "{FILE_VARIABLE} names a file that is not a usable NVRTC: {unusable}");
        }
        match pinned::wheel() {
            Some(wheel) => {
                let (version, megabytes) = (wheel.version, wheel.megabytes);
                write!(f, "type `cargo x nvrtc` to get the compiler, NVRTC {version} ({megabytes} MB)")?;
            }
            None => f.write_str(ELSEWHERE)?,
        }
        if self.unusable.is_some() { write!(f, "; the installed one cannot be used: {unusable}") } else { Ok(()) }
    }
}

impl Missing {
    /// Returns whether `cargo x nvrtc` can download a usable one.
    #[must_use]
    pub fn can_be_fetched(&self) -> bool {
        !self.is_named && pinned::wheel().is_some()
    }

    /// Returns whether the environment names the file, so that no other may be used.
    #[must_use]
    pub fn is_named(&self) -> bool {
        self.is_named
    }
}

/// Opens the first usable library. If the environment names a file, only this file is tried.
pub(crate) fn find() -> Result<Nvrtc, Missing> {
    if let Some(file) = std::env::var_os(FILE_VARIABLE) {
        return Nvrtc::open(Path::new(&file)).map_err(|error| Missing { unusable: Some(error), is_named: true });
    }
    let mut unusable = None;
    first_usable(known_files(), &mut unusable)
        .or_else(|| first_usable(files_in_wheels(), &mut unusable))
        .ok_or(Missing { unusable, is_named: false })
}

/// Returns the files that can be found without running Python.
fn known_files() -> Vec<PathBuf> {
    let kept = pinned::wheel().and_then(|wheel| wheel.kept_file());
    let known = HERE.of_loader.iter().map(PathBuf::from);
    kept.into_iter().chain(known).chain(HERE.in_toolkit.iter().map(|file| toolkit().join(file))).collect()
}

/// Opens the first usable file. Stores in `unusable` the error of the first file that exists and cannot be used.
fn first_usable(files: Vec<PathBuf>, unusable: &mut Option<String>) -> Option<Nvrtc> {
    files.into_iter().find_map(|file| match Nvrtc::open(&file) {
        Ok(nvrtc) => Some(nvrtc),
        Err(error) => {
            if file.is_file() {
                unusable.get_or_insert(error);
            }
            None
        }
    })
}

/// Returns the libraries in Python's module folders.
fn files_in_wheels() -> Vec<PathBuf> {
    let folders = python_folders();
    let files = folders.iter().flat_map(|folder| HERE.in_wheels.iter().map(move |file| folder.join(file)));
    files.filter(|file| file.is_file()).collect()
}

/// Returns the folders in which Python looks for modules, and in which NVIDIA's wheels install libraries. The Python is the one
/// of the active virtual environment, or else the one on the PATH.
#[must_use]
pub fn python_folders() -> Vec<PathBuf> {
    let Ok(output) = Command::new(HERE.python()).args(["-c", "import sys; print(*sys.path, sep='\\n')"]).output()
    else {
        return Vec::new();
    };
    String::from_utf8_lossy(&output.stdout).lines().filter(|line| !line.is_empty()).map(PathBuf::from).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn advice_is_one_line_with_the_command() {
        let text = Missing { unusable: None, is_named: false }.to_string();
        let expected = if pinned::wheel().is_some() { "type `cargo x nvrtc`" } else { ELSEWHERE };
        assert!(text.starts_with(expected) && !text.contains('\n'), "{text}");
    }

    #[test]
    fn an_unusable_file_is_named_and_a_missing_one_is_not() {
        let file = std::env::temp_dir().join(format!("coalesced-no-library-{}", std::process::id()));
        std::fs::write(&file, "no library").expect("a file");
        let mut unusable = None;
        let found = first_usable(vec!["/no/such/libnvrtc.so".into(), file.clone()], &mut unusable);
        std::fs::remove_file(&file).expect("the file");
        assert!(found.is_none());
        let text = Missing { unusable, is_named: false }.to_string();
        assert!(text.contains(&*file.to_string_lossy()) && !text.contains("/no/such"), "{text}");
    }
}
