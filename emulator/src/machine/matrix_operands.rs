//! Matrix operands that lanes collect in several steps before their warp executes the instruction, because they are too many
//! for one step.

use crate::ground::lanes::LANES;

/// The largest number of registers that an instruction collects: four of A, two of B, four of C.
const REGISTERS: usize = 10;

/// The registers collected by the lanes of one warp.
pub(super) type MatrixOperands = [[u32; LANES]; REGISTERS];

/// The operands of a new block.
pub(super) const NO_OPERANDS: MatrixOperands = [[0; LANES]; REGISTERS];

/// The registers of D of the lanes of a warp in a product of its warpgroup, as far as an instruction has used them.
pub(super) type Sums = Vec<[u32; LANES]>;
