//! The set of exercises, and the loop around them.

mod references;
mod set;
