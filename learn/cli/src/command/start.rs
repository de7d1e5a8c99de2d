//! `cargo learn start`.

use crate::compiler::ready;
use crate::learner::{Folder, remember};
use crate::output::say;
use cuda_cpp::Choice;
use judge::Error;
use judge::kernel_file::Language;
use judge::set::Set;
use std::path::Path;

/// Copies the exercises, and prepares the compiler, so that the first save does not have to wait for it.
pub fn run(
    path: &Path,
    is_usual: bool,
    (set, is_own): (&Set, bool),
    language: Language,
    choice: Option<Choice>,
) -> Result<(), Error> {
    let (folder, written) = Folder::begin(path, set, is_own, language)?;
    let shown = folder.path.display();
    match written {
        0 => say(&format!("All {} exercises are already in {shown}; nothing was changed.", set.exercises.len())),
        1 => say(&format!("1 exercise was copied to {shown}.")),
        _ => say(&format!("{written} exercises were copied to {shown}.")),
    }
    match ready(language, choice) {
        Ok(()) => say("The compiler works."),
        Err(Error::NoCompiler(text)) => say(&format!("Before the first check: {text}.")),
        Err(error) => return Err(error),
    }
    if let Some(first) = set.exercises.first() {
        say(&format!(
            "Open {} in your editor, and in the repository type in another terminal:",
            folder.file(first, language).display()
        ));
        // A set of one's own does not take the place of the course.
        if !is_own && remember(&folder.path) || is_usual {
            say("  cargo learn")
        } else {
            say(&format!("  cargo learn --folder {shown}"))
        }
    }
    Ok(())
}
