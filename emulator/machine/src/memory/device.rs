//! Device memory: allocations at virtual addresses, shared by all blocks of a launch.
//!
//! All devices share one address space, so an address determines its device. Kernels of one device can access the
//! memory of another only with peer access ([`Memory::with_peers`]); the host can access all of it.
//!
//! Words are relaxed atomics, so that a data race in a kernel is not undefined behavior of the emulator. No address is
//! allocated twice, and an unmapped gap separates allocations, so that a dangling or out-of-bounds pointer does not point
//! into another allocation. Where writes are tracked for the checks, the gaps are so wide that an address which misses its
//! allocation is nearer to it than to any other.
//!
//! An aligned relaxed load compiles to a plain load on common machines. Eight-byte atomics take a lock, because words have
//! four bytes. New memory contains a pattern that is a NaN as `f32`.

use super::addresses::{ALIGNMENT, Addresses, LAST_ADDRESS};
use super::heap::{BLOCK_ALIGNMENT, SharedHeap};
use super::printed::PrintBuffer;
use super::region::{GAP_BYTES, HOST, Region, UNWRITTEN, Words, Written};
use crate::ground::refusal::MemoryError;
use std::collections::{BTreeMap, VecDeque};
use std::ops::RangeInclusive;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The alignment of host memory in bytes: a page.
const HOST_ALIGNMENT: usize = 4096;

/// The number of freed allocations that messages can name.
const FREED: usize = 256;

/// The sizes in bytes of freed allocations whose words the next ones of the same size use again, because the operating system takes
/// longer to clear the pages of new words. The pages of smaller ones stay with the program anyway.
const KEPT_BYTES: RangeInclusive<u64> = 1 << 20..=1 << 29;

#[derive(Debug, Default)]
struct Allocations {
    by_address: BTreeMap<u64, Region>,
    addresses: Addresses,
    /// The allocated bytes, by device.
    used_bytes: BTreeMap<u32, u64>,
    /// The words of freed allocations, the oldest first, of at most the largest of [`KEPT_BYTES`] together.
    freed: Vec<Words>,
    /// Base and size of the allocations of devices that were freed last, at most [`FREED`].
    freed_places: VecDeque<(u64, u64)>,
}

impl Allocations {
    /// Returns so many words, and whether they are stale.
    fn words(&mut self, count: u64) -> (Words, bool) {
        let same = self.freed.iter().position(|words| words.len() as u64 == count);
        let again = same.map(|index| self.freed.remove(index)).filter(|words| words.are_unshared());
        again.map_or_else(|| (Words::new(count, UNWRITTEN), false), |words| (words, true))
    }

    /// Keeps the place and the words of a freed allocation.
    fn keep(&mut self, region: Region) {
        if region.device != HOST {
            if self.freed_places.len() == FREED {
                self.freed_places.pop_front();
            }
            self.freed_places.push_back((region.base, region.bytes));
        }
        if region.device == HOST || !KEPT_BYTES.contains(&region.bytes) {
            return;
        }
        self.freed.push(region.words);
        let bytes = |freed: &[Words]| 4 * freed.iter().map(|words| words.len() as u64).sum::<u64>();
        while bytes(&self.freed) > *KEPT_BYTES.end() {
            self.freed.remove(0);
        }
    }
}

/// The state that the memories of all devices share.
#[derive(Debug)]
pub(super) struct Shared {
    allocations: Mutex<Allocations>,
    /// Serializes atomics on 8-byte values, which are stored as two words.
    wide_atomics: Mutex<()>,
    tracks_writes: AtomicBool,
}

impl Shared {
    /// Returns base and size of the freed allocation that contained `address`.
    pub(super) fn freed_allocation_of(&self, address: u64) -> Option<(u64, u64)> {
        let allocations = self.allocations.lock().unwrap_or_else(PoisonError::into_inner);
        let holds = |&&(base, bytes): &&(u64, u64)| address.wrapping_sub(base) < bytes;
        allocations.freed_places.iter().rev().find(holds).copied()
    }
}

