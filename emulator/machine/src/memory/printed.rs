//! The text that kernels print, until the host takes it.
//!
//! As on hardware, the buffer is circular: when it is full, the oldest text is overwritten.

use std::collections::VecDeque;

/// The initial capacity in bytes, CUDA's documented default. NVIDIA's buffer holds arguments instead of text, so other
/// lines fit into the same size.
pub const PRINTED_BYTES: usize = 1 << 20;

/// The text that kernels have printed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Printed {
    /// The text, with `�` for bytes that are not UTF-8.
    pub text: String,
    /// The number of bytes printed before the text that did not fit into the buffer.
    pub lost_bytes: u64,
}

impl Printed {
    /// Returns whether nothing was printed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.text.is_empty() && self.lost_bytes == 0
    }

    /// Returns a sentence about the lost text, if any.
    #[must_use]
    pub fn loss(&self) -> Option<String> {
        let Self { lost_bytes, text } = self;
        (*lost_bytes > 0).then(|| {
            format!(
                "printf: {lost_bytes} bytes printed before this text are lost, because the buffer is full after about {} \
                 bytes; print less, or enlarge it with cuCtxSetLimit(CU_LIMIT_PRINTF_FIFO_SIZE)",
                text.len()
            )
        })
    }
}

/// The circular buffer of a device.
#[derive(Debug)]
pub(super) struct PrintBuffer {
    bytes: VecDeque<u8>,
    pub(super) capacity: usize,
    lost: u64,
}

impl Default for PrintBuffer {
    fn default() -> Self {
        Self { bytes: VecDeque::new(), capacity: PRINTED_BYTES, lost: 0 }
    }
}

impl PrintBuffer {
    pub(super) fn add(&mut self, text: &[u8]) {
        self.bytes.extend(text);
        self.drop_oldest(self.bytes.len().saturating_sub(self.capacity));
    }

    fn drop_oldest(&mut self, count: usize) {
        self.bytes.drain(..count);
        self.lost += count as u64;
    }

    /// Empties the buffer. A line whose beginning is lost is lost as a whole.
    pub(super) fn take(&mut self) -> Printed {
        if self.lost > 0 {
            let rest_of_line = self.bytes.iter().position(|&byte| byte == b'\n').map_or(0, |end| end + 1);
            self.drop_oldest(rest_of_line);
        }
        let bytes: Vec<u8> = std::mem::take(&mut self.bytes).into();
        Printed { text: String::from_utf8_lossy(&bytes).into_owned(), lost_bytes: std::mem::take(&mut self.lost) }
    }
}
