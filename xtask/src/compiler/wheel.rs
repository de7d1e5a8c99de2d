//! NVIDIA's Python wheels of NVRTC: a compiler in one file, without the CUDA toolkit.

use crate::sha256;
use anyhow::{Context, Result, bail, ensure};
use nvrtc::pinned::Wheel;
use std::fs;
use std::io::{Cursor, IsTerminal};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Programs that fetch a wheel, and what asks whether they are there. uv runs a pip of its own.
pub const FETCHERS: [(&[&str], &[&str]); 4] = [
    (&["python3", "-m", "pip"], &["python3", "-m", "pip", "--version"]),
    (&["python", "-m", "pip"], &["python", "-m", "pip", "--version"]),
    (&["pip"], &["pip", "--version"]),
    (&["uv", "tool", "run", "pip"], &["uv", "--version"]),
];

/// The library's file of a wheel, which is fetched and unpacked unless it was before.
///
/// # Errors
/// Neither pip nor uv; no network; another wheel than the pinned one; a folder that cannot be written.
pub fn fetch(wheel: &Wheel) -> Result<PathBuf> {
    let folder = wheel.folder().with_context(|| format!("{} to keep NVRTC in", loading::NO_CACHE))?;
    let library = folder.join(wheel.library);
    if library.is_file() {
        return Ok(library);
    }
    let all = folder.parent().context("a folder for all releases")?;
    let cannot_write = || format!("cannot write to {}", all.display());
    fs::create_dir_all(all).with_context(cannot_write)?;
    let scratch = tempfile::Builder::new().prefix("fetching-").tempdir_in(all).with_context(cannot_write)?;
    let file = download(wheel, scratch.path())?;
    unpack(&file, wheel.sha256, &folder)?;
    ensure!(library.is_file(), "{} {} holds no {}", wheel.package, wheel.version, wheel.library);
    Ok(library)
}

fn download(wheel: &Wheel, to: &Path) -> Result<PathBuf> {
    let fetcher = fetcher(&FETCHERS).with_context(|| {
        "neither pip nor uv is here, one of which fetches NVRTC: install one, on Debian and Ubuntu by \
         `sudo apt-get install python3-pip`; or install the CUDA toolkit, which has NVRTC too"
    })?;
    println!("fetching {} {} ({} MB) by {}", wheel.package, wheel.version, wheel.megabytes, fetcher.join(" "));
    let mut command = Command::new(fetcher[0]);
    command.args(&fetcher[1..]).args(["download", "--disable-pip-version-check", "--no-deps"]);
    command.args(["--only-binary=:all:", "--platform", wheel.platform, "--dest"]).arg(to);
    command.arg(format!("{}=={}", wheel.package, wheel.version));
    if !std::io::stdout().is_terminal() {
        command.arg("--quiet");
    }
    // some make pip refuse to work outside of a virtual environment
    let status = command.env("PIP_REQUIRE_VIRTUALENV", "false").status();
    let status = status.with_context(|| format!("cannot start {}", fetcher[0]))?;
    ensure!(
        status.success(),
        "{} did not fetch {} {}, see above; it needs a network with a Python package index",
        fetcher.join(" "),
        wheel.package,
        wheel.version
    );
    let files = fs::read_dir(to)?.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    let mut wheels = files.into_iter().filter(|file| file.extension().is_some_and(|end| end == "whl"));
    wheels.next().with_context(|| format!("{} left no wheel in {}", fetcher.join(" "), to.display()))
}

/// The first program that is there.
pub fn fetcher<'a>(fetchers: &[(&'a [&'a str], &[&str])]) -> Option<&'a [&'a str]> {
    let answers = |probe: &[&str]| {
        let mut command = Command::new(probe[0]);
        let status =
            command.args(&probe[1..]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
        status.is_ok_and(|status| status.success())
    };
    fetchers.iter().find(|(_, probe)| answers(probe)).map(|(fetcher, _)| *fetcher)
}

/// Unpacks in one step as others see it: a run that is cut short leaves nothing that looks whole.
fn unpack(wheel: &Path, expected: &str, to: &Path) -> Result<()> {
    let bytes = fs::read(wheel).with_context(|| format!("cannot read {}", wheel.display()))?;
    let found = sha256::hexadecimal(&bytes);
    if found != expected {
        let name = wheel.file_name().unwrap_or_default().display();
        bail!("{name} is not the pinned wheel, and was thrown away: its SHA-256 is {found}, not {expected}");
    }
    let context = || format!("cannot unpack {} to {}", wheel.display(), to.display());
    let partial = wheel.with_file_name("unpacked");
    zip::ZipArchive::new(Cursor::new(bytes)).and_then(|mut wheel| wheel.extract(&partial)).with_context(context)?;
    match fs::rename(&partial, to) {
        // another run was faster
        Err(_) if to.is_dir() => Ok(()),
        result => result.with_context(context),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wheel_with_another_hash_is_refused() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let wheel = folder.path().join("other.whl");
        fs::write(&wheel, "not a wheel").expect("a file");
        let error = unpack(&wheel, "339b", &folder.path().join("12.1")).unwrap_err().to_string();
        assert!(error.contains("other.whl is not the pinned wheel") && error.ends_with(", not 339b"), "{error}");
        assert!(!folder.path().join("12.1").exists());
    }

    #[test]
    fn first_program_that_is_there_fetches() {
        let absent: (&[&str], &[&str]) = (&["/no/such/pip"], &["/no/such/pip", "--version"]);
        let failing: (&[&str], &[&str]) = (&["false"], &["false"]);
        let working: (&[&str], &[&str]) = (&["true", "-m"], &["true"]);
        assert_eq!(fetcher(&[absent, failing, working]), Some(&["true", "-m"][..]));
        assert_eq!(fetcher(&[absent, failing]), None);
    }
}
