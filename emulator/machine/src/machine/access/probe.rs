//! Detection of the address pattern of each warp.

use crate::ground::lanes::WARP_SIZE;
use crate::machine::addresses::{Pattern, probe};
use crate::machine::bind::BoundStep;
use crate::vector::lanes::Lanes;
use crate::vector::registers::{OperandKind, Registers};
use crate::vector::simd::Task;

/// The register that holds a warp's addresses, and the offset added to it.
#[derive(Clone, Copy)]
pub(super) struct Base<'a> {
    pub(super) registers: &'a Registers,
    pub(super) step: &'a BoundStep,
    pub(super) warp: usize,
    pub(super) offset: i64,
}

impl Base<'_> {
    /// Returns the row of the register, and whether it is wide. The address follows the results: those of a load, none of a
    /// store, one of an atomic.
    #[inline(always)]
    pub(super) fn row(&self) -> (usize, bool) {
        let operand = usize::from(self.step.results);
        (self.step.places[operand].row(self.warp), self.step.kinds[operand] == Some(OperandKind::Wide))
    }

    /// Returns the address of a lane.
    #[inline(always)]
    pub(super) fn at(&self, lane: usize) -> u64 {
        match self.row() {
            (row, true) => self.registers.wide[row].0[lane].wrapping_add(self.offset as u64),
            (row, false) => u64::from(self.registers.narrow[row].0[lane].wrapping_add(self.offset as u32)),
        }
    }

    /// Returns the pattern of the addresses of the lanes `mask`, if there is one, for accesses of `bytes` bytes.
    #[inline(always)]
    pub(super) fn pattern(&self, mask: u32, bytes: u64) -> Option<Pattern<'static>> {
        let offset = self.offset;
        match self.row() {
            (row, true) => probe(&self.registers.wide[row].0, mask, bytes, |base| base.wrapping_add(offset as u64)),
            (row, false) => {
                probe(&self.registers.narrow[row].0, mask, bytes, |base| u64::from(base.wrapping_add(offset as u32)))
            }
        }
    }

    pub(super) fn addresses(&self, lanes: &mut [u64; WARP_SIZE]) {
        match self.row() {
            (row, true) => {
                for (lane, &base) in lanes.iter_mut().zip(&self.registers.wide[row].0) {
                    *lane = base.wrapping_add(self.offset as u64);
                }
            }
            (row, false) => {
                for (lane, &base) in lanes.iter_mut().zip(&self.registers.narrow[row].0) {
                    *lane = u64::from(base.wrapping_add(self.offset as u32));
                }
            }
        }
    }
}

/// The task that finds the active lanes of each warp of a group, and the pattern of their addresses if there is one.
pub(super) struct Probe<'a> {
    pub(super) registers: &'a Registers,
    pub(super) lanes: &'a Lanes,
    pub(super) step: &'a BoundStep,
    pub(super) offset: i64,
    pub(super) bytes: u32,
    pub(super) patterns: &'a mut Vec<(u32, Option<Pattern<'static>>)>,
}

impl Task for Probe<'_> {
    type Output = ();

    #[inline(always)]
    fn run<const FMA: bool>(self) {
        let Self { registers, lanes, step, offset, bytes, patterns } = self;
        patterns.clear();
        for (warp, mask) in lanes.each() {
            let mask = step.guard.map_or(mask, |guard| mask & guard.lanes(registers, warp));
            let base = Base { registers, step, warp, offset };
            let pattern = if mask == 0 { None } else { base.pattern(mask, bytes.into()) };
            patterns.push((mask, pattern));
        }
    }
}
