//! The one error of the crate, and the exit status it stands for. Errors of single modules become it as text.

use std::path::PathBuf;

/// Why a stage could not do what it was asked for.
///
/// A kernel with wrong results is no error of this kind: it is a row of the table, see
/// [`Report`](crate::verify::Report).
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The options cannot be met; the text names the option, its value and the accepted range.
    #[error("{0}")]
    Usage(String),
    /// No device could be opened.
    #[error("{0}")]
    Open(String),
    /// A kernel could not be compiled or loaded.
    #[error("{0}")]
    Kernel(String),
    /// A kernel must be compiled, and there is no compiler.
    #[error("{reason}")]
    NoCompiler {
        /// Which kernel, and how to get a compiler.
        reason: String,
        /// Offers to fetch one, and says whether it is there now; `None` where that would not help.
        offer: Option<fn() -> bool>,
    },
    /// A call of the driver failed, or a kernel stopped with a fault.
    #[error("{doing}: {reason}")]
    Driver {
        /// What was attempted, with its launch shape.
        doing: String,
        /// The driver's name and text of the error, and what the emulator adds to it.
        reason: String,
    },
    /// The emulator's counters could not be read.
    #[error("no counters: {0}")]
    Counters(String),
    /// The emulator's findings could not be read.
    #[error("cannot read the emulator's findings: {0}")]
    Findings(String),
    /// The launches that the emulator kept could not be read.
    #[error("cannot read the launches that the emulator kept: {0}")]
    Scenes(String),
    /// A file that an option names could not be written.
    #[error("cannot write {}: {reason}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What went wrong.
        reason: String,
    },
    /// The report could not be written.
    #[error("cannot write the report: {0}")]
    Write(#[from] std::io::Error),
    /// A record could not be made.
    #[error("cannot write a record as JSON: {0}")]
    Json(#[from] serde_json::Error),
}

impl Error {
    /// The exit status that tells a script what kind of failure this is: 2 for wrong usage, 1 for the rest.
    #[must_use]
    pub fn exit_status(&self) -> u8 {
        if matches!(self, Self::Usage(_)) { 2 } else { 1 }
    }

    /// Offers to fetch what was missing; whether it is there now, so that another try may succeed.
    #[must_use]
    pub fn is_overcome(&self) -> bool {
        matches!(self, Self::NoCompiler { offer: Some(offer), .. } if offer())
    }
}

/// Options that cannot be met.
pub(crate) fn usage<T>(text: String) -> Result<T, Error> {
    Err(Error::Usage(text))
}
