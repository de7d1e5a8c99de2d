//! The location of NCCL. cudarc asks the loader for `libnccl.so`, a name that neither NVIDIA's packages nor its wheels
//! install: theirs is `libnccl.so.2`. The loader searches a folder only if LD_LIBRARY_PATH contains it when the process
//! starts.

use common::Error;
use libloading::Library;
use loading::loading_text;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The environment variable with the path of NCCL's file.
const FILE_VARIABLE: &str = "COALESCED_NCCL";

/// The environment variable with the path of the emulator's NCCL.
const EMULATED_VARIABLE: &str = "COALESCED_EMULATOR_NCCL";

const REAL: &str = "libnccl.so.2";
const ASKED_FOR: &str = "libnccl.so";

/// The folders in which distributions and toolkits install it.
const FOLDERS: [&str; 7] = [
    "/usr/lib/x86_64-linux-gnu",
    "/usr/lib/aarch64-linux-gnu",
    "/usr/lib64",
    "/usr/lib",
    "/usr/local/lib",
    "/usr/local/nccl/lib",
    "/usr/local/cuda/lib64",
];

/// The folder in which NVIDIA's wheels install it, relative to Python's package folders.
const IN_WHEELS: &str = "nvidia/nccl/lib";

/// Returns the environment variables with which the process of a rank must start.
///
/// # Errors
/// [`Error::Open`] if NCCL is needed and not found, with one line that names what to install.
pub fn environment(is_emulated: bool) -> Result<Vec<(&'static str, OsString)>, Error> {
    let mut variables = Vec::new();
    if std::env::var_os("NCCL_NVLS_ENABLE").is_none() {
        // Multicast in NVLink's switches is shared by all users of a machine, and one program can make it fail for all.
        variables.push(("NCCL_NVLS_ENABLE", "0".into()));
    }
    if !is_emulated {
        let folder = folder_with_link(&find()?)?;
        let mut folders = vec![folder];
        let given = std::env::var_os(SEARCHED).unwrap_or_default();
        folders.extend(std::env::split_paths(&given).filter(|folder| !folder.as_os_str().is_empty()));
        let joined = std::env::join_paths(folders).map_err(|error| Error::Open(format!("{SEARCHED}: {error}")))?;
        variables.push((SEARCHED, joined));
    }
    Ok(variables)
}

const SEARCHED: &str = "LD_LIBRARY_PATH";

/// Returns the path of NVIDIA's NCCL.
fn find() -> Result<PathBuf, Error> {
    if !cfg!(target_os = "linux") {
        let text =
            "several GPUs need NCCL, which exists only for Linux, including WSL 2; --device emulator does not need it";
        return Err(Error::Open(text.into()));
    }
    if let Some(file) = std::env::var_os(FILE_VARIABLE).map(PathBuf::from) {
        let missing = || Error::Open(format!("{FILE_VARIABLE}={}: there is no such file", file.display()));
        return std::path::absolute(&file).ok().filter(|file| file.is_file()).ok_or_else(missing);
    }
    let searched = std::env::var_os(SEARCHED).unwrap_or_default();
    let known = std::env::split_paths(&searched).chain(FOLDERS.map(PathBuf::from));
    let in_wheels = || nvrtc::python_folders().into_iter().map(|folder| folder.join(IN_WHEELS));
    let existing = |folder: PathBuf| Some(folder.join(REAL)).filter(|file| file.is_file());
    known.into_iter().find_map(existing).or_else(|| in_wheels().find_map(existing)).ok_or_else(|| {
        Error::Open(format!(
            "several GPUs need NCCL, and {REAL} was not found: pip install nvidia-nccl-cu13 (or -cu12), or name the \
             file in {FILE_VARIABLE}; --device emulator does not need it"
        ))
    })
}

/// Returns a folder in which the file has the name that cudarc asks for. It is kept for later runs.
fn folder_with_link(file: &Path) -> Result<PathBuf, Error> {
    let cache = loading::cache_folder().unwrap_or_else(|| std::env::temp_dir().join("coalesced"));
    let name: String = file.to_string_lossy().chars().map(|c| if c.is_alphanumeric() { c } else { '-' }).collect();
    let folder = cache.join("nccl").join(name.trim_matches('-'));
    let link = folder.join(ASKED_FOR);
    let failed = |error: std::io::Error| Error::File { path: link.clone(), reason: error.to_string() };
    std::fs::create_dir_all(&folder).map_err(failed)?;
    // Ranks of one machine may do this at the same time: the second one finds the link.
    if let Err(error) = make_link(file, &link)
        && !link.exists()
    {
        return Err(failed(error));
    }
    Ok(folder)
}

#[cfg(unix)]
fn make_link(file: &Path, link: &Path) -> std::io::Result<()> {
    std::os::unix::fs::symlink(file, link)
}

#[cfg(not(unix))]
fn make_link(_: &Path, _: &Path) -> std::io::Result<()> {
    Err(std::io::ErrorKind::Unsupported.into())
}

/// Loads NCCL before cudarc does, which would panic if it is missing.
///
/// # Errors
/// [`Error::Open`], naming what is missing.
pub fn load(is_emulated: bool) -> Result<(), Error> {
    let opened = match emulated_file().filter(|_| is_emulated) {
        Some(file) => loading::open_as(&file, &loading::file_name("nccl"), "ncclGetUniqueId"),
        // SAFETY: NCCL's initializers take no input from us.
        None => unsafe { Library::new(ASKED_FOR) }.map_err(|error| format!("{ASKED_FOR}: {}", loading_text(&error))),
    };
    // It stays loaded until the process ends.
    opened.map(std::mem::forget).map_err(|error| Error::Open(format!("cannot load NCCL: {error}")))
}

/// Returns the path of the emulator's NCCL: the one in the environment variable, or the one built by cargo.
fn emulated_file() -> Option<PathBuf> {
    if let Some(file) = std::env::var_os(EMULATED_VARIABLE) {
        return Some(file.into());
    }
    loading::beside_program("emulator_nccl").ok()
}
