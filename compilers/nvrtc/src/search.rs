//! The search for NVRTC, which toolkits and Python wheels install in different places under versioned names.

use crate::names::{HERE, toolkit};
use crate::{Nvrtc, pinned};
use loading::search::{self, Missing, Wanted};
use std::iter;
use std::path::PathBuf;
use std::process::Command;

/// The environment variable that names the library's file.
const FILE_VARIABLE: &str = "COALESCED_NVRTC";

/// Opens the first usable library. If the environment names a file, only this file is tried.
pub(crate) fn find() -> Result<Nvrtc, Missing> {
    // Python is started only if no other place has a library.
    let files = known_files().into_iter().chain(iter::once_with(files_in_wheels).flatten());
    search::find(wanted(), files, Nvrtc::open)
}

fn wanted() -> Wanted {
    let wheel = pinned::wheel();
    let advice = match wheel {
        Some(wheel) => {
            format!("type `cargo learn nvrtc` to get the compiler, NVRTC {} ({} MB)", wheel.version, wheel.megabytes)
        }
        None if cfg!(target_os = "macos") => "NVIDIA has no compiler for CUDA C++ on macOS".into(),
        None => "install the CUDA toolkit, which contains the compiler, NVRTC".into(),
    };
    Wanted { name: "NVRTC", variable: FILE_VARIABLE, advice, is_fetchable: wheel.is_some() }
}

/// Returns the files that can be found without running Python.
fn known_files() -> Vec<PathBuf> {
    let kept = pinned::wheel().and_then(|wheel| wheel.kept_file());
    let known = HERE.of_loader.iter().map(PathBuf::from);
    kept.into_iter().chain(known).chain(HERE.in_toolkit.iter().map(|file| toolkit().join(file))).collect()
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
