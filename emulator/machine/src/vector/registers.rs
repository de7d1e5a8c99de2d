//! The register files of a block: one row of 32 lanes per register and warp.
//!
//! The first rows contain uniform values, which all warps share: literals, kernel parameters, block indices. The rows of a
//! register for all warps are adjacent, so one dispatch processes all warps of a block in order.

pub(crate) use ::simd::Row;

/// The register file of an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum OperandKind {
    /// 8, 16 or 32 bits.
    Narrow,
    /// 64 bits.
    Wide,
    Predicate,
}

/// The rows of an operand. Its row for a warp has index `first + warp * stride`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Rows {
    pub(crate) first: u32,
    /// 1 for a register, 0 for a uniform value.
    pub(crate) stride: u32,
}

impl Rows {
    /// Returns the index of the row for a warp.
    #[inline(always)]
    pub(crate) fn row(self, warp: usize) -> usize {
        self.first as usize + warp * self.stride as usize
    }
}

/// An operand of a bound step: its register file and its rows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Operand {
    pub(crate) kind: OperandKind,
    pub(crate) rows: Rows,
}

/// The registers of all warps of a block.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Registers {
    /// The 32-bit file. Values of 8 and 16 bits are in the low bits.
    pub(crate) narrow: Vec<Row<u32>>,
    /// The 64-bit file.
    pub(crate) wide: Vec<Row<u64>>,
    /// The predicate file, with one bit per lane.
    pub(crate) predicates: Vec<u32>,
}

impl Registers {
    /// Returns the bits of one lane of an operand.
    pub(crate) fn value(&self, operand: Operand, warp: usize, lane: usize) -> u64 {
        let row = operand.rows.row(warp);
        match operand.kind {
            OperandKind::Narrow => u64::from(self.narrow[row].0[lane]),
            OperandKind::Wide => self.wide[row].0[lane],
            OperandKind::Predicate => u64::from(self.predicates[row] >> lane & 1),
        }
    }

    /// Writes one lane of an operand.
    pub(crate) fn set_value(&mut self, operand: Operand, warp: usize, lane: usize, value: u64) {
        let row = operand.rows.row(warp);
        match operand.kind {
            OperandKind::Narrow => self.narrow[row].0[lane] = value as u32,
            OperandKind::Wide => self.wide[row].0[lane] = value,
            OperandKind::Predicate => {
                let word = &mut self.predicates[row];
                let bit = 1 << lane;
                *word = if value != 0 { *word | bit } else { *word & !bit };
            }
        }
    }
}
