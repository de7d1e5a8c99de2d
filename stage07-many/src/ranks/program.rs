//! The main function of the stage's program and of its exercises.

use crate::ranks::options::{self, Options};
use crate::ranks::process::say;
use crate::ranks::start;
use crate::ranks::strategy::Strategy;
use std::process::ExitCode;

/// Runs the program with these strategies as its table. The exit status is 0 if all results are correct, 1 if one is
/// wrong or an operation failed, 2 for invalid options.
#[must_use]
pub fn run(strategies: &'static [&'static dyn Strategy]) -> ExitCode {
    options::parse(strategies).map_or_else(|code| code, |options| run_with(&options))
}

/// Runs the program with this strategy only, under the emulator's checks.
#[must_use]
pub fn run_exercise(strategy: &'static dyn Strategy) -> ExitCode {
    // Leaked once, for the duration of the program.
    let table = Vec::leak(vec![strategy]);
    options::parse(table).map_or_else(|code| code, |options| run_with(&Options { check: true, ..options }))
}

fn run_with(options: &Options) -> ExitCode {
    match start::run(options) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            say(&format!("{}error: {error}", start::prefix()));
            ExitCode::from(error.exit_status())
        }
    }
}
