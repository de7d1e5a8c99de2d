//! The cost of a warp's addresses: 32-byte sectors, and passes over the banks of shared memory.
//!
//! The rules reproduce Nsight Compute's counters as measured on an H200.

use crate::ground::lanes::WARP_SIZE;
use crate::machine::addresses::{Addresses, Pattern};

/// The size of a sector, the unit of global memory traffic, in bytes.
pub(super) const SECTOR_BYTES: u64 = 32;

/// The number of banks of shared memory, each 4 bytes wide.
const BANKS: usize = 32;

/// The end of a list of words.
const END: u8 = u8::MAX;

impl Addresses<'_> {
    /// Returns the number of distinct sectors that the active lanes access.
    pub(crate) fn sectors(&self) -> u64 {
        let bytes = u64::from(self.bytes);
        match self.pattern {
            _ if self.mask == 0 => 0,
            Pattern::Uniform(address) => span(address, bytes),
            Pattern::Linear(start) if self.mask == u32::MAX => span(start, bytes * WARP_SIZE as u64),
            // The access of an aligned lane is in one sector.
            _ => distinct(self.active().map(|address| address / SECTOR_BYTES)),
        }
    }

    /// Returns the sectors of an atomic, each multiplied by the largest number of lanes at one of its addresses.
    pub(crate) fn atomic_sectors(&self) -> u64 {
        let mut sorted: Vec<u64> = self.active().collect();
        sorted.sort_unstable();
        let runs = sorted.chunk_by(|a, b| a == b).map(|run| (run[0] / SECTOR_BYTES, run.len() as u64));
        let runs: Vec<(u64, u64)> = runs.collect();
        runs.chunk_by(|a, b| a.0 == b.0).map(|sector| sector.iter().map(|run| run.1).max().unwrap_or(0)).sum()
    }

    /// Returns the requests and sectors in local memory. The same 4-byte words of all lanes are adjacent, eight per sector,
    /// and each word of a wide access is a separate request.
    pub(crate) fn local_traffic(&self) -> (u64, u64) {
        if self.mask == 0 {
            return (0, 0);
        }
        let words = u64::from(self.bytes).div_ceil(4);
        let lanes = (0..WARP_SIZE).filter(|lane| self.mask >> lane & 1 != 0);
        let sectors = distinct(lanes.map(|lane| self.at(lane) / 4 * 4 + lane as u64 / 8));
        (words, words * sectors)
    }

    /// Returns the number of distinct addresses.
    pub(crate) fn distinct_addresses(&self) -> u64 {
        if let Pattern::Uniform(_) = self.pattern { 1 } else { distinct(self.active()) }
    }

    /// Returns the number of passes over the banks, and how many of them are due to bank conflicts.
    ///
    /// The warp is processed in 1, 2 or 4 groups for accesses of 4, 8 or 16 bytes. Loads merge adjacent groups if the address
    /// of each lane is equal to that of the adjacent lane, or of the lane at distance two.
    pub(crate) fn wavefronts(&self, is_load: bool) -> (u64, u64) {
        if self.mask == 0 {
            return (0, 0);
        }
        let mut groups = (self.bytes as usize).div_ceil(4).next_power_of_two();
        if is_load && groups > 1 && (self.agrees_at(1) || self.agrees_at(2)) {
            groups /= 2;
        }
        match self.pattern {
            Pattern::Uniform(_) if is_load && self.bytes <= 4 => return (1, 0),
            Pattern::Linear(_) if self.bytes == 4 => return (1, 0),
            _ => {}
        }
        let width = WARP_SIZE / groups;
        let mut wavefronts = 0;
        let mut used = 0;
        for group in 0..groups {
            let passes = self.passes(group * width..(group + 1) * width);
            wavefronts += passes;
            used += u64::from(passes > 0);
        }
        (wavefronts, wavefronts - used)
    }

    /// Returns the number of passes over the banks of a shared atomic, and how many of them are due to bank conflicts. Each
    /// lane needs a separate pass over its bank, even if addresses are equal. Eight-byte atomics process the warp in two
    /// halves. Those of 16 bytes, counted in four quarters here, are not understood: one lane took three passes on an H200.
    ///
    /// If the atomic `counts`, ptxas compiles it to `ATOMS.POPC.INC`, which adds the number of lanes with equal addresses in
    /// one pass.
    pub(crate) fn atomic_passes(&self, counts: bool) -> (u64, u64) {
        if counts {
            let passes = self.passes(0..WARP_SIZE);
            return (passes, passes - u64::from(passes > 0));
        }
        let words = self.bytes.div_ceil(4) as usize;
        let width = WARP_SIZE / words;
        let mut passes = 0;
        let mut used = 0;
        for group in 0..words {
            let mut lanes = [0_u64; BANKS];
            for lane in (group * width..(group + 1) * width).filter(|lane| self.mask >> lane & 1 != 0) {
                lanes[(self.at(lane) / 4) as usize % BANKS] += 1;
            }
            let most = lanes.into_iter().max().unwrap_or(0);
            passes += most;
            used += u64::from(most > 0);
        }
        (passes, passes - used)
    }

    /// Returns whether the address of each active lane is equal to that of the lane whose number differs in `bit`.
    fn agrees_at(&self, bit: usize) -> bool {
        (0..WARP_SIZE).all(|lane| {
            let both = self.mask >> lane & self.mask >> (lane ^ bit) & 1 != 0;
            !both || self.at(lane) == self.at(lane ^ bit)
        })
    }

    /// Returns the largest number of distinct words that a group of lanes accesses in one bank.
    fn passes(&self, group: std::ops::Range<usize>) -> u64 {
        // A lane's words are in neighboring banks, which it uses alike: they count as one bank, and its words as one.
        let bytes = u64::from(self.bytes).next_power_of_two().max(4);
        let banks = BANKS * 4 / bytes as usize;
        // The words of a bank are a list: `heads` has the index of its first word, and `next` that of the word after each.
        // A table of all words of all banks would take longer to clear than to use.
        let (mut heads, mut counts) = ([END; BANKS], [0_u8; BANKS]);
        let (mut words, mut next, mut used) = ([0; WARP_SIZE], [END; WARP_SIZE], 0);
        for lane in group.filter(|lane| self.mask >> lane & 1 != 0) {
            let word = self.at(lane) / bytes;
            let bank = word as usize % banks;
            let mut at = heads[bank];
            while at != END && words[usize::from(at)] != word {
                at = next[usize::from(at)];
            }
            if at == END {
                (words[used], next[used], heads[bank]) = (word, heads[bank], used as u8);
                used += 1;
                counts[bank] += 1;
            }
        }
        counts.into_iter().max().unwrap_or(0).into()
    }
}

/// Returns the number of sectors that contain the `bytes` bytes from `address` on.
fn span(address: u64, bytes: u64) -> u64 {
    address.saturating_add(bytes - 1) / SECTOR_BYTES - address / SECTOR_BYTES + 1
}

/// Returns the number of distinct values, of which there are at most 32.
fn distinct(values: impl Iterator<Item = u64> + Clone) -> u64 {
    let low = values.clone().min().unwrap_or(0);
    let mut near = [0_u64; 2];
    let mut far = Vec::new();
    for value in values {
        match value - low {
            offset @ 0..64 => near[0] |= 1 << offset,
            offset @ 64..128 => near[1] |= 1 << (offset - 64),
            _ => far.push(value),
        }
    }
    far.sort_unstable();
    far.dedup();
    u64::from(near[0].count_ones() + near[1].count_ones()) + far.len() as u64
}
