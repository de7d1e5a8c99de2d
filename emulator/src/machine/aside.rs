//! Operands that lanes set aside for an instruction that their warp executes together, where they are too many for a step.

use crate::ground::lanes::LANES;

/// Registers that an instruction sets aside at most: four of A, two of B, four of C.
const REGISTERS: usize = 10;

/// What the lanes of one warp have set aside.
pub(super) type Aside = [[u32; LANES]; REGISTERS];

/// Nothing.
pub(super) const NOTHING: Aside = [[0; LANES]; REGISTERS];
