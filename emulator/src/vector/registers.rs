//! The register files of a block: one row of 32 lanes for each register and warp.
//!
//! Rows `[0, uniform)` are shared by all warps (literals, launch parameters, block indices); the rows
//! of a register follow each other by warp, so that one dispatch streams over all warps of a block.

use crate::ground::lanes::LANES;

/// Lanes that the arithmetic handles at a time: one AVX2 register of 32-bit values.
pub(crate) const CHUNK: usize = 8;

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
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(crate) struct Row<T>(pub(crate) [T; LANES]);

/// Where an operand's rows are: `row + warp * stride`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) row: u32,
    /// 1 for a register, 0 for a value that all warps share.
    pub(crate) stride: u32,
}

impl Place {
    #[inline(always)]
    pub(crate) fn of(self, warp: usize) -> usize {
        self.row as usize + warp * self.stride as usize
    }
}

/// Registers of all warps of one block.
#[derive(Debug)]
pub(crate) struct Registers {
    /// 32-bit file; 8- and 16-bit values stand in the low bits.
    pub(crate) narrow: Vec<Row<u32>>,
    /// 64-bit file.
    pub(crate) wide: Vec<Row<u64>>,
    /// Predicate file: one bit a lane.
    pub(crate) predicates: Vec<u32>,
}

/// The warps that execute an instruction together, and their lanes.
#[derive(Clone, Debug)]
pub(crate) struct Lanes {
    /// Warps of the block, ascending.
    pub(crate) warps: Vec<u8>,
    /// Active lanes of each of them.
    pub(crate) masks: Vec<u32>,
    /// The same, each bit spread over a word.
    pub(crate) spread: Vec<Row<u32>>,
    /// Whether arithmetic may write all lanes: the inactive ones have exited or never existed.
    pub(crate) full: bool,
}

/// Spreads the bits of `mask` over words of all ones or zeros.
#[inline(always)]
pub(crate) fn spread(mask: u32) -> Row<u32> {
    let mut row = Row([0; LANES]);
    for (lane, word) in row.0.iter_mut().enumerate() {
        *word = (mask >> lane & 1).wrapping_neg();
    }
    row
}
