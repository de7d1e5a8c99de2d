//! Tensor maps, by which kernels copy tiles of arrays (Hopper and later).

use super::setup::Setup;
use crate::error::Error;
use cudarc::driver::sys::{self, CUtensorMap};
use cudarc::driver::{CudaSlice, DevicePtr, DeviceRepr};
use std::ffi::c_void;

/// The numbers of bf16 in a row of the swizzle of 128 bytes.
pub const CHUNK: u32 = 64;

/// A tensor map, which a kernel takes by value.
#[repr(transparent)]
#[derive(Clone, Copy, Debug)]
pub struct TensorMap(CUtensorMap);

// SAFETY: it is 128 bytes that only the driver and kernels interpret; a kernel takes them as a parameter.
unsafe impl DeviceRepr for TensorMap {}

impl TensorMap {
    /// Describes an array of bf16 with the swizzle of 128 bytes. The sizes of the array and of its boxes are innermost first; the
    /// strides, in bytes, are those of the other dimensions.
    ///
    /// # Errors
    /// [`Error::Driver`], if a size or stride is none that the hardware allows, or if the device has no tensor maps.
    pub fn new(
        setup: &Setup,
        array: &CudaSlice<u16>,
        sizes: &[u64],
        strides: &[u64],
        boxes: &[u32],
    ) -> Result<Self, Error> {
        let (address, _read) = array.device_ptr(&setup.device.stream);
        let mut map = CUtensorMap { opaque: [0; 16] };
        let steps = vec![1; sizes.len()];
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
        let explain = |error| setup.device.explain("cannot describe an array by a tensor map", error);
        status.result().map(|()| Self(map)).map_err(explain)
    }
}
