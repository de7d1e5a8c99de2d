//! CUDA arrays and texture objects.

use crate::support::{context, function, last_error, on_hardware, shape};
use cudarc::driver::sys::{self, CUresult};
use cudarc::driver::{CudaContext, DevicePtr, PushKernelArg};
use std::ptr::{null, null_mut};
use std::sync::Arc;

const KERNELS: &str = include_str!("ptx/textures.ptx");

/// The array of the tests: 4 rows of 5 floats.
const WIDTH: usize = 5;
const HEIGHT: usize = 4;

/// `CUDA_ARRAY3D_LAYERED`, `CUDA_ARRAY3D_SURFACE_LDST` and `CUDA_ARRAY3D_CUBEMAP`.
const UNSUPPORTED: [u32; 3] = [1, 2, 4];

fn elements() -> Vec<f32> {
    (0..WIDTH * HEIGHT).map(|number| number as f32).collect()
}

/// Creates an array of so many columns, rows and slices of floats.
fn array([width, height, depth]: [usize; 3], flags: u32) -> Result<sys::CUarray, CUresult> {
    let description = sys::CUDA_ARRAY3D_DESCRIPTOR {
        Width: width,
        Height: height,
        Depth: depth,
        Format: sys::CUarray_format::CU_AD_FORMAT_FLOAT,
        NumChannels: 1,
        Flags: flags,
    };
    let mut array = null_mut();
    // SAFETY: the output and the description are valid.
    match unsafe { sys::cuArray3DCreate_v2(&raw mut array, &raw const description) } {
        CUresult::CUDA_SUCCESS => Ok(array),
        error => Err(error),
    }
}

/// Copies `rows` rows of floats between the host and the array of the tests.
fn copy(array: sys::CUarray, host: &mut [f32], rows: usize, to_array: bool) -> CUresult {
    let of_host = sys::CUmemorytype::CU_MEMORYTYPE_HOST;
    let of_array = sys::CUmemorytype::CU_MEMORYTYPE_ARRAY;
    let [source, target] = if to_array { [of_host, of_array] } else { [of_array, of_host] };
    let copy = sys::CUDA_MEMCPY2D {
        srcXInBytes: 0,
        srcY: 0,
        srcMemoryType: source,
        srcHost: host.as_ptr().cast(),
        srcDevice: 0,
        srcArray: array,
        srcPitch: 4 * WIDTH,
        dstXInBytes: 0,
        dstY: 0,
        dstMemoryType: target,
        dstHost: host.as_mut_ptr().cast(),
        dstDevice: 0,
        dstArray: array,
        dstPitch: 4 * WIDTH,
        WidthInBytes: 4 * WIDTH,
        Height: rows,
    };
    // SAFETY: the slice has the rows of the copy.
    unsafe { sys::cuMemcpy2D_v2(&raw const copy) }
}

fn resource_of(array: sys::CUarray) -> sys::CUDA_RESOURCE_DESC {
    // SAFETY: zeros are a valid description.
    let mut resource: sys::CUDA_RESOURCE_DESC = unsafe { std::mem::zeroed() };
    resource.resType = sys::CUresourcetype::CU_RESOURCE_TYPE_ARRAY;
    resource.res.array.hArray = array;
    resource
}

/// Creates a texture with clamped coordinates.
fn texture(resource: &sys::CUDA_RESOURCE_DESC, is_linear: bool) -> Result<sys::CUtexObject, CUresult> {
    // SAFETY: zeros are a valid description.
    let mut description: sys::CUDA_TEXTURE_DESC = unsafe { std::mem::zeroed() };
    description.addressMode = [sys::CUaddress_mode::CU_TR_ADDRESS_MODE_CLAMP; 3];
    if is_linear {
        description.filterMode = sys::CUfilter_mode::CU_TR_FILTER_MODE_LINEAR;
    }
    let mut object = 0;
    // SAFETY: the output and the descriptions are valid.
    match unsafe { sys::cuTexObjectCreate(&raw mut object, resource, &raw const description, null()) } {
        CUresult::CUDA_SUCCESS => Ok(object),
        error => Err(error),
    }
}

