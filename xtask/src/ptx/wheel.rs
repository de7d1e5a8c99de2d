//! The pinned NVRTC, from NVIDIA's Python wheel: a compiler in one 24 MB file, without the CUDA toolkit.

use super::header::{VERSION, sha256};
use anyhow::{Context, Result, bail, ensure};
use std::fs;
use std::io::Cursor;
use std::path::{Path, PathBuf};
use std::process::Command;

const PACKAGE: &str = "nvidia-cuda-nvrtc-cu12";
const SHA256: &str = "339b385f50c309763ca65456ec75e17bbefcbbf2893f462cb8b90584cd27a1c2";

/// Inside of the wheel. The library finds its second file, the built-in headers, beside itself.
const LIBRARY: &str = "nvidia/cuda_nvrtc/lib/libnvrtc.so.12";

/// How to go on without the wheel.
const INSTEAD: &str = "or name a libnvrtc of this version by `--nvrtc FILE`";

/// The library's file under `folder`, fetched and unpacked there unless it was before.
///
/// # Errors
/// Another platform; no python3, pip or network; a wheel other than the pinned one; a folder that cannot be written.
pub fn library(folder: &Path) -> Result<PathBuf> {
    let unpacked = folder.join(VERSION);
    let library = unpacked.join(LIBRARY);
    if library.is_file() {
        return Ok(library);
    }
    if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        bail!("NVRTC {VERSION} is fetched for x86-64 Linux alone: run this command there, {INSTEAD}");
    }
    let wheel = match find_wheel(folder) {
        Some(wheel) => wheel,
        None => download(folder)?,
    };
    unpack(&wheel, &unpacked)?;
    ensure!(library.is_file(), "{} holds no {LIBRARY}", wheel.display());
    Ok(library)
}

fn find_wheel(folder: &Path) -> Option<PathBuf> {
    let is_pinned = |name: &str| name.contains(&format!("-{VERSION}-")) && name.ends_with(".whl");
    let mut files = fs::read_dir(folder).ok()?.filter_map(|entry| Some(entry.ok()?.path()));
    files.find(|file| file.file_name().is_some_and(|name| is_pinned(&name.to_string_lossy())))
}

fn download(folder: &Path) -> Result<PathBuf> {
    println!("fetching {PACKAGE} {VERSION} by pip");
    let status = Command::new("python3")
        .args(["-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps", "--dest"])
        .arg(folder)
        .arg(format!("{PACKAGE}=={VERSION}"))
        .status()
        .with_context(|| {
            format!("cannot start python3, whose pip fetches NVRTC; install python3 with pip, {INSTEAD}")
        })?;
    ensure!(
        status.success(),
        "pip did not fetch {PACKAGE} {VERSION}, see above; it needs python3's pip (on Debian, the package \
         python3-pip) and a network with a Python package index; mend that, {INSTEAD}"
    );
    find_wheel(folder).with_context(|| format!("pip ended well, but left no wheel in {}", folder.display()))
}

/// Unpacks in one step as others see it: a run that is cut short leaves nothing that looks whole.
fn unpack(wheel: &Path, to: &Path) -> Result<()> {
    let bytes = fs::read(wheel).with_context(|| format!("cannot read {}", wheel.display()))?;
    let found = sha256(&bytes);
    ensure!(
        found == SHA256,
        "{} is not the pinned wheel: its SHA-256 is {found}, not {SHA256}; delete it and try again",
        wheel.display()
    );
    let context = || format!("cannot unpack {} to {}", wheel.display(), to.display());
    let partial = to.with_extension("partial");
    zip::ZipArchive::new(Cursor::new(bytes)).and_then(|mut wheel| wheel.extract(&partial)).with_context(context)?;
    fs::rename(&partial, to).with_context(context)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wheel_with_another_hash_is_refused() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let wheel = folder.path().join("other.whl");
        fs::write(&wheel, "not a wheel").expect("a file");
        let error = unpack(&wheel, &folder.path().join(VERSION)).unwrap_err().to_string();
        assert!(error.contains("is not the pinned wheel") && error.contains(SHA256), "{error}");
        assert!(!folder.path().join(VERSION).exists());
    }
}
