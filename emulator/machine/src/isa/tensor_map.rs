//! Tensor maps: 128 bytes in memory that describe a tensor in global memory, and the boxes of it that kernels copy.
//!
//! The bytes are opaque in CUDA, and NVIDIA does not document them. Those of the emulator begin with a mark.

pub use super::swizzle::Swizzle;

/// The first bytes of a tensor map.
const MARK: [u8; 8] = *b"tensors\0";

/// The maximum number of dimensions.
const DIMENSIONS: usize = 3;

/// A tensor in global memory, and the size and the layout of its boxes in shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TensorMap {
    /// The address of the first element, a multiple of 16.
    pub address: u64,
    /// The size of an element in bytes: 1, 2, 4 or 8.
    pub element_bytes: u32,
    /// The number of dimensions: 1, 2 or 3.
    pub dimensions: usize,
    /// The number of elements in each dimension, innermost first; 1 in others.
    pub sizes: [u64; DIMENSIONS],
    /// The distance in bytes between elements that are neighbors in each dimension. The first is the size of an element.
    pub strides: [u64; DIMENSIONS],
    /// The number of elements of a box in each dimension; 1 in others.
    pub box_sizes: [u32; DIMENSIONS],
    /// The layout of a box in shared memory.
    pub swizzle: Swizzle,
}

/// A part of a box that is contiguous in memory: elements of the innermost dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TensorRow {
    /// The address of the first element inside of the tensor.
    pub(crate) address: u64,
    /// The offset in the box, in bytes and without a permutation.
    pub(crate) offset: u64,
    /// The number of bytes inside of the tensor: 0 if the row is outside.
    pub(crate) bytes: u64,
}

impl TensorMap {
    /// The size of a tensor map in bytes.
    pub const BYTES: usize = 128;
    /// The alignment of a tensor map in bytes.
    pub const ALIGN: u64 = 64;

    /// Returns the bytes in memory.
    #[must_use]
    pub fn encode(&self) -> [u8; Self::BYTES] {
        let numbers = [self.address, self.element_bytes.into(), self.dimensions as u64, self.swizzle as u64];
        let boxes = self.box_sizes.map(u64::from);
        let all = numbers.into_iter().chain(self.sizes).chain(self.strides).chain(boxes);
        let mut bytes = [0; Self::BYTES];
        bytes[..MARK.len()].copy_from_slice(&MARK);
        for (target, number) in bytes[MARK.len()..].chunks_exact_mut(8).zip(all) {
            target.copy_from_slice(&number.to_le_bytes());
        }
        bytes
    }

    /// Returns the tensor map with these bytes, or `None` if they are something else.
    pub(crate) fn decode(bytes: &[u8; Self::BYTES]) -> Option<Self> {
        let number = |index: usize| {
            let start = MARK.len() + 8 * index;
            bytes[start..start + 8].iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
        };
        let three = |first: usize| std::array::from_fn(|index| number(first + index));
        let swizzles = [Swizzle::None, Swizzle::Bytes32, Swizzle::Bytes64, Swizzle::Bytes128];
        let map = Self {
            address: number(0),
            element_bytes: number(1) as u32,
            dimensions: number(2) as usize,
            swizzle: *swizzles.get(number(3) as usize)?,
            sizes: three(4),
            strides: three(7),
            box_sizes: three(10).map(|size| size as u32),
        };
        let sound = [1, 2, 4, 8].contains(&map.element_bytes)
            && (1..=DIMENSIONS).contains(&map.dimensions)
            && map.box_sizes.iter().all(|size| (1..=256).contains(size));
        (bytes.starts_with(&MARK) && sound).then_some(map)
    }

    /// Returns the number of bytes of a box.
    pub(crate) fn box_bytes(&self) -> u64 {
        self.box_sizes.iter().map(|&size| u64::from(size)).product::<u64>() * u64::from(self.element_bytes)
    }

    /// Returns the rows of the box at `corner`, which may be outside of the tensor.
    pub(crate) fn rows(&self, corner: [i64; DIMENSIONS]) -> impl Iterator<Item = TensorRow> + use<> {
        let Self { address, sizes, strides, box_sizes: [x, y, z], .. } = *self;
        let element = i64::from(self.element_bytes);
        let sizes = sizes.map(|size| size as i64);
        let places = (0..i64::from(z)).flat_map(move |slice| (0..i64::from(y)).map(move |row| (row, slice)));
        places.map(move |(row, slice)| {
            let [first, at_y, at_z] = [corner[0], corner[1] + row, corner[2] + slice];
            let inside = (0..sizes[1]).contains(&at_y) && (0..sizes[2]).contains(&at_z);
            let begin = first.max(0);
            let end = (first + i64::from(x)).min(sizes[0]);
            let count = if inside { (end - begin).max(0) } else { 0 };
            let start =
                if count == 0 { 0 } else { at_y * strides[1] as i64 + at_z * strides[2] as i64 + begin * element };
            let skipped = if count == 0 { 0 } else { begin - first };
            TensorRow {
                address: address.wrapping_add(start as u64),
                offset: (((slice * i64::from(y) + row) * i64::from(x) + skipped) * element) as u64,
                bytes: (count * element) as u64,
            }
        })
    }
}
