//! Running other programs.

use anyhow::{Context, Result, bail};
use std::process::Command;

/// Returns the cargo that runs this program.
pub fn cargo() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// Runs a program to its end, with the standard streams of this one.
///
/// # Errors
/// Returns an error, which names the program and its arguments, if it cannot be started or fails.
pub fn run(command: &mut Command) -> Result<()> {
    let shown = format!("{command:?}");
    let status = command.status().with_context(|| format!("cannot start {shown}"))?;
    if !status.success() {
        bail!("{shown} failed ({status})");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn success_is_ok() {
        run(cargo().arg("--version")).expect("cargo runs");
    }

    #[test]
    fn failure_names_the_command() {
        let error = run(cargo().arg("no-such-subcommand")).unwrap_err().to_string();
        assert!(error.contains("no-such-subcommand") && error.contains("failed"), "{error}");
    }

    #[test]
    fn a_missing_program_is_named() {
        let error = run(&mut Command::new("/no/such/program")).unwrap_err().to_string();
        assert!(error.starts_with("cannot start") && error.contains("/no/such/program"), "{error}");
    }
}
