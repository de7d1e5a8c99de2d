//! Device and host memory through cudarc.

use crate::support::{context, function, last_error, on_hardware, shape, status};
use cudarc::driver::sys::{self, CUresult};
use cudarc::driver::{DriverError, PushKernelArg, result};
use std::ffi::c_void;
use std::ptr::{null, null_mut};

#[test]
fn copied_data_is_unchanged() {
    let stream = context().default_stream();
    for length in [1, 31, 32, 33, 1000, 1025] {
        let sent: Vec<u16> = (0..length).map(|index| index * 7).collect();
        let device = stream.clone_htod(&sent).unwrap();
        let copy = stream.clone_dtod(&device).unwrap();
        assert_eq!(stream.clone_dtoh(&copy).unwrap(), sent);
    }
}

#[test]
fn a_partial_copy_leaves_the_rest_unchanged() {
    let stream = context().default_stream();
    let mut device = stream.clone_htod(&[1_u8, 2, 3, 4, 5, 6, 7]).unwrap();
    stream.memcpy_htod(&[90_u8, 91, 92], &mut device.slice_mut(3..6)).unwrap();
    assert_eq!(stream.clone_dtoh(&device).unwrap(), [1, 2, 3, 90, 91, 92, 7]);
    stream.memset_zeros(&mut device.slice_mut(1..2)).unwrap();
    assert_eq!(stream.clone_dtoh(&device.slice(0..4)).unwrap(), [1, 0, 3, 90]);
}

#[test]
fn elements_of_two_and_four_bytes_are_filled() {
    let stream = context().default_stream();
    let device = stream.alloc_zeros::<u32>(4).unwrap();
    let address = pointer(&stream, &device);
    // SAFETY: the range is inside the allocation.
    unsafe {
        sys::cuMemsetD32_v2(address, 0x0102_0304, 2).result().unwrap();
        sys::cuMemsetD16_v2(address + 12, 0xABCD, 1).result().unwrap();
        assert_eq!(sys::cuMemsetD32_v2(address + 2, 0, 1), CUresult::CUDA_ERROR_INVALID_VALUE);
    }
    assert_eq!(stream.clone_dtoh(&device).unwrap(), [0x0102_0304, 0x0102_0304, 0, 0xABCD]);
}

#[test]
fn memory_is_counted_and_freed_with_its_context() {
    let context = context();
    let stream = context.default_stream();
    let total = context.total_mem().unwrap();
    assert!(context.mem_get_info().unwrap().1 == total && total > 1 << 28);
    if let (Some(machine), false) = (machine_bytes(), on_hardware()) {
        assert_eq!(total, (machine / 2).min(16 << 30));
    }
    let slice = stream.alloc_zeros::<u8>(1 << 20).unwrap();
    let used = total - context.mem_get_info().unwrap().0;
    assert!(used >= 1 << 20, "{used}");
    let too_much = status(stream.alloc_zeros::<u8>(total + 1));
    assert_eq!(too_much, CUresult::CUDA_ERROR_OUT_OF_MEMORY);
    let address = slice.leak();
    let _owner = ();
    // SAFETY: `leak` gave up the allocation.
    unsafe { result::free_sync(address) }.unwrap();
}

/// Returns the memory of this machine in bytes, `None` on systems without `/proc/meminfo`.
fn machine_bytes() -> Option<usize> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let mut words = text.split_whitespace().skip_while(|word| *word != "MemTotal:").skip(1);
    let kibibytes: usize = words.next()?.parse().ok()?;
    assert_eq!(words.next(), Some("kB"));
    Some(1024 * kibibytes)
}

#[test]
fn an_allocation_is_freed_once() {
    let context = context();
    // SAFETY: the addresses are only passed back to the driver.
    unsafe {
        let address = result::malloc_sync(100).unwrap();
        assert_eq!(status(result::free_sync(address + 4)), CUresult::CUDA_ERROR_INVALID_VALUE);
        assert_eq!(status(result::free_sync(address)), CUresult::CUDA_SUCCESS);
        assert_eq!(status(result::free_sync(address)), CUresult::CUDA_ERROR_INVALID_VALUE);
        assert_eq!(status(result::free_sync(0)), CUresult::CUDA_SUCCESS);
        assert_eq!(status(result::malloc_sync(0)), CUresult::CUDA_ERROR_INVALID_VALUE);
    }
    context.synchronize().unwrap();
}

