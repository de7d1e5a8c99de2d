//! A learner's folder: the files that are worked on, and one text file with the progress.

mod folder;
mod progress;
mod remembered;
mod write;

pub use folder::Folder;
pub use progress::{Entry, Progress};
pub use remembered::remember;
pub use write::write_whole;
