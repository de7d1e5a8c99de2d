//! Stage 7: one problem, many GPUs.
//!
//! The lesson is in [`forces`], [`reduction`], [`galaxy`] and [`coulomb`]: strategies to share the work of a problem
//! among ranks, listed in [`strategies`]. A *rank* is a process with its own GPU, or with an emulated one. What all
//! strategies share, from starting ranks to the table of results, is in [`ranks`].

pub mod coulomb;
pub mod forces;
pub mod galaxy;
pub mod ranks;
pub mod reduction;
pub mod strategies;

pub use ranks::program::run_exercise;
pub use strategies::STRATEGIES;

use std::process::ExitCode;

/// Runs the stage's program. The exit status is 0 if all results are correct, 1 if one is wrong or an operation failed,
/// 2 for invalid options.
#[must_use]
pub fn run() -> ExitCode {
    ranks::program::run(&STRATEGIES)
}
