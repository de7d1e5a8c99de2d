//! The addresses of allocations: beside each other, or far apart for the checks.

use super::region::GAP_BYTES;

/// The address of the first allocation. All addresses below are invalid, so a null pointer plus any reasonable index faults.
pub(crate) const FIRST_ADDRESS: u64 = 0x7_0000_0000;

/// The alignment of every allocation in bytes, as `cuMemAlloc` guarantees.
pub(super) const ALIGNMENT: u64 = 256;

/// The end of the addresses for allocations. The windows of [`crate::ground::space`] are above it.
pub(super) const LAST_ADDRESS: u64 = 1 << 47;

/// The end of the addresses that have wide gaps. Addresses of host memory are above it on common 64-bit systems but Windows.
const GUARDED_END: u64 = 1 << 44;

/// Returns the address of the allocation that follows one of `bytes` bytes at `base`.
pub(crate) fn address_after(base: u64, bytes: u64) -> u64 {
    (base + bytes + GAP_BYTES).next_multiple_of(ALIGNMENT)
}

/// The addresses that have been handed out.
#[derive(Debug, Default)]
pub(super) struct Addresses {
    /// Start and end of the ranges without wide gaps in which allocations have been, in ascending order.
    ranges: Vec<(u64, u64)>,
}

impl Addresses {
    /// Returns the address of the next allocation. A wide gap is the 128th part of the addresses that are left for them: the first
    /// has 128 GiB, and each is a little smaller, so that the distances of allocations have no common step.
    pub(super) fn next(&self, far: bool) -> u64 {
        let Some(&(_, end)) = self.ranges.last() else { return FIRST_ADDRESS };
        let gap = if far { GUARDED_END.saturating_sub(end) / 128 } else { 0 };
        (end + gap).next_multiple_of(ALIGNMENT)
    }

    /// Takes the addresses of an allocation, which are above all others or have been taken before.
    pub(super) fn take(&mut self, base: u64, bytes: u64) {
        let next = address_after(base, bytes);
        match self.ranges.last_mut() {
            Some((_, end)) if base < *end + GAP_BYTES => *end = next.max(*end),
            _ => self.ranges.push((base, next)),
        }
    }

    /// Returns whether an address is one of a device: of an allocation, or of a gap. On Windows, where host memory may be in wide
    /// gaps, those are left out.
    pub(super) fn hands_out(&self, address: u64) -> bool {
        let last = self.ranges.last().map_or(0, |(_, end)| *end);
        if !cfg!(windows) {
            return (FIRST_ADDRESS..last).contains(&address);
        }
        let below = self.ranges.partition_point(|(start, _)| *start <= address).checked_sub(1);
        below.is_some_and(|index| address < self.ranges[index].1)
    }
}