/// Launches a kernel with a thread for each element of the array.
fn launch(context: &Arc<CudaContext>, kernel: &str, object: u64) -> Vec<f32> {
    let stream = context.default_stream();
    let kernel = function(context, KERNELS, kernel);
    let mut output = stream.clone_htod(&[0.0_f32; WIDTH * HEIGHT]).unwrap();
    let mut launch = stream.launch_builder(&kernel);
    launch.arg(&object).arg(&mut output);
    // SAFETY: the kernels write one float for each of the threads.
    unsafe { launch.launch(shape(1, (WIDTH * HEIGHT) as u32, 0)) }.unwrap();
    stream.clone_dtoh(&output).unwrap()
}

#[test]
fn a_texture_reads_an_array() {
    let context = context();
    let array = array([WIDTH, HEIGHT, 0], 0).unwrap();
    assert_eq!(copy(array, &mut elements(), HEIGHT, true), CUresult::CUDA_SUCCESS, "{}", last_error());
    let nearest = texture(&resource_of(array), false).unwrap();
    assert_eq!(launch(&context, "read_2d", nearest), elements());
    // The kernel reads a quarter of an element to the right of each center.
    let linear = texture(&resource_of(array), true).unwrap();
    let expected = |number: usize| number as f32 + if number % WIDTH == WIDTH - 1 { 0.0 } else { 0.25 };
    assert_eq!(launch(&context, "read_2d", linear), (0..WIDTH * HEIGHT).map(expected).collect::<Vec<_>>());
    // SAFETY: the handles are valid.
    unsafe {
        assert_eq!(sys::cuTexObjectDestroy(linear), CUresult::CUDA_SUCCESS, "{}", last_error());
        assert_eq!(sys::cuTexObjectDestroy(nearest), CUresult::CUDA_SUCCESS);
        assert_eq!(sys::cuArrayDestroy(array), CUresult::CUDA_SUCCESS);
    }
}

#[test]
fn a_texture_reads_linear_memory_and_zeros_behind_it() {
    let context = context();
    let stream = context.default_stream();
    let memory = stream.clone_htod(&elements()).unwrap();
    // SAFETY: zeros are a valid description.
    let mut resource: sys::CUDA_RESOURCE_DESC = unsafe { std::mem::zeroed() };
    resource.resType = sys::CUresourcetype::CU_RESOURCE_TYPE_LINEAR;
    resource.res.linear.devPtr = memory.device_ptr(&stream).0;
    resource.res.linear.format = sys::CUarray_format::CU_AD_FORMAT_FLOAT;
    (resource.res.linear.numChannels, resource.res.linear.sizeInBytes) = (1, 4 * 12);
    let object = texture(&resource, false).unwrap();
    let expected: Vec<f32> = elements().into_iter().map(|value| if value < 12.0 { value } else { 0.0 }).collect();
    assert_eq!(launch(&context, "fetch_1d", object), expected);
}

#[test]
fn invalid_arrays_and_textures_are_errors() {
    let _context = context();
    let invalid = CUresult::CUDA_ERROR_INVALID_VALUE;
    assert_eq!(array([0, 4, 0], 0).err(), Some(invalid));
    assert_eq!(array([1 << 30, 4, 0], 0).err(), Some(invalid));
    if !on_hardware() {
        for flags in UNSUPPORTED {
            assert_eq!(array([4, 4, 6], flags).err(), Some(CUresult::CUDA_ERROR_NOT_SUPPORTED));
            assert!(last_error().contains("supports no layers, cubes, gathers or surfaces"), "{}", last_error());
        }
    }
    let array = array([WIDTH, HEIGHT, 0], 0).unwrap();
    assert_eq!(copy(array, &mut [0.0; WIDTH * (HEIGHT + 1)], HEIGHT + 1, true), invalid);
    assert!(on_hardware() || last_error().contains("beyond the end of an array of 5 x 4 x 0"), "{}", last_error());
    let mut resource = resource_of(array);
    resource.resType = sys::CUresourcetype::CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
    assert!(texture(&resource, false).is_err());
    assert!(on_hardware() || last_error().contains("a mipmapped array"), "{}", last_error());
    // SAFETY: the handle is not used after it is destroyed, except in calls that must reject it.
    unsafe {
        assert_eq!(sys::cuArrayDestroy(array), CUresult::CUDA_SUCCESS);
        if !on_hardware() {
            assert_eq!(sys::cuArrayDestroy(array), CUresult::CUDA_ERROR_INVALID_HANDLE);
            assert_eq!(sys::cuTexObjectDestroy(64), invalid);
            assert!(last_error().contains("0x40 is not the handle of a texture"), "{}", last_error());
        }
    }
}
