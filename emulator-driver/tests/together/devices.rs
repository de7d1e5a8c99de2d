//! What the device says of itself: its place on the bus, its peers, and which of the driver's functions it serves.

use crate::support::{context, on_hardware};
use cudarc::driver::sys::{self, CUresult};
use cudarc::driver::{CudaContext, DevicePtr};
use std::ffi::{CStr, c_char};
use std::ptr::null_mut;

const INVALID: CUresult = CUresult::CUDA_ERROR_INVALID_VALUE;

#[test]
fn a_device_is_found_by_its_place_on_the_bus() {
    let _context = context();
    let mut id = [b'!' as c_char; 16];
    let mut device = -1;
    // SAFETY: the outputs are valid for writes of the lengths that are passed, and the texts end with NUL.
    unsafe {
        sys::cuDeviceGetPCIBusId(id.as_mut_ptr(), 16, 0).result().unwrap();
        sys::cuDeviceGetByPCIBusId(&mut device, id.as_ptr()).result().unwrap();
        assert_eq!(device, 0);
        assert_eq!(CStr::from_ptr(id.as_ptr()).to_bytes().len(), 12);
        assert_eq!(sys::cuDeviceGetByPCIBusId(&mut device, c"no place".as_ptr()), INVALID);
        assert_eq!(sys::cuDeviceGetByPCIBusId(null_mut(), id.as_ptr()), INVALID);
        assert_eq!(sys::cuDeviceGetPCIBusId(null_mut(), 16, 0), INVALID);
        assert_eq!(sys::cuDeviceGetPCIBusId(id.as_mut_ptr(), 16, 1), CUresult::CUDA_ERROR_INVALID_DEVICE);
        if !on_hardware() {
            assert_eq!(CStr::from_ptr(id.as_ptr()), c"0000:00:00.0");
            assert_eq!(sys::cuDeviceGetPCIBusId(id.as_mut_ptr(), 12, 0), INVALID);
            let absent = sys::cuDeviceGetByPCIBusId(&mut device, c"0000:fe:1f.0".as_ptr());
            assert_eq!(absent, CUresult::CUDA_ERROR_INVALID_DEVICE);
        }
    }
}

#[test]
fn a_device_is_no_peer_of_itself() {
    let _context = context();
    let mut can = 7;
    // SAFETY: the output is valid for a write.
    unsafe {
        sys::cuDeviceCanAccessPeer(&mut can, 0, 0).result().unwrap();
        assert_eq!(can, 0);
        assert_eq!(sys::cuDeviceCanAccessPeer(null_mut(), 0, 0), INVALID);
        assert_eq!(sys::cuDeviceCanAccessPeer(&mut can, 0, 99), CUresult::CUDA_ERROR_INVALID_DEVICE);
    }
}

#[test]
fn copies_of_an_allocation_are_asked_to_be_synchronous() {
    let context = context();
    let stream = context.new_stream().unwrap();
    let slice = stream.alloc_zeros::<u32>(4).unwrap();
    let inside = slice.device_ptr(&stream).0 + 4;
    let attribute = sys::CUpointer_attribute::CU_POINTER_ATTRIBUTE_SYNC_MEMOPS;
    let ordinal = sys::CUpointer_attribute::CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL;
    // SAFETY: the places are valid for reads and writes of an `unsigned int`.
    unsafe {
        for asked in [1_u32, 0] {
            let mut answer = 7_u32;
            sys::cuPointerSetAttribute((&raw const asked).cast(), attribute, inside).result().unwrap();
            sys::cuPointerGetAttribute((&raw mut answer).cast(), attribute, inside).result().unwrap();
            assert_eq!(answer, asked);
        }
        let one = 1_u32;
        assert_eq!(sys::cuPointerSetAttribute((&raw const one).cast(), attribute, 64), INVALID);
        assert_eq!(sys::cuPointerSetAttribute((&raw const one).cast(), ordinal, inside), INVALID);
        assert_eq!(sys::cuPointerSetAttribute(null_mut(), attribute, inside), INVALID);
    }
}

#[test]
fn attributes_that_say_yes_are_served() {
    let context: std::sync::Arc<CudaContext> = context();
    let says = |attribute| context.attribute(attribute).unwrap();
    use sys::CUdevice_attribute as Attribute;
    assert_eq!(says(Attribute::CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS), 1);
    assert_eq!(says(Attribute::CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR), 1);
    assert_eq!(says(Attribute::CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING), 1);
    assert_eq!(says(Attribute::CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH), 1);
    if !on_hardware() {
        assert_eq!(says(Attribute::CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY), 0);
        assert_eq!(says(Attribute::CU_DEVICE_ATTRIBUTE_CAN_FLUSH_REMOTE_WRITES), 0);
    }
}
