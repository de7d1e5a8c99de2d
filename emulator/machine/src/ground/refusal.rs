//! Errors: modules, allocations and launches that are refused.

use super::fault::Fault;

/// An error of [`crate::Module::load`], or the reason why a kernel is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The text is not valid PTX.
    #[error("PTX line {line}: {message}")]
    Syntax {
        /// The line in the PTX, counted from 1.
        line: u32,
        /// The error in that line.
        message: String,
    },
    /// The text is PTX that the emulator does not support. The message lists every unsupported instruction.
    #[error("not supported by the emulator: {0}")]
    Unsupported(String),
    /// The module's variables do not fit in device memory.
    #[error("not enough device memory for the variables of the module: {0}")]
    Memory(#[from] MemoryError),
}

/// An error of an allocation, or of an access by the host.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MemoryError {
    /// The allocation is larger than the free memory.
    #[error("{requested} bytes requested, {available} bytes free")]
    OutOfMemory {
        /// The requested size.
        requested: u64,
        /// The size of the free memory.
        available: u64,
    },
    /// The range is not within one allocation.
    #[error("{bytes} bytes at {address:#x} are not inside one allocation")]
    InvalidRange {
        /// The first byte of the range.
        address: u64,
        /// The length of the range.
        bytes: u64,
    },
}

/// An error of a launch.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LaunchError {
    /// The configuration or the arguments are invalid, and no thread has run.
    #[error("invalid launch of `{kernel}`: {reason}")]
    Invalid {
        /// The name of the kernel.
        kernel: String,
        /// The rule that is broken, with the values.
        reason: String,
    },
    /// The kernel did something wrong. Memory contains what it wrote before.
    #[error(transparent)]
    Fault(Box<Fault>),
}
