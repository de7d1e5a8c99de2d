//! `cargo x ci`: the checks that a change must pass, the same on a laptop and on a server.

use crate::clang_format;
use crate::command::{self, cargo};
use crate::instructions;
use crate::machine_code;
use crate::ptx;
use crate::walks;
use crate::workspace::Workspace;
use anyhow::{Context, Result, bail};
use std::process::Command;
use std::time::Instant;

/// A named check.
struct Step<'a> {
    name: &'static str,
    action: Box<dyn FnOnce() -> Result<()> + 'a>,
}

impl<'a> Step<'a> {
    fn new(name: &'static str, action: impl FnOnce() -> Result<()> + 'a) -> Self {
        Self { name, action: Box::new(action) }
    }

    /// A step that runs cargo in the root of the workspace.
    fn cargo(name: &'static str, workspace: &'a Workspace, arguments: &'static [&'static str]) -> Self {
        Self::new(name, move || command::run(cargo_in(workspace).args(arguments)))
    }
}

/// The steps that are run.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Suite {
    /// Format, lints, documentation, content and the tests that are not slow.
    Fast,
    /// All but the steps that run the programs.
    NoTest,
    /// All.
    Full,
}

/// Runs the steps of a suite in order and stops at the first failure.
///
/// # Errors
/// Returns the name of the failed step and the reason.
pub fn run(workspace: &Workspace, suite: Suite) -> Result<()> {
    let mut steps = vec![
        Step::cargo("format", workspace, &["fmt", "--all", "--check"]),
        Step::new("format of the kernels", || clang_format::run(workspace, true)),
        Step::cargo("lints", workspace, &["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]),
        Step::new("documentation", || {
            let mut rustdoc = cargo_in(workspace);
            command::run(rustdoc.args(["doc", "--workspace", "--no-deps"]).env("RUSTDOCFLAGS", "-D warnings"))
        }),
        Step::new("prebuilt PTX", || prebuilt_ptx(workspace)),
        Step::new("machine code", || machine_code::report_stale(&workspace.kernel_folders(&[])?)),
        Step::new("content", || check_content(workspace)),
        Step::new("diffs of the walks", || walks::require_applicable(workspace)),
    ];
    if suite == Suite::Fast {
        steps.push(Step::cargo("tests", workspace, &["test", "--workspace"]));
    }
    if suite == Suite::Full {
        steps.push(Step::cargo("tests", workspace, &["test", "--workspace", "--", "--include-ignored"]));
        // of what is compiled optimized, so not among those of the workspace
        let libraries = &["test", "--package", "emulator", "--package", "reference", "--lib"];
        steps.push(Step::cargo("tests inside of libraries", workspace, libraries));
        steps.push(Step::new("table of instructions", || instructions::run(workspace, true)));
    }
    run_steps(steps)
}

fn run_steps(steps: Vec<Step>) -> Result<()> {
    for step in steps {
        println!("\n=== {}", step.name);
        let start = Instant::now();
        (step.action)().with_context(|| format!("cargo x ci stopped at the step `{}`", step.name))?;
        println!("=== {}: passed in {:.1} s", step.name, start.elapsed().as_secs_f64());
    }
    Ok(())
}

fn cargo_in(workspace: &Workspace) -> Command {
    let mut cargo = cargo();
    cargo.current_dir(&workspace.root);
    cargo
}

/// Checks the book's content by the book's program, so that this program does not link mdBook.
///
/// # Errors
/// Returns an error if the content has mistakes, which that program has then printed.
pub fn check_content(workspace: &Workspace) -> Result<()> {
    command::run(cargo_in(workspace).args(["run", "--package", "book", "--", "check"]))
}

fn prebuilt_ptx(workspace: &Workspace) -> Result<()> {
    let stale = ptx::stale_files(&workspace.kernel_folders(&[])?)?;
    if !stale.is_empty() {
        bail!("run `cargo x ptx`; these are out of date:\n  {}", stale.join("\n  "));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;

    /// A step that succeeds and adds its name to `ran`.
    fn passing<'a>(name: &'static str, ran: &'a RefCell<Vec<&'static str>>) -> Step<'a> {
        Step::new(name, move || {
            ran.borrow_mut().push(name);
            Ok(())
        })
    }

    #[test]
    fn steps_run_in_order() {
        let ran = RefCell::new(Vec::new());
        run_steps(vec![passing("first", &ran), passing("second", &ran)]).expect("no step fails");
        assert_eq!(*ran.borrow(), ["first", "second"]);
    }

    #[test]
    fn failed_step_is_named_and_the_last_to_run() {
        let ran = RefCell::new(Vec::new());
        let error = run_steps(vec![Step::new("first", || bail!("broken")), passing("second", &ran)]).unwrap_err();
        assert_eq!(format!("{error:#}"), "cargo x ci stopped at the step `first`: broken");
        assert!(ran.borrow().is_empty());
    }
}
