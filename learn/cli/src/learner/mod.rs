//! A learner's folder: the learner's kernels, and a text file with the progress.

mod folder;
mod progress_file;
mod remembered;
mod write;

pub use folder::{Folder, own_set};
pub use progress_file::{PROGRESS_FILE, progress_file, read_progress, write_progress};
pub use remembered::remember;
pub use write::{keep_before, write_new, write_whole};
