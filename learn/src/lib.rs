//! Exercises: what they are, how a learner's kernel is judged, and the loop of editing and checking, `cargo x learn`.
//!
//! | module | what it knows |
//! |---|---|
//! | `set` | folders of cards and kernels |
//! | `judge` | a kernel against a card, on the emulator |
//! | `worker` | the same in a process that can be ended, and times on a GPU |
//! | `learner` | the folder that a learner works in |
//! | `command`, `watch` | what is typed, and what is said |
//!
//! A verdict is the same on every machine, since it knows no time. What a kernel that passes takes on a GPU is shown beside its
//! counts; the PTX and the launches that it is of are those of [`judge`].

mod command;
mod error;
mod judge;
mod learner;
mod set;
mod watch;
mod worker;

pub use command::{Learn, run};
pub use error::Error;
pub use judge::{Check, Count, Failure, Shown, Submission, Verdict, compile, counted, judge, shown, solve};
pub use set::{
    Card, Case, CaseLaunch, Exercise, Kind, LaunchLine, Limit, Medal, Question, Role, Score, Set, outside,
    without_expectation,
};
pub use worker::{OnGpu, Ran, run_on_device};
