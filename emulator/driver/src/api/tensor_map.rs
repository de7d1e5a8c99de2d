//! Tensor maps, which describe tensors in global memory for copies by kernels.

use super::range::DevicePointer;
use crate::arguments::{In, Out};
use crate::boundary::api;
use crate::result::{Outcome, invalid, require, unsupported};
use emulator::{Swizzle, TensorMap};
use std::ffi::{c_int, c_uint, c_ulonglong};

/// The largest number of dimensions of CUDA, and of the emulator.
const DIMENSIONS: usize = 5;
const EMULATED_DIMENSIONS: usize = 3;

/// The largest number of elements of a box in one dimension.
const MAX_BOX: u32 = 256;

/// The alignment of a tensor's address and of its strides, in bytes.
const UNIT: u64 = 16;

/// The size of a type by its number, `CUtensorMapDataType`: bytes, halves, words, doublewords, floats.
const TYPE_BYTES: [u32; 10] = [1, 2, 4, 4, 8, 8, 2, 4, 8, 2];

/// The dimensions of a tensor, innermost first.
struct Lists {
    sizes: Vec<u64>,
    /// The distances in bytes in all dimensions but the first.
    strides: Vec<u64>,
    box_sizes: Vec<u32>,
    element_strides: Vec<u32>,
}

impl Lists {
    /// Fails for what no device accepts, and for what only the emulator does not.
    fn check(&self, swizzle: Swizzle, element_bytes: u32) -> Outcome {
        if let Some(size) = self.sizes.iter().find(|&&size| size == 0 || size > 1 << 32) {
            return Err(invalid(format!("a dimension of {size} elements: it must have 1 to 2^32")));
        }
        if let Some(stride) = self.strides.iter().find(|&&stride| !stride.is_multiple_of(UNIT) || stride >= 1 << 40) {
            return Err(invalid(format!("a stride of {stride} bytes: it must be a multiple of {UNIT} below 2^40")));
        }
        if let Some(size) = self.box_sizes.iter().find(|&&size| size == 0 || size > MAX_BOX) {
            return Err(invalid(format!("a box of {size} elements in one dimension: it must have 1 to {MAX_BOX}")));
        }
        let row = u64::from(self.box_sizes[0] * element_bytes);
        require(
            row.is_multiple_of(UNIT),
            format_args!("the first dimension of a box has {row} bytes: it must be a multiple of {UNIT}"),
        )?;
        match swizzle {
            Swizzle::None => {}
            _ if row > swizzle.bytes() => {
                let most = swizzle.bytes();
                return Err(invalid(format!(
                    "the first dimension of a box has {row} bytes: the swizzle allows {most}"
                )));
            }
            _ if row < swizzle.bytes() => {
                return Err(unsupported("a box whose first dimension is shorter than a row of the swizzle"));
            }
            _ => {}
        }
        match self.element_strides.iter().find(|&&stride| stride != 1) {
            Some(stride) if (2..=8).contains(stride) => Err(unsupported("an element stride other than 1")),
            Some(stride) => Err(invalid(format!("an element stride of {stride}: it must be 1 to 8"))),
            None if self.sizes.len() > EMULATED_DIMENSIONS => Err(unsupported("a tensor of more than 3 dimensions")),
            None => Ok(()),
        }
    }
}

/// Returns the size of an element of a type.
fn element_bytes(data_type: c_int) -> Outcome<u32> {
    match (usize::try_from(data_type).ok().and_then(|number| TYPE_BYTES.get(number)), data_type) {
        (Some(&bytes), _) => Ok(bytes),
        (None, 10..=12) => Err(unsupported("a type that flushes or rounds what it copies")),
        _ => Err(invalid(format!("{data_type} is not a CUtensorMapDataType"))),
    }
}

fn swizzle(number: c_int) -> Outcome<Swizzle> {
    match number {
        0 => Ok(Swizzle::None),
        1 => Ok(Swizzle::Bytes32),
        2 => Ok(Swizzle::Bytes64),
        3 => Ok(Swizzle::Bytes128),
        4..=6 => Err(unsupported("a swizzle with larger atoms")),
        _ => Err(invalid(format!("{number} is not a CUtensorMapSwizzle"))),
    }
}

/// Returns the values in an array of three, followed by `other`.
fn three<T: Copy>(values: impl IntoIterator<Item = T>, other: T) -> [T; EMULATED_DIMENSIONS] {
    let mut values = values.into_iter();
    std::array::from_fn(|_| values.next().unwrap_or(other))
}

api! {
    /// Describes a tensor in global memory, and the boxes of it that kernels copy.
    fn cuTensorMapEncodeTiled(
        map: Out<[u8; TensorMap::BYTES]>,
        data_type: c_int,
        rank: c_uint,
        address: DevicePointer,
        sizes: In<c_ulonglong>,
        strides: In<c_ulonglong>,
        box_sizes: In<c_uint>,
        element_strides: In<c_uint>,
        interleave: c_int,
        swizzle_number: c_int,
        promotion: c_int,
        fill: c_int,
    ) {
        map.require()?;
        let align = TensorMap::ALIGN;
        require(
            map.is_aligned(align as usize),
            format_args!("the address of a tensor map must be a multiple of {align}"),
        )?;
        let element_bytes = element_bytes(data_type)?;
        let swizzle = swizzle(swizzle_number)?;
        let dimensions = rank as usize;
        let possible = (1..=DIMENSIONS).contains(&dimensions);
        require(possible, format_args!("a tensor of {rank} dimensions: it must have 1 to {DIMENSIONS}"))?;
        require(
            address != 0 && address.is_multiple_of(UNIT),
            format_args!("the address of the tensor, {address:#x}, is null or not a multiple of {UNIT}"),
        )?;
        match (interleave, fill) {
            (0, 0) if (0..=3).contains(&promotion) => {}
            (1 | 2, _) => return Err(unsupported("an interleaved tensor")),
            (0, 1) => return Err(unsupported("a fill with NaNs")),
            _ => return Err(invalid("the interleave, L2 promotion or fill is not of its enumeration".to_owned())),
        }
        // SAFETY: the caller promises a list of one element per dimension, and of one less for the strides.
        let lists = unsafe {
            Lists {
                sizes: sizes.list(dimensions)?,
                strides: strides.list(dimensions - 1)?,
                box_sizes: box_sizes.list(dimensions)?,
                element_strides: element_strides.list(dimensions)?,
            }
        };
        lists.check(swizzle, element_bytes)?;
        let encoded = TensorMap {
            address,
            element_bytes,
            dimensions,
            sizes: three(lists.sizes, 1),
            strides: three([element_bytes.into()].into_iter().chain(lists.strides), 0),
            box_sizes: three(lists.box_sizes, 1),
            swizzle,
        };
        map.set(encoded.encode())
    }
}
