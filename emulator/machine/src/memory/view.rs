//! The view of device memory of one worker of a launch.

use super::device::{Memory, Shared};
use super::heap::{self, SharedHeap};
use super::region::Region;
use std::sync::Arc;

/// The lowest address that an address of ordinary host memory has on common 64-bit systems.
const LOWEST_HOST_ADDRESS: u64 = 1 << 44;

/// The distance in bytes from which on an address is not said to be beside an allocation.
const NEAR: u64 = 1 << 20;

/// The allocations at the time of the launch, in ascending order.
#[derive(Clone, Debug)]
pub(crate) struct MemoryView {
    regions: Arc<[Region]>,
    /// The allocations of other devices, which the kernel cannot access.
    inaccessible: Arc<[Region]>,
    /// The index of the region that each step accessed last: a step rarely changes its allocation.
    last: Vec<u32>,
    /// The state that the memories of all devices share. It remembers freed allocations.
    shared: Arc<Shared>,
    heap: SharedHeap,
    /// The block of the heap that was accessed last.
    block: Option<Region>,
}

impl MemoryView {
    /// Returns a view of `memory` for a kernel of `steps` steps.
    pub(crate) fn new(memory: &Memory, steps: usize) -> Self {
        let (regions, inaccessible) = memory.regions();
        let regions = regions.into();
        let inaccessible = inaccessible.into();
        let heap = Arc::clone(&memory.heap);
        let shared = Arc::clone(&memory.shared);
        Self { regions, inaccessible, last: vec![0; steps], shared, heap, block: None }
    }

    /// Returns the region that contains `bytes` bytes at `address`, for the step at `position`.
    #[inline(always)]
    pub(crate) fn find(&mut self, position: usize, address: u64, bytes: u64) -> Option<&Region> {
        let last = self.last[position] as usize;
        let hit = self.regions.get(last).is_some_and(|region| region.holds(address, bytes));
        let index = if hit { Some(last) } else { self.search(address, bytes) };
        let Some(index) = index else { return self.find_block(address, bytes) };
        self.last[position] = index as u32;
        self.regions.get(index)
    }

    /// Returns the region like [`Self::find`] if a kernel may write it.
    #[inline(always)]
    pub(crate) fn find_to_write(&mut self, position: usize, address: u64, bytes: u64) -> Option<&Region> {
        self.find(position, address, bytes).filter(|region| !region.constant)
    }

    #[inline(never)]
    fn search(&self, address: u64, bytes: u64) -> Option<usize> {
        let index = self.regions.partition_point(|region| region.base <= address).checked_sub(1)?;
        self.regions[index].holds(address, bytes).then_some(index)
    }

    /// Returns the block of the heap that contains `bytes` bytes at `address`.
    #[inline(never)]
    fn find_block(&mut self, address: u64, bytes: u64) -> Option<&Region> {
        if !self.block.as_ref().is_some_and(|block| block.holds(address, bytes)) {
            self.block = heap::lock(&self.heap).find(address, bytes).cloned();
        }
        self.block.as_ref()
    }

    /// Frees the block of the heap that starts at `address`. Fails with the reason if none does.
    pub(crate) fn free_block(&mut self, address: u64) -> Result<(), String> {
        self.block = None;
        heap::lock(&self.heap).free(address)
    }

    /// Describes the location of `address` relative to the nearest allocation, for an error message.
    pub(crate) fn describe(&self, address: u64) -> String {
        if let Some(region) = self.inaccessible.iter().find(|region| region.holds(address, 1)) {
            let device = region.device;
            return format!("in memory of device {device}: the kernel's context has no peer access to it");
        }
        if let Some(place) = heap::lock(&self.heap).describe(address) {
            return place;
        }
        if let Some((base, bytes)) = self.shared.freed_allocation_of(address) {
            return format!("at byte {} of an allocation of {bytes} bytes that was freed before", address - base);
        }
        // Indices are too large more often than too small.
        let next = self.regions.partition_point(|region| region.base <= address);
        let beside_it = [next.checked_sub(1), Some(next)].into_iter().flatten();
        let mut regions = beside_it.filter_map(|index| self.regions.get(index));
        match regions.find(|region| distance(region, address) < NEAR) {
            Some(region) => beside(region, address),
            None if address >= LOWEST_HOST_ADDRESS => {
                "not in any allocation: kernels can access host memory only if cuMemHostAlloc, cuMemAllocHost or \
                 cuMemAllocManaged allocated it"
                    .to_owned()
            }
            None => "not in any allocation".to_owned(),
        }
    }
}

/// Returns the number of bytes between an address and an allocation, 0 inside.
fn distance(region: &Region, address: u64) -> u64 {
    let end = region.base + region.bytes;
    region.base.saturating_sub(address).max(address.saturating_sub(end - 1))
}

/// Describes an address near to an allocation.
fn beside(region: &Region, address: u64) -> String {
    let bytes = region.bytes;
    let Some(offset) = address.checked_sub(region.base) else {
        return format!("{} bytes before an allocation of {bytes} bytes", region.base - address);
    };
    match offset.checked_sub(bytes) {
        None if region.constant => "in constant memory, which a kernel cannot write".to_owned(),
        None => format!("at byte {offset} of an allocation of {bytes} bytes, reaching past its end"),
        Some(0) => format!("just past the end of an allocation of {bytes} bytes"),
        Some(past) => format!("{past} bytes past the end of an allocation of {bytes} bytes"),
    }
}
