//! The checks of a learner's kernel, in this order: it compiles, it runs to its end, the checks find nothing, its results are
//! the solution's, its counts are within the limits.
//!
//! Findings come before wrong results, because a race or a read of uninitialized memory is often the cause of a wrong value,
//! and a finding names a source line. The value alone would suggest an error in the arithmetic.

mod checks;
mod count;
mod counters;
mod device;
mod refusal;
mod required_counts;
mod results;
mod scenes;
mod solution;
mod submission;
mod verdict;

pub use checks::judge;
pub use count::Count;
pub use counters::{Counts, grouped};
pub use refusal::refusal;
pub use required_counts::{counts, first_line_with, value};
pub use results::difference;
pub use scenes::{CaseScene, count_text, scenes};
pub use solution::solve;
pub use submission::{Submission, compile, compiler_name, ready};
pub use verdict::{Check, Failure, OnGpu, Verdict};
