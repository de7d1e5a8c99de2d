//! Tensor maps: what cuTensorMapEncodeTiled accepts, and a kernel that copies by them.

use crate::support::{context, function, install, last_error, on_hardware, shape};
use cudarc::driver::sys::{self, CUresult, CUtensorMap};
use cudarc::driver::{DevicePtr, DeviceRepr, PushKernelArg};

/// A kernel of one thread that copies a box of 8 rows of 64 halves, without a swizzle, and returns it.
const COPY: &str = include_str!("ptx/tensor_copy.ptx");

/// The arguments of `cuTensorMapEncodeTiled`, of a valid call.
#[derive(Clone)]
struct Tensor {
    data_type: u32,
    address: u64,
    sizes: Vec<u64>,
    strides: Vec<u64>,
    boxes: Vec<u32>,
    element_strides: Vec<u32>,
    swizzle: u32,
    fill: u32,
}

/// A tensor map as an argument of a kernel.
#[repr(transparent)]
struct Map(CUtensorMap);

// SAFETY: it is 128 bytes without padding, which a kernel takes by value.
unsafe impl DeviceRepr for Map {}

impl Tensor {
    /// Returns 20 rows of 100 halves, which are 256 bytes apart.
    fn new(address: u64) -> Self {
        Self {
            data_type: 9,
            address,
            sizes: vec![100, 20],
            strides: vec![256],
            boxes: vec![64, 8],
            element_strides: vec![1, 1],
            swizzle: 0,
            fill: 0,
        }
    }

    fn encode(&self) -> Result<Map, CUresult> {
        install();
        let mut map = CUtensorMap { opaque: [0; 16] };
        // SAFETY: the lists have the lengths that the call expects, and the numbers are of their enumerations.
        let status = unsafe {
            sys::cuTensorMapEncodeTiled(
                &raw mut map,
                std::mem::transmute::<u32, sys::CUtensorMapDataType>(self.data_type),
                self.sizes.len() as u32,
                self.address as *mut _,
                self.sizes.as_ptr(),
                self.strides.as_ptr(),
                self.boxes.as_ptr(),
                self.element_strides.as_ptr(),
                sys::CUtensorMapInterleave::CU_TENSOR_MAP_INTERLEAVE_NONE,
                std::mem::transmute::<u32, sys::CUtensorMapSwizzle>(self.swizzle),
                sys::CUtensorMapL2promotion::CU_TENSOR_MAP_L2_PROMOTION_NONE,
                std::mem::transmute::<u32, sys::CUtensorMapFloatOOBfill>(self.fill),
            )
        };
        if status == CUresult::CUDA_SUCCESS { Ok(Map(map)) } else { Err(status) }
    }
}

#[test]
fn a_kernel_copies_a_box_by_a_tensor_map() {
    let context = context();
    let stream = context.default_stream();
    let copy = function(&context, COPY, "copy_box");
    let tensor: Vec<u16> = (0..20 * 128).collect();
    let input = stream.clone_htod(&tensor).unwrap();
    let map = Tensor::new(input.device_ptr(&stream).0).encode().unwrap_or_else(|error| panic!("{error:?}"));
    let mut output = stream.clone_htod(&[0xFFFF_u16; 8 * 64]).unwrap();
    let mut launch = stream.launch_builder(&copy);
    let x = 60_i32;
    let y = -3_i32;
    launch.arg(&map).arg(&mut output).arg(&x).arg(&y);
    // SAFETY: the kernel writes the 8 * 64 halves of the output.
    unsafe { launch.launch(shape(1, 1, 0)) }.unwrap();
    let expected = |index: i32| {
        let row = y + index / 64;
        let column = x + index % 64;
        if (0..20).contains(&row) && column < 100 { (128 * row + column) as u16 } else { 0 }
    };
    assert_eq!(stream.clone_dtoh(&output).unwrap(), (0..8 * 64).map(expected).collect::<Vec<_>>());
}

#[test]
fn invalid_tensor_maps_are_errors() {
    let valid = Tensor::new(1 << 20);
    assert!(valid.encode().is_ok(), "{}", last_error());
    let invalid = [
        (Tensor { address: (1 << 20) + 8, ..valid.clone() }, "not a multiple of 16"),
        (Tensor { strides: vec![200], ..valid.clone() }, "a stride of 200 bytes"),
        (Tensor { sizes: vec![100, 0], ..valid.clone() }, "a dimension of 0 elements"),
        (Tensor { boxes: vec![64, 257], ..valid.clone() }, "a box of 257 elements"),
        (Tensor { boxes: vec![60, 8], ..valid.clone() }, "has 120 bytes: it must be a multiple of 16"),
        (Tensor { swizzle: 2, ..valid.clone() }, "the swizzle allows 64"),
        (Tensor { element_strides: vec![1, 9], ..valid.clone() }, "an element stride of 9"),
    ];
    for (tensor, reason) in invalid {
        assert_eq!(tensor.encode().err(), Some(CUresult::CUDA_ERROR_INVALID_VALUE), "{reason}");
        assert!(on_hardware() || last_error().contains(reason), "{}", last_error());
    }
}

#[test]
fn unsupported_tensor_maps_name_what_the_emulator_lacks() {
    if on_hardware() {
        return;
    }
    let valid = Tensor::new(1 << 20);
    let unsupported = [
        (Tensor { fill: 1, ..valid.clone() }, "a fill with NaNs"),
        (Tensor { element_strides: vec![1, 2], ..valid.clone() }, "an element stride other than 1"),
        (Tensor { boxes: vec![32, 8], swizzle: 3, ..valid.clone() }, "shorter than a row of the swizzle"),
        (Tensor { data_type: 11, ..valid.clone() }, "a type that flushes or rounds"),
        (
            Tensor {
                sizes: vec![64; 4],
                strides: vec![128; 3],
                boxes: vec![64, 1, 1, 1],
                element_strides: vec![1; 4],
                ..valid.clone()
            },
            "a tensor of more than 3 dimensions",
        ),
    ];
    for (tensor, reason) in unsupported {
        assert_eq!(tensor.encode().err(), Some(CUresult::CUDA_ERROR_NOT_SUPPORTED), "{reason}");
        assert!(last_error().contains(reason), "{}", last_error());
    }
}
