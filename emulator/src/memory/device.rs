//! Device memory: allocations at virtual addresses, shared by all blocks of a launch.
//!
//! Devices share one address space, so that an address says which device it is of. The kernels of one reach the memory of
//! another only where they are allowed to ([`Memory::with_peers`]); the host reaches all of it.
//!
//! Words are relaxed atomics, so that a kernel with a data race is a wrong kernel and not undefined
//! behavior of the emulator. An address is never handed out twice and allocations stand apart by an
//! unmapped gap, so that a stale or overrunning pointer meets no neighbor.
//!
//! An aligned relaxed load is a plain load on the machines that we know. Eight-byte atomics take a lock, since words
//! have four bytes. Fresh memory holds a pattern that is a NaN as f32.

use super::region::{Region, Words};
use super::written::Written;
use crate::ground::refusal::MemoryError;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// First address of the first allocation; everything below is invalid, so a null pointer plus any
/// reasonable index is a fault.
pub(crate) const FIRST_ADDRESS: u64 = 0x7_0000_0000;

/// Alignment of every allocation in bytes, as `cuMemAlloc` promises.
const ALIGNMENT: u64 = 256;

/// Unmapped bytes between two allocations.
const GAP_BYTES: u64 = 4096;

/// End of the addresses that are handed out: above it lie the windows of [`crate::ground::space`].
const LAST_ADDRESS: u64 = 1 << 47;

/// What fresh memory holds: hardware does not clear it, so neither do we (as f32 it is a NaN).
const UNWRITTEN: u32 = 0xFFFF_FFFF;

/// Where the next allocation begins.
pub(crate) fn address_behind(base: u64, bytes: u64) -> u64 {
    (base + bytes + GAP_BYTES).next_multiple_of(ALIGNMENT)
}

#[derive(Debug, Default)]
struct Allocations {
    by_address: BTreeMap<u64, Region>,
    next_address: u64,
    /// By device.
    used_bytes: BTreeMap<u32, u64>,
}

/// What the memories of all devices have in common.
#[derive(Debug)]
struct Shared {
    /// Of each device.
    capacity_bytes: u64,
    allocations: Mutex<Allocations>,
    /// Serializes read-modify-write of 8-byte words, which are stored as two halves.
    wide_atomics: Mutex<()>,
    tracks_writes: AtomicBool,
}

/// The memory of one emulated device.
#[derive(Debug)]
pub struct Memory {
    shared: Arc<Shared>,
    device: u32,
    /// The devices whose memory its kernels reach, a bit each.
    reach: u64,
}

/// The bit of a device.
fn bit(device: u32) -> u64 {
    1_u64.checked_shl(device).unwrap_or(0)
}

impl Memory {
    /// Returns the empty memory of device 0, which holds at most `capacity_bytes`.
    #[must_use]
    pub fn new(capacity_bytes: u64) -> Self {
        let allocations = Allocations { next_address: FIRST_ADDRESS, ..Allocations::default() };
        let (allocations, tracks_writes) = (Mutex::new(allocations), AtomicBool::new(false));
        let shared = Shared { capacity_bytes, allocations, wide_atomics: Mutex::new(()), tracks_writes };
        Self { shared: Arc::new(shared), device: 0, reach: bit(0) }
    }

    /// Returns the memory of another device of the same machine, 0 to 63, with the same capacity.
    #[must_use]
    pub fn of_device(&self, device: u32) -> Self {
        Self { shared: Arc::clone(&self.shared), device, reach: bit(device) }
    }

    /// Returns the same memory for kernels that reach that of `peers` too.
    #[must_use]
    pub fn with_peers(&self, peers: impl IntoIterator<Item = u32>) -> Self {
        let reach = peers.into_iter().fold(bit(self.device), |reach, peer| reach | bit(peer));
        Self { shared: Arc::clone(&self.shared), device: self.device, reach }
    }

    /// Begins or ends to keep account of who wrote what in the allocations that follow, for [`crate::check`] to find
    /// reads of uninitialized memory. A launch that is not checked counts as writing everything.
    pub fn track_writes(&self, on: bool) {
        self.shared.tracks_writes.store(on, Relaxed);
    }

    /// Bytes that all allocations of the device together may take.
    #[must_use]
    pub fn capacity_bytes(&self) -> u64 {
        self.shared.capacity_bytes
    }

    /// Bytes not allocated.
    #[must_use]
    pub fn available_bytes(&self) -> u64 {
        self.available(&self.lock())
    }

    fn available(&self, allocations: &Allocations) -> u64 {
        self.shared.capacity_bytes - allocations.used_bytes.get(&self.device).copied().unwrap_or(0)
    }

