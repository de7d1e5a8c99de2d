//! The exercises: their format, the judge that runs a learner's kernel, and `cargo x learn`.
//!
//! | module | contents |
//! |---|---|
//! | [`kernel_file`] | kernel files: language, compiler options, arguments as text, diagnoses with source lines |
//! | [`set`] | sets of exercises: cards, kernels and the marked regions in them |
//! | [`judge`] | the checks of a kernel on the emulator |
//! | [`worker`] | judging in a child process with limits of time and memory, timing on a GPU |
//! | [`learner`] | a learner's folder and progress |
//! | [`output`] | text for the terminal |
//! | `actions` | what commands and keys have in common: check, hint, solution, reset, list |
//! | `watch` | the loop that checks each save |
//! | `command` | the command line |
//!
//! A verdict depends only on the kernel, not on time or machine. The time on a GPU of a kernel that passes is shown in
//! addition; it is taken with the PTX and the launches that were judged.

mod actions;
mod command;
mod error;
pub mod judge;
pub mod kernel_file;
pub mod learner;
pub mod output;
pub mod set;
mod watch;
pub mod worker;

pub use command::{Learn, run};
pub use error::Error;
