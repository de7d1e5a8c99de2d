//! How the addresses of a warp lie, and what that costs: 32-byte sectors and passes over the banks.
//!
//! The rules are those that Nsight Compute's counters follow, measured on an H200.

use super::registers::LANES;

/// Bytes of a sector, the unit of global memory traffic.
pub(crate) const SECTOR_BYTES: u64 = 32;

/// Banks of shared memory, each 4 bytes wide.
const BANKS: usize = 32;

/// How the addresses of a warp's active lanes lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pattern<'a> {
    /// All the same.
    Uniform(u64),
    /// One after the other in the order of the lanes, as far apart as the access is wide; lane 0 would be
    /// here.
    Linear(u64),
    /// The address of each lane; of no meaning for inactive ones.
    Any(&'a [u64; LANES]),
}

/// The addresses of one memory instruction of one warp.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Addresses<'a> {
    pub(crate) pattern: Pattern<'a>,
    pub(crate) mask: u32,
    /// Bytes that each lane accesses: 1 to 16.
    pub(crate) bytes: u32,
}

impl<'a> Addresses<'a> {
    /// Addresses without a known pattern.
    pub(crate) fn classify(lanes: &'a [u64; LANES], mask: u32, bytes: u32) -> Self {
        let pattern = probe(lanes, mask, u64::from(bytes), |value| value).unwrap_or(Pattern::Any(lanes));
        Self { pattern, mask, bytes }
    }

    /// The lowest active lane.
    #[inline(always)]
    pub(crate) fn first_lane(&self) -> usize {
        (self.mask.trailing_zeros() as usize).min(LANES - 1)
    }

    /// The address of a lane.
    #[inline(always)]
    pub(crate) fn of(&self, lane: usize) -> u64 {
        match self.pattern {
            Pattern::Uniform(address) => address,
            Pattern::Linear(start) => start.wrapping_add(lane as u64 * u64::from(self.bytes)),
            Pattern::Any(lanes) => lanes[lane],
        }
    }

    fn active(self) -> impl Iterator<Item = u64> + Clone + use<'a> {
        (0..LANES).filter(move |lane| self.mask >> lane & 1 != 0).map(move |lane| self.of(lane))
    }

    /// Number of distinct 32-byte sectors that the active lanes touch.
    pub(crate) fn sectors(&self) -> u64 {
        let bytes = u64::from(self.bytes);
        match self.pattern {
            _ if self.mask == 0 => 0,
            Pattern::Uniform(address) => span(address, bytes),
            Pattern::Linear(start) if self.mask == u32::MAX => span(start, bytes * LANES as u64),
            // An aligned access lies in one sector.
            _ => distinct(self.active().map(|address| address / SECTOR_BYTES)),
        }
    }

    /// Sectors of an atomic: each counts as often as its most wanted address is wanted.
    pub(crate) fn atomic_sectors(&self) -> u64 {
        let mut sorted: Vec<u64> = self.active().collect();
        sorted.sort_unstable();
        let runs = sorted.chunk_by(|a, b| a == b).map(|run| (run[0] / SECTOR_BYTES, run.len() as u64));
        let runs: Vec<(u64, u64)> = runs.collect();
        runs.chunk_by(|a, b| a.0 == b.0).map(|sector| sector.iter().map(|run| run.1).max().unwrap_or(0)).sum()
    }

    /// Requests and sectors of local memory. The same 4-byte words of all lanes lie side by side, eight to a sector, and
    /// each word of a wide access is a request of its own.
    pub(crate) fn local_traffic(&self) -> (u64, u64) {
        if self.mask == 0 {
            return (0, 0);
        }
        let words = u64::from(self.bytes).div_ceil(4);
        let lanes = (0..LANES).filter(|lane| self.mask >> lane & 1 != 0);
        let sectors = distinct(lanes.map(|lane| self.of(lane) / 4 * 4 + lane as u64 / 8));
        (words, words * sectors)
    }

    /// Number of distinct addresses.
    pub(crate) fn distinct_addresses(&self) -> u64 {
        if let Pattern::Uniform(_) = self.pattern { 1 } else { distinct(self.active()) }
    }

    /// Passes over the banks and how many of them are conflicts.
    ///
    /// The warp is taken in 1, 2 or 4 groups for accesses of 4, 8 or 16 bytes. Loads merge neighbouring
    /// groups when each lane agrees with its neighbour, or with the next but one.
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
        let width = LANES / groups;
        let (mut wavefronts, mut used) = (0, 0);
        for group in 0..groups {
            let passes = self.passes(group * width..(group + 1) * width);
            wavefronts += passes;
            used += u64::from(passes > 0);
        }
        (wavefronts, wavefronts - used)
    }

    /// Passes over the banks of a shared atomic, and how many of them are conflicts: every lane has a pass of its own in
    /// its bank, those with the same address too. Eight-byte atomics take the warp in two halves.
    pub(crate) fn atomic_passes(&self) -> (u64, u64) {
        let words = self.bytes.div_ceil(4) as usize;
        let width = LANES / words;
        let (mut passes, mut used) = (0, 0);
        for group in 0..words {
            let mut lanes = [0_u64; BANKS];
            for lane in (group * width..(group + 1) * width).filter(|lane| self.mask >> lane & 1 != 0) {
                lanes[(self.of(lane) / 4) as usize % BANKS] += 1;
            }
            let most = lanes.into_iter().max().unwrap_or(0);
            passes += most;
            used += u64::from(most > 0);
        }
        (passes, passes - used)
    }

    /// Whether every active lane has the address of the lane whose number differs in `bit`.
    fn agrees_at(&self, bit: usize) -> bool {
        (0..LANES).all(|lane| {
            let both = self.mask >> lane & self.mask >> (lane ^ bit) & 1 != 0;
            !both || self.of(lane) == self.of(lane ^ bit)
        })
    }

    /// Largest number of distinct words that a group of lanes wants from one bank.
    fn passes(&self, group: std::ops::Range<usize>) -> u64 {
        let mut wanted: [[u64; LANES]; BANKS] = [[0; LANES]; BANKS];
        let mut counts = [0_usize; BANKS];
        for lane in group.filter(|lane| self.mask >> lane & 1 != 0) {
            let first = self.of(lane) / 4;
            for word in first..first + u64::from(self.bytes).div_ceil(4) {
                let bank = word as usize % BANKS;
                let known = &wanted[bank][..counts[bank]];
                if !known.contains(&word) {
                    wanted[bank][counts[bank]] = word;
                    counts[bank] += 1;
                }
            }
        }
        counts.into_iter().max().unwrap_or(0) as u64
    }
}

