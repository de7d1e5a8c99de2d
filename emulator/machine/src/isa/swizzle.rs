//! The permutations of 16-byte chunks in shared memory that tensor copies and products of a warpgroup share.

/// A permutation, named by the number of bytes in a row of its pattern, of which there are eight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Swizzle {
    /// No permutation: a row is a chunk of 16 bytes.
    None,
    /// Rows of 32 bytes.
    Bytes32,
    /// Rows of 64 bytes.
    Bytes64,
    /// Rows of 128 bytes.
    Bytes128,
}

impl Swizzle {
    /// Returns the number of bytes in a row.
    #[must_use]
    pub fn bytes(self) -> u64 {
        16 << self as u64
    }

    /// Returns the place of the byte at `address`: bits 7 to 9, as many as the pattern needs, flip the bits from 4 on.
    pub(crate) fn place(self, address: u64) -> u64 {
        address ^ (address >> 7 & (self.bytes() / 16 - 1)) << 4
    }
}
