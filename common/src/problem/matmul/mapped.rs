//! Matrices with tensor maps, by which kernels copy tiles of them (Hopper and later).

use super::layout::{Layout, MatricesOf, Padded};
use crate::error::Error;
use crate::problem::Setup;
use cudarc::driver::sys::{self, CUtensorMap};
use cudarc::driver::{CudaSlice, DevicePtr, DeviceRepr, DriverError};
use std::ffi::c_void;

/// The side of the tiles of the product to which n is rounded up.
const SIDE: usize = 256;

/// The numbers of bf16 in a row of the swizzle of 128 bytes.
const CHUNK: u32 = 64;

/// A tensor map, which a kernel takes by value.
#[repr(transparent)]
#[derive(Clone, Copy, Debug)]
pub struct TensorMap(CUtensorMap);

// SAFETY: it is 128 bytes that only the driver and kernels interpret; a kernel takes them as a parameter.
unsafe impl DeviceRepr for TensorMap {}

impl TensorMap {
    /// Describes numbers of bf16 at an address on the device, with the swizzle of 128 bytes. The sizes of the tensor and of its
    /// boxes are innermost first; the strides, in bytes, are those of the other dimensions.
    fn new(address: u64, sizes: &[u64], strides: &[u64], boxes: &[u32]) -> Result<Self, DriverError> {
        let (mut map, steps) = (CUtensorMap { opaque: [0; 16] }, vec![1; sizes.len()]);
        // SAFETY: the lists have an element for each dimension, and the strides one less, as the call expects.
        let status = unsafe {
            sys::cuTensorMapEncodeTiled(
                &raw mut map,
                sys::CUtensorMapDataType::CU_TENSOR_MAP_DATA_TYPE_BFLOAT16,
                sizes.len() as u32,
                address as *mut c_void,
                sizes.as_ptr(),
                strides.as_ptr(),
                boxes.as_ptr(),
                steps.as_ptr(),
                sys::CUtensorMapInterleave::CU_TENSOR_MAP_INTERLEAVE_NONE,
                sys::CUtensorMapSwizzle::CU_TENSOR_MAP_SWIZZLE_128B,
                sys::CUtensorMapL2promotion::CU_TENSOR_MAP_L2_PROMOTION_NONE,
                sys::CUtensorMapFloatOOBfill::CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE,
            )
        };
        status.result().map(|()| Self(map))
    }
}

/// Both factors of bf16 with tensor maps, padded with zeros to whole tiles of 256 rows and columns.
#[derive(Debug)]
pub struct Mapped {
    /// The matrices.
    pub padded: Padded<u16, SIDE>,
    /// The left factor, in boxes of 128 rows and 64 columns.
    pub a: TensorMap,
    /// The right factor as columns of 64 numbers, in boxes of four such columns and 64 rows.
    pub b: TensorMap,
}

impl Layout for Mapped {
    type Entry = u16;

    fn prepare(setup: &Setup, matrices: &MatricesOf<Self>) -> Result<Self, Error> {
        let padded = Padded::prepare(setup, matrices)?;
        let n = padded.buffers.n as u64;
        let columns = u64::from(CHUNK);
        let map = |factor: &CudaSlice<u16>, sizes: &[u64], strides: &[u64], boxes: &[u32]| {
            let (address, _read) = factor.device_ptr(&setup.device.stream);
            TensorMap::new(address, sizes, strides, boxes)
                .map_err(|error| setup.device.explain("cannot describe a factor by a tensor map", error))
        };
        let a = map(&padded.buffers.a, &[n, n], &[2 * n], &[CHUNK, 128])?;
        let b = map(&padded.buffers.b, &[columns, n, n / columns], &[2 * n, 2 * columns], &[CHUNK, 64, 4])?;
        Ok(Self { padded, a, b })
    }

    fn restore(&mut self, setup: &Setup) -> Result<(), Error> {
        self.padded.restore(setup)
    }

    fn product(&self, setup: &Setup) -> Result<Vec<f32>, Error> {
        self.padded.product(setup)
    }
}