/// Finds the pattern of the active lanes of a register, whose values `widen` makes addresses.
#[inline(always)]
pub(crate) fn probe<T: Copy>(
    row: &[T; LANES],
    mask: u32,
    bytes: u64,
    widen: impl Fn(T) -> u64,
) -> Option<Pattern<'static>> {
    if mask == u32::MAX {
        let (first, last) = (widen(row[0]), widen(row[LANES - 1]));
        let step = if first == last { 0 } else { bytes };
        return alike(row, u32::MAX, first, step, widen);
    }
    let lowest = (mask.trailing_zeros() as usize).min(LANES - 1);
    let first = widen(row[lowest]);
    let uniform = alike(row, mask, first, 0, &widen);
    uniform.or_else(|| alike(row, mask, first.wrapping_sub(lowest as u64 * bytes), bytes, &widen))
}

/// The pattern whose addresses are `step` apart, if the active lanes follow it.
#[inline(always)]
fn alike<T: Copy>(
    row: &[T; LANES],
    mask: u32,
    start: u64,
    step: u64,
    widen: impl Fn(T) -> u64,
) -> Option<Pattern<'static>> {
    let mut differs = 0;
    for (lane, &value) in row.iter().enumerate() {
        let active = if mask == u32::MAX { u64::MAX } else { u64::from(mask >> lane & 1).wrapping_neg() };
        differs |= (widen(value) ^ start.wrapping_add(lane as u64 * step)) & active;
    }
    (differs == 0).then_some(if step == 0 { Pattern::Uniform(start) } else { Pattern::Linear(start) })
}

/// Sectors that `bytes` bytes from `address` on lie in.
fn span(address: u64, bytes: u64) -> u64 {
    address.saturating_add(bytes - 1) / SECTOR_BYTES - address / SECTOR_BYTES + 1
}

/// Number of distinct values among at most 32.
fn distinct(values: impl Iterator<Item = u64> + Clone) -> u64 {
    let low = values.clone().min().unwrap_or(0);
    let mut near = 0_u128;
    let mut far = Vec::new();
    for value in values {
        match value - low {
            offset @ 0..128 => near |= 1 << offset,
            _ => far.push(value),
        }
    }
    far.sort_unstable();
    far.dedup();
    u64::from(near.count_ones()) + far.len() as u64
}
