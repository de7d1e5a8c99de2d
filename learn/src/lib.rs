//! Exercises: what they are, how a learner's kernel is judged, and the loop of editing and checking, `cargo x learn`.
//!
//! | module | what it knows |
//! |---|---|
//! | `set` | folders of cards and kernels |
//! | `judge` | a kernel against a card, on the emulator |
//! | `worker` | the same in a process that can be ended |
//! | `learner` | the folder that a learner works in |
//! | `command`, `watch` | what is typed, and what is said |
//!
//! A verdict is the same on every machine, since it knows no time. A time on a GPU would be one more field next to the counts of a
//! verdict that is passed: the PTX and the launches that it is of are those of [`judge`].

mod command;
mod error;
mod judge;
mod learner;
mod set;
mod watch;
mod worker;

pub use command::{Learn, run};
pub use error::Error;
pub use judge::{Check, Count, Failure, Submission, Verdict, compile, judge, solve};
pub use set::{
    Card, Case, CaseLaunch, Exercise, Kind, LaunchLine, Limit, Medal, Role, Score, Set, outside, without_expectation,
};
