//! The judge of the exercises, and their format. It has no compiler and needs no files, so pages run it too.
//!
//! | module | contents |
//! |---|---|
//! | [`kernel_file`] | kernel files: language, arguments as text, diagnoses with source lines |
//! | [`set`] | sets of exercises: cards, kernels and the marked regions in them |
//! | [`judge()`] | the checks of a kernel on the emulator |
//! | [`progress`] | the format of a learner's progress |
//!
//! Checks are made in this order: the kernel compiles, it runs to its end, the checks find nothing, its results are the
//! solution's, its counts are within the limits. Findings come before wrong results, because a race or a read of
//! uninitialized memory is often the cause of a wrong value, and a finding names a source line. The value alone would suggest
//! an error in the arithmetic.

mod checks;
mod count;
mod counters;
mod device;
mod error;
mod estimate;
mod found;
pub mod kernel_file;
mod names;
pub mod progress;
mod random;
mod refusal;
mod required_counts;
mod results;
mod scenes;
pub mod set;
mod share;
mod solution;
mod submission;
mod unset;
mod verdict;

pub use checks::judge;
pub use count::Count;
pub use counters::{Counts, group_digits};
pub use error::Error;
pub use estimate::Estimated;
pub use found::Found;
pub use refusal::refusal;
pub use required_counts::{counts, first_line_with, value};
pub use results::difference;
pub use scenes::{CaseScene, count_text, scenes};
pub use share::Share;
pub use solution::solve;
pub use submission::Submission;
pub use verdict::{Check, Failure, OnGpu, Verdict};