/// The memory of one emulated device.
#[derive(Debug)]
pub struct Memory {
    pub(super) shared: Arc<Shared>,
    device: u32,
    capacity_bytes: u64,
    /// The devices whose memory its kernels can access, one bit per device.
    accessible: u64,
    /// The text that its kernels print.
    pub(super) printed: Arc<Mutex<PrintBuffer>>,
    /// The memory that its kernels allocate.
    pub(super) heap: SharedHeap,
}

/// Returns the bit of a device.
fn bit(device: u32) -> u64 {
    1_u64.checked_shl(device).unwrap_or(0)
}

impl Memory {
    /// Returns an empty memory of device 0 with a capacity of `capacity_bytes`.
    #[must_use]
    pub fn new(capacity_bytes: u64) -> Self {
        let allocations =
            Mutex::new(Allocations { freed_places: VecDeque::with_capacity(FREED), ..Allocations::default() });
        let tracks_writes = AtomicBool::new(false);
        let shared = Shared { allocations, wide_atomics: Mutex::new(()), tracks_writes };
        Self::with(Arc::new(shared), 0, capacity_bytes)
    }

    /// Returns the memory of a device of the same machine, 0 to 63, with the same capacity. Printed text and the heap of
    /// kernels are its own.
    #[must_use]
    pub fn for_device(&self, device: u32) -> Self {
        Self::with(Arc::clone(&self.shared), device, self.capacity_bytes)
    }

    /// Returns a memory without allocations with another capacity.
    #[must_use]
    pub fn with_capacity(self, capacity_bytes: u64) -> Self {
        Self { capacity_bytes, ..self }
    }

    fn with(shared: Arc<Shared>, device: u32, capacity_bytes: u64) -> Self {
        Self { shared, device, capacity_bytes, accessible: bit(device), printed: Arc::default(), heap: Arc::default() }
    }

    /// Returns the same memory for kernels that can also access the memory of `peers`.
    #[must_use]
    pub fn with_peers(&self, peers: impl IntoIterator<Item = u32>) -> Self {
        let accessible = peers.into_iter().fold(bit(self.device), |devices, peer| devices | bit(peer));
        let (shared, printed, heap) = (Arc::clone(&self.shared), Arc::clone(&self.printed), Arc::clone(&self.heap));
        Self { shared, accessible, printed, heap, ..*self }
    }

    /// Turns the tracking of writes on or off for the following allocations. [`crate::check`] needs it to find reads of
    /// uninitialized memory. A launch without checks counts as writing all memory. Tracked allocations lie far apart.
    pub fn track_writes(&self, on: bool) {
        self.shared.tracks_writes.store(on, Relaxed);
    }

    /// Returns the capacity of the device in bytes.
    #[must_use]
    pub fn capacity_bytes(&self) -> u64 {
        self.capacity_bytes
    }

    /// Returns the number of bytes that are not allocated.
    #[must_use]
    pub fn available_bytes(&self) -> u64 {
        self.available(&self.lock())
    }

    fn available(&self, allocations: &Allocations) -> u64 {
        self.capacity_bytes - allocations.used_bytes.get(&self.device).copied().unwrap_or(0)
    }

    /// Allocates `bytes` bytes, at least one, and returns the address, a multiple of 256.
    ///
    /// # Errors
    /// Returns [`MemoryError::OutOfMemory`] if there is not enough memory.
    pub fn allocate(&self, bytes: u64) -> Result<u64, MemoryError> {
        self.allocate_region(bytes, false)
    }

    /// Sets addresses for `bytes` bytes aside, at which [`Self::allocate_at`] allocates, any number of times. Until then, they are
    /// not allocated.
    ///
    /// # Errors
    /// Returns [`MemoryError::OutOfMemory`] if there are not so many addresses.
    pub fn reserve(&self, bytes: u64) -> Result<u64, MemoryError> {
        let mut allocations = self.lock();
        let base = allocations.addresses.next(self.shared.tracks_writes.load(Relaxed));
        let room = LAST_ADDRESS.saturating_sub(base).saturating_sub(GAP_BYTES + ALIGNMENT);
        if bytes > room {
            return Err(MemoryError::OutOfMemory { requested: bytes, available: room });
        }
        allocations.addresses.take(base, bytes.max(1));
        Ok(base)
    }

