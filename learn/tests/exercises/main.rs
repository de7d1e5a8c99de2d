//! The set of exercises, and the loop around them.

mod driver;
mod references;
mod set;
