//! Where NVRTC may lie: toolkits and Python wheels put it in different places, under versioned names.

use crate::error::loading_text;
use libloading::Library;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Environment variable that names the library's file.
const FILE_VARIABLE: &str = "COALESCED_NVRTC";

/// Names that the system's loader may know, newest first.
const NAMES: [&str; 3] = ["libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12"];

/// Where NVIDIA's wheels put it under `site-packages`; they install versioned names alone.
const IN_WHEELS: [&str; 2] = ["nvidia/cuda_nvrtc/lib/libnvrtc.so.12", "nvidia/cu13/lib/libnvrtc.so.13"];

/// No NVRTC was found. The text says how to get it, and what was tried.
#[derive(Debug, thiserror::Error)]
#[error(
    "NVRTC, the compiler for it, was not found. Install the CUDA toolkit, or `pip install nvidia-cuda-nvrtc-cu12` \
     for the python3 on the PATH or in VIRTUAL_ENV, or name the library's file in COALESCED_NVRTC.\nTried: {}",
    tried.join("; ")
)]
pub struct NvrtcMissing {
    tried: Vec<String>,
}

impl NvrtcMissing {
    pub(super) fn new(tried: Vec<String>) -> Self {
        Self { tried }
    }
}

/// The first library that loads. A file named in the environment is the only one tried.
pub(super) fn find() -> Result<Library, NvrtcMissing> {
    if let Some(file) = std::env::var_os(FILE_VARIABLE) {
        return open(Path::new(&file)).map_err(|error| NvrtcMissing::new(vec![error]));
    }
    let known = NAMES.iter().map(PathBuf::from).chain([PathBuf::from("/usr/local/cuda/lib64/libnvrtc.so")]);
    let mut tried = Vec::new();
    for file in known.chain(files_in_wheels()) {
        match open(&file) {
            Ok(library) => return Ok(library),
            Err(_) => tried.push(file.display().to_string()),
        }
    }
    tried.push("NVIDIA's wheels in python3's sys.path".into());
    Err(NvrtcMissing::new(tried))
}

fn open(file: &Path) -> Result<Library, String> {
    // SAFETY: NVRTC's initialisers take no input of ours and may run on any thread.
    unsafe { Library::new(file) }.map_err(|error| loading_text(&error))
}

/// Existing library files below Python's module folders.
fn files_in_wheels() -> Vec<PathBuf> {
    let folders = python_folders();
    let files = folders.iter().flat_map(|folder| IN_WHEELS.iter().map(move |file| folder.join(file)));
    files.filter(|file| file.is_file()).collect()
}

fn python_folders() -> Vec<PathBuf> {
    let python = match std::env::var_os("VIRTUAL_ENV") {
        Some(folder) => Path::new(&folder).join("bin/python3"),
        None => PathBuf::from("python3"),
    };
    let Ok(output) = Command::new(python).args(["-c", "import sys; print(*sys.path, sep='\\n')"]).output() else {
        return Vec::new();
    };
    String::from_utf8_lossy(&output.stdout).lines().filter(|line| !line.is_empty()).map(PathBuf::from).collect()
}
