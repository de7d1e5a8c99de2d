//! `cargo learn`: does the exercises of a set, with `judge` as their judge.
//!
//! | module | contents |
//! |---|---|
//! | [`compiler`] | compiles kernels |
//! | [`advice`] | advice on errors of rustc |
//! | [`judging`] | judges a kernel against the solution in the folder of its exercise |
//! | [`refusal`] | files that `grade` refuses |
//! | [`requirements`] | what a set requires of its kernels |
//! | [`worker`] | judging in a child process with limits of time and memory, timing on a GPU |
//! | [`learner`] | a learner's folder and progress |
//! | [`output`] | text for the terminal |
//! | `actions` | what commands and keys have in common: check, hint, solution, reset, list |
//! | `watch` | the loop that checks each save |
//! | [`kernel_check`] | a run of any kernel under all checks |
//! | [`fetch`] | downloads of compilers |
//! | [`doctor`] | the tools of this machine |
//! | `command` | the command line |
//!
//! A verdict depends only on the kernel, not on time or machine. The time on a GPU of a kernel that passes is shown in
//! addition; it is taken with the PTX and the launches that were judged.

mod actions;
pub mod advice;
mod command;
pub mod compiler;
pub mod doctor;
pub mod fetch;
pub mod judging;
pub mod kernel_check;
pub mod learner;
pub mod output;
pub mod refusal;
pub mod requirements;
mod watch;
pub mod worker;

pub use command::{Learn, run};