#[test]
fn ranges_outside_allocations_are_errors() {
    let stream = context().default_stream();
    let device = stream.clone_htod(&[1_u8, 2, 3, 4]).unwrap();
    let address = pointer(&stream, &device);
    let mut host = [0_u8; 16];
    let too_long = 1 << 22;
    // SAFETY: the calls fail before they read or write, and a length of 0 accesses nothing.
    unsafe {
        let code: fn(Result<(), DriverError>) -> CUresult = status;
        assert_eq!(code(result::memcpy_dtoh_sync(&mut host, 64)), CUresult::CUDA_ERROR_INVALID_VALUE);
        assert_eq!(code(result::memcpy_htod_sync(64, &host)), CUresult::CUDA_ERROR_INVALID_VALUE);
        assert_eq!(code(result::memcpy_dtod_sync(address, 64, 4)), CUresult::CUDA_ERROR_INVALID_VALUE);
        assert_eq!(code(result::memset_d8_sync(address, 0, too_long)), CUresult::CUDA_ERROR_INVALID_VALUE);
        assert_eq!(code(result::memset_d8_sync(64, 0, 0)), CUresult::CUDA_SUCCESS);
        assert_eq!(sys::cuMemcpyHtoD_v2(address, null(), 4), CUresult::CUDA_ERROR_INVALID_VALUE);
        assert_eq!(sys::cuMemcpyHtoD_v2(address, null(), 0), CUresult::CUDA_SUCCESS);
        assert_eq!(sys::cuMemAlloc_v2(null_mut(), 4), CUresult::CUDA_ERROR_INVALID_VALUE);
    }
    assert_eq!(stream.clone_dtoh(&device).unwrap(), [1, 2, 3, 4]);
}

#[test]
fn pinned_memory_can_be_copied() {
    let context = context();
    let stream = context.default_stream();
    // SAFETY: all elements are written before one is read.
    let mut pinned = unsafe { context.alloc_pinned::<f32>(100) }.unwrap();
    pinned.as_mut_slice().unwrap().copy_from_slice(&[2.5; 100]);
    let device = stream.clone_htod(&pinned).unwrap();
    assert_eq!(stream.clone_dtoh(&device).unwrap(), [2.5; 100]);
    stream.memcpy_dtoh(&stream.alloc_zeros::<f32>(100).unwrap(), &mut pinned).unwrap();
    assert_eq!(pinned.as_slice().unwrap(), [0.0; 100]);
}

#[test]
fn only_pinned_memory_is_freed_as_pinned_memory() {
    let _context = context();
    let mut own = [0_u8; 8];
    // SAFETY: the driver fails for memory that it did not allocate, and does not access it.
    unsafe {
        let pinned = result::malloc_host(5000, 0).unwrap();
        assert_eq!(pinned.addr() % 4096, 0);
        let inside = pinned.byte_add(1);
        assert!(on_hardware() || status(result::free_host(inside)) == CUresult::CUDA_ERROR_INVALID_VALUE);
        assert_eq!(status(result::free_host(own.as_mut_ptr().cast())), CUresult::CUDA_ERROR_INVALID_VALUE);
        assert_eq!(status(result::free_host(pinned)), CUresult::CUDA_SUCCESS);
        assert_eq!(status(result::free_host(pinned)), CUresult::CUDA_ERROR_INVALID_VALUE);
        assert_eq!(status(result::free_host(null_mut())), CUresult::CUDA_SUCCESS);
        assert_eq!(status(result::malloc_host(8, 64)), CUresult::CUDA_ERROR_INVALID_VALUE);
    }
}

