//! Copies between unified addresses, and copies and fills of rectangles and boxes.

use crate::support::{context, on_hardware};
use cudarc::driver::sys::{self, CUmemorytype, CUresult};
use cudarc::driver::{CudaStream, result};
use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::sync::Arc;

const INVALID: CUresult = CUresult::CUDA_ERROR_INVALID_VALUE;
const HOST: CUmemorytype = CUmemorytype::CU_MEMORYTYPE_HOST;
const DEVICE: CUmemorytype = CUmemorytype::CU_MEMORYTYPE_DEVICE;
const UNIFIED: CUmemorytype = CUmemorytype::CU_MEMORYTYPE_UNIFIED;

/// Allocates device memory with the contents `start`, `start` + 1, …
fn device(start: u8, bytes: u8) -> sys::CUdeviceptr {
    let contents: Vec<u8> = (start..start + bytes).collect();
    // SAFETY: the allocation is as long as its contents.
    unsafe {
        let address = result::malloc_sync(usize::from(bytes)).unwrap();
        result::memcpy_htod_sync(address, &contents).unwrap();
        address
    }
}

fn contents(address: sys::CUdeviceptr, bytes: usize) -> Vec<u8> {
    let mut contents = vec![0; bytes];
    // SAFETY: the driver checks the range.
    unsafe { result::memcpy_dtoh_sync(&mut contents, address) }.unwrap();
    contents
}

fn number<T>(place: &mut [T]) -> sys::CUdeviceptr {
    place.as_mut_ptr().expose_provenance() as u64
}

fn stream() -> Arc<CudaStream> {
    context().new_stream().unwrap()
}

/// A rectangle of 2 rows of 3 bytes: from column 1, row 1 of device memory with 4 bytes per row to column 2, row 0 of
/// host memory with 5 bytes per row.
fn rectangle(source: sys::CUdeviceptr, target: &mut [u8]) -> sys::CUDA_MEMCPY2D {
    sys::CUDA_MEMCPY2D {
        srcXInBytes: 1,
        srcY: 1,
        srcMemoryType: DEVICE,
        srcHost: null(),
        srcDevice: source,
        srcArray: null_mut(),
        srcPitch: 4,
        dstXInBytes: 2,
        dstY: 0,
        dstMemoryType: HOST,
        dstHost: target.as_mut_ptr().cast::<c_void>(),
        dstDevice: 0,
        dstArray: null_mut(),
        dstPitch: 5,
        WidthInBytes: 3,
        Height: 2,
    }
}

#[test]
fn unified_addresses_select_the_kind_of_copy() {
    let stream = stream();
    let first = device(10, 4);
    let second = device(20, 4);
    let mut host = [1_u8, 2, 3, 4];
    let mut other = [0_u8; 4];
    // SAFETY: every address has four bytes.
    unsafe {
        sys::cuMemcpy(first, second, 2).result().unwrap();
        assert_eq!(contents(first, 4), [20, 21, 12, 13]);
        sys::cuMemcpyAsync(number(&mut host), first, 3, stream.cu_stream()).result().unwrap();
        assert_eq!(host, [20, 21, 12, 4]);
        sys::cuMemcpy(second + 1, number(&mut host), 3).result().unwrap();
        assert_eq!(contents(second, 4), [20, 20, 21, 12]);
        sys::cuMemcpy(number(&mut other), number(&mut host), 4).result().unwrap();
        assert_eq!(other, host);
        sys::cuMemcpy(number(&mut other) + 1, number(&mut other), 3).result().unwrap();
        assert_eq!(other, [20, 20, 21, 12]);
    }
}

#[test]
fn unified_copies_outside_an_allocation_are_errors() {
    let _stream = stream();
    let first = device(10, 4);
    let second = device(20, 4);
    let mut host = [7_u8; 64];
    let mut freed = device(30, 4);
    // SAFETY: the calls fail before they read or write.
    unsafe {
        assert_eq!(sys::cuMemcpy(0, 0, 0), CUresult::CUDA_SUCCESS);
        if !on_hardware() {
            result::free_sync(freed).unwrap();
            assert_eq!(sys::cuMemcpy(number(&mut host), freed, 4), INVALID);
            freed += 2;
            assert_eq!(sys::cuMemcpy(freed, number(&mut host), 1), INVALID);
            assert_eq!(sys::cuMemcpy(first, second, 5), INVALID);
            assert_eq!(sys::cuMemcpy(number(&mut host), second + 1, 4), INVALID);
        }
        assert_eq!(sys::cuMemcpy(first, 0, 4), INVALID);
        assert_eq!(sys::cuMemcpy(0, first, 4), INVALID);
    }
    assert_eq!((host, contents(first, 4)), ([7; 64], vec![10, 11, 12, 13]));
}

