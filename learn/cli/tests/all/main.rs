//! The tests of the crate and of the repository's set of exercises, in one program.

mod driver;
mod exercises;
mod learner;
mod output;
mod references;
mod worker;
