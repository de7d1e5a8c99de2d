//! Files that `grade` refuses: links, and texts that [`judge::refusal`] refuses.

use judge::Error;
use judge::kernel_file::{self, Language};
use judge::set::{Exercise, Role};
use std::path::Path;

/// Returns why a learner's file is refused, or `None` if it is not.
///
/// # Errors
/// The file or the skeleton cannot be read.
pub fn refusal(exercise: &Exercise, language: Language, file: &Path) -> Result<Option<String>, Error> {
    let metadata = std::fs::symlink_metadata(file).map_err(Error::file("read", file))?;
    if metadata.is_symlink() {
        return Ok(Some("it is a symbolic link".into()));
    }
    if kernel_file::oversize(file)?.is_some() {
        // Its verdict says that it is too large.
        return Ok(None);
    }
    let skeleton = exercise.source(&Role::Skeleton, language)?;
    Ok(judge::refusal(&kernel_file::read(file)?, &skeleton, language))
}
