//! Stage 7: one problem, many GPUs.
//!
//! A *rank* is a process with a GPU of its own; without a GPU, with an emulated one. [`start`] says how ranks come to be,
//! [`rank`] what each has: streams, and a communicator of NCCL. A [`rung`] is a way to share the work of a problem: what
//! each rank computes, and what moves when. It writes its step on a [`tape`], which can leave out the computing or the
//! exchange, so that [`measure`] gets the time of either, and which counts. [`model`] predicts the time. Modules use those
//! before them in this list, never the other way round.

pub mod coulomb;
pub mod forces;
pub mod galaxy;
mod job;
pub mod measure;
pub mod model;
pub mod options;
pub mod rank;
pub mod reduction;
pub mod report;
pub mod rung;
pub mod start;
pub mod tape;
mod tcp;

use rung::Rung;
use std::process::ExitCode;

/// The stage's table.
pub static RUNGS: [&dyn Rung; 12] = [
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

/// The `main` of the stage. The exit status is 0 if all results are right, 1 if one is wrong or something failed, 2 for
/// wrong options.
#[must_use]
pub fn run() -> ExitCode {
    let options = match options::parse() {
        Ok(options) => options,
        Err(code) => return code,
    };
    let done = match start::role(&options) {
        Ok(start::Role::Parent) => start::parent::run(&options),
        Ok(start::Role::Probe) => start::probe(&options),
        Ok(start::Role::Rank(place)) => job::run(&options, &place),
        Err(error) => Err(error),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{}error: {error}", start::prefix());
            ExitCode::from(error.exit_status())
        }
    }
}