#[test]
fn copying_a_rectangle_leaves_the_rest_unchanged() {
    let stream = stream();
    let source = device(0, 12);
    let expected = [90, 90, 5, 6, 7, 90, 90, 9, 10, 11];
    // SAFETY: both sides contain the rectangle.
    unsafe {
        let mut target = [90; 10];
        sys::cuMemcpy2D_v2(&rectangle(source, &mut target)).result().unwrap();
        assert_eq!(target, expected);
        target = [90; 10];
        sys::cuMemcpy2DUnaligned_v2(&rectangle(source, &mut target)).result().unwrap();
        assert_eq!(target, expected);
        target = [90; 10];
        sys::cuMemcpy2DAsync_v2(&rectangle(source, &mut target), stream.cu_stream()).result().unwrap();
        stream.synchronize().unwrap();
        assert_eq!(target, expected);
    }
}

#[test]
fn a_rectangle_is_copied_between_all_kinds_of_memory() {
    let _stream = stream();
    let expected = [90, 90, 5, 6, 7, 90, 90, 9, 10, 11];
    for (source_type, target_type) in
        [HOST, DEVICE, UNIFIED].into_iter().flat_map(|a| [HOST, DEVICE, UNIFIED].map(|b| (a, b)))
    {
        let mut from: Vec<u8> = (0..12).collect();
        let mut to = [90_u8; 10];
        let copy = device(90, 10);
        // SAFETY: the allocation has ten bytes, and both sides contain the rectangle.
        unsafe {
            sys::cuMemsetD8_v2(copy, 90, 10).result().unwrap();
            let mut request = rectangle(device(0, 12), &mut to);
            (request.srcMemoryType, request.dstMemoryType) = (source_type, target_type);
            request.srcHost = from.as_ptr().cast::<c_void>();
            request.dstDevice = copy;
            if source_type == UNIFIED {
                // A host address in the field for device addresses.
                request.srcDevice = number(&mut from);
            }
            sys::cuMemcpy2D_v2(&request).result().unwrap();
        }
        let written = if target_type == HOST { to.to_vec() } else { contents(copy, 10) };
        assert_eq!(written, expected, "{source_type:?} to {target_type:?}");
    }
}

/// Returns the status of copying a changed [`rectangle`].
fn changed(change: impl Fn(&mut sys::CUDA_MEMCPY2D)) -> CUresult {
    let mut target = [90_u8; 10];
    let mut request = rectangle(device(0, 12), &mut target);
    change(&mut request);
    // SAFETY: a valid rectangle is smaller than the one that both sides contain.
    let code = unsafe { sys::cuMemcpy2D_v2(&request) };
    assert!(code == CUresult::CUDA_SUCCESS || target == [90; 10], "a copy that failed has written");
    code
}

#[test]
fn invalid_rectangles_are_errors() {
    if on_hardware() {
        // A real driver does not know the size of host memory, and would overwrite the stack of this test.
        return;
    }
    let _stream = stream();
    assert_eq!(changed(|_| ()), CUresult::CUDA_SUCCESS);
    assert_eq!(changed(|request| request.Height = 0), CUresult::CUDA_SUCCESS);
    assert_eq!(changed(|request| request.WidthInBytes = 0), CUresult::CUDA_SUCCESS);
    // Overlapping rows, a negative pitch, and a missing one.
    assert_eq!(changed(|request| request.srcPitch = 3), INVALID);
    assert_eq!(changed(|request| request.dstPitch = 4), INVALID);
    assert_eq!(changed(|request| request.dstPitch = 1 << 31), INVALID);
    assert_eq!(changed(|request| request.srcPitch = 0), INVALID);
    // One row past the end of the allocation, and far past it.
    assert_eq!(changed(|request| request.srcY = 2), INVALID);
    assert_eq!(changed(|request| request.srcDevice += 2), INVALID);
    assert_eq!(changed(|request| request.Height = usize::MAX), INVALID);
    assert_eq!(changed(|request| request.WidthInBytes = usize::MAX), INVALID);
    assert_eq!(changed(|request| request.srcY = usize::MAX), INVALID);
    assert_eq!(changed(|request| request.srcXInBytes = usize::MAX - 2), INVALID);
    // Null on either side.
    assert_eq!(changed(|request| request.srcDevice = 0), INVALID);
    assert_eq!(changed(|request| request.dstHost = null_mut()), INVALID);
    if !on_hardware() {
        assert_eq!(
            changed(|request| request.dstMemoryType = CUmemorytype::CU_MEMORYTYPE_ARRAY),
            CUresult::CUDA_ERROR_INVALID_HANDLE
        );
    }
    // SAFETY: null is an error.
    assert_eq!(unsafe { sys::cuMemcpy2D_v2(null()) }, INVALID);
}

