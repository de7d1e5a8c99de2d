//! Execution under an active mask.
//!
//! An instruction computes whole rows. If only some lanes are active, it writes the result to spare rows, from which the active
//! lanes are copied. Each instruction therefore needs only one loop, without masks. A few active lanes are computed one by one
//! instead ([`super::apply::Execute::execute_lanes`]). Floating-point sources are also copied to
//! spare rows, with zeros in the inactive lanes: their values may be subnormal, which costs a CPU about 150 cycles.

use super::apply::{Handler, Places};
use super::lanes::Lanes;
use super::registers::{Operand, OperandKind, Registers, Row, Rows};
use super::simd::{Simd, Task};
use crate::ground::lanes::{WARP_SIZE, select, select_wide};

/// The number of operands that may have spare rows: the result and three sources.
pub(crate) const SPARE_OPERANDS: usize = 4;

/// The operands of an arithmetic instruction, the result first.
#[derive(Clone, Copy)]
pub(crate) struct Operands<'a> {
    pub(crate) places: &'a Places,
    pub(crate) kinds: &'a [Option<OperandKind>; 6],
    /// Whether the sources are floating-point values.
    pub(crate) floats: bool,
}

/// Executes an instruction for the active lanes only. `spare` returns the spare rows of a register file for an operand below
/// [`SPARE_OPERANDS`].
pub(crate) fn execute(
    handler: &Handler,
    simd: Simd,
    operands: Operands<'_>,
    spare: impl Fn(OperandKind, usize) -> Rows,
    registers: &mut Registers,
    lanes: &Lanes,
) {
    let Operands { places, kinds, floats } = operands;
    if handler.execute_lanes(places, registers, lanes) {
        return;
    }
    let operand = |index: usize| Operand { kind: kinds[index].unwrap_or(OperandKind::Narrow), rows: places[index] };
    let mut masked = *places;
    masked[0] = spare(operand(0).kind, 0);
    if floats {
        // Uniform values, which have stride 0, are the same in all lanes.
        for index in (1..SPARE_OPERANDS).filter(|&index| kinds[index].is_some() && places[index].stride != 0) {
            let source = operand(index);
            let to = spare(operand(index).kind, index);
            simd.run(WithoutInactive { registers, lanes, source, to });
            masked[index] = to;
        }
    }
    handler.execute(&masked, registers, &lanes.warps);
    simd.run(TakeOver { registers, lanes, result: operand(0), spare: masked[0] });
}

/// Copies a source to spare rows, with zeros in the inactive lanes.
struct WithoutInactive<'a> {
    registers: &'a mut Registers,
    lanes: &'a Lanes,
    source: Operand,
    to: Rows,
}

impl Task for WithoutInactive<'_> {
    type Output = ();

    #[inline(always)]
    fn run<const FMA: bool>(self) {
        let Self { registers, lanes, source, to } = self;
        for (&warp, &mask) in lanes.warps.iter().zip(&lanes.masks) {
            let from = source.rows.row(usize::from(warp));
            let to = to.row(usize::from(warp));
            match source.kind {
                OperandKind::Narrow => {
                    let [from, to] = both(&mut registers.narrow, from, to);
                    for lane in 0..WARP_SIZE {
                        to[lane] = from[lane] & select(mask, lane);
                    }
                }
                OperandKind::Wide => {
                    let [from, to] = both(&mut registers.wide, from, to);
                    for lane in 0..WARP_SIZE {
                        to[lane] = from[lane] & select_wide(mask, lane);
                    }
                }
                OperandKind::Predicate => registers.predicates[to] = registers.predicates[from] & mask,
            }
        }
    }
}

/// Copies the active lanes of a result from spare rows.
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
            let to = result.rows.row(usize::from(warp));
            let from = spare.row(usize::from(warp));
            match result.kind {
                OperandKind::Narrow => {
                    let [to, from] = both(&mut registers.narrow, to, from);
                    for lane in 0..WARP_SIZE {
                        let keep = select(mask, lane);
                        to[lane] = (from[lane] & keep) | (to[lane] & !keep);
                    }
                }
                OperandKind::Wide => {
                    let [to, from] = both(&mut registers.wide, to, from);
                    for lane in 0..WARP_SIZE {
                        let keep = select_wide(mask, lane);
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

/// Borrows two rows, of which `second` has the larger index.
#[inline(always)]
fn both<T>(rows: &mut [Row<T>], first: usize, second: usize) -> [&mut [T; WARP_SIZE]; 2] {
    let (before, behind) = rows.split_at_mut(second);
    [&mut before[first].0, &mut behind[0].0]
}
