//! Host memory that the driver allocated or the caller registered.

use super::lock::lock;
use crate::result::{CUresult, Outcome};
use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::collections::{BTreeMap, HashMap};
use std::sync::Mutex;

/// The alignment of allocations in bytes: a page, as for pinned memory.
const PAGE_BYTES: usize = 4096;

/// Page-locked host memory. The emulator runs on the host, so this is ordinary memory.
#[derive(Default)]
pub(crate) struct HostMemory {
    /// Layouts by address.
    allocated: Mutex<HashMap<usize, Layout>>,
    /// Lengths by address.
    registered: Mutex<BTreeMap<usize, usize>>,
}

impl HostMemory {
    /// Allocates zeroed memory. Returns null for 0 bytes, as NVIDIA's driver does.
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

    /// Frees memory that [`Self::allocate`] returned, or nothing for null. Fails for any other address.
    pub(crate) fn free(&self, address: usize) -> Outcome {
        if address == 0 {
            return Ok(());
        }
        let foreign =
            || CUresult::INVALID_VALUE.because(format!("host memory {address:#x} was not allocated by cuMemHostAlloc"));
        let layout = lock(&self.allocated).remove(&address).ok_or_else(foreign)?;
        // SAFETY: the allocator returned this address for this layout, and its table entry was removed just now.
        unsafe { dealloc(std::ptr::with_exposed_provenance_mut(address), layout) };
        Ok(())
    }

    /// Returns whether an address is in allocated or registered, that is page-locked, memory.
    pub(crate) fn holds(&self, address: usize) -> bool {
        let inside = |base: usize, bytes: usize| address.wrapping_sub(base) < bytes;
        let registered = lock(&self.registered).range(..=address).next_back().map(|(&base, &bytes)| (base, bytes));
        registered.is_some_and(|(base, bytes)| inside(base, bytes))
            || lock(&self.allocated).iter().any(|(&base, layout)| inside(base, layout.size()))
    }

    /// Registers `bytes` bytes at `address`. Fails if any of them are registered already.
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

    /// Ends the registration that begins at `address`. Fails if there is none.
    pub(crate) fn unregister(&self, address: usize) -> Outcome {
        if address == 0 {
            return Err(CUresult::INVALID_VALUE.because("the pointer to registered memory is null"));
        }
        let known = lock(&self.registered).remove(&address);
        known.map(drop).ok_or_else(|| CUresult::HOST_MEMORY_NOT_REGISTERED.into())
    }
}