    /// Allocates `bytes` (at least one) and returns the address, a multiple of 256.
    ///
    /// # Errors
    /// [`MemoryError::OutOfMemory`] when it does not fit.
    pub fn allocate(&self, bytes: u64) -> Result<u64, MemoryError> {
        self.allocate_region(bytes, false)
    }

    /// The same; `constant` memory faults when a kernel writes it.
    pub(crate) fn allocate_region(&self, bytes: u64, constant: bool) -> Result<u64, MemoryError> {
        let mut allocations = self.lock();
        let base = allocations.next_address;
        self.insert(&mut allocations, base, bytes, constant)?;
        Ok(base)
    }

    /// Allocates at `base`, above all that was handed out.
    fn insert(&self, allocations: &mut Allocations, base: u64, bytes: u64, constant: bool) -> Result<(), MemoryError> {
        let available = self.available(allocations);
        let room = LAST_ADDRESS.saturating_sub(base).saturating_sub(GAP_BYTES + ALIGNMENT);
        if bytes > available || bytes > room {
            return Err(MemoryError::OutOfMemory { requested: bytes, available: available.min(room) });
        }
        let bytes = bytes.max(1);
        let words: Words = (0..bytes.div_ceil(4)).map(|_| AtomicU32::new(UNWRITTEN)).collect();
        allocations.next_address = address_behind(base, bytes);
        *allocations.used_bytes.entry(self.device).or_default() += bytes.min(available);
        let written = self.shared.tracks_writes.load(Relaxed).then(|| Written::none(bytes));
        allocations.by_address.insert(base, Region { base, bytes, device: self.device, constant, words, written });
        Ok(())
    }

    /// Allocates where `address` says, as it was allocated in another memory, with these contents (at least a byte).
    ///
    /// # Errors
    /// [`MemoryError::OutOfMemory`] when it does not fit, [`MemoryError::InvalidRange`] for an address that this memory
    /// has handed out already or never hands out.
    pub fn place(&self, address: u64, contents: &[u8]) -> Result<(), MemoryError> {
        let mut allocations = self.lock();
        let fits = address >= allocations.next_address && address < LAST_ADDRESS && address.is_multiple_of(ALIGNMENT);
        if !fits || contents.is_empty() {
            return Err(MemoryError::InvalidRange { address, bytes: contents.len() as u64 });
        }
        self.insert(&mut allocations, address, contents.len() as u64, false)?;
        drop(allocations);
        self.write(address, contents)
    }

    /// Frees the allocation that starts at `address`.
    ///
    /// # Errors
    /// [`MemoryError::InvalidRange`] when none starts there.
    pub fn free(&self, address: u64) -> Result<(), MemoryError> {
        let mut allocations = self.lock();
        let region = allocations.by_address.remove(&address);
        let region = region.ok_or(MemoryError::InvalidRange { address, bytes: 0 })?;
        let used = allocations.used_bytes.entry(region.device).or_default();
        *used = used.saturating_sub(region.bytes);
        Ok(())
    }

    /// Returns base and size of the allocation that holds `address`.
    #[must_use]
    pub fn allocation_of(&self, address: u64) -> Option<(u64, u64)> {
        self.find(address, 1).ok().map(|region| (region.base, region.bytes))
    }

    /// Returns the device of the allocation that holds `address`.
    #[must_use]
    pub fn device_of(&self, address: u64) -> Option<u32> {
        self.find(address, 1).ok().map(|region| region.device)
    }

    /// Returns whether `address` lies among those that were handed out, which are never addresses of anything else:
    /// also if what was allocated there is freed.
    #[must_use]
    pub fn hands_out(&self, address: u64) -> bool {
        (FIRST_ADDRESS..self.lock().next_address).contains(&address)
    }

    /// Returns all allocations, ascending by address, as a launch sees them: those that its kernel reaches, and those of
    /// other devices.
    pub(crate) fn regions(&self) -> (Vec<Region>, Vec<Region>) {
        self.lock().by_address.values().cloned().partition(|region| self.reach & bit(region.device) != 0)
    }

    /// Notes that a launch nobody looked at may have written everything.
    pub(crate) fn mark_all_written(&self) {
        for region in self.lock().by_address.values() {
            region.mark_written(region.base, region.bytes);
        }
    }

    /// Holds off every other 8-byte atomic while the guard lives.
    pub(crate) fn lock_wide_atomics(&self) -> MutexGuard<'_, ()> {
        self.shared.wide_atomics.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn find(&self, address: u64, bytes: u64) -> Result<Region, MemoryError> {
        let allocations = self.lock();
        let below = allocations.by_address.range(..=address).next_back();
        let region = below.map(|(_, region)| region).filter(|region| region.holds(address, bytes));
        region.cloned().ok_or(MemoryError::InvalidRange { address, bytes })
    }

    fn lock(&self) -> MutexGuard<'_, Allocations> {
        self.shared.allocations.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
