//! Host memory that the driver allocated, or that the caller registered.

use super::lock;
use crate::result::{CUresult, Outcome};
use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::collections::{BTreeMap, HashMap};
use std::sync::Mutex;

/// Alignment of what is allocated, in bytes: pages, as pinned memory comes.
const PAGE_BYTES: usize = 4096;

/// Host memory that CUDA calls page-locked. The emulator runs on the host, so it is ordinary memory.
#[derive(Default)]
pub(crate) struct HostMemory {
    /// Layouts by address.
    allocated: Mutex<HashMap<usize, Layout>>,
    /// Lengths by address.
    registered: Mutex<BTreeMap<usize, usize>>,
}

impl HostMemory {
    /// Allocates zeroed memory; null for 0 bytes, as the driver does.
    pub(crate) fn allocate(&self, bytes: usize) -> Outcome<*mut u8> {
        if bytes == 0 {
            return Ok(std::ptr::null_mut());
        }
        let too_much = || CUresult::OUT_OF_MEMORY.because(format!("{bytes} bytes of host memory"));
        let layout = Layout::from_size_align(bytes, PAGE_BYTES).map_err(|_| too_much())?;
        // SAFETY: the layout's size is not zero.
        let pointer = unsafe { alloc_zeroed(layout) };
        if pointer.is_null() {
            return Err(too_much());
        }
        lock(&self.allocated).insert(pointer.expose_provenance(), layout);
        Ok(pointer)
    }

    /// Frees what [`Self::allocate`] returned; null is nothing to free. Fails for every other address.
    pub(crate) fn free(&self, address: usize) -> Outcome {
        if address == 0 {
            return Ok(());
        }
        let foreign =
            || CUresult::INVALID_VALUE.because(format!("host memory {address:#x} is not from cuMemHostAlloc"));
        let layout = lock(&self.allocated).remove(&address).ok_or_else(foreign)?;
        // SAFETY: the allocator returned this address for this layout, and it left the table only now.
        unsafe { dealloc(std::ptr::with_exposed_provenance_mut(address), layout) };
        Ok(())
    }

    /// Whether an address is in memory that was allocated or registered here: page-locked.
    pub(crate) fn holds(&self, address: usize) -> bool {
        let inside = |base: usize, bytes: usize| address.wrapping_sub(base) < bytes;
        let registered = lock(&self.registered).range(..=address).next_back().map(|(&base, &bytes)| (base, bytes));
        registered.is_some_and(|(base, bytes)| inside(base, bytes))
            || lock(&self.allocated).iter().any(|(&base, layout)| inside(base, layout.size()))
    }

    /// Notes `bytes` bytes at `address` as registered; fails if any of them are already.
    pub(crate) fn register(&self, address: usize, bytes: usize) -> Outcome {
        let end = address.checked_add(bytes).filter(|_| address != 0 && bytes != 0);
        let end = end.ok_or_else(|| CUresult::INVALID_VALUE.because(format!("{bytes} bytes at {address:#x}")))?;
        let mut registered = lock(&self.registered);
        let below = registered.range(..end).next_back();
        if below.is_some_and(|(base, length)| base + length > address) {
            return Err(CUresult::HOST_MEMORY_ALREADY_REGISTERED.into());
        }
        registered.insert(address, bytes);
        Ok(())
    }

    /// Forgets what [`Self::register`] noted at `address`.
    pub(crate) fn unregister(&self, address: usize) -> Outcome {
        if address == 0 {
            return Err(CUresult::INVALID_VALUE.because("a null pointer to registered memory"));
        }
        let known = lock(&self.registered).remove(&address);
        known.map(drop).ok_or_else(|| CUresult::HOST_MEMORY_NOT_REGISTERED.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_own_memory_is_freed_and_once() {
        let host = HostMemory::default();
        let pointer = host.allocate(5000).unwrap();
        assert_eq!(pointer.addr() % PAGE_BYTES, 0);
        assert_eq!(host.free(pointer.addr() + 1).unwrap_err().code, CUresult::INVALID_VALUE);
        assert!(host.free(pointer.addr()).is_ok());
        assert_eq!(host.free(pointer.addr()).unwrap_err().code, CUresult::INVALID_VALUE);
        assert!(host.free(0).is_ok());
    }

    #[test]
    fn ranges_that_overlap_cannot_be_registered() {
        let host = HostMemory::default();
        assert!(host.register(1000, 100).is_ok());
        for (address, bytes) in [(1000, 100), (1099, 1), (900, 101), (500, 5000)] {
            let code = host.register(address, bytes).unwrap_err().code;
            assert_eq!(code, CUresult::HOST_MEMORY_ALREADY_REGISTERED, "{address}");
        }
        assert!(host.register(1100, 8).is_ok());
        assert!(host.unregister(1000).is_ok());
        assert_eq!(host.unregister(1000).unwrap_err().code, CUresult::HOST_MEMORY_NOT_REGISTERED);
    }
}
