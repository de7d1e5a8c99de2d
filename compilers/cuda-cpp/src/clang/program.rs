//! The program: whether it is clang, of a version and with a target that kernels need, and how it runs.

use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The oldest usable release.
const OLDEST: u32 = 18;

/// LLVM's name for the target of kernels.
const TARGET: &str = "nvptx64";

/// A program that was examined.
#[derive(Debug)]
pub(super) struct Program {
    pub file: PathBuf,
    /// `22.1.8`.
    pub version: String,
}

impl Program {
    /// Examines a program. The error names the file and what it lacks.
    pub fn examine(file: &Path) -> Result<Self, String> {
        let shown = file.display();
        let about = output_of(file, "--version").ok_or_else(|| format!("{shown} cannot be started"))?;
        let version = version(&about).ok_or_else(|| format!("{shown} is not clang"))?;
        if major(&version) < OLDEST {
            return Err(format!("{shown} is clang {version}, and kernels take {OLDEST} or newer"));
        }
        let targets = output_of(file, "--print-targets").unwrap_or_default();
        if !targets.lines().any(|line| line.trim_start().starts_with(TARGET)) {
            return Err(format!("{shown}, clang {version}, was built without LLVM's target {TARGET}"));
        }
        Ok(Self { file: file.to_owned(), version })
    }

    /// Returns the command that starts clang.
    pub fn command(&self) -> Command {
        command(&self.file)
    }
}

/// Returns the command that starts clang: the program `zig` contains it and takes its name as the first argument. It runs
/// without the library path that cargo sets for its own programs.
fn command(file: &Path) -> Command {
    let mut command = Command::new(file);
    if file.file_stem().is_some_and(|name| name == "zig") {
        command.arg("clang");
    }
    command.env_remove("LD_LIBRARY_PATH");
    command
}

/// Returns what a program prints for an option, or `None` if it cannot be started or fails.
fn output_of(file: &Path, option: &str) -> Option<String> {
    let output = command(file).arg(option).stdin(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Returns `19.1.7` from the line `Debian clang version 19.1.7 (3~deb12u1)`.
fn version(about: &str) -> Option<String> {
    let (_, rest) = about.lines().next()?.split_once("clang version ")?;
    Some(rest.split([' ', '-', '+', '(']).next()?.to_owned())
}

fn major(version: &str) -> u32 {
    version.split('.').next().and_then(|major| major.parse().ok()).unwrap_or(0)
}

/// How a program ended, and what it wrote.
pub(super) struct Ended {
    pub is_success: bool,
    pub output: String,
    pub errors: String,
}

/// Runs a command to its end. Input and outputs are moved at the same time, because a pipe that nobody reads stops its
/// writer.
pub(super) fn run(mut command: Command, input: Vec<u8>) -> io::Result<Ended> {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let mut to = child.stdin.take();
    let mut errors = child.stderr.take();
    let writer = std::thread::spawn(move || {
        // A program that has found an error may not read the rest.
        to.as_mut().map(|to| to.write_all(&input))
    });
    let reader = std::thread::spawn(move || {
        let mut bytes = Vec::new();
        errors.as_mut().map(|errors| errors.read_to_end(&mut bytes));
        bytes
    });
    let output = child.wait_with_output()?;
    let _ = writer.join();
    let errors = reader.join().unwrap_or_default();
    Ok(Ended {
        is_success: output.status.success(),
        output: String::from_utf8_lossy(&output.stdout).into_owned(),
        errors: String::from_utf8_lossy(&errors).into_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_is_read_from_the_first_line() {
        let of = |line| version(line).map(|version| (major(&version), version));
        assert_eq!(of("clang version 22.1.8\nTarget: x"), Some((22, "22.1.8".into())));
        assert_eq!(of("Debian clang version 19.1.7 (3~deb12u1)"), Some((19, "19.1.7".into())));
        assert_eq!(of("Ubuntu clang version 18.1.3-1ubuntu1"), Some((18, "18.1.3".into())));
        assert_eq!(of("gcc 12"), None);
    }

    #[test]
    fn a_program_that_is_not_there_is_named() {
        assert_eq!(Program::examine(Path::new("/no/such/clang")).unwrap_err(), "/no/such/clang cannot be started");
    }
}
