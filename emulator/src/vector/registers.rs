//! The register files of a block: one row of 32 lanes for each register and warp.
//!
//! Rows `[0, uniform)` are shared by all warps (literals, launch parameters, block indices); the rows
//! of a register follow each other by warp, so that one dispatch streams over all warps of a block.

use crate::ground::lanes::LANES;

/// Register file of an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum OperandKind {
    /// 8, 16 or 32 bits.
    Narrow,
    /// 64 bits.
    Wide,
    Predicate,
}

/// One register of one warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(align(64))]
pub(crate) struct Row<T>(pub(crate) [T; LANES]);

/// Where an operand's rows are: `first + warp * stride`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Rows {
    pub(crate) first: u32,
    /// 1 for a register, 0 for a value that all warps share.
    pub(crate) stride: u32,
}

impl Rows {
    #[inline(always)]
    pub(crate) fn of(self, warp: usize) -> usize {
        self.first as usize + warp * self.stride as usize
    }
}

/// An operand of a bound step: its rows, and the file that they are in.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Operand {
    pub(crate) kind: OperandKind,
    pub(crate) rows: Rows,
}

/// Registers of all warps of one block.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Registers {
    /// 32-bit file; 8- and 16-bit values are in the low bits.
    pub(crate) narrow: Vec<Row<u32>>,
    /// 64-bit file.
    pub(crate) wide: Vec<Row<u64>>,
    /// Predicate file: one bit a lane.
    pub(crate) predicates: Vec<u32>,
}

impl Registers {
    /// One lane of an operand, as its bits.
    pub(crate) fn value(&self, operand: Operand, warp: usize, lane: usize) -> u64 {
        let row = operand.rows.of(warp);
        match operand.kind {
            OperandKind::Narrow => u64::from(self.narrow[row].0[lane]),
            OperandKind::Wide => self.wide[row].0[lane],
            OperandKind::Predicate => u64::from(self.predicates[row] >> lane & 1),
        }
    }

    /// Writes one lane of an operand.
    pub(crate) fn set_value(&mut self, operand: Operand, warp: usize, lane: usize, value: u64) {
        let row = operand.rows.of(warp);
        match operand.kind {
            OperandKind::Narrow => self.narrow[row].0[lane] = value as u32,
            OperandKind::Wide => self.wide[row].0[lane] = value,
            OperandKind::Predicate => {
                let (word, bit) = (&mut self.predicates[row], 1 << lane);
                *word = if value != 0 { *word | bit } else { *word & !bit };
            }
        }
    }
}
