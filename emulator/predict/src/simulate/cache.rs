//! A cache as tags of sectors, each with the cycle in which its data arrive.

/// The number of sectors that may have the same place.
const WAYS: usize = 4;

use crate::together::SECTOR_BYTES;

/// A sector with the cycle of its arrival; the sector is `u64::MAX` if there is none.
type Entry = (u64, u64);

/// A cache whose sets replace the sector that was used longest ago.
pub(super) struct Cache {
    sets: Vec<[Entry; WAYS]>,
}

impl Cache {
    /// Returns an empty cache of at least 128 bytes.
    pub(super) fn new(bytes: u64) -> Self {
        let sets = (bytes / SECTOR_BYTES) as usize / WAYS;
        Self { sets: vec![[(u64::MAX, 0); WAYS]; sets.max(1)] }
    }

    /// Returns the arrival of a sector, if the cache has it or waits for it.
    pub(super) fn find(&mut self, sector: u64) -> Option<u64> {
        let set = self.set(sector);
        let way = set.iter().position(|entry| entry.0 == sector)?;
        set[..=way].rotate_right(1);
        Some(set[0].1)
    }

    /// Returns the number that is kept for a line, which is 0 at first.
    pub(super) fn number(&mut self, line: u64) -> &mut u64 {
        if self.find(line).is_none() {
            self.insert(line, 0);
        }
        &mut self.set(line)[0].1
    }

    /// Adds a sector that arrives in a cycle.
    pub(super) fn insert(&mut self, sector: u64, arrival: u64) {
        let set = self.set(sector);
        set.rotate_right(1);
        set[0] = (sector, arrival);
    }

    fn set(&mut self, sector: u64) -> &mut [Entry; WAYS] {
        // The higher bits take part, so that strides of a power of two do not meet in one set.
        let index = (sector ^ sector >> 11) % self.sets.len() as u64;
        &mut self.sets[index as usize]
    }
}
