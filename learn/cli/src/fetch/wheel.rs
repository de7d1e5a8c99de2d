//! Pinned Python wheels, which contain a compiler each.

use anyhow::{Context, Result, bail, ensure};
use loading::Wheel;
use sha2::{Digest, Sha256};
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

/// The advice without any of them.
pub const NO_FETCHER: &str = "downloading a compiler takes pip or uv: install one, on Debian and Ubuntu with `sudo apt-get install \
    python3-pip`; or install the CUDA toolkit, which contains NVRTC, or clang 18 or newer";

/// Downloads and unpacks a wheel unless it is there already, and returns the path of its library or program.
///
/// # Errors
/// Returns an error if pip and uv or the network are missing, if the downloaded wheel is not the pinned one, or if the
/// folder cannot be written.
pub fn fetch(wheel: &Wheel) -> Result<PathBuf> {
    let folder = folder(wheel)?;
    let kept = folder.join(wheel.file);
    if kept.is_file() {
        return Ok(kept);
    }
    let all = folder.parent().context("a folder for all releases")?;
    let cannot_write = || format!("cannot write to {}", all.display());
    fs::create_dir_all(all).with_context(cannot_write)?;
    let scratch = tempfile::Builder::new().prefix("fetching-").tempdir_in(all).with_context(cannot_write)?;
    let file = download(wheel, scratch.path())?;
    unpack(&file, wheel, &folder)?;
    ensure!(kept.is_file(), "{} {} does not contain {}", wheel.package, wheel.version, wheel.file);
    Ok(kept)
}

/// Returns the folder in which a wheel is unpacked.
fn folder(wheel: &Wheel) -> Result<PathBuf> {
    wheel.folder().with_context(|| format!("{} to keep {} in", loading::NO_CACHE, wheel.package))
}

fn download(wheel: &Wheel, to: &Path) -> Result<PathBuf> {
    let fetcher = find_fetcher(&FETCHERS).context(NO_FETCHER)?;
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
pub fn find_fetcher<'a>(fetchers: &[(&'a [&'a str], &[&str])]) -> Option<&'a [&'a str]> {
    let answers = |probe: &[&str]| {
        let mut command = Command::new(probe[0]);
        let status =
            command.args(&probe[1..]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
        status.is_ok_and(|status| status.success())
    };
    fetchers.iter().find(|(_, probe)| answers(probe)).map(|(fetcher, _)| *fetcher)
}

/// Verifies and unpacks a wheel, or the one file of it that is used. The folder appears in one step, so that an interrupted run leaves no partial installation.
pub fn unpack(file: &Path, wheel: &Wheel, to: &Path) -> Result<()> {
    let bytes = fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
    let found: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    if found != wheel.sha256 {
        let name = file.file_name().unwrap_or_default().display();
        let expected = wheel.sha256;
        bail!("{name} is not the pinned wheel and was deleted: its SHA-256 is {found}, not {expected}");
    }
    let context = || format!("cannot unpack {} to {}", file.display(), to.display());
    let partial = file.with_file_name("unpacked");
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).with_context(context)?;
    if wheel.is_alone {
        extract_one(&mut archive, wheel.file, &partial).with_context(context)?;
    } else {
        archive.extract(&partial).with_context(context)?;
    }
    match fs::rename(&partial, to) {
        // Another process has unpacked it meanwhile.
        Err(_) if to.is_dir() => Ok(()),
        result => result.with_context(context),
    }
}

/// Unpacks one program of an archive.
pub fn extract_one(archive: &mut zip::ZipArchive<Cursor<Vec<u8>>>, name: &str, to: &Path) -> Result<()> {
    let mut member = archive.by_name(name).with_context(|| format!("it has no {name}"))?;
    let file = to.join(name);
    fs::create_dir_all(file.parent().context("a folder")?)?;
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o755);
    std::io::copy(&mut member, &mut options.open(&file)?)?;
    Ok(())
}
