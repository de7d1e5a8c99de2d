//! The decompression of a download, chunk by chunk: the page's compiler is stored compressed by brotli.
//!
//! JavaScript writes a chunk to the buffer of `unpack_room(bytes)`, calls `unpack(bytes)`, and reads `unpacked_bytes()` bytes
//! from the returned address, which is 0 if the chunk is damaged. After the last chunk, `unpack_end()` returns 1 if the
//! download is complete. `unpack_reset()` begins another one.

use brotli_decompressor::DecompressorWriter;
use std::io::Write;

/// The size of the decoder's buffer of output, in bytes.
const BUFFER_BYTES: usize = 1 << 16;

/// A download that is decompressed.
pub struct Unpacker(DecompressorWriter<Vec<u8>>);

impl Default for Unpacker {
    fn default() -> Self {
        Self(DecompressorWriter::new(Vec::new(), BUFFER_BYTES))
    }
}

impl Unpacker {
    /// Decompresses the next chunk, and returns what it adds; `None` if it is damaged.
    pub fn unpack(&mut self, chunk: &[u8]) -> Option<Vec<u8>> {
        self.0.write_all(chunk).ok()?;
        self.0.flush().ok()?;
        Some(std::mem::take(self.0.get_mut()))
    }

    /// Returns whether the download is complete.
    pub fn is_complete(&mut self) -> bool {
        self.0.close().is_ok()
    }
}

#[cfg(target_family = "wasm")]
mod exports {
    use super::Unpacker;
    use std::cell::RefCell;

    /// The download, the room for a chunk, and what the last chunk added.
    #[derive(Default)]
    struct State {
        unpacker: Unpacker,
        chunk: Vec<u8>,
        unpacked: Vec<u8>,
    }

    thread_local! {
        // A module has one thread.
        static STATE: RefCell<State> = RefCell::default();
    }

    /// Begins a download.
    // SAFETY: no other symbol of the page's module has this name.
    #[unsafe(no_mangle)]
    pub extern "C" fn unpack_reset() {
        STATE.with_borrow_mut(|state| *state = State::default());
    }

    /// Returns the address of a buffer for a chunk of `bytes` bytes.
    // SAFETY: no other symbol of the page's module has this name.
    #[unsafe(no_mangle)]
    pub extern "C" fn unpack_room(bytes: usize) -> *mut u8 {
        STATE.with_borrow_mut(|state| {
            state.chunk.resize(bytes, 0);
            state.chunk.as_mut_ptr()
        })
    }

    /// Decompresses the first `bytes` bytes of the buffer, and returns the address of the output; 0 if they are damaged.
    // SAFETY: no other symbol of the page's module has this name.
    #[unsafe(no_mangle)]
    pub extern "C" fn unpack(bytes: usize) -> *const u8 {
        STATE.with_borrow_mut(|state| {
            let chunk = &state.chunk[..bytes.min(state.chunk.len())];
            let Some(unpacked) = state.unpacker.unpack(chunk) else { return std::ptr::null() };
            state.unpacked = unpacked;
            state.unpacked.as_ptr()
        })
    }

    /// Returns the length of the last output in bytes.
    // SAFETY: no other symbol of the page's module has this name.
    #[unsafe(no_mangle)]
    pub extern "C" fn unpacked_bytes() -> usize {
        STATE.with_borrow(|state| state.unpacked.len())
    }

    /// Returns 1 if the download is complete, and 0 otherwise.
    // SAFETY: no other symbol of the page's module has this name.
    #[unsafe(no_mangle)]
    pub extern "C" fn unpack_end() -> u32 {
        STATE.with_borrow_mut(|state| state.unpacker.is_complete().into())
    }
}
