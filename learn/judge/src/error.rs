//! Errors of `cargo learn` and of the judge. A wrong kernel is not an error but a failed [`Verdict`](crate::Verdict).

use std::path::PathBuf;

/// An error, with advice if there is any.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The command line names something that does not exist. The text lists what does.
    #[error("{0}")]
    Usage(String),
    /// A file or folder could not be read, written or watched.
    #[error("cannot {doing} {}: {reason}", path.display())]
    File {
        /// The failed operation: `read`, `write`, …
        doing: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The system's message.
        reason: String,
    },
    /// A card or another file of a set or a learner's folder is invalid.
    #[error("{}: {reason}", path.display())]
    Set {
        /// The file.
        path: PathBuf,
        /// The problem.
        reason: String,
    },
    /// There is no compiler for the language. The text has the command that installs one.
    #[error("{0}")]
    NoCompiler(String),
    /// A process or the terminal could not be used.
    #[error("{0}")]
    System(String),
}

impl Error {
    /// Returns a function that makes a file error from the system's.
    pub fn file(doing: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |reason| Self::File { doing, path, reason: reason.to_string() }
    }
}
