//! The version, errors, and groups of calls.

use crate::arguments::{CommunicatorHandle, Out};
use crate::boundary::api;
use crate::communicator::find;
use crate::result::NcclResult;
use crate::{group, report};
use std::ffi::{c_char, c_int};
use std::panic::catch_unwind;

/// The version of this interface: NCCL 2.30.7.
const VERSION: c_int = 23007;

api! {
    /// Writes the version of the interface, 10000 × major + 100 × minor + patch.
    fn ncclGetVersion(version: Out<c_int>) {
        version.set(VERSION)
    }

    /// Writes the status of the communicator, `ncclSuccess` unless it has failed.
    fn ncclCommGetAsyncError(communicator: CommunicatorHandle, result: Out<NcclResult>) {
        result.set(find(communicator)?.health.failure().map_or(NcclResult::SUCCESS, |error| error.code))
    }

    /// Opens a group, which defers the calls of this thread to its end.
    fn ncclGroupStart() {
        group::start()
    }

    /// Closes a group. The outermost one runs its calls.
    fn ncclGroupEnd() {
        group::end()
    }
}

/// Returns a description of a status.
#[unsafe(no_mangle)]
pub extern "C" fn ncclGetErrorString(result: NcclResult) -> *const c_char {
    result.description().as_ptr()
}

/// Returns the message of this process's last failed call, empty if none has failed. The text is never freed.
#[unsafe(no_mangle)]
pub extern "C" fn ncclGetLastError(_communicator: CommunicatorHandle) -> *const c_char {
    catch_unwind(report::last_error_forever).unwrap_or(c"").as_ptr()
}
