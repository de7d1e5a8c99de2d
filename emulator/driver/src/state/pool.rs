//! Memory pools, from which allocations in stream order come. An emulated pool keeps no freed memory, because allocating is as
//! fast as taking it from a pool.

use super::handle::Object;
use super::lock;
use crate::result::{CUresult, Outcome};
use std::sync::Mutex;

/// A memory pool.
pub struct Pool {
    /// The ordinal of its device.
    pub(crate) device: u32,
    /// The most bytes that can be allocated from it at a time.
    limit: u64,
    used: Mutex<Use>,
    pub(crate) settings: Mutex<Settings>,
}

impl Object for Pool {
    const NOUN: &str = "memory pool";
    const UNKNOWN: CUresult = CUresult::INVALID_VALUE;
}

/// The bytes of a pool that are allocated.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Use {
    pub(crate) bytes: u64,
    /// The most bytes since the program has reset it.
    pub(crate) most_bytes: u64,
}

/// The attributes that programs set. They are stored for queries.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settings {
    /// `CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES`, `…_ALLOW_OPPORTUNISTIC` and `…_ALLOW_INTERNAL_DEPENDENCIES`.
    pub(crate) reuse: [i32; 3],
    /// `CU_MEMPOOL_ATTR_RELEASE_THRESHOLD`, in bytes.
    pub(crate) release_threshold: u64,
}

impl Pool {
    /// Returns a pool of a device. A `limit` of 0 is none.
    pub(crate) fn new(device: u32, limit: u64) -> Self {
        let settings = Settings { reuse: [1; 3], release_threshold: 0 };
        let limit = if limit == 0 { u64::MAX } else { limit };
        Self { device, limit, used: Mutex::default(), settings: Mutex::new(settings) }
    }

    /// Counts `bytes` bytes as allocated. Fails if the pool may not have so many.
    pub(crate) fn take(&self, bytes: u64) -> Outcome {
        let mut used = lock(&self.used);
        let Self { limit, .. } = self;
        let Some(after) = used.bytes.checked_add(bytes).filter(|after| after <= limit) else {
            let detail =
                format!("{bytes} bytes from a memory pool of at most {limit} bytes, {} of them used", used.bytes);
            return Err(CUresult::OUT_OF_MEMORY.because(detail));
        };
        *used = Use { bytes: after, most_bytes: after.max(used.most_bytes) };
        Ok(())
    }

    /// Counts `bytes` bytes as freed.
    pub(crate) fn give_back(&self, bytes: u64) {
        lock(&self.used).bytes -= bytes;
    }

    /// Returns the bytes that are allocated.
    pub(crate) fn usage(&self) -> Use {
        *lock(&self.used)
    }

    /// Makes the most bytes the bytes that are allocated now.
    pub(crate) fn reset_most(&self) {
        let mut used = lock(&self.used);
        used.most_bytes = used.bytes;
    }
}
