//! One allocation of device memory, as the host and the blocks of a launch share it.

use super::written::Written;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;

/// The words of one allocation.
pub(super) type Words = Arc<[AtomicU32]>;

/// A range of device memory that a kernel may touch.
#[derive(Clone, Debug)]
pub(crate) struct Region {
    /// First byte.
    pub(crate) base: u64,
    /// Bytes asked for; the words reach up to 3 bytes further.
    pub(crate) bytes: u64,
    /// Whose memory it is in.
    pub(crate) device: u32,
    /// Whether it is constant memory, which only the host writes.
    pub(crate) constant: bool,
    /// Contents, little-endian.
    pub(crate) words: Words,
    /// What somebody wrote; `None` if nobody keeps account of it.
    pub(super) written: Option<Written>,
}

impl Region {
    /// Whether `bytes` bytes at `address` lie inside.
    #[inline(always)]
    pub(crate) fn holds(&self, address: u64, bytes: u64) -> bool {
        let offset = address.wrapping_sub(self.base);
        offset < self.bytes && bytes <= self.bytes - offset
    }

    /// Whether somebody wrote all of these bytes, which lie inside; also if nobody keeps account of it.
    pub(crate) fn is_written(&self, address: u64, bytes: u64) -> bool {
        self.written.as_ref().is_none_or(|written| written.holds(address - self.base, bytes))
    }

    /// Notes that these bytes, which lie inside, are written.
    pub(crate) fn mark_written(&self, address: u64, bytes: u64) {
        if let Some(written) = &self.written {
            written.mark(address - self.base, bytes);
        }
    }
}
