//! NCCL's status codes, and the error type of this crate.

use serde::{Deserialize, Serialize};
use std::ffi::CStr;
use std::fmt::Display;

/// The status of a call. Only documented values exist, because callers convert the number to an enumeration unchecked.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NcclResult(u32);

/// The result of the body of a call.
pub type Outcome<T = ()> = Result<T, Error>;

/// A failure status, and a message about its cause.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Error {
    /// The status.
    pub code: NcclResult,
    /// The message.
    pub text: String,
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
    /// `ncclInvalidArgument`: an argument is invalid.
    pub const INVALID_ARGUMENT: Self = Self(4);
    /// `ncclInvalidUsage`: the calls do not match each other.
    pub const INVALID_USAGE: Self = Self(5);
    /// `ncclRemoteError`: another rank died, left, or did not join in time.
    pub const REMOTE_ERROR: Self = Self(6);

    /// Returns the error with this code and a message about its cause.
    pub fn because(self, text: impl Display) -> Error {
        Error { code: self, text: text.to_string() }
    }

    /// Returns a description of the status.
    #[must_use]
    pub fn description(self) -> &'static CStr {
        match self.0 {
            0 => c"no error",
            1 => c"unhandled cuda error (see the message on standard error)",
            2 => c"unhandled system error (see the message on standard error)",
            3 => c"internal error of the emulated NCCL",
            4 => c"invalid argument (see the message on standard error)",
            5 => c"invalid usage (see the message on standard error)",
            6 => c"remote process exited or there was a network error",
            7 => c"NCCL operation in progress",
            _ => c"unknown result code",
        }
    }
}
