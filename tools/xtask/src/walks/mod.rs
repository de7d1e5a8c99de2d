//! `cargo x walks`: the walks in `docs/walks`, followed step by step, so that they cannot become outdated unnoticed.
//!
//! A walk is a file with ```` ```diff ```` and ```` ```console ```` blocks. The diffs are applied to a copy of the
//! workspace, and then the commands after `$ ` are run. The lines below a command must occur in its output in this order,
//! where `…` stands for any text.

mod copy;
mod parse;

use crate::workspace::{self, Workspace};
use anyhow::{Context, Result, bail, ensure};
use copy::Copy;
use parse::{Command, Walk};
use std::ffi::OsString;
use std::process::Stdio;
use std::time::Instant;

/// The folder with the walks, one in each file.
const FOLDER: &str = "docs/walks";

/// Set for the commands of a walk, in whose copy the diffs of the walks do not apply any more.
const IN_A_COPY: &str = "COALESCED_WALK";

/// Follows the walks whose names contain one of the words, or all walks if there are no words.
///
/// # Errors
/// Returns an error if a diff does not apply, if a command fails, or if its output lacks a line.
pub fn run(workspace: &Workspace, only: &[String]) -> Result<()> {
    let files = read_files(workspace)?;
    let is_chosen = |name: &str| only.is_empty() || only.iter().any(|word| name.contains(&word.to_lowercase()));
    let chosen: Vec<_> = files.iter().filter(|(name, _)| is_chosen(name)).collect();
    if chosen.is_empty() {
        let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
        bail!("no walk of {FOLDER} has such a name; the names are: {}", names.join(", "));
    }
    for (name, text) in chosen {
        let started = Instant::now();
        println!("\n=== {name}");
        follow(workspace, &Walk::parse(text)).with_context(|| format!("{FOLDER}/{name}: the walk does not work"))?;
        println!("=== {name}: works, {:.0} s", started.elapsed().as_secs_f64());
    }
    Ok(())
}

/// Checks that the diffs of all walks apply to the workspace, which takes no build.
///
/// # Errors
/// Returns the first walk with a diff that does not apply.
pub fn require_applicable(workspace: &Workspace) -> Result<()> {
    if std::env::var_os(IN_A_COPY).is_some() {
        return Ok(());
    }
    for (name, text) in read_files(workspace)? {
        copy::require_applicable(&workspace.root, &Walk::parse(&text).diffs.concat())
            .with_context(|| format!("{FOLDER}/{name}: the walk is outdated"))?;
    }
    Ok(())
}

/// Returns the names and the texts of the walks, sorted by name.
fn read_files(workspace: &Workspace) -> Result<Vec<(String, String)>> {
    let files = workspace::files(&workspace.root.join(FOLDER), "md")?;
    files.iter().map(|file| Ok((workspace::file_name(file), workspace::read(file)?))).collect()
}

fn follow(workspace: &Workspace, walk: &Walk) -> Result<()> {
    ensure!(!walk.diffs.is_empty(), "it has no ```diff block");
    ensure!(!walk.commands.is_empty(), "it has no ```console block with a command that tries its diff");
    let copy = Copy::new(workspace)?;
    for diff in &walk.diffs {
        copy.apply(diff)?;
    }
    walk.commands.iter().try_for_each(|command| execute(&copy, command))
}

/// Runs a command in the copy and looks for the expected lines in its output.
fn execute(copy: &Copy, command: &Command) -> Result<()> {
    println!("$ {}", command.line);
    let is_setting = |word: &&str| word.contains('=');
    let words: Vec<&str> = command.line.split_whitespace().collect();
    let (settings, words) = words.split_at(words.iter().take_while(|word| is_setting(word)).count());
    let mut program = match words {
        // This program, which takes its checkout from an environment variable.
        ["cargo", "x", rest @ ..] => {
            let mut program = std::process::Command::new(std::env::current_exe()?);
            program.args(rest).env("CARGO_MANIFEST_DIR", copy.root.join("tools/xtask"));
            program
        }
        ["cargo", rest @ ..] => {
            let mut program = crate::command::cargo();
            program.args(rest).env_remove("CARGO_MANIFEST_DIR");
            program
        }
        _ => bail!("`{}`: a walk can only run cargo", command.line),
    };
    program.current_dir(&copy.root).env("CARGO_TARGET_DIR", &copy.target).env(IN_A_COPY, "1");
    program.env("PATH", path_with_formatter(copy)?);
    program.envs(settings.iter().filter_map(|setting| setting.split_once('=')));
    let output = program.stderr(Stdio::inherit()).output();
    let output = output.with_context(|| format!("cannot run `{}`", command.line))?;
    let text = String::from_utf8_lossy(&output.stdout);
    ensure!(output.status.success(), "`{}` failed:\n{text}", command.line);
    match find_missing(&text, &command.expected) {
        Some(line) => {
            bail!("the output of `{}` lacks the line `{line}`, or has it in another order:\n{text}", command.line)
        }
        None => Ok(()),
    }
}

/// Returns the path of programs, with the formatter of kernels that is installed in the workspace's own target folder.
fn path_with_formatter(copy: &Copy) -> Result<OsString> {
    let formatter = copy.target.join("../../clang-format/clang_format/data/bin");
    let path = std::env::var_os("PATH").unwrap_or_default();
    Ok(std::env::join_paths([formatter].into_iter().chain(std::env::split_paths(&path)))?)
}

/// Returns the first expected line that does not occur in a text after the previous one.
fn find_missing<'a>(text: &str, expected: &[&'a str]) -> Option<&'a str> {
    let mut lines = text.lines();
    expected.iter().copied().find(|expected| !lines.any(|line| is_in(expected, &normalize(line))))
}

/// Returns whether a line contains all parts of an expected line in order; `…` separates the parts.
fn is_in(expected: &str, line: &str) -> bool {
    let mut rest = line;
    expected.split('…').all(|part| match rest.split_once(&normalize(part)) {
        Some((_, behind)) => {
            rest = behind;
            true
        }
        None => false,
    })
}

/// Returns a line with single spaces, since the columns of a table vary in width.
fn normalize(line: &str) -> String {
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expected_lines_must_occur_in_order() {
        let text = "A  sums\nreduceLonely   8x128  exact\nend\n";
        assert_eq!(find_missing(text, &["reduceLonely 8x128 exact", "end"]), None);
        assert_eq!(find_missing(text, &["reduceLonely … exact"]), None);
        assert_eq!(find_missing(text, &["exact … reduceLonely"]), Some("exact … reduceLonely"));
        assert_eq!(find_missing(text, &["end", "reduceLonely"]), Some("reduceLonely"));
        assert_eq!(find_missing(text, &["FAILED"]), Some("FAILED"));
    }
}
