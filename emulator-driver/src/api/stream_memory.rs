//! Words of device memory that streams write, and wait for.

use super::accesses::{accesses, strong_write};
use super::memory::DevicePointer;
use super::transfer::require_range;
use crate::boundary::api;
use crate::result::{CUresult, Outcome};
use crate::state::current::{Current, current};
use crate::state::graph::NodeKind;
use crate::state::order::Share;
use crate::state::{Handle, Stream};
use std::ffi::{c_uint, c_ulonglong};
use std::time::{Duration, Instant};

/// `CU_STREAM_WAIT_VALUE_FLUSH`, for writes by other devices, of which there are none.
const FLUSH: c_uint = 1 << 30;

/// `CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER`, which changes nothing: work before a write has run.
const NO_MEMORY_BARRIER: c_uint = 1;

/// How long a stream waits while nothing runs. Streams are synchronous, so that only other threads of the host can still
/// write the word, and a program of one thread that waits before it writes would wait for ever.
const PATIENCE: Duration = Duration::from_secs(3);

/// How often a stream that waits looks at its word.
const INTERVAL: Duration = Duration::from_micros(50);

/// Fails unless a word of `bytes` bytes is at `address`.
fn require_word(place: &Current, address: DevicePointer, bytes: usize) -> Outcome {
    if !address.is_multiple_of(bytes as u64) {
        return Err(CUresult::INVALID_VALUE.because(format!("{address:#x} is not aligned to {bytes} bytes")));
    }
    require_range(place, address, bytes)
}

/// What a word of `bits` bits must be: at least `value` (in the cyclic order), the same, have a bit in common with it, or a
/// bit that neither has.
fn condition(flags: c_uint, value: u64, bits: u32) -> Outcome<impl Fn(u64) -> bool> {
    if flags & FLUSH != 0 {
        return Err(CUresult::NOT_SUPPORTED.because("there are no other devices whose writes could be flushed"));
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
            place.driver.order.wait_for_word(&place.site(), address..address + bytes as u64);
            return Ok(());
        }
        if place.driver.contexts.find_first(|context| context.is_busy()).is_some() {
            last_work = Instant::now();
        }
        if last_work.elapsed() > PATIENCE {
            let detail = format!(
                "a stream waits for {address:#x}, and no other thread writes it: work of the emulator's streams runs at \
                 once, so the write has to come before the wait"
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
    place.give(NodeKind::MemoryOperation, move |place| {
        place.perform("write of a word", Share::Other, || {
            place.driver.memory.write(address, &value)?;
            Ok(accesses([strong_write(address, value.len())]))
        })
    })
}

api! {
    /// Waits until a word of 4 bytes is as the flags say.
    fn cuStreamWaitValue32(stream: Handle<Stream>, address: DevicePointer, value: c_uint, flags: c_uint) {
        wait(&current()?.on(stream)?, address, value.into(), 4, flags)
    }

    /// Waits until a word of 4 bytes is as the flags say.
    fn cuStreamWaitValue32_v2(stream: Handle<Stream>, address: DevicePointer, value: c_uint, flags: c_uint) {
        wait(&current()?.on(stream)?, address, value.into(), 4, flags)
    }

    /// Waits until a word of 8 bytes is as the flags say.
    fn cuStreamWaitValue64(stream: Handle<Stream>, address: DevicePointer, value: c_ulonglong, flags: c_uint) {
        wait(&current()?.on(stream)?, address, value, 8, flags)
    }

    /// Waits until a word of 8 bytes is as the flags say.
    fn cuStreamWaitValue64_v2(stream: Handle<Stream>, address: DevicePointer, value: c_ulonglong, flags: c_uint) {
        wait(&current()?.on(stream)?, address, value, 8, flags)
    }

    /// Writes a word of 4 bytes after all work before it.
    fn cuStreamWriteValue32(stream: Handle<Stream>, address: DevicePointer, value: c_uint, flags: c_uint) {
        write(&current()?.on(stream)?, address, &value.to_le_bytes(), flags)
    }

    /// Writes a word of 4 bytes after all work before it.
    fn cuStreamWriteValue32_v2(stream: Handle<Stream>, address: DevicePointer, value: c_uint, flags: c_uint) {
        write(&current()?.on(stream)?, address, &value.to_le_bytes(), flags)
    }

    /// Writes a word of 8 bytes after all work before it.
    fn cuStreamWriteValue64(stream: Handle<Stream>, address: DevicePointer, value: c_ulonglong, flags: c_uint) {
        write(&current()?.on(stream)?, address, &value.to_le_bytes(), flags)
    }

    /// Writes a word of 8 bytes after all work before it.
    fn cuStreamWriteValue64_v2(stream: Handle<Stream>, address: DevicePointer, value: c_ulonglong, flags: c_uint) {
        write(&current()?.on(stream)?, address, &value.to_le_bytes(), flags)
    }
}

#[cfg(test)]
mod tests {
    use super::condition;

    #[test]
    fn conditions_are_those_of_the_api() {
        let holds = |flags, value, bits, word| condition(flags, value, bits).unwrap()(word);
        // Greater or equal is cyclic: (int)(word - value) >= 0.
        assert!(holds(0, 5, 32, 5) && holds(0, 5, 32, 6) && !holds(0, 5, 32, 4));
        assert!(holds(0, 0xFFFF_FFFF, 32, 1) && !holds(0, 1, 32, 0xFFFF_FFFF));
        assert!(holds(0, u64::MAX, 64, 1) && !holds(0, 0x8000_0000, 64, 0));
        assert!(holds(1, 7, 32, 7) && !holds(1, 7, 32, 6));
        assert!(holds(2, 6, 32, 4) && !holds(2, 6, 32, 9));
        assert!(holds(3, 1, 32, 1) && !holds(3, 0xFFFF_0000, 32, 0xFFFF));
        assert!(holds(3, 0xFFFF_0000, 64, 0xFFFF));
        assert!(condition(4, 0, 32).is_err() && condition(1 << 30, 0, 32).is_err());
    }
}
