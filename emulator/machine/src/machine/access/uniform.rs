//! The fast path of loads by all lanes from one address, as an N-body loop loads its sources.
//!
//! One call handles all warps of the group and fills each warp's row from one read. One call per warp took about three times
//! as long.

use super::Base;
use crate::ground::lanes::FULL;
use crate::ground::space::Space;
use crate::isa::memory::Element;
use crate::machine::addresses::Pattern;
use crate::machine::bind::BoundStep;
use crate::machine::block::BlockMachine;
use crate::machine::events::Observer;
use crate::machine::memories::Memories;
use crate::machine::word::Word;
use crate::vector::registers::{OperandKind, Registers};
use crate::vector::simd::Task;
use simd::Lane;

impl<O: Observer> BlockMachine<'_, O> {
    /// Loads 4-byte values for the leading warps of the group whose lanes all read one address, and returns their number.
    /// The general path handles the others, and all faults.
    #[cfg_attr(target_family = "wasm", inline(never))]
    pub(super) fn load_uniform(
        &mut self,
        step: &BoundStep,
        space: Space,
        element: Element,
        lanes: u8,
        offset: i64,
    ) -> usize {
        let parts = usize::from(lanes);
        let simple = element.bytes == 4 && step.guard.is_none() && self.lanes.masks.iter().all(|&mask| mask == FULL);
        let of_cluster = space == Space::Shared && self.bound.has_clusters;
        if !simple || of_cluster || step.kinds[..parts].iter().any(|&kind| kind != Some(OperandKind::Narrow)) {
            return 0;
        }
        let bytes = 4 * u64::from(lanes);
        let Self { registers, lanes: group, memories: Memories { shared, view, .. }, simd, .. } = self;
        let load = UniformLoad { registers, warps: &group.warps, step, offset, parts };
        let done = match space {
            Space::Global | Space::Constant => {
                let warp = usize::from(group.warps[0]);
                let address = (Base { registers: load.registers, step, warp, offset }).at(0);
                match view.find(self.group.position as usize, address, bytes) {
                    Some(region) => {
                        simd.run(From { load, words: &region.words, base: region.base, bytes: region.bytes })
                    }
                    None => 0,
                }
            }
            Space::Shared => {
                let bytes = self.bound.shared_bytes() as u64;
                simd.run(From { load, words: shared, base: 0, bytes })
            }
            _ => 0,
        };
        if O::ON && done > 0 {
            self.observer.uniform_loads(space, done as u64, bytes);
        }
        done
    }
}

/// A load of `parts` words by each of the warps `warps`.
struct UniformLoad<'a> {
    registers: &'a mut Registers,
    warps: &'a [u8],
    step: &'a BoundStep,
    offset: i64,
    parts: usize,
}

/// A load from a memory of `bytes` bytes at address `base`.
struct From<'a, W> {
    load: UniformLoad<'a>,
    words: &'a [W],
    base: u64,
    bytes: u64,
}

impl<W: Word> Task for From<'_, W> {
    type Output = usize;

    #[inline(always)]
    fn run<const FMA: bool>(self) -> usize {
        let UniformLoad { registers, warps, step, offset, parts } = self.load;
        let size = 4 * parts as u64;
        for (done, &warp) in warps.iter().enumerate() {
            let warp = usize::from(warp);
            let pattern = (Base { registers, step, warp, offset }).pattern(FULL, size);
            let Some(Pattern::Uniform(address)) = pattern else { return done };
            let start = address.wrapping_sub(self.base);
            let inside = start < self.bytes && size <= self.bytes - start;
            if !inside || address & (size - 1) != 0 {
                return done;
            }
            for part in 0..parts {
                let value = self.words[start as usize / 4 + part].get();
                u32::fill(&mut registers.narrow[step.places[part].row(warp)].0, value);
            }
        }
        warps.len()
    }
}
