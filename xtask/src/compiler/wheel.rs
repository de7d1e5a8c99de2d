//! NVIDIA's Python wheels of NVRTC, which contain the compiler without the CUDA toolkit.

use crate::sha256;
use anyhow::{Context, Result, bail, ensure};
use nvrtc::pinned::Wheel;
use std::fs;
use std::io::{Cursor, IsTerminal};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The programs that download a wheel, each with a command that succeeds if it is installed. uv runs its own pip.
pub const FETCHERS: [(&[&str], &[&str]); 4] = [
    (&["python3", "-m", "pip"], &["python3", "-m", "pip", "--version"]),
    (&["python", "-m", "pip"], &["python", "-m", "pip", "--version"]),
    (&["pip"], &["pip", "--version"]),
    (&["uv", "tool", "run", "pip"], &["uv", "--version"]),
];

/// Downloads and unpacks a wheel unless it is there already, and returns the path of its library.
///
/// # Errors
/// Returns an error if pip and uv or the network are missing, if the downloaded wheel is not the pinned one, or if the
/// folder cannot be written.
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
    ensure!(library.is_file(), "{} {} does not contain {}", wheel.package, wheel.version, wheel.library);
    Ok(library)
}

fn download(wheel: &Wheel, to: &Path) -> Result<PathBuf> {
    let fetcher = fetcher(&FETCHERS).with_context(|| {
        "downloading NVRTC takes pip or uv: install one, on Debian and Ubuntu with `sudo apt-get install python3-pip`; \
         or install the CUDA toolkit, which contains NVRTC"
    })?;
    println!("downloading {} {} ({} MB) with {}", wheel.package, wheel.version, wheel.megabytes, fetcher.join(" "));
    let mut command = Command::new(fetcher[0]);
    command.args(&fetcher[1..]).args(["download", "--disable-pip-version-check", "--no-deps"]);
    command.args(["--only-binary=:all:", "--platform", wheel.platform, "--dest"]).arg(to);
    command.arg(format!("{}=={}", wheel.package, wheel.version));
    if !std::io::stdout().is_terminal() {
        command.arg("--quiet");
    }
    // With this variable set, pip would refuse to work outside of a virtual environment.
    let status = command.env("PIP_REQUIRE_VIRTUALENV", "false").status();
    let status = status.with_context(|| format!("cannot start {}", fetcher[0]))?;
    ensure!(
        status.success(),
        "{} could not download {} {}: see its message above; it needs access to a Python package index",
        fetcher.join(" "),
        wheel.package,
        wheel.version
    );
    let files = fs::read_dir(to)?.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    let mut wheels = files.into_iter().filter(|file| file.extension().is_some_and(|end| end == "whl"));
    wheels.next().with_context(|| format!("{} left no wheel in {}", fetcher.join(" "), to.display()))
}

/// Returns the first installed program.
pub fn fetcher<'a>(fetchers: &[(&'a [&'a str], &[&str])]) -> Option<&'a [&'a str]> {
    let answers = |probe: &[&str]| {
        let mut command = Command::new(probe[0]);
        let status =
            command.args(&probe[1..]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
        status.is_ok_and(|status| status.success())
    };
    fetchers.iter().find(|(_, probe)| answers(probe)).map(|(fetcher, _)| *fetcher)
}

/// Verifies and unpacks a wheel. The folder appears in one step, so that an interrupted run leaves no partial installation.
fn unpack(wheel: &Path, expected: &str, to: &Path) -> Result<()> {
    let bytes = fs::read(wheel).with_context(|| format!("cannot read {}", wheel.display()))?;
    let found = sha256::hexadecimal(&bytes);
    if found != expected {
        let name = wheel.file_name().unwrap_or_default().display();
        bail!("{name} is not the pinned wheel and was deleted: its SHA-256 is {found}, not {expected}");
    }
    let context = || format!("cannot unpack {} to {}", wheel.display(), to.display());
    let partial = wheel.with_file_name("unpacked");
    zip::ZipArchive::new(Cursor::new(bytes)).and_then(|mut wheel| wheel.extract(&partial)).with_context(context)?;
    match fs::rename(&partial, to) {
        // Another process has unpacked it meanwhile.
        Err(_) if to.is_dir() => Ok(()),
        result => result.with_context(context),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wheel_with_another_hash_is_rejected() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let wheel = folder.path().join("other.whl");
        fs::write(&wheel, "not a wheel").expect("a file");
        let error = unpack(&wheel, "339b", &folder.path().join("12.1")).unwrap_err().to_string();
        assert!(error.contains("other.whl is not the pinned wheel") && error.ends_with(", not 339b"), "{error}");
        assert!(!folder.path().join("12.1").exists());
    }

    #[test]
    fn the_first_installed_program_downloads() {
        let absent: (&[&str], &[&str]) = (&["/no/such/pip"], &["/no/such/pip", "--version"]);
        let failing: (&[&str], &[&str]) = (&["false"], &["false"]);
        let working: (&[&str], &[&str]) = (&["true", "-m"], &["true"]);
        assert_eq!(fetcher(&[absent, failing, working]), Some(&["true", "-m"][..]));
        assert_eq!(fetcher(&[absent, failing]), None);
    }
}
