//! The fast path of loads and stores of words of 32 bits: equal or consecutive addresses in shared or global memory.
//!
//! One call handles all warps of the group, without a description of each request: that took most of the time of sums in shared
//! memory.

use super::Base;
use crate::ground::lanes::{FULL, WARP_SIZE, active};
use crate::ground::space::Space;
use crate::isa::memory::MemoryOperation;
use crate::machine::addresses::Pattern;
use crate::machine::bind::BoundStep;
use crate::machine::block::BlockMachine;
use crate::machine::events::{Observer, WordAccesses};
use crate::machine::memories::Memories;
use crate::machine::word::{WriteWord, cells};
use crate::vector::lanes::Lanes;
use crate::vector::registers::{OperandKind, Registers};
use crate::vector::simd::Task;
use simd::Lane;

/// The words of a sector.
const SECTOR_WORDS: u64 = 8;

impl<O: Observer> BlockMachine<'_, O> {
    /// Executes a load or store of words for the leading warps of the group whose addresses are equal or consecutive, and returns
    /// their number. The general path handles the others, and all faults.
    #[cfg_attr(target_family = "wasm", inline(never))]
    pub(super) fn access_words(&mut self, step: &BoundStep, operation: MemoryOperation, offset: i64) -> usize {
        let (space, element, lanes) = operation.accessed();
        let is_load = matches!(operation, MemoryOperation::Load { .. });
        let value = if is_load { 0 } else { 1 };
        let is_atomic = matches!(operation, MemoryOperation::Atomic { .. });
        if is_atomic || element.bytes != 4 || lanes != 1 || step.kinds[value] != Some(OperandKind::Narrow) {
            return 0;
        }
        let is_own = space != Space::Shared || !self.bound.has_clusters && (is_load || !self.spin.is_probing());
        if !is_own {
            return 0;
        }
        let Self { registers, lanes: group, memories: Memories { shared, view, changed, .. }, simd, .. } = self;
        let access = Words { registers, lanes: group, step, offset, is_load };
        let done = match space {
            Space::Shared => {
                let bytes = self.bound.shared_bytes() as u64;
                simd.run(In { access, words: cells(shared), base: 0, bytes, counts_sectors: false })
            }
            Space::Global => {
                let address = access.first_address();
                match view.find(self.group.position as usize, address, 4) {
                    Some(region) if is_load || !region.constant => {
                        *changed |= !is_load;
                        let base = region.base;
                        let bytes = region.bytes;
                        simd.run(In { access, words: &region.words, base, bytes, counts_sectors: O::ON })
                    }
                    _ => return 0,
                }
            }
            _ => return 0,
        };
        if O::ON && done.accesses.requests > 0 {
            self.observer.word_accesses(space, is_load, &done.accesses);
        }
        done.warps
    }
}

/// A load or store of one word by each lane of `lanes` for which the step's guard is true.
struct Words<'a> {
    registers: &'a mut Registers,
    lanes: &'a Lanes,
    step: &'a BoundStep,
    offset: i64,
    is_load: bool,
}

impl Words<'_> {
    /// Returns the address of the first active lane of the first warp.
    fn first_address(&self) -> u64 {
        let warp = usize::from(self.lanes.warps[0]);
        let lane = self.lanes.masks[0].trailing_zeros() as usize % WARP_SIZE;
        (Base { registers: self.registers, step: self.step, warp, offset: self.offset }).at(lane)
    }
}

/// An access to a memory of `bytes` bytes at address `base`.
struct In<'a, W> {
    access: Words<'a>,
    words: &'a [W],
    base: u64,
    bytes: u64,
    counts_sectors: bool,
}

/// The words that the first `warps` warps of the group accessed.
#[derive(Default)]
struct Done {
    warps: usize,
    accesses: WordAccesses,
}

impl<W: WriteWord> Task for In<'_, W> {
    type Output = Done;

    #[inline(always)]
    fn run<const FMA: bool>(self) -> Done {
        let Self { access, words, base, bytes, counts_sectors } = self;
        let Words { registers, lanes, step, offset, is_load } = access;
        let mut done = Done::default();
        for (warp, mask) in lanes.each() {
            let mask = step.guard.map_or(mask, |guard| mask & guard.lanes(registers, warp));
            if mask == 0 {
                done.warps += 1;
                continue;
            }
            let pattern = (Base { registers, step, warp, offset }).pattern(mask, 4);
            let first = mask.trailing_zeros();
            let end = WARP_SIZE as u32 - mask.leading_zeros();
            let (address, accessed) = match pattern {
                Some(Pattern::Uniform(address)) => (address, 4),
                Some(Pattern::Linear(start)) => (start.wrapping_add(4 * u64::from(first)), 4 * u64::from(end - first)),
                _ => return done,
            };
            let from = address.wrapping_sub(base);
            if from >= bytes || accessed > bytes - from || address % 4 != 0 {
                return done;
            }
            let place = step.places[usize::from(!is_load)].row(warp);
            let row = &mut registers.narrow[place].0;
            let from = from as usize / 4;
            let is_linear = accessed > 4;
            match (is_linear, is_load) {
                (true, true) => load(row, mask, &words[from..from + accessed as usize / 4]),
                (true, false) => store(row, mask, &words[from..from + accessed as usize / 4]),
                (false, true) => fill(row, mask, words[from].get()),
                // The last lane's value stays.
                (false, false) => words[from].set(row[end as usize - 1]),
            }
            let sectors = match (counts_sectors, is_linear) {
                (false, _) => 0,
                (true, true) => sectors(address, mask >> first),
                (true, false) => 1,
            };
            done.accesses.add(mask, sectors);
            done.warps += 1;
        }
        done
    }
}

/// Loads the lanes `mask` of a row from consecutive words, the first of which is that of the lowest lane.
#[inline(always)]
fn load<W: WriteWord>(row: &mut [u32; WARP_SIZE], mask: u32, words: &[W]) {
    let first = mask.trailing_zeros() as usize;
    if let (FULL, Some(words)) = (mask, words.first_chunk::<WARP_SIZE>()) {
        W::load(words, row);
    } else {
        active(mask).for_each(|lane| row[lane] = words[lane - first].get());
    }
}

/// Stores the lanes `mask` of a row to consecutive words, the first of which is that of the lowest lane.
#[inline(always)]
fn store<W: WriteWord>(row: &[u32; WARP_SIZE], mask: u32, words: &[W]) {
    let first = mask.trailing_zeros() as usize;
    if let (FULL, Some(words)) = (mask, words.first_chunk::<WARP_SIZE>()) {
        W::store(words, row);
    } else {
        active(mask).for_each(|lane| words[lane - first].set(row[lane]));
    }
}

#[inline(always)]
fn fill(row: &mut [u32; WARP_SIZE], mask: u32, value: u32) {
    if mask == FULL {
        u32::fill(row, value);
    } else {
        active(mask).for_each(|lane| row[lane] = value);
    }
}

/// Returns the number of sectors of consecutive words at `address`, of which those in `mask` are accessed.
#[inline(always)]
fn sectors(address: u64, mask: u32) -> u64 {
    let words = u64::from(mask) << (address / 4 % SECTOR_WORDS);
    // A bit of a byte is set if any bit of the byte is.
    let any = words | words >> 4;
    let any = any | any >> 2;
    ((any | any >> 1) & 0x0101_0101_0101_0101).count_ones().into()
}
