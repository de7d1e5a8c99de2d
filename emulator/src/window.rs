//! The generic address space: where shared, local and parameter memory appear in it.
//!
//! Device memory (`.global`, `.const`) lies below [`SHARED`], at its own addresses.

use crate::ptx::tree::Space;

/// Generic address of byte 0 of the block's shared memory.
pub(crate) const SHARED: u64 = 1 << 48;

/// Generic address of byte 0 of the thread's local memory.
pub(crate) const LOCAL: u64 = 2 << 48;

/// Generic address of byte 0 of the parameter block.
pub(crate) const PARAMETER: u64 = 3 << 48;

/// The space that a generic address points into.
#[inline(always)]
pub(crate) fn space(address: u64) -> Space {
    match address >> 48 {
        1 => Space::Shared,
        2 => Space::Local,
        3 => Space::Parameter,
        _ => Space::Global,
    }
}

/// Generic address of byte 0 of a space.
pub(crate) fn base(space: Space) -> u64 {
    match space {
        Space::Shared => SHARED,
        Space::Local => LOCAL,
        Space::Parameter => PARAMETER,
        Space::Generic | Space::Global | Space::Constant => 0,
    }
}
