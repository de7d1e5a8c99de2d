//! Functions that exist only in the emulator: counters, error messages and launch settings.
//!
//! A program opens the library and looks the functions up by name. If they are missing, the library is another driver.

use crate::arguments::Out;
use crate::state::{driver, estimates, report, settings};
use std::ffi::c_char;
use std::panic::{UnwindSafe, catch_unwind};

/// The version of this file's functions. It is incremented whenever the signature or meaning of a function, or the JSON that
/// it writes, changes incompatibly.
pub const ABI_VERSION: u32 = 4;

/// Returns [`ABI_VERSION`]. A program that was built against another version must not call the other functions of this file:
/// the library is stale.
#[unsafe(no_mangle)]
pub extern "C" fn coalesced_abi_version() -> u32 {
    ABI_VERSION
}

/// Writes as much of `text` as fits, and returns its full length.
///
/// # Safety
/// `buffer` is null or points to at least `capacity` bytes.
unsafe fn write(text: &str, buffer: Out<c_char>, capacity: usize) -> usize {
    // SAFETY: the caller's promise.
    unsafe { buffer.set_text(text, capacity) };
    text.len()
}

/// Writes a text like [`write`], and calls `forget` if it was written completely.
///
/// # Safety
/// `buffer` is null or points to at least `capacity` bytes.
unsafe fn take(
    text: impl FnOnce() -> String + UnwindSafe,
    forget: fn(),
    buffer: Out<c_char>,
    capacity: usize,
) -> usize {
    let text = catch_unwind(text).unwrap_or_default();
    if !buffer.is_null() && capacity > text.len() {
        forget();
    }
    // SAFETY: the caller's promise.
    unsafe { write(&text, buffer, capacity) }
}

/// Writes the counters of the calling thread's last launch as a JSON object of numbers, the fields of [`emulator::Counters`].
/// Returns the length of the text in bytes, without the terminating NUL.
///
/// At most `capacity` bytes are written, including the NUL; a longer text is truncated. The length is 0 if the thread has
/// launched nothing, if counters were off, or if the launch faulted.
///
/// # Safety
/// `buffer` is null, to query only the length, or points to at least `capacity` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn coalesced_last_counters(buffer: Out<c_char>, capacity: usize) -> usize {
    let json =
        || report::last_counters().and_then(|counters| serde_json::to_string(&counters).ok()).unwrap_or_default();
    let text = catch_unwind(json).unwrap_or_default();
    // SAFETY: the caller's promise.
    unsafe { write(&text, buffer, capacity) }
}

/// Writes the message of the calling thread's last failed driver call in UTF-8, for instance the full text of a kernel fault,
/// or all unsupported instructions of a module. Returns the length of the text in bytes, without the terminating NUL.
///
/// At most `capacity` bytes are written, including the NUL; a longer text is truncated. The length is 0 if no call has failed
/// or the status code has no further message.
///
/// # Safety
/// `buffer` is null, to query only the length, or points to at least `capacity` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn coalesced_last_error(buffer: Out<c_char>, capacity: usize) -> usize {
    let text = catch_unwind(report::last_error).unwrap_or_default();
    // SAFETY: the caller's promise.
    unsafe { write(&text, buffer, capacity) }
}

/// Turns the counters of later launches of all threads on (not 0) or off (0). They are off initially.
#[unsafe(no_mangle)]
pub extern "C" fn coalesced_set_counters(on: u32) {
    settings::set_counters(on != 0);
}

/// Runs all blocks of later launches of all threads (0), as initially, or only a sample (not 0), as [`emulator::launch_sampled`] does.
/// A launch that has no sample does not run. Checked launches have no samples.
#[unsafe(no_mangle)]
pub extern "C" fn coalesced_set_samples(on: u32) {
    settings::set_samples(on != 0);
}

/// Writes the samples of the calling thread's launches since the last complete answer as a JSON array. Its elements are arrays of two:
/// the kernel's name, and an [`emulator::Sample`], or `null` if the launch has none. Returns the length of the text in bytes, without the
/// terminating NUL.
///
/// At most `capacity` bytes are written, including the NUL; a longer text is truncated.
///
/// # Safety
/// `buffer` is null, to query only the length, or points to at least `capacity` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn coalesced_take_samples(buffer: Out<c_char>, capacity: usize) -> usize {
    // SAFETY: the caller's promise.
    unsafe {
        take(|| serde_json::to_string(&report::samples()).unwrap_or_default(), report::forget_samples, buffer, capacity)
    }
}

