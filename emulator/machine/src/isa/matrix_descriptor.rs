//! The 64-bit descriptors of matrices in shared memory, lowest bits first:
//!
//! | bits | contents |
//! |---|---|
//! | 0–13 | address, in units of 16 bytes |
//! | 16–29 | leading dimension offset, in units of 16 bytes |
//! | 32–45 | stride dimension offset, in units of 16 bytes |
//! | 49–51 | base offset |
//! | 62–63 | swizzle |
//!
//! A matrix consists of chunks of 16 bytes. In its row-major form (K-major in PTX), a chunk has eight elements of a row of A or of
//! a column of B; transposed (MN-major), eight elements of a column of A or of a row of B.

use super::swizzle::Swizzle;

/// The number of bytes of a chunk.
pub(crate) const CHUNK: u64 = 16;

/// The number of chunks in a row of eight rows that repeat one pattern.
const ROWS: u64 = 8;

/// A matrix in shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MatrixDescriptor {
    address: u64,
    leading: u64,
    stride: u64,
    swizzle: Swizzle,
}

impl MatrixDescriptor {
    /// Decodes a descriptor. Fails if it has a base offset.
    pub(crate) fn new(bits: u64) -> Result<Self, &'static str> {
        let field = |shift: u32| (bits >> shift & 0x3FFF) * CHUNK;
        if bits >> 49 & 7 != 0 {
            return Err("a matrix descriptor with a base offset, which the emulator does not support");
        }
        let swizzle = [Swizzle::None, Swizzle::Bytes128, Swizzle::Bytes64, Swizzle::Bytes32][(bits >> 62) as usize];
        Ok(Self { address: field(0), leading: field(16), stride: field(32), swizzle })
    }

    /// Returns the address of a chunk. `line` is the row of A or the column of B, and `chunk` its chunk; `line` is the column of
    /// A or the row of B if `transposed`.
    pub(crate) fn chunk(&self, line: u64, chunk: u64, transposed: bool) -> u64 {
        let Self { address, leading, stride, swizzle } = *self;
        let width = swizzle.bytes() / CHUNK;
        let row = line % ROWS * swizzle.bytes();
        let offset = match (transposed, swizzle) {
            (false, Swizzle::None) => row + line / ROWS * stride + chunk * leading,
            (false, _) => row + line / ROWS * stride + chunk * CHUNK,
            (true, Swizzle::None) => row + line / ROWS * leading + chunk * stride,
            (true, _) => row + line / ROWS * stride + chunk / width * leading + chunk % width * CHUNK,
        };
        swizzle.place(address + offset)
    }
}
