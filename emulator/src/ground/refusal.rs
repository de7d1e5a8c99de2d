//! Why a module, an allocation or a launch was refused.

use super::fault::Fault;

/// Why a module was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The text is not PTX.
    #[error("PTX line {line}: {message}")]
    Syntax {
        /// Line of the PTX text, from 1.
        line: u32,
        /// What was found and what was expected.
        message: String,
    },
    /// It is PTX, with something that the emulator does not execute. All unknown instructions are listed.
    #[error("not supported by the emulator: {0}")]
    Unsupported(String),
    /// Its variables do not fit device memory.
    #[error("no memory for the variables of the module: {0}")]
    Memory(#[from] MemoryError),
}

/// Why a host-side access or an allocation was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MemoryError {
    /// The allocation does not fit what is left.
    #[error("{requested} bytes asked for, {available} bytes free")]
    OutOfMemory {
        /// Bytes asked for.
        requested: u64,
        /// Bytes left.
        available: u64,
    },
    /// The range is not inside one allocation.
    #[error("{bytes} bytes at {address:#x} are not inside one allocation")]
    InvalidRange {
        /// First byte of the range.
        address: u64,
        /// Length of the range.
        bytes: u64,
    },
}

/// Why a launch did not complete.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LaunchError {
    /// The shape or the arguments are not valid; nothing ran.
    #[error("invalid launch of `{kernel}`: {reason}")]
    Invalid {
        /// Kernel name.
        kernel: String,
        /// Which rule is broken, with the values.
        reason: String,
    },
    /// The kernel did something wrong; memory holds what it wrote up to then.
    #[error(transparent)]
    Fault(Box<Fault>),
}
