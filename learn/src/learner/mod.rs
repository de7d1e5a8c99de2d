//! A learner's folder: the learner's kernels, and a text file with the progress.

mod folder;
mod progress;
mod remembered;
mod write;

pub use folder::Folder;
pub use progress::{Entry, PROGRESS_FILE, Progress};
pub use remembered::remember;
pub use write::{keep_before, write_whole};
