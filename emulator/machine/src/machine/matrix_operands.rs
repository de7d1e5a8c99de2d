//! Matrix operands that lanes collect in several steps before their warp executes the instruction, because they are too many
//! for one step.

use crate::ground::lanes::WARP_SIZE;

/// The registers collected by the lanes of one warp, as far as an instruction has used them. A 64-bit register takes two, the low
/// half first.
pub(super) type MatrixOperands = Vec<[u32; WARP_SIZE]>;

/// The registers of D of the lanes of a warp in a product of its warpgroup, as far as an instruction has used them.
pub(super) type Sums = Vec<[u32; WARP_SIZE]>;
