//! Sets of exercises: folders with cards and kernels, which need no other code.

mod card;
mod exercise;
mod launch_line;
mod region;

pub use card::{Card, Case, CaseLaunch, Kind, Limit, Medal, Part, Question, Score};
pub use exercise::{Exercise, Role, Set, sha256};
pub use launch_line::LaunchLine;
pub use region::{difference_outside, outside, without_expectation};