#[test]
fn one_row_needs_no_pitch() {
    let _stream = stream();
    let mut target = [90_u8; 10];
    let mut request = rectangle(device(0, 12), &mut target);
    (request.srcY, request.Height, request.srcPitch, request.dstPitch) = (0, 1, 0, 0);
    // SAFETY: both sides contain the row.
    unsafe { sys::cuMemcpy2D_v2(&request) }.result().unwrap();
    assert_eq!(target, [90, 90, 1, 2, 3, 90, 90, 90, 90, 90]);
}

/// A box of 2 slices of 2 rows of 2 bytes: from column 1, row 0, slice 1 of device memory with 3 bytes per row and 2
/// rows per slice to host memory with 2 bytes per row and 3 rows per slice.
fn volume(source: sys::CUdeviceptr, target: &mut [u8]) -> sys::CUDA_MEMCPY3D {
    sys::CUDA_MEMCPY3D {
        srcXInBytes: 1,
        srcY: 0,
        srcZ: 1,
        srcLOD: 0,
        srcMemoryType: DEVICE,
        srcHost: null(),
        srcDevice: source,
        srcArray: null_mut(),
        reserved0: null_mut(),
        srcPitch: 3,
        srcHeight: 2,
        dstXInBytes: 0,
        dstY: 0,
        dstZ: 0,
        dstLOD: 0,
        dstMemoryType: HOST,
        dstHost: target.as_mut_ptr().cast::<c_void>(),
        dstDevice: 0,
        dstArray: null_mut(),
        reserved1: null_mut(),
        dstPitch: 2,
        dstHeight: 3,
        WidthInBytes: 2,
        Height: 2,
        Depth: 2,
    }
}

#[test]
fn copying_a_box_leaves_the_rest_unchanged() {
    let stream = stream();
    let source = device(0, 18);
    let expected = [7, 8, 10, 11, 90, 90, 13, 14, 16, 17, 90, 90];
    let mut target = [90_u8; 12];
    // SAFETY: both sides contain the box.
    unsafe {
        sys::cuMemcpy3D_v2(&volume(source, &mut target)).result().unwrap();
        assert_eq!(target, expected);
        target = [90; 12];
        sys::cuMemcpy3DAsync_v2(&volume(source, &mut target), stream.cu_stream()).result().unwrap();
        stream.synchronize().unwrap();
    }
    assert_eq!(target, expected);
}

#[test]
fn invalid_boxes_are_errors() {
    if on_hardware() {
        // A real driver does not know the size of host memory, and would overwrite the stack of this test.
        return;
    }
    let _stream = stream();
    let source = device(0, 18);
    let changed = |change: fn(&mut sys::CUDA_MEMCPY3D)| {
        let mut target = [90_u8; 12];
        let mut request = volume(source, &mut target);
        change(&mut request);
        // SAFETY: a valid box is smaller than the one that both sides contain.
        unsafe { sys::cuMemcpy3D_v2(&request) }
    };
    assert_eq!(changed(|_| ()), CUresult::CUDA_SUCCESS);
    assert_eq!(changed(|request| request.Depth = 0), CUresult::CUDA_SUCCESS);
    assert_eq!(changed(|request| request.Depth = 3), INVALID);
    assert_eq!(changed(|request| request.Depth = usize::MAX), INVALID);
    assert_eq!(changed(|request| request.srcZ = usize::MAX), INVALID);
    assert_eq!(changed(|request| request.srcHeight = 1), INVALID);
    assert_eq!(changed(|request| request.dstHeight = 1), INVALID);
    assert_eq!(changed(|request| request.srcPitch = 2), INVALID);
    assert_eq!(changed(|request| request.srcLOD = 1), INVALID);
}
