//! Host memory that the driver allocated or the caller registered.

use super::lock;
use crate::result::{CUresult, Outcome, invalid, require};
use emulator::Memory;
use std::collections::BTreeMap;
use std::sync::Mutex;

/// Page-locked host memory: that of `cuMemHostAlloc`, which kernels can access, and registered memory, which they cannot.
#[derive(Default)]
pub(crate) struct HostMemory {
    /// Lengths by address.
    allocated: Mutex<BTreeMap<usize, usize>>,
    /// Lengths by address.
    registered: Mutex<BTreeMap<usize, usize>>,
}

/// Returns whether an address is inside one of the ranges.
fn is_inside(ranges: &BTreeMap<usize, usize>, address: usize) -> bool {
    ranges.range(..=address).next_back().is_some_and(|(base, bytes)| address - base < *bytes)
}

impl HostMemory {
    /// Allocates zeroed memory. Returns null for 0 bytes, as NVIDIA's driver does.
    pub(crate) fn allocate(&self, memory: &Memory, bytes: usize) -> Outcome<*mut u8> {
        if bytes == 0 {
            return Ok(std::ptr::null_mut());
        }
        let address = memory.allocate_host(bytes as u64)? as usize;
        lock(&self.allocated).insert(address, bytes);
        Ok(std::ptr::with_exposed_provenance_mut(address))
    }

    /// Frees memory that [`Self::allocate`] returned, or nothing for null. Fails for any other address.
    pub(crate) fn free(&self, memory: &Memory, address: usize) -> Outcome {
        if address == 0 {
            return Ok(());
        }
        let foreign = || invalid(format!("host memory {address:#x} was not allocated by cuMemHostAlloc"));
        lock(&self.allocated).remove(&address).ok_or_else(foreign)?;
        Ok(memory.free(address as u64)?)
    }

    /// Returns the address at which kernels access host memory: the same, if `cuMemHostAlloc` allocated it.
    pub(crate) fn device_address(&self, address: usize) -> Outcome<u64> {
        if is_inside(&lock(&self.allocated), address) {
            return Ok(address as u64);
        }
        let reason = if is_inside(&lock(&self.registered), address) {
            format!("{address:#x} is registered host memory, which emulated kernels cannot access: use cuMemHostAlloc")
        } else {
            format!("{address:#x} is not in memory of cuMemHostAlloc")
        };
        Err(invalid(reason))
    }

    /// Returns whether an address is in allocated or registered, that is page-locked, memory.
    pub(crate) fn holds(&self, address: usize) -> bool {
        is_inside(&lock(&self.registered), address) || is_inside(&lock(&self.allocated), address)
    }

    /// Registers `bytes` bytes at `address`. Fails if any of them are registered already.
    pub(crate) fn register(&self, address: usize, bytes: usize) -> Outcome {
        let end = address.checked_add(bytes).filter(|_| address != 0 && bytes != 0);
        let end = end.ok_or_else(|| invalid(format!("{bytes} bytes at {address:#x}")))?;
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
        require(address != 0, "the pointer to registered memory is null")?;
        let known = lock(&self.registered).remove(&address);
        known.map(drop).ok_or_else(|| CUresult::HOST_MEMORY_NOT_REGISTERED.into())
    }
}
