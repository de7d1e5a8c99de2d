//! What the stages of the course share.
//!
//! A stage is a table of rungs, [`stage::Stage`]; [`run()`] is its whole `main`. On the way: [`options`] are parsed and
//! become a [`plan`](mod@plan) for each kernel; a [`session`] opens a [`device`], loads the code by [`kernel`], lets the
//! [`problem`] make inputs, launch and compare ([`verify`]), and measures ([`timing`]); [`report`] says what came of it.
//! Modules use those before them, never the other way round. This crate knows no stage.

#[cfg(feature = "bench")]
pub mod bench;
mod check;
pub mod device;
pub mod error;
pub mod kernel;
pub mod limit;
pub mod options;
pub mod plan;
pub mod problem;
mod progress;
pub mod report;
mod run;
pub mod session;
pub mod stage;
pub mod timing;
pub mod verify;

pub use error::Error;
pub use run::run;
