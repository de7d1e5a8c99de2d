//! The error of this crate, and the exit status that it leads to.

use std::path::{Path, PathBuf};

/// Why a stage could not do what it was asked to do.
///
/// Wrong results of a kernel are not an error: they are a row of the table, see [`Report`](crate::verify::Report).
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// An option that cannot be met. The text names the option, its value and the accepted range.
    #[error("{0}")]
    Usage(String),
    /// No device could be opened.
    #[error("{0}")]
    Open(String),
    /// A kernel could not be compiled or loaded.
    #[error("{0}")]
    Kernel(String),
    /// A kernel must be compiled, and its compiler is not installed.
    #[error("{reason}")]
    NoCompiler {
        /// Which kernel, and how to get the compiler.
        reason: String,
        /// Asks the user, fetches the compiler, and returns whether it is there now; `None` if it cannot be fetched.
        fetch: Option<fn() -> bool>,
    },
    /// A driver call failed, or a kernel stopped with a fault.
    #[error("{doing}: {reason}")]
    Driver {
        /// The attempted operation, with its launch shape.
        doing: String,
        /// The driver's name and text of the error, followed by the emulator's explanation.
        reason: String,
    },
    /// The device has not enough memory left.
    #[error("{doing}: {reason}")]
    OutOfMemory {
        /// The attempted operation.
        doing: String,
        /// The driver's name and text of the error, followed by the emulator's explanation.
        reason: String,
    },
    /// The emulator's counters could not be read.
    #[error("no counters: {0}")]
    Counters(String),
    /// The emulator's checks could not be switched, or their findings not be read.
    #[error("cannot check kernels: {0}")]
    Checks(String),
    /// The launches that the emulator recorded could not be read.
    #[error("cannot read the launches that the emulator recorded: {0}")]
    Scenes(String),
    /// The estimates of launches could not be read.
    #[error("cannot read the emulator's estimates: {0}")]
    Estimates(String),
    /// A file named by an option could not be written.
    #[error("cannot write {}: {reason}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The reason.
        reason: String,
    },
    /// The report could not be written.
    #[error("cannot write the report: {0}")]
    Write(#[from] std::io::Error),
    /// A record could not be serialized.
    #[error("cannot write a record as JSON: {0}")]
    Json(#[from] serde_json::Error),
}

impl Error {
    /// Returns the error for a file that cannot be written.
    pub(crate) fn file(path: &Path, reason: &impl ToString) -> Self {
        Self::File { path: path.to_owned(), reason: reason.to_string() }
    }

    /// Returns a line about the option that may help, if there is one.
    pub(crate) fn advice(&self) -> &'static str {
        match self {
            Self::Driver { reason, .. } if reason.contains("instruction budget used up") => {
                "\nIf no loop is endless, a larger --budget lets it run on."
            }
            _ => "",
        }
    }

    /// Returns the exit status of a program that ends with this error: 2 for wrong usage, 1 otherwise.
    #[must_use]
    pub fn exit_status(&self) -> u8 {
        if matches!(self, Self::Usage(_)) { 2 } else { 1 }
    }
}

/// Returns an error for an option that cannot be met.
pub(crate) fn usage<T>(text: String) -> Result<T, Error> {
    Err(Error::Usage(text))
}
