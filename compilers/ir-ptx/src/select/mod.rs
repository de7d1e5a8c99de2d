//! Selection: from the tree of a function to PTX with virtual registers and phis.

mod aggregate;
pub(crate) mod assembly;
mod atomics;
pub(crate) mod calls;
mod copies;
mod extension;
pub(crate) mod function;
mod fusion;
mod memory;
mod multiply_add;
mod operands;
mod pointers;
mod rows;
mod selector;
mod sums;
mod wide;
