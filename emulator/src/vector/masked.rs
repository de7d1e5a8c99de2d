//! Lanes that execute an instruction together, and what happens to the lanes beside them.
//!
//! An instruction computes whole rows. Where only some lanes are active, it writes spare rows, from which the active
//! lanes are taken over: so there is one loop an instruction, and not a second one with masks.

use super::apply::{Handler, Places};
use super::registers::{Operand, OperandKind, Registers, Row, Rows};
use super::simd::{Simd, Task};
use crate::ground::lanes::LANES;

/// The warps that execute an instruction together, and their lanes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lanes {
    /// Warps of the block, ascending.
    pub(crate) warps: Vec<u8>,
    /// Active lanes of each of them.
    pub(crate) masks: Vec<u32>,
    /// Whether arithmetic may write all lanes: the inactive ones have exited or never existed.
    pub(crate) full: bool,
}

impl Lanes {
    /// No warps.
    pub(crate) fn clear(&mut self) {
        self.warps.clear();
        self.masks.clear();
        self.full = true;
    }

    /// Adds a warp, behind those that are there.
    pub(crate) fn push(&mut self, warp: usize, mask: u32) {
        self.warps.push(warp as u8);
        self.masks.push(mask);
    }
}

/// Executes an instruction for the active lanes alone; its result is of that kind, and rows of its file are spare from
/// `spare` on.
pub(crate) fn execute(
    handler: &Handler,
    simd: Simd,
    places: &Places,
    (kind, spare): (OperandKind, u32),
    registers: &mut Registers,
    lanes: &Lanes,
) {
    let spare = Rows { first: spare, stride: 1 };
    let mut elsewhere = *places;
    elsewhere[0] = spare;
    handler.execute(&elsewhere, registers, &lanes.warps);
    simd.run(TakeOver { registers, lanes, result: Operand { kind, rows: places[0] }, spare });
}

/// Takes the active lanes of a result over from spare rows.
struct TakeOver<'a> {
    registers: &'a mut Registers,
    lanes: &'a Lanes,
    result: Operand,
    spare: Rows,
}

impl Task for TakeOver<'_> {
    type Output = ();

    #[inline(always)]
    fn run<const FMA: bool>(self) {
        let Self { registers, lanes, result, spare } = self;
        for (&warp, &mask) in lanes.warps.iter().zip(&lanes.masks) {
            let (to, from) = (result.rows.of(usize::from(warp)), spare.of(usize::from(warp)));
            match result.kind {
                OperandKind::Narrow => {
                    let [to, from] = both(&mut registers.narrow, to, from);
                    for lane in 0..LANES {
                        let keep = (mask >> lane & 1).wrapping_neg();
                        to[lane] = (from[lane] & keep) | (to[lane] & !keep);
                    }
                }
                OperandKind::Wide => {
                    let [to, from] = both(&mut registers.wide, to, from);
                    for lane in 0..LANES {
                        let keep = u64::from(mask >> lane & 1).wrapping_neg();
                        to[lane] = (from[lane] & keep) | (to[lane] & !keep);
                    }
                }
                OperandKind::Predicate => {
                    let from = registers.predicates[from];
                    let to = &mut registers.predicates[to];
                    *to = (*to & !mask) | (from & mask);
                }
            }
        }
    }
}

/// Two rows, the second behind the first.
#[inline(always)]
fn both<T>(rows: &mut [Row<T>], first: usize, second: usize) -> [&mut [T; LANES]; 2] {
    let (before, behind) = rows.split_at_mut(second);
    [&mut before[first].0, &mut behind[0].0]
}