#[test]
fn registered_ranges_do_not_overlap() {
    let context = context();
    if on_hardware() {
        return; // A real driver registers whole pages.
    }
    let mut host = vec![0_u8; 8192];
    let base = host.as_mut_ptr();
    let at = |offset: usize| base.wrapping_add(offset).cast::<c_void>();
    let already = CUresult::CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
    // SAFETY: the emulator does not access registered memory.
    unsafe {
        sys::cuMemHostRegister_v2(at(1000), 100, 0).result().unwrap();
        for (offset, bytes) in [(1000, 100), (1099, 1), (900, 101), (500, 5000)] {
            assert_eq!(sys::cuMemHostRegister_v2(at(offset), bytes, 0), already, "{offset}");
        }
        sys::cuMemHostRegister_v2(at(1100), 8, 0).result().unwrap();
        sys::cuMemHostRegister_v2(at(992), 8, 0).result().unwrap();
        let unregister = |place| sys::cuMemHostUnregister(place);
        assert_eq!(unregister(at(1001)), CUresult::CUDA_ERROR_INVALID_VALUE, "inside");
        for offset in [992, 1000, 1100] {
            unregister(at(offset)).result().unwrap();
            assert_eq!(unregister(at(offset)), CUresult::CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
        }
    }
    context.synchronize().unwrap();
}

#[test]
fn data_is_copied_between_contexts() {
    let first = context();
    let second = context();
    let from = first.default_stream();
    let to = second.default_stream();
    let source = from.clone_htod(&[3_i32, 1, 4]).unwrap();
    let target = to.clone_dtod(&source).unwrap();
    assert_eq!(to.clone_dtoh(&target).unwrap(), [3, 1, 4]);
}

/// As with the driver of an H200, whose copies infer the direction from the addresses.
#[test]
fn a_device_address_in_place_of_a_host_pointer_is_copied_from_or_to() {
    let context = context();
    let stream = context.default_stream();
    let source = stream.clone_htod(&[3_i32, 1, 4]).unwrap();
    let target = stream.clone_htod(&[0_i32; 3]).unwrap();
    let from = pointer(&stream, &source);
    let to = pointer(&stream, &target);
    let host = |address: u64| std::ptr::without_provenance_mut::<c_void>(address as usize);
    // SAFETY: the driver detects device addresses, and does not read them as host memory.
    unsafe {
        sys::cuMemcpyHtoD_v2(to, host(from), 8).result().unwrap();
        assert_eq!(stream.clone_dtoh(&target).unwrap(), [3, 1, 0]);
        sys::cuMemcpyDtoH_v2(host(to), from, 12).result().unwrap();
        assert_eq!(stream.clone_dtoh(&target).unwrap(), [3, 1, 4]);
        let invalid = CUresult::CUDA_ERROR_INVALID_VALUE;
        assert_eq!(sys::cuMemcpyHtoD_v2(to, host(from), 1 << 30), invalid, "past the end");
        let mut own = [7_i32; 3];
        assert_eq!(sys::cuMemcpyDtoD_v2(to, own.as_mut_ptr().expose_provenance() as u64, 12), invalid);
        assert_eq!(sys::cuMemsetD8_v2(own.as_mut_ptr().expose_provenance() as u64, 0, 12), invalid);
        assert_eq!(own, [7; 3]);
        if !on_hardware() {
            assert_eq!(sys::cuMemGetInfo_v2(host(from).cast(), null_mut()), invalid);
            let message = last_error();
            assert!(
                message.contains("is an address of device memory, and this argument points to host memory"),
                "{message}"
            );
        }
    }
}

/// The kernel `count` adds 1 to a word, in each thread.
const MAPPED: &str = ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry count(.param .u64 word) {\n\
    .reg .b64 %d<2>;\nld.param.u64 %d1, [word];\nred.global.add.u32 [%d1], 1;\nret;\n}\n";

#[test]
fn kernels_access_allocated_host_memory_at_the_address_of_the_host() {
    let context = context();
    let stream = context.default_stream();
    let count = function(&context, MAPPED, "count");
    let launch = |address: u64| {
        // SAFETY: the kernel adds to one word.
        unsafe { stream.launch_builder(&count).arg(&address).launch(shape(4, 32, 0)) }.unwrap();
        status(stream.synchronize())
    };
    // SAFETY: the memory has 8 bytes, and no call uses it after it is freed.
    unsafe {
        let word = result::malloc_host(8, 0).unwrap().cast::<u32>();
        *word.add(1) = 5;
        let mut address = 0;
        let mut kind = 0_u32;
        sys::cuMemHostGetDevicePointer_v2(&mut address, word.add(1).cast(), 0).result().unwrap();
        assert_eq!(address, word.add(1).addr() as u64);
        assert_eq!(launch(address), CUresult::CUDA_SUCCESS);
        assert_eq!([*word, *word.add(1)], [0, 5 + 4 * 32]);
        let memory_type = sys::CUpointer_attribute::CU_POINTER_ATTRIBUTE_MEMORY_TYPE;
        sys::cuPointerGetAttribute((&raw mut kind).cast(), memory_type, address).result().unwrap();
        assert_eq!(kind, 1, "CU_MEMORYTYPE_HOST");
        sys::cuMemsetD8_v2(address, 0, 4).result().unwrap();
        assert_eq!(*word.add(1), 0);
        result::free_host(word.cast()).unwrap();
        let refused = sys::cuMemHostGetDevicePointer_v2(&mut address, word.cast(), 0);
        assert_eq!(refused, CUresult::CUDA_ERROR_INVALID_VALUE);
    }
    if !on_hardware() {
        let own = [0_u32; 1];
        assert_eq!(launch(own.as_ptr().expose_provenance() as u64), CUresult::CUDA_ERROR_ILLEGAL_ADDRESS);
        let message = last_error();
        // The addresses of a program on Windows may be as low as those of a device, and show no owner.
        let expected = if cfg!(windows) {
            "not in any allocation"
        } else {
            "only if cuMemHostAlloc, cuMemAllocHost or cuMemAllocManaged allocated it"
        };
        assert!(message.contains(expected), "{message}");
    }
}

fn pointer<T>(
    stream: &std::sync::Arc<cudarc::driver::CudaStream>,
    slice: &cudarc::driver::CudaSlice<T>,
) -> sys::CUdeviceptr {
    cudarc::driver::DevicePtr::device_ptr(slice, stream).0
}
