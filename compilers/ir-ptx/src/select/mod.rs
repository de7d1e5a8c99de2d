//! Selection: from the tree of a function to PTX with virtual registers and phis.

pub(crate) mod assembly;
mod atomics;
pub(crate) mod calls;
pub(crate) mod function;
mod fusion;
mod memory;
mod operands;
mod pointers;
mod rows;
mod selector;
mod sums;
mod wide;
