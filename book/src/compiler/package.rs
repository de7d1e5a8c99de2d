//! The pinned npm package: its download, its verification, and its files.

use anyhow::{Context, Result, bail, ensure};
use flate2::read::GzDecoder;
use sha2::{Digest, Sha256};
use std::fs;
use std::io::{IsTerminal, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const PACKAGE: &str = "@yowasp/clang";

/// The version of the package. The text of clang's IR, which `ir-ptx` reads, changes between versions.
pub(super) const VERSION: &str = "22.0.0-git20542-10";

/// The SHA-256 of the package's archive, which covers all of its files.
const SHA256: &str = "6230ea1afa9691fa065935cf68c01642ff9b31c183fe8ac64cdfda025df06009";

/// The size of the archive in 10^6 bytes.
const MEGABYTES: u32 = 27;

/// The compiler itself.
pub(super) const LARGE: &str = "llvm.core.wasm";

/// The other files that pages use. The package also has headers of another target.
pub(super) const SMALL: [&str; 4] = ["bundle.js", "llvm.core2.wasm", "llvm.core3.wasm", "llvm.core4.wasm"];

/// npm's name as a program.
const NPM: &str = if cfg!(windows) { "npm.cmd" } else { "npm" };

/// Downloads the package to `scratch` and unpacks its files to `to`.
///
/// # Errors
/// Returns an error if npm or the network is missing, or if the package is not the pinned one.
pub(super) fn fetch(scratch: &Path, to: &Path) -> Result<()> {
    let archive = download(scratch)?;
    let bytes = fs::read(&archive).with_context(|| format!("cannot read {}", archive.display()))?;
    require_pinned(&bytes, SHA256)?;
    fs::create_dir_all(to).with_context(|| format!("cannot write to {}", to.display()))?;
    unpack(&bytes, to).with_context(|| format!("cannot unpack {PACKAGE} to {}", to.display()))
}

fn download(to: &Path) -> Result<PathBuf> {
    ensure!(
        is_npm_installed(),
        "the compiler of the pages is an npm package, and there is no npm: install Node.js, which contains it, on Debian and \
         Ubuntu with `sudo apt-get install npm`"
    );
    println!("downloading {PACKAGE} {VERSION} ({MEGABYTES} MB) with npm");
    let mut command = Command::new(NPM);
    command.args(["pack", "--silent", "--fetch-retries=1", "--fetch-timeout=60000", "--pack-destination"]).arg(to);
    command.arg(format!("{PACKAGE}@{VERSION}")).current_dir(to).stdout(Stdio::null());
    if std::io::stdout().is_terminal() {
        command.arg("--progress");
    }
    let status = command.status().with_context(|| format!("cannot start {NPM}"))?;
    ensure!(
        status.success(),
        "npm could not download {PACKAGE} {VERSION}: it needs access to a registry of npm packages"
    );
    let files = fs::read_dir(to)?.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    let mut archives = files.into_iter().filter(|file| file.extension().is_some_and(|end| end == "tgz"));
    archives.next().with_context(|| format!("npm left no archive in {}", to.display()))
}

/// Returns whether npm can be started.
pub fn is_npm_installed() -> bool {
    let mut command = Command::new(NPM);
    let status = command.arg("--version").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}

fn require_pinned(archive: &[u8], expected: &str) -> Result<()> {
    let found: String = Sha256::digest(archive).iter().map(|byte| format!("{byte:02x}")).collect();
    if found != expected {
        bail!("{PACKAGE} {VERSION} is not the pinned package: its SHA-256 is {found}, not {expected}");
    }
    Ok(())
}

/// Unpacks the used files of the archive, which are in its folder `package/gen`.
fn unpack(archive: &[u8], to: &Path) -> Result<()> {
    let mut missing = SMALL.to_vec();
    missing.push(LARGE);
    for entry in tar::Archive::new(GzDecoder::new(archive)).entries()? {
        let mut entry = entry?;
        let path = entry.path()?.into_owned();
        let Some(place) = missing.iter().position(|name| path == Path::new("package/gen").join(name)) else { continue };
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes)?;
        fs::write(to.join(missing.swap_remove(place)), bytes)?;
    }
    ensure!(missing.is_empty(), "{PACKAGE} {VERSION} does not contain {}", missing.join(", "));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::GzEncoder;

    /// Returns an archive of files, each with its own name as the contents.
    fn archive(names: &[&str]) -> Vec<u8> {
        let mut builder = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
        for name in names {
            let mut header = tar::Header::new_gnu();
            header.set_size(name.len() as u64);
            builder.append_data(&mut header, format!("package/gen/{name}"), name.as_bytes()).expect("a member");
        }
        builder.into_inner().and_then(GzEncoder::finish).expect("an archive")
    }

    #[test]
    fn only_the_used_files_are_unpacked() {
        let folder = tempfile::tempdir().expect("a folder");
        let names: Vec<&str> = SMALL.into_iter().chain([LARGE, "llvm-resources.tar"]).collect();
        unpack(&archive(&names), folder.path()).expect("all files");
        assert_eq!(fs::read_to_string(folder.path().join(LARGE)).expect("a file"), LARGE);
        assert!(!folder.path().join("llvm-resources.tar").exists());
        let error = unpack(&archive(&names[1..]), folder.path()).unwrap_err().to_string();
        assert!(error.ends_with("does not contain bundle.js"), "{error}");
    }

    #[test]
    fn another_package_is_refused() {
        let error = require_pinned(b"other", SHA256).unwrap_err().to_string();
        assert!(error.contains("is not the pinned package"), "{error}");
    }
}
