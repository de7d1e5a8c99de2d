//! The actions that commands and the keys of a watcher have in common.

mod check;
mod help;
mod list;

pub use check::{Judged, check, verdict_text};
pub use help::{diff, hint, reset, solution};
pub use list::rows;
