//! The emulator's own functions, which no NVIDIA driver has: counters, error texts, how launches run.
//!
//! A program opens the library and asks for them by name; one that is not there means a real driver.

use crate::arguments::Out;
use crate::state::{driver, report, settings};
use std::ffi::{CStr, c_char};
use std::panic::catch_unwind;

const VERSION: &CStr = match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
    Ok(version) => version,
    Err(_) => panic!("one NUL, at the end"),
};

/// Writes as much of `text` as fits and returns its whole length.
///
/// # Safety
/// `buffer` is null or points to at least `capacity` bytes.
unsafe fn give(text: &str, buffer: Out<c_char>, capacity: usize) -> usize {
    // SAFETY: the caller's promise.
    unsafe { buffer.set_text(text, capacity) };
    text.len()
}

/// Writes the counters of the last launch of the calling thread as a JSON object of numbers, the fields of
/// [`emulator::Counters`], and returns the length of that text in bytes without its closing NUL.
///
/// At most `capacity` bytes are written, closing NUL included; a longer text is cut. The length is 0 if the thread has
/// launched nothing, if counters were off, or if the launch faulted.
///
/// # Safety
/// `buffer` is null, for the length alone, or points to at least `capacity` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn coalesced_last_counters(buffer: Out<c_char>, capacity: usize) -> usize {
    let json =
        || report::last_counters().and_then(|counters| serde_json::to_string(&counters).ok()).unwrap_or_default();
    // A panic has no text to give.
    let text = catch_unwind(json).unwrap_or_default();
    // SAFETY: the caller's promise.
    unsafe { give(&text, buffer, capacity) }
}

/// Writes what there is to tell about the last driver call of the calling thread that failed, in UTF-8, and returns the
/// length of that text in bytes without its closing NUL: the whole message of a kernel fault, all instructions of a
/// module that are not supported, the rule that a launch breaks, and so on.
///
/// At most `capacity` bytes are written, closing NUL included; a longer text is cut. The length is 0 if no call has
/// failed or the status code says it all.
///
/// # Safety
/// `buffer` is null, for the length alone, or points to at least `capacity` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn coalesced_last_error(buffer: Out<c_char>, capacity: usize) -> usize {
    let text = catch_unwind(report::last_error).unwrap_or_default();
    // SAFETY: the caller's promise.
    unsafe { give(&text, buffer, capacity) }
}

/// Turns the counters of later launches on (not 0) or off (0), for all threads. They are off at first.
#[unsafe(no_mangle)]
pub extern "C" fn coalesced_set_counters(on: u32) {
    settings::set_counters(on != 0);
}

/// Turns the checks of later launches on (not 0) or off (0), for all threads: races, reads of uninitialized memory,
/// divergent barriers. They are off at first. A checked launch takes no counters. Of reads of global memory, those from
/// allocations made while checks are on are judged.
#[unsafe(no_mangle)]
pub extern "C" fn coalesced_set_checks(on: u32) {
    settings::set_checks(on != 0);
    if let Ok(driver) = driver() {
        driver.memory.track_writes(on != 0);
        driver.order.forget_all();
    }
}

/// Writes what checked launches of the calling thread did wrong, faults among it, as a JSON array of
/// [`emulator::Diagnosis`], and returns the length of the array in bytes without its closing NUL: `[]` for clean
/// kernels. What was given whole is forgotten.
///
/// At most `capacity` bytes are written, closing NUL included; a longer text is cut.
///
/// # Safety
/// `buffer` is null, for the length alone, or points to at least `capacity` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn coalesced_take_findings(buffer: Out<c_char>, capacity: usize) -> usize {
    let text = catch_unwind(|| serde_json::to_string(&report::findings()).unwrap_or_default()).unwrap_or_default();
    if !buffer.is_null() && capacity > text.len() {
        report::forget_findings();
    }
    // SAFETY: the caller's promise.
    unsafe { give(&text, buffer, capacity) }
}

/// Writes what each device transferred since the last call, on all its streams, as a JSON array of objects with `device`,
/// `bytes`, and `exposed_bytes`: those of transfers that are ordered against every kernel of their device, so that nothing
/// could run beside them. Transfers are copies from and to the host, copies between devices, and what libraries tell of.
/// Returns the length of the array in bytes without its closing NUL. What was told without being given whole is kept for
/// the next call of the thread.
///
/// # Safety
/// `buffer` is null, for the length alone, or points to at least `capacity` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn coalesced_take_transfers(buffer: Out<c_char>, capacity: usize) -> usize {
    let take = || driver().map(|driver| driver.order.take_transferred()).unwrap_or_default();
    let text = catch_unwind(|| report::transfers(take)).unwrap_or_default();
    if !buffer.is_null() && capacity > text.len() {
        report::forget_transfers();
    }
    // SAFETY: the caller's promise.
    unsafe { give(&text, buffer, capacity) }
}

/// Keeps later launches as scenes (not 0) or not (0), for all threads. At first none is kept.
#[unsafe(no_mangle)]
pub extern "C" fn coalesced_set_scenes(on: u32) {
    settings::set_scenes(on != 0);
}

/// Writes the launches of the calling thread that were kept, as a JSON array of [`emulator::Scene`], and returns the
/// length of the array in bytes without its closing NUL. What was given whole is forgotten. A launch that faulted is
/// among them, with what it had written.
///
/// At most `capacity` bytes are written, closing NUL included; a longer text is cut.
///
/// # Safety
/// `buffer` is null, for the length alone, or points to at least `capacity` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn coalesced_take_scenes(buffer: Out<c_char>, capacity: usize) -> usize {
    let text = catch_unwind(|| report::scenes().unwrap_or_default()).unwrap_or_default();
    if !buffer.is_null() && capacity > text.len() {
        report::forget_scenes();
    }
    // SAFETY: the caller's promise.
    unsafe { give(&text, buffer, capacity) }
}

/// Sets how many threads run the blocks of later launches, for all threads: 0, as at first, for one a core.
#[unsafe(no_mangle)]
pub extern "C" fn coalesced_set_threads(threads: usize) {
    settings::set_threads(threads);
}

/// Sets after how many warp instructions a later launch ends with `CUDA_ERROR_LAUNCH_TIMEOUT`, for all threads: 0, as
/// at first, for never.
#[unsafe(no_mangle)]
pub extern "C" fn coalesced_set_instruction_budget(warp_instructions: u64) {
    settings::set_instruction_budget(warp_instructions);
}

/// Returns the version of this library as text that lives as long as the library.
#[unsafe(no_mangle)]
pub extern "C" fn coalesced_driver_version() -> *const c_char {
    VERSION.as_ptr()
}