    /// Allocates at an address that [`Self::reserve`] returned for as many bytes, and where nothing is allocated.
    ///
    /// # Errors
    /// Returns [`MemoryError::OutOfMemory`] if there is not enough memory, and [`MemoryError::InvalidRange`] if something is
    /// allocated there.
    pub fn allocate_at(&self, address: u64, bytes: u64) -> Result<(), MemoryError> {
        let mut allocations = self.lock();
        let end = allocations.addresses.next(false);
        if allocations.by_address.contains_key(&address) || address.saturating_add(bytes) > end {
            return Err(MemoryError::InvalidRange { address, bytes });
        }
        self.insert(&mut allocations, address, bytes, false)?;
        allocations.freed_places.retain(|(base, _)| *base != address);
        Ok(())
    }

    /// Allocates like [`Self::allocate`]. A kernel that writes `constant` memory faults.
    pub(crate) fn allocate_region(&self, bytes: u64, constant: bool) -> Result<u64, MemoryError> {
        let mut allocations = self.lock();
        let base = allocations.addresses.next(self.shared.tracks_writes.load(Relaxed));
        self.insert(&mut allocations, base, bytes, constant)?;
        Ok(base)
    }

    /// Allocates at `base`, which is above all previous allocations or was set aside.
    fn insert(&self, allocations: &mut Allocations, base: u64, bytes: u64, constant: bool) -> Result<(), MemoryError> {
        let available = self.available(allocations);
        let room = LAST_ADDRESS.saturating_sub(base).saturating_sub(GAP_BYTES + ALIGNMENT);
        if bytes > available || bytes > room {
            return Err(MemoryError::OutOfMemory { requested: bytes, available: available.min(room) });
        }
        let bytes = bytes.max(1);
        let (words, stale) = allocations.words(bytes.div_ceil(4));
        allocations.addresses.take(base, bytes);
        *allocations.used_bytes.entry(self.device).or_default() += bytes.min(available);
        let written = self.shared.tracks_writes.load(Relaxed).then(|| Written::none(bytes));
        let region = Region { base, bytes, device: self.device, constant, words, stale, written };
        allocations.by_address.insert(base, region);
        Ok(())
    }

    /// Allocates at `address`, which an allocation in another memory had, and writes `contents`, at least one byte.
    ///
    /// # Errors
    /// Returns [`MemoryError::OutOfMemory`] if there is not enough memory, and [`MemoryError::InvalidRange`] if the address
    /// has been allocated before or cannot be allocated.
    pub fn place(&self, address: u64, contents: &[u8]) -> Result<(), MemoryError> {
        let mut allocations = self.lock();
        let fits =
            address >= allocations.addresses.next(false) && address < LAST_ADDRESS && address.is_multiple_of(ALIGNMENT);
        if !fits || contents.is_empty() {
            return Err(MemoryError::InvalidRange { address, bytes: contents.len() as u64 });
        }
        self.insert(&mut allocations, address, contents.len() as u64, false)?;
        drop(allocations);
        self.write(address, contents)
    }

    /// Allocates zeroed memory of the host that the kernels of all devices can access, at least one byte. It has the same
    /// address, a multiple of 4096, for kernels and for the host, which may turn the number into a pointer
    /// ([`std::ptr::with_exposed_provenance`]). Its bytes count as written, and do not belong to a device.
    ///
    /// # Errors
    /// Returns [`MemoryError::OutOfMemory`] for more than the capacity of a device.
    pub fn allocate_host(&self, bytes: u64) -> Result<u64, MemoryError> {
        let capacity = self.capacity_bytes;
        if bytes > capacity {
            return Err(MemoryError::OutOfMemory { requested: bytes, available: capacity });
        }
        let bytes = bytes.max(1);
        let (words, base) = Words::aligned(bytes.div_ceil(4), HOST_ALIGNMENT);
        let region = Region { base, bytes, device: HOST, constant: false, words, stale: false, written: None };
        self.lock().by_address.insert(base, region);
        Ok(base)
    }

