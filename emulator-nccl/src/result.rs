//! NCCL's status codes, and the error that carries one through this crate.

use serde::{Deserialize, Serialize};
use std::ffi::CStr;
use std::fmt::Display;

/// Status of a call. Only documented values exist: callers turn the number into an enumeration unchecked.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NcclResult(u32);

/// What the body of a call returns.
pub(crate) type Outcome<T = ()> = Result<T, Error>;

/// A status that is not success, and what there is to say about it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Error {
    pub(crate) code: NcclResult,
    pub(crate) text: String,
}

impl NcclResult {
    /// `ncclSuccess`.
    pub const SUCCESS: Self = Self(0);
    /// `ncclUnhandledCudaError`: a call of the CUDA driver failed.
    pub const CUDA_ERROR: Self = Self(1);
    /// `ncclSystemError`: a call of the operating system failed.
    pub const SYSTEM_ERROR: Self = Self(2);
    /// `ncclInternalError`: this library failed.
    pub const INTERNAL_ERROR: Self = Self(3);
    /// `ncclInvalidArgument`: one argument is wrong by itself.
    pub const INVALID_ARGUMENT: Self = Self(4);
    /// `ncclInvalidUsage`: the calls do not fit together.
    pub const INVALID_USAGE: Self = Self(5);
    /// `ncclRemoteError`: another rank died, left, or was not there in time.
    pub const REMOTE_ERROR: Self = Self(6);

    /// Returns the error of this code with `text` to tell.
    pub(crate) fn because(self, text: impl Display) -> Error {
        Error { code: self, text: text.to_string() }
    }

    /// Returns a sentence on what the status means.
    #[must_use]
    pub fn description(self) -> &'static CStr {
        match self.0 {
            0 => c"no error",
            1 => c"unhandled cuda error (the message on standard error says which)",
            2 => c"unhandled system error (the message on standard error says which)",
            3 => c"internal error of the emulator's NCCL",
            4 => c"invalid argument (the message on standard error says which)",
            5 => c"invalid usage (the message on standard error says what does not fit)",
            6 => c"remote process exited or there was a network error",
            7 => c"NCCL operation in progress",
            _ => c"unknown result code",
        }
    }
}
