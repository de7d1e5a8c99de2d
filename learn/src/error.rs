//! Why the loop could not do what it was asked for. A wrong kernel is no error: see [`Verdict`](crate::Verdict).

use std::path::PathBuf;

/// What went wrong, with what to do.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The command line asks for something that is not there; the text says what there is.
    #[error("{0}")]
    Usage(String),
    /// A file or folder could not be read, written or watched.
    #[error("cannot {doing} {}: {reason}", path.display())]
    File {
        /// `read`, `write`, …
        doing: &'static str,
        /// The file.
        path: PathBuf,
        /// The system's words.
        reason: String,
    },
    /// A card or a file of a set of exercises is not what it should be.
    #[error("{}: {reason}", path.display())]
    Set {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// There is no compiler for the language; the text says how to get one.
    #[error("{0}")]
    NoCompiler(String),
    /// The process that runs the kernel, or the terminal, could not be used.
    #[error("{0}")]
    System(String),
}

impl Error {
    /// A file error from the system's.
    pub(crate) fn file(doing: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |reason| Self::File { doing, path, reason: reason.to_string() }
    }
}