    /// Returns whether host memory that kernels can access starts at `address`.
    #[must_use]
    pub fn is_host_allocation(&self, address: u64) -> bool {
        self.lock().by_address.get(&address).is_some_and(|region| region.device == HOST)
    }

    /// Returns a new block for the heap. Its bytes are not allocated memory of the device.
    pub(super) fn new_block(&self, bytes: u64, checked: bool) -> Option<Region> {
        let mut allocations = self.lock();
        let base = allocations.addresses.next(false) + BLOCK_ALIGNMENT;
        if bytes > LAST_ADDRESS.saturating_sub(base + GAP_BYTES + ALIGNMENT) {
            return None;
        }
        allocations.addresses.take(base, bytes);
        let words = Words::new(bytes.div_ceil(4), UNWRITTEN);
        let written = (checked && self.shared.tracks_writes.load(Relaxed)).then(|| Written::none(bytes));
        Some(Region { base, bytes, device: self.device, constant: false, words, stale: false, written })
    }

    /// Frees the allocation that starts at `address`.
    ///
    /// # Errors
    /// Returns [`MemoryError::InvalidRange`] if no allocation starts there.
    pub fn free(&self, address: u64) -> Result<(), MemoryError> {
        let mut allocations = self.lock();
        let region = allocations.by_address.remove(&address);
        let region = region.ok_or(MemoryError::InvalidRange { address, bytes: 0 })?;
        let used = allocations.used_bytes.entry(region.device).or_default();
        *used = used.saturating_sub(region.bytes);
        allocations.keep(region);
        Ok(())
    }

    /// Returns base and size of the freed allocation that contained `address`, `None` if none of the last ones did.
    #[must_use]
    pub fn freed_allocation_of(&self, address: u64) -> Option<(u64, u64)> {
        self.shared.freed_allocation_of(address)
    }

    /// Returns base and size of the allocation that contains `address`.
    #[must_use]
    pub fn allocation_of(&self, address: u64) -> Option<(u64, u64)> {
        self.with_region(address, 1, |region| (region.base, region.bytes)).ok()
    }

    /// Returns the device of the allocation that contains `address`, none for host memory.
    #[must_use]
    pub fn device_of(&self, address: u64) -> Option<u32> {
        self.with_region(address, 1, |region| region.device).ok().filter(|&device| device != HOST)
    }

    /// Returns whether `address` is in the range of all allocations so far, freed ones included. It contains device addresses
    /// only: on Windows, where host memory may be between them, the wide gaps are left out.
    #[must_use]
    pub fn hands_out(&self, address: u64) -> bool {
        self.lock().addresses.hands_out(address)
    }

    /// Returns all allocations in ascending order: those that kernels can access, and those that they cannot.
    pub(crate) fn regions(&self) -> (Vec<Region>, Vec<Region>) {
        let is_accessible = |region: &Region| region.device == HOST || self.accessible & bit(region.device) != 0;
        let mut allocations = self.lock();
        let refreshed = allocations.by_address.values_mut().map(|region| region.refresh().clone());
        refreshed.partition(is_accessible)
    }

    /// Marks all memory as written, as a launch without checks may have done.
    pub(crate) fn mark_all_written(&self) {
        for region in self.lock().by_address.values() {
            region.mark_written(region.base, region.bytes);
        }
        self.mark_blocks_written();
    }

    /// Blocks all other atomics, and strong loads and stores, of 8 bytes while the guard lives.
    pub(crate) fn lock_wide_atomics(&self) -> MutexGuard<'_, ()> {
        self.shared.wide_atomics.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns what `act` returns about the allocation that contains these bytes.
    pub(super) fn with_region<T>(
        &self,
        address: u64,
        bytes: u64,
        act: impl FnOnce(&mut Region) -> T,
    ) -> Result<T, MemoryError> {
        let mut allocations = self.lock();
        let below = allocations.by_address.range_mut(..=address).next_back();
        let region = below.map(|(_, region)| region).filter(|region| region.holds(address, bytes));
        region.map(act).ok_or(MemoryError::InvalidRange { address, bytes })
    }

    fn lock(&self) -> MutexGuard<'_, Allocations> {
        self.shared.allocations.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
