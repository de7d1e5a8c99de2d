//! Host memory that the driver allocated or the caller registered.

use super::lock;
use crate::result::{CUresult, Outcome, invalid, require};
use emulator::Memory;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Mutex;

type Ranges = BTreeMap<usize, (usize, u32)>;

/// `CU_MEMHOSTALLOC_DEVICEMAP`, which all memory has on devices with unified addresses.
const MAPPED: u32 = 2;

/// Page-locked host memory: that of `cuMemHostAlloc`, which kernels can access, and registered memory, which they cannot.
#[derive(Default)]
pub(crate) struct HostMemory {
    /// Lengths and flags by address.
    allocated: Mutex<Ranges>,
    /// Lengths and flags by address.
    registered: Mutex<Ranges>,
}

/// Returns the flags of the range that an address is in, `None` if it is in none.
fn flags_at(ranges: &Ranges, address: usize) -> Option<u32> {
    let (base, (bytes, flags)) = ranges.range(..=address).next_back()?;
    (address - base < *bytes).then_some(*flags)
}

fn is_inside(ranges: &Ranges, address: usize) -> bool {
    flags_at(ranges, address).is_some()
}

impl HostMemory {
    /// Allocates zeroed memory. Returns null for 0 bytes, as NVIDIA's driver does.
    pub(crate) fn allocate(&self, memory: &Memory, bytes: usize, flags: u32) -> Outcome<*mut u8> {
        if bytes == 0 {
            return Ok(std::ptr::null_mut());
        }
        let address = memory.allocate_host(bytes as u64)? as usize;
        lock(&self.allocated).insert(address, (bytes, flags));
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

    /// Returns the flags of the page-locked memory that an address is in, `MAPPED` among them. Fails for other memory.
    pub(crate) fn flags(&self, address: usize) -> Outcome<u32> {
        let flags = flags_at(&lock(&self.allocated), address).or_else(|| flags_at(&lock(&self.registered), address));
        flags.map(|flags| flags | MAPPED).ok_or_else(|| invalid(format!("{address:#x} is not page-locked host memory")))
    }

    /// Returns the addresses of the page-locked memory that begins at an address, `None` if none does.
    pub(crate) fn range_at(&self, address: usize) -> Option<Range<u64>> {
        let bytes = |ranges: &Mutex<Ranges>| lock(ranges).get(&address).map(|(bytes, _)| *bytes);
        let bytes = bytes(&self.allocated).or_else(|| bytes(&self.registered))?;
        Some(address as u64..(address + bytes) as u64)
    }

    /// Registers `bytes` bytes at `address`. Fails if any of them are registered already.
    pub(crate) fn register(&self, address: usize, bytes: usize, flags: u32) -> Outcome {
        let end = address.checked_add(bytes).filter(|_| address != 0 && bytes != 0);
        let end = end.ok_or_else(|| invalid(format!("{bytes} bytes at {address:#x}")))?;
        let mut registered = lock(&self.registered);
        let below = registered.range(..end).next_back();
        if below.is_some_and(|(base, (length, _))| base + length > address) {
            return Err(CUresult::HOST_MEMORY_ALREADY_REGISTERED.into());
        }
        registered.insert(address, (bytes, flags));
        Ok(())
    }

    /// Ends the registration that begins at `address`. Fails if there is none: as a wrong argument if the address is in page-locked
    /// memory, as NVIDIA's driver does.
    pub(crate) fn unregister(&self, address: usize) -> Outcome {
        require(address != 0, "the pointer to registered memory is null")?;
        if lock(&self.registered).remove(&address).is_some() {
            return Ok(());
        }
        let detail = format!("{address:#x} is page-locked memory, and no registration begins there");
        require(!self.holds(address), detail)?;
        Err(CUresult::HOST_MEMORY_NOT_REGISTERED.because(format!("{address:#x} is not in registered host memory")))
    }
}
