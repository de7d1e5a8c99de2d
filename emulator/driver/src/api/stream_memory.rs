//! Stream memory operations: streams that write words of device memory and wait for them.

use super::accesses::{accesses, strong_write};
use super::range::{DevicePointer, require_range};
use crate::boundary::api;
use crate::result::{CUresult, Outcome};
use crate::state::current::{Current, on_stream};
use crate::state::graph::NodeKind;
use crate::state::stream_order::WorkKind;
use crate::state::{Handle, Stream};
use std::ffi::{c_uint, c_ulonglong};
use std::time::{Duration, Instant};

/// `CU_STREAM_WAIT_VALUE_FLUSH`, for remote writes by other devices, which do not occur.
const FLUSH: c_uint = 1 << 30;

/// `CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER`, which has no effect: work before a write has run.
const NO_MEMORY_BARRIER: c_uint = 1;

/// The time limit of a wait while no work runs. Streams are synchronous, so only other host threads can still write the word,
/// and a single-threaded program that waits before it writes would never return.
const TIME_LIMIT: Duration = Duration::from_secs(3);

/// The interval at which a waiting stream polls its word.
const INTERVAL: Duration = Duration::from_micros(50);

/// Fails unless there is an aligned word of `bytes` bytes at `address`.
fn require_word(place: &Current, address: DevicePointer, bytes: usize) -> Outcome {
    if !address.is_multiple_of(bytes as u64) {
        return Err(CUresult::INVALID_VALUE.because(format!("{address:#x} is not aligned to {bytes} bytes")));
    }
    require_range(place, address, bytes)
}

/// Returns the predicate that a wait with these flags applies to a word of `bits` bits: greater than or equal to `value` in
/// cyclic order, equal to it, `word & value` not zero, or `!(word | value)` not zero.
fn condition(flags: c_uint, value: u64, bits: u32) -> Outcome<impl Fn(u64) -> bool> {
    if flags & FLUSH != 0 {
        return Err(CUresult::NOT_SUPPORTED.because("CU_STREAM_WAIT_VALUE_FLUSH is not supported"));
    }
    if flags > 3 {
        return Err(CUresult::INVALID_VALUE.because(format!("wait flags {flags:#x}")));
    }
    let unused = u64::BITS - bits;
    Ok(move |word: u64| match flags {
        0 => (word.wrapping_sub(value) << unused) as i64 >= 0,
        1 => word == value,
        2 => word & value != 0,
        _ => !(word | value) << unused != 0,
    })
}

fn wait(place: &Current, address: DevicePointer, value: u64, bytes: usize, flags: c_uint) -> Outcome {
    let holds = condition(flags, value, 8 * bytes as u32)?;
    require_word(place, address, bytes)?;
    place.require_uncaptured()?;
    let mut last_work = Instant::now();
    loop {
        place.context.check()?;
        let mut word = [0; 8];
        place.driver.memory.read(address, &mut word[..bytes])?;
        if place.context.is_faulted() || holds(u64::from_le_bytes(word)) {
            place.driver.order.wait_for_word(&place.placement(), address..address + bytes as u64);
            return Ok(());
        }
        if place.driver.contexts.find_first(|context| context.is_busy()).is_some() {
            last_work = Instant::now();
        }
        if last_work.elapsed() > TIME_LIMIT {
            let detail = format!(
                "a stream waits for the word at {address:#x}, and no other thread writes it: the emulator's streams are \
                 synchronous, so submit the write before the wait"
            );
            return Err(CUresult::LAUNCH_TIMEOUT.because(detail));
        }
        std::thread::sleep(INTERVAL);
    }
}

fn write(place: &Current, address: DevicePointer, value: &[u8], flags: c_uint) -> Outcome {
    if flags & !NO_MEMORY_BARRIER != 0 {
        return Err(CUresult::INVALID_VALUE.because(format!("write flags {flags:#x}")));
    }
    require_word(place, address, value.len())?;
    let value = value.to_vec();
    place.submit(NodeKind::MemoryOperation, move |place| {
        place.perform("write of a word", WorkKind::Other, || {
            place.driver.memory.write(address, &value)?;
            Ok(accesses([strong_write(address, value.len())]))
        })
    })
}

api! {
    /// Waits until a word of 4 bytes meets the condition of the flags.
    fn cuStreamWaitValue32(stream: Handle<Stream>, address: DevicePointer, value: c_uint, flags: c_uint) {
        wait(&on_stream(stream)?, address, value.into(), 4, flags)
    }

    /// Waits until a word of 4 bytes meets the condition of the flags.
    fn cuStreamWaitValue32_v2(stream: Handle<Stream>, address: DevicePointer, value: c_uint, flags: c_uint) {
        wait(&on_stream(stream)?, address, value.into(), 4, flags)
    }

    /// Waits until a word of 8 bytes meets the condition of the flags.
    fn cuStreamWaitValue64(stream: Handle<Stream>, address: DevicePointer, value: c_ulonglong, flags: c_uint) {
        wait(&on_stream(stream)?, address, value, 8, flags)
    }

    /// Waits until a word of 8 bytes meets the condition of the flags.
    fn cuStreamWaitValue64_v2(stream: Handle<Stream>, address: DevicePointer, value: c_ulonglong, flags: c_uint) {
        wait(&on_stream(stream)?, address, value, 8, flags)
    }

    /// Writes a word of 4 bytes after all earlier work.
    fn cuStreamWriteValue32(stream: Handle<Stream>, address: DevicePointer, value: c_uint, flags: c_uint) {
        write(&on_stream(stream)?, address, &value.to_le_bytes(), flags)
    }

    /// Writes a word of 4 bytes after all earlier work.
    fn cuStreamWriteValue32_v2(stream: Handle<Stream>, address: DevicePointer, value: c_uint, flags: c_uint) {
        write(&on_stream(stream)?, address, &value.to_le_bytes(), flags)
    }

    /// Writes a word of 8 bytes after all earlier work.
    fn cuStreamWriteValue64(stream: Handle<Stream>, address: DevicePointer, value: c_ulonglong, flags: c_uint) {
        write(&on_stream(stream)?, address, &value.to_le_bytes(), flags)
    }

    /// Writes a word of 8 bytes after all earlier work.
    fn cuStreamWriteValue64_v2(stream: Handle<Stream>, address: DevicePointer, value: c_ulonglong, flags: c_uint) {
        write(&on_stream(stream)?, address, &value.to_le_bytes(), flags)
    }
}
