//! Device memory as one worker of a launch sees it.

use crate::memory::Region;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// The allocations at the time of the launch, and where the last access was.
#[derive(Clone, Debug)]
pub(crate) struct MemoryView {
    regions: Arc<[Region]>,
    /// Where each step found its address last: a step rarely changes its allocation.
    last: Vec<u32>,
}

impl MemoryView {
    /// `regions` ascend by address.
    pub(crate) fn new(regions: Vec<Region>, steps: usize) -> Self {
        Self { regions: regions.into(), last: vec![0; steps] }
    }

    /// The region that holds `bytes` bytes at `address`, for the step at `position`.
    #[inline(always)]
    pub(crate) fn find(&mut self, position: usize, address: u64, bytes: u64) -> Option<&Region> {
        let last = self.last[position] as usize;
        let hit = self.regions.get(last).is_some_and(|region| region.holds(address, bytes));
        let index = if hit { last } else { self.search(address, bytes)? };
        self.last[position] = index as u32;
        self.regions.get(index)
    }

    #[inline(never)]
    fn search(&self, address: u64, bytes: u64) -> Option<usize> {
        let index = self.regions.partition_point(|region| region.base <= address).checked_sub(1)?;
        self.regions[index].holds(address, bytes).then_some(index)
    }

    /// Says where `address` lies relative to the nearest allocation below it, for a message.
    pub(crate) fn describe(&self, address: u64) -> String {
        let below = self.regions.partition_point(|region| region.base <= address).checked_sub(1);
        match below.map(|index| &self.regions[index]) {
            Some(region) if address - region.base < region.bytes + (1 << 20) => {
                let (past, bytes) = (address - region.base, region.bytes);
                if past >= bytes {
                    format!("{} bytes past the end of an allocation of {bytes} bytes", past - bytes)
                } else {
                    format!("at byte {past} of an allocation of {bytes} bytes, and reaches past its end")
                }
            }
            _ => match self.regions.get(below.map_or(0, |index| index + 1)) {
                Some(next) if next.base - address < 1 << 20 => {
                    format!("{} bytes before an allocation of {} bytes", next.base - address, next.bytes)
                }
                _ => "in no allocation".to_owned(),
            },
        }
    }
}

/// Reads 1, 2, 4 or 8 aligned bytes.
#[inline(always)]
pub(crate) fn read(words: &[AtomicU32], offset: usize, bytes: u8) -> u64 {
    let word = words[offset / 4].load(Relaxed);
    match bytes {
        4 => u64::from(word),
        8 => u64::from(words[offset / 4 + 1].load(Relaxed)) << 32 | u64::from(word),
        _ => u64::from(word) >> (8 * (offset % 4)) & ((1 << (8 * bytes)) - 1),
    }
}

/// Writes 1, 2, 4 or 8 aligned bytes.
#[inline(always)]
pub(crate) fn write(words: &[AtomicU32], offset: usize, bytes: u8, value: u64) {
    match bytes {
        4 => words[offset / 4].store(value as u32, Relaxed),
        8 => {
            words[offset / 4].store(value as u32, Relaxed);
            words[offset / 4 + 1].store((value >> 32) as u32, Relaxed);
        }
        _ => {
            let shift = 8 * (offset % 4) as u32;
            let mask = ((1_u32 << (8 * bytes)) - 1) << shift;
            let replace = |word: u32| Some((word & !mask) | ((value as u32) << shift & mask));
            // The closure never refuses.
            let _ = words[offset / 4].fetch_update(Relaxed, Relaxed, replace);
        }
    }
}
