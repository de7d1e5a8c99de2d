//! Sets of exercises: folders with cards and kernels, which need no other code.

mod card;
mod case;
mod exercise;
mod expression;
mod launch_line;
mod region;
mod template;

pub use card::{Card, Kind, Limit, Medal, Question, Score, Wasteful};
pub use case::{Case, CaseLaunch, OTHER_INPUTS, Part};
pub use exercise::{Exercise, Role, Set, sha256};
pub use launch_line::LaunchLine;
pub use region::{difference_outside, outside, without_expectation};
