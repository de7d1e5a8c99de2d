//! The fast path of warp-level steps for full warps: `bar.warp.sync`, and shuffles in which all lanes have the same lane
//! number or distance, as compilers generate them.

use super::bind::BoundStep;
use super::block::BlockMachine;
use super::events::Observer;
use crate::ground::lanes::{FULL, WARP_SIZE};
use crate::isa::exchange::{Exchange, Shuffle};
use crate::vector::registers::Registers;
use crate::vector::simd::Task;

impl<O: Observer> BlockMachine<'_, O> {
    /// Executes a step in the leading warps of the group that qualify for the fast path and returns their number. The
    /// general path executes the others.
    pub(super) fn whole_warps(&mut self, step: &BoundStep, exchange: Exchange) -> usize {
        if self.lanes.masks.iter().any(|&mask| mask != FULL) {
            return 0;
        }
        let done = match exchange {
            Exchange::Shuffle(kind) => self.shuffle_uniform(step, kind),
            Exchange::Barrier => {
                let members = step.places[0];
                let includes_all =
                    |&&warp: &&u8| self.registers.narrow[members.row(usize::from(warp))].0 == [FULL; WARP_SIZE];
                match members.stride {
                    0 if self.lanes.warps.first().is_some_and(|warp| includes_all(&warp)) => self.lanes.warps.len(),
                    _ => self.lanes.warps.iter().take_while(includes_all).count(),
                }
            }
            _ => return 0,
        };
        for &warp in &self.lanes.warps[..done] {
            match exchange {
                Exchange::Barrier => self.observer.warp_synchronized(usize::from(warp), FULL, FULL),
                _ => self.observer.warp_exchanged(usize::from(warp), FULL),
            }
        }
        done
    }

    fn shuffle_uniform(&mut self, step: &BoundStep, kind: Shuffle) -> usize {
        let Self { registers, lanes, simd, .. } = self;
        let done = simd.run(UniformShuffle { registers, warps: &lanes.warps, step, kind });
        self.observer.shuffles(done as u64);
        done
    }
}

/// A shuffle of full warps with uniform operands.
struct UniformShuffle<'a> {
    registers: &'a mut Registers,
    warps: &'a [u8],
    step: &'a BoundStep,
    kind: Shuffle,
}

impl Task for UniformShuffle<'_> {
    type Output = usize;

    #[inline(always)]
    fn run<const FMA: bool>(self) -> usize {
        let Self { registers, warps, step, kind } = self;
        for (done, &warp) in warps.iter().enumerate() {
            let row = |operand: usize| &registers.narrow[step.places[operand].row(usize::from(warp))].0;
            let values = row(2);
            let lanes = row(3);
            let limits = row(4);
            let members = row(5);
            let b = lanes[0];
            let c = limits[0];
            let mut differs = 0;
            for lane in 0..WARP_SIZE {
                differs |= (lanes[lane] ^ b) | (limits[lane] ^ c) | !members[lane];
            }
            if differs != 0 {
                return done;
            }
            let b = b as usize;
            let c = c as usize;
            // A separate loop for each kind.
            let (result, in_range) = match kind {
                Shuffle::Index => broadcast(values, b, c).unwrap_or_else(|| gather(values, Shuffle::Index, b, c)),
                Shuffle::Up => gather(values, Shuffle::Up, b, c),
                Shuffle::Down => gather(values, Shuffle::Down, b, c),
                Shuffle::Butterfly => gather(values, Shuffle::Butterfly, b, c),
            };
            registers.narrow[step.places[0].row(usize::from(warp))].0 = result;
            registers.predicates[step.places[1].row(usize::from(warp))] = in_range;
        }
        warps.len()
    }
}

/// Returns the value of lane `b` for all lanes if the warp is one segment and the lane is in range.
#[inline(always)]
fn broadcast(values: &[u32; WARP_SIZE], b: usize, c: usize) -> Option<([u32; WARP_SIZE], u32)> {
    let one_segment = c >> 8 & 31 == 0;
    (one_segment && b & 31 <= c & 31).then(|| ([values[b & 31]; WARP_SIZE], FULL))
}

#[inline(always)]
fn gather(values: &[u32; WARP_SIZE], kind: Shuffle, b: usize, c: usize) -> ([u32; WARP_SIZE], u32) {
    let (mut result, mut all) = ([0; WARP_SIZE], 0);
    for (lane, target) in result.iter_mut().enumerate() {
        let (source, in_range) = kind.source(lane, b, c);
        *target = values[if in_range { source & 31 } else { lane }];
        all |= u32::from(in_range) << lane;
    }
    (result, all)
}
