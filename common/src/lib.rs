//! The framework of the stages.
//!
//! A stage is a table of rungs, [`stage::Stage`], and [`run()`] is its whole `main`: it parses the [`options`] into a plan
//! for each kernel, opens a [`device`] in a [`session`], loads the [`kernel`]s, lets each [`problem`] make inputs, launch
//! and compare ([`verify`]), times the launches ([`timing`]), and prints a [`report`]. A module imports only modules
//! below it, and none of them depends on a stage.

pub mod ceilings;
mod check;
pub mod checked;
pub mod columns;
pub mod device;
pub mod error;
pub mod format;
pub mod kernel;
mod list;
pub mod options;
pub mod outcome;
pub mod problem;
mod progress;
pub mod recorded;
mod refusals;
pub mod report;
mod run;
pub mod session;
pub mod shape;
pub mod stage;
pub mod timing;
mod twin;

pub use error::Error;
pub use reference::verify;
pub use run::run;
