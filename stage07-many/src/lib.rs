//! Stage 7: one problem, many GPUs.
//!
//! The lesson is in [`forces`], [`reduction`], [`galaxy`] and [`coulomb`]: strategies to share the work of a problem
//! among ranks, listed in [`STRATEGIES`]. A *rank* is a process with its own GPU, or with an emulated one. What all
//! strategies share, from starting ranks to the table of results, is in [`ranks`].

pub mod coulomb;
pub mod forces;
pub mod galaxy;
pub mod ranks;
pub mod reduction;

use ranks::options::{self, Options};
use ranks::process::say;
use ranks::start;
use ranks::strategy::Strategy;
use std::process::ExitCode;

/// All strategies, in the order of the table. Each strategy of a problem changes one thing of the one before.
pub static STRATEGIES: [&dyn Strategy; 12] = [
    &forces::HOST_STAGED,
    &forces::ALL_GATHER,
    &forces::OWN_BLOCK_FIRST,
    &forces::RING,
    &forces::THIRD_LAW,
    &forces::TWO_LEVEL,
    &forces::PEER_COPIES,
    &reduction::ALL_REDUCE,
    &galaxy::STEPS,
    &galaxy::STEPS_GRAPH,
    &coulomb::BY_POINTS,
    &coulomb::BY_ATOMS,
];

/// Runs the stage's program. The exit status is 0 if all results are correct, 1 if one is wrong or an operation failed,
/// 2 for invalid options.
#[must_use]
pub fn run() -> ExitCode {
    options::parse(&STRATEGIES).map_or_else(|code| code, |options| run_with(&options))
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
