//! The kinds of accesses that the checks distinguish.

/// A set of the constants of this type.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Traits(u32);

impl Traits {
    /// It is the write of a copy for which its lane does not wait.
    pub(super) const COPIED: Self = Self(1);
    /// It is atomic, volatile or ordered. In shared memory, a volatile access is if it reads a flag.
    pub(super) const ATOMIC: Self = Self(1 << 1);
    /// It is an atomic that reads and writes.
    pub(super) const MODIFIES: Self = Self(1 << 2);
    /// It is volatile, and stores, or reads a flag in shared memory.
    pub(super) const VOLATILE: Self = Self(1 << 3);
    /// It is atomic or ordered for the threads of its block only.
    pub(super) const OF_BLOCK: Self = Self(1 << 4);
    /// It is a load by the read-only path.
    pub(super) const READ_ONLY: Self = Self(1 << 5);
    /// It stores bytes that were loaded from uninitialized memory.
    pub(super) const UNDEFINED: Self = Self(1 << 6);

    /// It is a volatile load from global memory that reads no flag.
    pub(super) const OF_DATA: Self = Self(1 << 7);

    /// The number of bits.
    pub(super) const BITS: u32 = 8;

    /// Returns the set of which the lowest bits of a number are the representation.
    pub(super) fn from_bits(bits: u32) -> Self {
        Self(bits & ((1 << Self::BITS) - 1))
    }

    pub(super) fn bits(self) -> u32 {
        self.0
    }

    /// Returns these, and another if `holds`.
    pub(super) fn with(self, other: Self, holds: bool) -> Self {
        if holds { Self(self.0 | other.0) } else { self }
    }

    /// Returns whether one of `others` is among these.
    #[inline(always)]
    pub(super) fn has(self, others: Self) -> bool {
        self.0 & others.0 != 0
    }
}
