//! Device memory: allocations at virtual addresses, shared by all blocks of a launch.
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
use std::sync::{Mutex, MutexGuard, PoisonError};

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
    used_bytes: u64,
}

/// The memory of one emulated device.
#[derive(Debug)]
pub struct Memory {
    capacity_bytes: u64,
    allocations: Mutex<Allocations>,
    /// Serializes read-modify-write of 8-byte words, which are stored as two halves.
    wide_atomics: Mutex<()>,
    tracks_writes: AtomicBool,
}

impl Memory {
    /// Returns an empty memory that holds at most `capacity_bytes`.
    #[must_use]
    pub fn new(capacity_bytes: u64) -> Self {
        let allocations = Allocations { next_address: FIRST_ADDRESS, ..Allocations::default() };
        let tracks_writes = AtomicBool::new(false);
        Self { capacity_bytes, allocations: Mutex::new(allocations), wide_atomics: Mutex::new(()), tracks_writes }
    }

    /// Begins or ends to keep account of who wrote what in the allocations that follow, for [`crate::check`] to find
    /// reads of uninitialized memory. A launch that is not checked counts as writing everything.
    pub fn track_writes(&self, on: bool) {
        self.tracks_writes.store(on, Relaxed);
    }

    /// Bytes that all allocations together may take.
    #[must_use]
    pub fn capacity_bytes(&self) -> u64 {
        self.capacity_bytes
    }

    /// Bytes not allocated.
    #[must_use]
    pub fn available_bytes(&self) -> u64 {
        self.capacity_bytes - self.lock().used_bytes
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
        let available = self.capacity_bytes - allocations.used_bytes;
        let room = LAST_ADDRESS.saturating_sub(base).saturating_sub(GAP_BYTES + ALIGNMENT);
        if bytes > available || bytes > room {
            return Err(MemoryError::OutOfMemory { requested: bytes, available: available.min(room) });
        }
        let bytes = bytes.max(1);
        let words: Words = (0..bytes.div_ceil(4)).map(|_| AtomicU32::new(UNWRITTEN)).collect();
        allocations.next_address = address_behind(base, bytes);
        allocations.used_bytes += bytes.min(available);
        let written = self.tracks_writes.load(Relaxed).then(|| Written::none(bytes));
        allocations.by_address.insert(base, Region { base, bytes, constant, words, written });
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
        allocations.used_bytes = allocations.used_bytes.saturating_sub(region.bytes);
        Ok(())
    }

    /// Returns base and size of the allocation that holds `address`.
    #[must_use]
    pub fn allocation_of(&self, address: u64) -> Option<(u64, u64)> {
        self.find(address, 1).ok().map(|region| (region.base, region.bytes))
    }

    /// Returns whether `address` lies among those that were handed out, which are never addresses of anything else:
    /// also if what was allocated there is freed.
    #[must_use]
    pub fn hands_out(&self, address: u64) -> bool {
        (FIRST_ADDRESS..self.lock().next_address).contains(&address)
    }

    /// Copies `source` to device memory at `address`.
    ///
    /// # Errors
    /// [`MemoryError::InvalidRange`] when the range is not inside one allocation; nothing is written.
    pub fn write(&self, address: u64, source: &[u8]) -> Result<(), MemoryError> {
        let region = self.find(address, source.len() as u64)?;
        region.mark_written(address, source.len() as u64);
        let mut offset = (address - region.base) as usize;
        let mut rest = source;
        while !rest.is_empty() {
            let (chunk, tail) = rest.split_at(rest.len().min(4 - offset % 4));
            write_part(&region.words[offset / 4], offset % 4, chunk);
            offset += chunk.len();
            rest = tail;
        }
        Ok(())
    }

    /// Copies device memory at `address` into `target`.
    ///
    /// # Errors
    /// [`MemoryError::InvalidRange`] when the range is not inside one allocation.
    pub fn read(&self, address: u64, target: &mut [u8]) -> Result<(), MemoryError> {
        let region = self.find(address, target.len() as u64)?;
        let mut offset = (address - region.base) as usize;
        let mut rest = target;
        while !rest.is_empty() {
            let length = rest.len().min(4 - offset % 4);
            let (chunk, tail) = rest.split_at_mut(length);
            let word = region.words[offset / 4].load(Relaxed).to_le_bytes();
            chunk.copy_from_slice(&word[offset % 4..offset % 4 + length]);
            offset += length;
            rest = tail;
        }
        Ok(())
    }

    /// Copies `bytes` bytes inside device memory; the ranges may overlap.
    ///
    /// # Errors
    /// [`MemoryError::InvalidRange`] when either range is not inside one allocation.
    pub fn copy(&self, target: u64, source: u64, bytes: u64) -> Result<(), MemoryError> {
        self.find(target, bytes)?;
        let mut buffer = vec![0; bytes as usize];
        self.read(source, &mut buffer)?;
        self.write(target, &buffer)
    }

    /// Fills `count` elements of `pattern` (1, 2 or 4 bytes each) from `address` on.
    ///
    /// # Errors
    /// [`MemoryError::InvalidRange`] when the range is not inside one allocation.
    pub fn fill(&self, address: u64, pattern: &[u8], count: u64) -> Result<(), MemoryError> {
        let invalid = MemoryError::InvalidRange { address, bytes: count };
        let bytes = count.checked_mul(pattern.len() as u64).ok_or(invalid)?;
        self.find(address, bytes)?;
        const CHUNK_BYTES: u64 = 1 << 16;
        let buffer: Vec<u8> = pattern.iter().copied().cycle().take(CHUNK_BYTES as usize).collect();
        for start in (0..bytes).step_by(CHUNK_BYTES as usize) {
            let length = (bytes - start).min(CHUNK_BYTES);
            self.write(address + start, &buffer[..length as usize])?;
        }
        Ok(())
    }

    /// Returns all allocations, ascending by address, as a launch sees them.
    pub(crate) fn regions(&self) -> Vec<Region> {
        self.lock().by_address.values().cloned().collect()
    }

    /// Notes that a launch nobody looked at may have written everything.
    pub(crate) fn mark_all_written(&self) {
        for region in self.lock().by_address.values() {
            region.mark_written(region.base, region.bytes);
        }
    }

    /// Holds off every other 8-byte atomic while the guard lives.
    pub(crate) fn lock_wide_atomics(&self) -> MutexGuard<'_, ()> {
        self.wide_atomics.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn find(&self, address: u64, bytes: u64) -> Result<Region, MemoryError> {
        let allocations = self.lock();
        let below = allocations.by_address.range(..=address).next_back();
        let region = below.map(|(_, region)| region).filter(|region| region.holds(address, bytes));
        region.cloned().ok_or(MemoryError::InvalidRange { address, bytes })
    }

    fn lock(&self) -> MutexGuard<'_, Allocations> {
        self.allocations.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Replaces `chunk.len()` bytes of `word` from byte `start` on (little-endian, 0 to 3).
fn write_part(word: &AtomicU32, start: usize, chunk: &[u8]) {
    if let Ok(whole) = <[u8; 4]>::try_from(chunk) {
        word.store(u32::from_le_bytes(whole), Relaxed);
        return;
    }
    let (mut value, mut mask) = ([0; 4], [0; 4]);
    value[start..start + chunk.len()].copy_from_slice(chunk);
    mask[start..start + chunk.len()].fill(0xFF);
    let (value, mask) = (u32::from_le_bytes(value), u32::from_le_bytes(mask));
    word.fetch_and(!mask, Relaxed);
    word.fetch_or(value, Relaxed);
}
