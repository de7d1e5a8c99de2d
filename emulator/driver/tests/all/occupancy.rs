//! Device attributes, and occupancy through cudarc. The emulator's tests compare the occupancy rules with hardware.

use crate::support::{KERNELS, context, function, on_hardware, status};
use cudarc::driver::sys::{CUdevice_attribute as Attribute, CUfunction_attribute_enum as FunctionAttribute, CUresult};
use std::ffi::c_int;

const MAX_DYNAMIC_SHARED: FunctionAttribute = FunctionAttribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;

extern "C" fn none(_threads: c_int) -> usize {
    0
}

extern "C" fn four_bytes_a_thread(threads: c_int) -> usize {
    4 * threads as usize
}

extern "C" fn all(_threads: c_int) -> usize {
    227 << 10
}

#[test]
fn the_device_has_the_limits_of_compute_capability_9_0() {
    let context = context();
    assert_eq!(context.compute_capability().unwrap(), (9, 0));
    for (attribute, value) in [
        (Attribute::CU_DEVICE_ATTRIBUTE_WARP_SIZE, 32),
        (Attribute::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z, 64),
        (Attribute::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, i32::MAX),
        (Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, 49152),
        (Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 232_448),
        (Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, 233_472),
        (Attribute::CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK, 1024),
        (Attribute::CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR, 65536),
        (Attribute::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, 2048),
        (Attribute::CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR, 32),
        (Attribute::CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING, 1),
    ] {
        assert_eq!(context.attribute(attribute).unwrap(), value, "{attribute:?}");
    }
    let last = status(context.attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX));
    assert!(on_hardware() || last == CUresult::CUDA_ERROR_INVALID_VALUE);
}

#[test]
fn the_device_is_recognizable_as_emulated() {
    let context = context();
    if on_hardware() {
        return;
    }
    assert_eq!(context.name().unwrap(), "Coalesced PTX emulator (CPU)");
    let multiprocessors = context.attribute(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT).unwrap();
    assert_eq!(multiprocessors, 132, "the same on every machine");
    for absent in [Attribute::CU_DEVICE_ATTRIBUTE_CLOCK_RATE, Attribute::CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS] {
        assert_eq!(context.attribute(absent).unwrap(), 0, "{absent:?}");
    }
    assert!(context.has_async_alloc());
    assert_eq!(context.uuid().unwrap().bytes[0] as u8, b'c');
}

#[test]
fn threads_and_shared_memory_limit_the_blocks_of_a_multiprocessor() {
    let context = context();
    let scale = function(&context, KERNELS, "scale");
    let bounded = function(&context, KERNELS, "bounded");
    let blocks = |threads, bytes| scale.occupancy_max_active_blocks_per_multiprocessor(threads, bytes, None).unwrap();
    assert_eq!([blocks(32, 0), blocks(128, 0), blocks(1000, 0), blocks(1025, 0)], [32, 16, 2, 0]);
    assert_eq!([blocks(32, 16384), blocks(32, 48 << 10)], [13, 4]);
    // 16 KiB of static shared memory plus 1 KiB reserved: 13 such blocks fit into 228 KiB.
    assert_eq!(bounded.occupancy_max_active_blocks_per_multiprocessor(32, 0, None).unwrap(), 13);
    let none = scale.occupancy_max_active_blocks_per_multiprocessor(0, 0, None);
    assert_eq!(status(none), CUresult::CUDA_ERROR_INVALID_VALUE);
}

#[test]
fn available_shared_memory_is_limited_by_the_function_and_by_other_blocks() {
    let context = context();
    let scale = function(&context, KERNELS, "scale");
    let bounded = function(&context, KERNELS, "bounded");
    let of_scale = |blocks| scale.occupancy_available_dynamic_smem_per_block(blocks, 256).unwrap();
    assert_eq!([of_scale(1), of_scale(2), of_scale(8)], [48 << 10, 48 << 10, 29184]);
    assert_eq!(scale.occupancy_max_active_blocks_per_multiprocessor(64, (48 << 10) + 1, None).unwrap(), 0);
    scale.set_attribute(MAX_DYNAMIC_SHARED, 227 << 10).unwrap();
    assert_eq!([of_scale(1), of_scale(2), of_scale(8)], [227 << 10, 116_736, 29184]);
    assert_eq!(scale.occupancy_max_active_blocks_per_multiprocessor(64, (48 << 10) + 1, None).unwrap(), 4);
    bounded.set_attribute(MAX_DYNAMIC_SHARED, (227 - 16) << 10).unwrap();
    assert_eq!(bounded.occupancy_available_dynamic_smem_per_block(1, 256).unwrap(), 216_064);
    let crowded = scale.occupancy_available_dynamic_smem_per_block(3, 1024);
    assert_eq!(status(crowded), CUresult::CUDA_ERROR_INVALID_VALUE);
}

#[test]
fn the_best_block_fills_the_device() {
    let context = context();
    let scale = function(&context, KERNELS, "scale");
    let bounded = function(&context, KERNELS, "bounded");
    let multiprocessors = context.attribute(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT).unwrap() as u32;
    let best = |limit, bytes| scale.occupancy_max_potential_block_size(bytes, 0, limit, None).unwrap();
    assert_eq!(best(0, none), (2 * multiprocessors, 1024));
    assert_eq!(best(300, none), (8 * multiprocessors, 256));
    assert_eq!(best(0, four_bytes_a_thread), (2 * multiprocessors, 1024));
    assert_eq!(best(0, all), (0, 0));
    scale.set_attribute(MAX_DYNAMIC_SHARED, 227 << 10).unwrap();
    assert_eq!(best(0, all), (multiprocessors, 1024));
    let (_, threads) = bounded.occupancy_max_potential_block_size(none, 0, 0, None).unwrap();
    assert!(threads <= 256, "{threads}");
}
