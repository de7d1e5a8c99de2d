//! Where NCCL lies. cudarc asks the loader for `libnccl.so`, a name that neither NVIDIA's packages nor its wheels install:
//! they have `libnccl.so.2`. The loader knows a folder only if it is in LD_LIBRARY_PATH when the process begins.

use super::address::own_address;
use common::Error;
use libloading::Library;
use loading::loading_text;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Environment variable that names NCCL's file.
const FILE_VARIABLE: &str = "COALESCED_NCCL";

/// Environment variable that names the file of the emulator's NCCL.
const EMULATED_VARIABLE: &str = "COALESCED_EMULATOR_NCCL";

const REAL: &str = "libnccl.so.2";
const ASKED_FOR: &str = "libnccl.so";

/// Where distributions and toolkits put it.
const FOLDERS: [&str; 7] = [
    "/usr/lib/x86_64-linux-gnu",
    "/usr/lib/aarch64-linux-gnu",
    "/usr/lib64",
    "/usr/lib",
    "/usr/local/lib",
    "/usr/local/nccl/lib",
    "/usr/local/cuda/lib64",
];

/// Where NVIDIA's wheels put it below Python's folders.
const IN_WHEELS: &str = "nvidia/nccl/lib";

/// Environment variable in which the emulator's NCCL finds the rank's own address.
const OWN_ADDRESS: &str = "COALESCED_NCCL_ADDRESS";

/// Where other machines reach the emulator's NCCL of a rank that a launcher has started, unless that is said: by the way to
/// the place where ranks meet. NCCL's own way is by the interfaces of a machine.
#[must_use]
pub fn address(root: &str) -> Option<(&'static str, OsString)> {
    std::env::var_os(OWN_ADDRESS).is_none().then(|| (OWN_ADDRESS, own_address(root).to_string().into()))
}

/// The variables that the process of a rank begins with.
///
/// # Errors
/// [`Error::Open`], when NCCL is needed and not found, in one line that says what to install.
pub fn environment(is_emulated: bool) -> Result<Vec<(&'static str, OsString)>, Error> {
    let mut variables = Vec::new();
    if std::env::var_os("NCCL_NVLS_ENABLE").is_none() {
        // Multicast in NVLink's switches is shared by all users of a machine; one program can put it out of order for all.
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

/// The file of NVIDIA's NCCL.
fn find() -> Result<PathBuf, Error> {
    if !cfg!(target_os = "linux") {
        let text =
            "several GPUs need NCCL, which NVIDIA makes for Linux alone (WSL 2 is Linux); --device emulator needs none";
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
            "several GPUs need NCCL, and {REAL} is not here: pip install nvidia-nccl-cu13 (or -cu12), or name the file in \
             {FILE_VARIABLE}; --device emulator needs none"
        ))
    })
}

/// A folder in which the file has the name that cudarc asks for. It stays, for other runs.
fn folder_with_link(file: &Path) -> Result<PathBuf, Error> {
    let cache = loading::cache_folder().unwrap_or_else(|| std::env::temp_dir().join("coalesced"));
    let name: String = file.to_string_lossy().chars().map(|c| if c.is_alphanumeric() { c } else { '-' }).collect();
    let folder = cache.join("nccl").join(name.trim_matches('-'));
    let link = folder.join(ASKED_FOR);
    let failed = |error: std::io::Error| Error::File { path: link.clone(), reason: error.to_string() };
    std::fs::create_dir_all(&folder).map_err(failed)?;
    // Ranks of one machine may come here at the same time: whoever is second finds the link.
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

/// Loads NCCL before cudarc asks for it, which would panic where there is none.
///
/// # Errors
/// [`Error::Open`], saying what is missing.
pub fn load(is_emulated: bool) -> Result<(), Error> {
    let opened = match emulated_file().filter(|_| is_emulated) {
        Some(file) => loading::open_as(&file, &loading::file_name("nccl"), "ncclGetUniqueId"),
        // SAFETY: NCCL's initializers take no input of ours.
        None => unsafe { Library::new(ASKED_FOR) }.map_err(|error| format!("{ASKED_FOR}: {}", loading_text(&error))),
    };
    // It stays in use until the process ends.
    opened.map(std::mem::forget).map_err(|error| Error::Open(format!("cannot load NCCL, {error}")))
}

/// The emulator's NCCL: where a variable says, or where cargo builds it.
fn emulated_file() -> Option<PathBuf> {
    if let Some(file) = std::env::var_os(EMULATED_VARIABLE) {
        return Some(file.into());
    }
    loading::beside_program("emulator_nccl").ok()
}
