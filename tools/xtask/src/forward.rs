//! Commands that are `cargo learn`'s by now, and go on working here.

use crate::command::cargo;
use crate::workspace::Workspace;
use anyhow::{Context, Result};
use std::ffi::OsString;
use std::process::Command;

/// The commands. `cargo learn` has the same words, except `learn` itself.
const COMMANDS: [&str; 6] = ["check", "clang", "doctor", "headers", "learn", "nvrtc"];

/// Returns a command that starts `cargo learn`, up to its first word.
pub fn learn() -> Command {
    let mut cargo = cargo();
    let manifest = Workspace::this().root.join("Cargo.toml");
    cargo.args(["run", "--quiet", "--manifest-path"]).arg(manifest).args(["--package", "learn", "--"]);
    cargo
}

/// Returns the words of `cargo learn` for those of `cargo x`; none for all other commands.
fn translate(words: &[OsString]) -> Option<Vec<OsString>> {
    let (first, rest) = words.split_first()?;
    let name = COMMANDS.iter().find(|name| first == *name)?;
    if *name != "learn" {
        return Some(words.to_vec());
    }
    // The doctor of the exercises is an option of the machine's.
    let exercises = rest.iter().any(|word| word == "doctor").then(|| "--exercises".into());
    Some(rest.iter().cloned().chain(exercises).collect())
}

/// Runs the command of `cargo learn` for the words of the command line, and returns its exit status; none if they are a command
/// of `cargo x`.
///
/// # Errors
/// Returns an error if cargo cannot be started.
pub fn run(words: &[OsString]) -> Result<Option<u8>> {
    let Some(translated) = translate(words) else { return Ok(None) };
    let shown: Vec<_> = translated.iter().map(|word| word.to_string_lossy()).collect();
    eprintln!("note: this command is now `{}`", ["cargo learn", &shown.join(" ")].join(" ").trim_end());
    let status = learn().args(&translated).status().context("cargo cannot be started")?;
    Ok(Some(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_of_the_learner_are_forwarded_and_others_are_not() {
        let translated = |line: &str| {
            let words: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
            translate(&words).map(|words| words.iter().map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" "))
        };
        assert_eq!(translated("learn check 11").as_deref(), Some("check 11"));
        assert_eq!(translated("learn doctor --no-gpu").as_deref(), Some("doctor --no-gpu --exercises"));
        assert_eq!(translated("doctor --json").as_deref(), Some("doctor --json"));
        assert_eq!(translated("check a.cu --kernel k").as_deref(), Some("check a.cu --kernel k"));
        assert_eq!(translated("learn").as_deref(), Some(""));
        assert_eq!(translated("check-content"), None);
    }
}
