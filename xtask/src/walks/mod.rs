//! `cargo x walks`: the walks of CONTRIBUTING.md, done as they are described.
//!
//! A walk is a section with ```` ```diff ```` blocks and ```` ```console ```` blocks. In a copy of the workspace the
//! diffs are applied, and then the commands behind `$ ` are run; the lines that follow a command must occur in its
//! output, in this order, where `…` stands for anything. So what the document says cannot go stale unnoticed.

mod copy;
mod parse;

use crate::workspace::Workspace;
use anyhow::{Context, Result, bail, ensure};
use copy::Copy;
use parse::{Command, Walk, walks};
use std::fs;
use std::process::Stdio;
use std::time::Instant;

/// The document that has the walks.
const DOCUMENT: &str = "CONTRIBUTING.md";

/// Does the walks whose headings contain one of these words; all of them where there are none.
///
/// # Errors
/// A diff that does not apply, a command that fails, or output that lacks a line.
pub fn run(workspace: &Workspace, only: &[String]) -> Result<()> {
    let text = fs::read_to_string(workspace.root.join(DOCUMENT)).with_context(|| format!("cannot read {DOCUMENT}"))?;
    let walks = walks(&text);
    let is_chosen = |walk: &&Walk| {
        only.is_empty() || only.iter().any(|word| walk.heading.to_lowercase().contains(&word.to_lowercase()))
    };
    let chosen: Vec<&Walk> = walks.iter().filter(is_chosen).collect();
    if chosen.is_empty() {
        let headings: Vec<&str> = walks.iter().map(|walk| walk.heading).collect();
        bail!("no such walk in {DOCUMENT}; there are: {}", headings.join("; "));
    }
    for walk in chosen {
        let (heading, line, started) = (walk.heading, walk.line, Instant::now());
        println!("\n=== {heading}");
        follow(workspace, walk).with_context(|| format!("{DOCUMENT}:{line}: the walk `{heading}` does not work"))?;
        println!("=== {heading}: works, {:.0} s", started.elapsed().as_secs_f64());
    }
    Ok(())
}

fn follow(workspace: &Workspace, walk: &Walk) -> Result<()> {
    ensure!(!walk.commands.is_empty(), "it has a diff and no ```console block with a command to try it");
    let copy = Copy::of(workspace)?;
    for diff in &walk.diffs {
        copy.apply(diff)?;
    }
    walk.commands.iter().try_for_each(|command| execute(&copy, command))
}

/// Runs a command in the copy, and looks for the promised lines in its output.
fn execute(copy: &Copy, command: &Command) -> Result<()> {
    println!("$ {}", command.line);
    let words: Vec<&str> = command.line.split_whitespace().collect();
    let mut program = match words.as_slice() {
        // This program itself, which knows by an environment variable in which checkout it was started.
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
        _ => bail!("`{}`: a walk runs cargo alone", command.line),
    };
    let output =
        program.current_dir(&copy.root).env("CARGO_TARGET_DIR", &copy.target).stderr(Stdio::inherit()).output();
    let output = output.with_context(|| format!("cannot run `{}`", command.line))?;
    let text = String::from_utf8_lossy(&output.stdout);
    ensure!(output.status.success(), "`{}` failed:\n{text}", command.line);
    match missing(&text, &command.promised) {
        Some(line) => bail!("`{}` does not print `{line}`, or not in this order, but:\n{text}", command.line),
        None => Ok(()),
    }
}

/// The first of the promised lines that does not occur in a text behind the one before it.
fn missing<'a>(text: &str, promised: &[&'a str]) -> Option<&'a str> {
    let mut lines = text.lines();
    promised.iter().copied().find(|promise| !lines.any(|line| is_in(promise, &normal(line))))
}

/// Whether a line has all parts of a promise in order; `…` matches anything between them.
fn is_in(promise: &str, line: &str) -> bool {
    let mut rest = line;
    promise.split('…').all(|part| match rest.split_once(&normal(part)) {
        Some((_, behind)) => {
            rest = behind;
            true
        }
        None => false,
    })
}

/// A line with single spaces: columns of a table may be wider elsewhere.
fn normal(line: &str) -> String {
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn promised_lines_must_occur_in_order() {
        let text = "A  sums\nreduceLonely   8x128  exact\nend\n";
        assert_eq!(missing(text, &["reduceLonely 8x128 exact", "end"]), None);
        assert_eq!(missing(text, &["reduceLonely … exact"]), None);
        assert_eq!(missing(text, &["exact … reduceLonely"]), Some("exact … reduceLonely"));
        assert_eq!(missing(text, &["end", "reduceLonely"]), Some("reduceLonely"));
        assert_eq!(missing(text, &["FAILED"]), Some("FAILED"));
    }
}
