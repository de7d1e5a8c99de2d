//! `cargo x walks`: the walks of CONTRIBUTING.md, followed step by step, so that they cannot become outdated unnoticed.
//!
//! A walk is a section with ```` ```diff ```` and ```` ```console ```` blocks. The diffs are applied to a copy of the
//! workspace, and then the commands after `$ ` are run. The lines below a command must occur in its output in this order,
//! where `…` stands for any text.

mod copy;
mod parse;

use crate::workspace::Workspace;
use anyhow::{Context, Result, bail, ensure};
use copy::Copy;
use parse::{Command, Walk, walks};
use std::fs;
use std::process::Stdio;
use std::time::Instant;

/// The document with the walks.
const DOCUMENT: &str = "CONTRIBUTING.md";

/// Follows the walks whose headings contain one of the words, or all walks if there are no words.
///
/// # Errors
/// Returns an error if a diff does not apply, if a command fails, or if its output lacks a line.
pub fn run(workspace: &Workspace, only: &[String]) -> Result<()> {
    let text = document(workspace)?;
    let walks = walks(&text);
    let is_chosen = |walk: &&Walk| {
        only.is_empty() || only.iter().any(|word| walk.heading.to_lowercase().contains(&word.to_lowercase()))
    };
    let chosen: Vec<&Walk> = walks.iter().filter(is_chosen).collect();
    if chosen.is_empty() {
        let headings: Vec<&str> = walks.iter().map(|walk| walk.heading).collect();
        bail!("no walk in {DOCUMENT} has such a heading; the headings are: {}", headings.join("; "));
    }
    for walk in chosen {
        let (heading, line, started) = (walk.heading, walk.line, Instant::now());
        println!("\n=== {heading}");
        follow(workspace, walk).with_context(|| format!("{DOCUMENT}:{line}: the walk `{heading}` does not work"))?;
        println!("=== {heading}: works, {:.0} s", started.elapsed().as_secs_f64());
    }
    Ok(())
}

/// Checks that the diffs of all walks apply to the workspace, which takes no build.
///
/// # Errors
/// Returns the first walk with a diff that does not apply.
pub fn require_applicable(workspace: &Workspace) -> Result<()> {
    for Walk { heading, line, diffs, .. } in walks(&document(workspace)?) {
        copy::require_applicable(&workspace.root, &diffs.concat())
            .with_context(|| format!("{DOCUMENT}:{line}: the walk `{heading}` is outdated"))?;
    }
    Ok(())
}

fn document(workspace: &Workspace) -> Result<String> {
    fs::read_to_string(workspace.root.join(DOCUMENT)).with_context(|| format!("cannot read {DOCUMENT}"))
}

fn follow(workspace: &Workspace, walk: &Walk) -> Result<()> {
    ensure!(!walk.commands.is_empty(), "it has a diff, but no ```console block with a command that tries it");
    let copy = Copy::of(workspace)?;
    for diff in &walk.diffs {
        copy.apply(diff)?;
    }
    walk.commands.iter().try_for_each(|command| execute(&copy, command))
}

/// Runs a command in the copy and looks for the expected lines in its output.
fn execute(copy: &Copy, command: &Command) -> Result<()> {
    println!("$ {}", command.line);
    let words: Vec<&str> = command.line.split_whitespace().collect();
    let mut program = match words.as_slice() {
        // This program, which takes its checkout from an environment variable.
        ["cargo", "x", rest @ ..] => {
            let mut program = std::process::Command::new(std::env::current_exe()?);
            program.args(rest).env("CARGO_MANIFEST_DIR", copy.root.join("xtask"));
            program
        }
        ["cargo", rest @ ..] => {
            let mut program = crate::command::cargo();
            program.args(rest).env_remove("CARGO_MANIFEST_DIR");
            program
        }
        _ => bail!("`{}`: a walk can only run cargo", command.line),
    };
    let output =
        program.current_dir(&copy.root).env("CARGO_TARGET_DIR", &copy.target).stderr(Stdio::inherit()).output();
    let output = output.with_context(|| format!("cannot run `{}`", command.line))?;
    let text = String::from_utf8_lossy(&output.stdout);
    ensure!(output.status.success(), "`{}` failed:\n{text}", command.line);
    match missing(&text, &command.expected) {
        Some(line) => {
            bail!("the output of `{}` lacks the line `{line}`, or has it in another order:\n{text}", command.line)
        }
        None => Ok(()),
    }
}

/// Returns the first expected line that does not occur in a text after the previous one.
fn missing<'a>(text: &str, expected: &[&'a str]) -> Option<&'a str> {
    let mut lines = text.lines();
    expected.iter().copied().find(|expected| !lines.any(|line| is_in(expected, &normal(line))))
}

/// Returns whether a line contains all parts of an expected line in order; `…` separates the parts.
fn is_in(expected: &str, line: &str) -> bool {
    let mut rest = line;
    expected.split('…').all(|part| match rest.split_once(&normal(part)) {
        Some((_, behind)) => {
            rest = behind;
            true
        }
        None => false,
    })
}

/// Returns a line with single spaces, since the columns of a table vary in width.
fn normal(line: &str) -> String {
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expected_lines_must_occur_in_order() {
        let text = "A  sums\nreduceLonely   8x128  exact\nend\n";
        assert_eq!(missing(text, &["reduceLonely 8x128 exact", "end"]), None);
        assert_eq!(missing(text, &["reduceLonely … exact"]), None);
        assert_eq!(missing(text, &["exact … reduceLonely"]), Some("exact … reduceLonely"));
        assert_eq!(missing(text, &["end", "reduceLonely"]), Some("reduceLonely"));
        assert_eq!(missing(text, &["FAILED"]), Some("FAILED"));
    }
}
