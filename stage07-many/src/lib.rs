//! Stage 7: one problem, many GPUs.
//!
//! A *rank* is a process with a GPU of its own; without a GPU, with an emulated one. [`process`] says what it begins with,
//! [`rank`] what it has: streams, and a communicator of NCCL. A rank writes what it enqueues on a [`tape`], which can leave
//! out computing or exchange, and which counts. [`model`] predicts times. A [`rung`] is a way to share the work of a problem:
//! those of [`forces`], [`reduction`], [`galaxy`] and [`coulomb`] are the table of [`rungs`], from which [`options`] choose.
//! [`measure`] times them, [`report`] says what came of it, [`job`] is all that a rank does, and [`start`] how ranks come to
//! be. Modules use those that are named before them here, never the other way round.

pub mod coulomb;
pub mod forces;
pub mod galaxy;
pub mod job;
pub mod measure;
pub mod model;
pub mod options;
pub mod process;
pub mod rank;
pub mod reduction;
pub mod report;
pub mod rung;
pub mod rungs;
pub mod start;
pub mod tape;
pub mod tcp;

pub use rungs::RUNGS;

use std::process::ExitCode;

/// The `main` of the stage. The exit status is 0 if all results are right, 1 if one is wrong or something failed, 2 for
/// wrong options.
#[must_use]
pub fn run() -> ExitCode {
    match options::parse() {
        Ok(options) => run_with(&options),
        Err(code) => code,
    }
}

/// The `main` of an exercise: the stage's, with one rung as its table, and under the emulator's checks.
#[must_use]
pub fn exercise(rung: &'static dyn rung::Rung) -> ExitCode {
    rungs::become_exercise(rung);
    match options::parse() {
        Ok(options) => run_with(&options::Options { check: true, ..options }),
        Err(code) => code,
    }
}

fn run_with(options: &options::Options) -> ExitCode {
    let done = match start::role(options) {
        Ok(start::Role::Parent) => start::parent::run(options),
        Ok(start::Role::Probe) => start::probe(options),
        Ok(start::Role::Rank(place)) => job::run(options, &place),
        Err(error) => Err(error),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            process::say(&format!("{}error: {error}", start::prefix()));
            ExitCode::from(error.exit_status())
        }
    }
}
