//! Version, and what went wrong.

use crate::arguments::{CommunicatorHandle, Out};
use crate::boundary::api;
use crate::communicator::find;
use crate::report;
use crate::result::NcclResult;
use std::ffi::{c_char, c_int};
use std::panic::catch_unwind;

/// NCCL 2.30.7, whose interface this is.
const VERSION: c_int = 23007;

api! {
    /// Writes the version of the interface, 10000 × major + 100 × minor + patch.
    fn ncclGetVersion(version: Out<c_int>) {
        version.set(VERSION)
    }

    /// Writes whether the communicator has failed, and how: `ncclSuccess` as long as it has not.
    fn ncclCommGetAsyncError(communicator: CommunicatorHandle, result: Out<NcclResult>) {
        result.set(find(communicator)?.health.failure().map_or(NcclResult::SUCCESS, |error| error.code))
    }
}

/// Returns a sentence on a status.
#[unsafe(no_mangle)]
pub extern "C" fn ncclGetErrorString(result: NcclResult) -> *const c_char {
    result.description().as_ptr()
}

/// Returns the text of the last call of this process that failed, empty if none has. It stays valid.
#[unsafe(no_mangle)]
pub extern "C" fn ncclGetLastError(_communicator: CommunicatorHandle) -> *const c_char {
    catch_unwind(report::last_error_forever).unwrap_or(c"").as_ptr()
}

/// Writes the text that `ncclGetLastError` returns, in UTF-8, and returns its length in bytes without its closing NUL. At most
/// `capacity` bytes are written, closing NUL included; a longer text is cut.
///
/// # Safety
/// `buffer` is null, for the length alone, or points to at least `capacity` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn coalesced_nccl_last_error(buffer: Out<c_char>, capacity: usize) -> usize {
    let text = catch_unwind(report::last_error).unwrap_or_default();
    // SAFETY: the caller's promise.
    unsafe { buffer.set_text(&text, capacity) };
    text.len()
}