/// Turns the checks of later launches of all threads on (not 0) or off (0): races, reads of uninitialized memory, divergent
/// barriers. They are off initially. A checked launch has no counters. Reads of global memory are checked for allocations
/// made while checks are on.
#[unsafe(no_mangle)]
pub extern "C" fn coalesced_set_checks(on: u32) {
    settings::set_checks(on != 0);
    if let Ok(driver) = driver() {
        driver.memory.track_writes(on != 0);
        driver.order.forget_all();
    }
}

/// Writes the findings of the calling thread's checked launches, including faults, as a JSON array of [`emulator::Diagnosis`],
/// which is `[]` for correct kernels. Returns the length of the text in bytes, without the terminating NUL. Findings that
/// were written completely are removed.
///
/// At most `capacity` bytes are written, including the NUL; a longer text is truncated.
///
/// # Safety
/// `buffer` is null, to query only the length, or points to at least `capacity` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn coalesced_take_findings(buffer: Out<c_char>, capacity: usize) -> usize {
    // SAFETY: the caller's promise.
    unsafe {
        take(
            || serde_json::to_string(&report::findings()).unwrap_or_default(),
            report::forget_findings,
            buffer,
            capacity,
        )
    }
}

/// Turns the recording of later launches of all threads as scenes on (not 0) or off (0). It is off initially.
#[unsafe(no_mangle)]
pub extern "C" fn coalesced_set_scenes(on: u32) {
    settings::set_scenes(on != 0);
}

/// Writes the recorded launches of the calling thread as a JSON array of [`emulator::Scene`], including launches that faulted,
/// with the memory they had written. Returns the length of the text in bytes, without the terminating NUL. Scenes that were
/// written completely are removed.
///
/// At most `capacity` bytes are written, including the NUL; a longer text is truncated.
///
/// # Safety
/// `buffer` is null, to query only the length, or points to at least `capacity` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn coalesced_take_scenes(buffer: Out<c_char>, capacity: usize) -> usize {
    // SAFETY: the caller's promise.
    unsafe { take(|| report::scenes().unwrap_or_default(), report::forget_scenes, buffer, capacity) }
}

/// Turns estimates of the time that later launches of all threads would take on a GPU off (0) or on: beside the launch (1), or
/// instead of it (2), so that its results are missing. They are off initially.
#[unsafe(no_mangle)]
pub extern "C" fn coalesced_set_estimates(mode: u32) {
    settings::set_estimates(mode);
}

/// Sets the machine code of later launches of all threads, from which they are estimated if their kernels are in it: a listing
/// as [`predict::MachineCode::parse`] reads it, in UTF-8 with a terminating NUL. Without any, or with one that cannot be read, the
/// PTX serves.
///
/// # Safety
/// `listing` is null, for none, or points to a text that ends with a NUL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn coalesced_set_machine_code(listing: *const c_char) {
    // SAFETY: the caller's promise.
    let text = if listing.is_null() { c"" } else { unsafe { std::ffi::CStr::from_ptr(listing) } };
    estimates::set_machine_code(&text.to_string_lossy());
}

/// Sets the GPU that later launches of all threads are estimated for, by its index in [`predict::GPUS`]. It is the first one
/// initially, and with an index that is too large.
#[unsafe(no_mangle)]
pub extern "C" fn coalesced_set_estimated_gpu(index: usize) {
    settings::set_estimated_gpu(index);
}

/// Writes the estimates of the calling thread's launches as a JSON array of [`predict::Prediction`]. Returns the length of the
/// text in bytes, without the terminating NUL. Estimates that were written completely are removed.
///
/// At most `capacity` bytes are written, including the NUL; a longer text is truncated.
///
/// # Safety
/// `buffer` is null, to query only the length, or points to at least `capacity` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn coalesced_take_estimates(buffer: Out<c_char>, capacity: usize) -> usize {
    // SAFETY: the caller's promise.
    unsafe { take(|| estimates::text().unwrap_or_default(), estimates::forget, buffer, capacity) }
}

/// Sets the number of threads that run the blocks of later launches of all threads. 0, the initial value, means one per core.
#[unsafe(no_mangle)]
pub extern "C" fn coalesced_set_threads(threads: usize) {
    settings::set_threads(threads);
}

/// Sets the number of warp instructions after which later launches of all threads end with `CUDA_ERROR_LAUNCH_TIMEOUT`. 0, the
/// initial value, means no limit.
#[unsafe(no_mangle)]
pub extern "C" fn coalesced_set_instruction_budget(warp_instructions: u64) {
    settings::set_instruction_budget(warp_instructions);
}

/// Sets the number of warp instructions of one block after which later launches of all threads end likewise. 0, the initial
/// value, means no limit.
#[unsafe(no_mangle)]
pub extern "C" fn coalesced_set_block_budget(warp_instructions: u64) {
    settings::set_block_budget(warp_instructions);
}
