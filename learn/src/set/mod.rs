//! Sets of exercises: folders of cards and kernels. Nobody who writes one needs a line of Rust outside of kernels.

mod card;
mod exercise;
mod launch_line;
mod region;

pub use card::{Card, Case, CaseLaunch, Kind, Limit, Medal, Question, Score};
pub use exercise::{Exercise, Role, Set, sha256};
pub use launch_line::LaunchLine;
pub use region::{outside, without_expectation};
