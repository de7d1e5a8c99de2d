//! A learner's folder: the files that are worked on, and one text file with the progress.

mod folder;
mod progress;
mod write;

pub use folder::Folder;
pub use progress::{Entry, Progress};
pub use write::write_whole;
