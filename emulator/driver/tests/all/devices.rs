//! The properties of a device: its PCI bus ID, its peers and its attributes.

use crate::support::{context, on_hardware};
use cudarc::driver::sys::{self, CUresult};
use cudarc::driver::{CudaContext, DevicePtr};
use std::ffi::{CStr, c_char};
use std::ptr::null_mut;

const INVALID: CUresult = CUresult::CUDA_ERROR_INVALID_VALUE;

#[test]
fn a_device_is_found_by_its_pci_bus_id() {
    let _context = context();
    let mut id = [b'!' as c_char; 16];
    let mut device = -1;
    // SAFETY: the outputs are valid for writes of the lengths that are passed, and the texts are NUL-terminated.
    unsafe {
        sys::cuDeviceGetPCIBusId(id.as_mut_ptr(), 16, 0).result().unwrap();
        sys::cuDeviceGetByPCIBusId(&mut device, id.as_ptr()).result().unwrap();
        assert_eq!(device, 0);
        assert_eq!(CStr::from_ptr(id.as_ptr()).to_bytes().len(), 12);
        assert_eq!(sys::cuDeviceGetByPCIBusId(&mut device, c"not an ID".as_ptr()), INVALID);
        assert_eq!(sys::cuDeviceGetByPCIBusId(null_mut(), id.as_ptr()), INVALID);
        assert_eq!(sys::cuDeviceGetPCIBusId(null_mut(), 16, 0), INVALID);
        assert_eq!(sys::cuDeviceGetPCIBusId(id.as_mut_ptr(), 16, 1), CUresult::CUDA_ERROR_INVALID_DEVICE);
        if !on_hardware() {
            assert_eq!(CStr::from_ptr(id.as_ptr()), c"0000:00:00.0");
            assert_eq!(sys::cuDeviceGetPCIBusId(id.as_mut_ptr(), 12, 0), INVALID);
            for absent in [c"0000:fe:1f.0", c"00:1F", c"0001:00:00", c"0000:3f:00.0"] {
                let code = sys::cuDeviceGetByPCIBusId(&mut device, absent.as_ptr());
                assert_eq!(code, CUresult::CUDA_ERROR_INVALID_DEVICE, "{absent:?}");
            }
            for short in [c"0000:00:00", c"00:00", c"0:0.0"] {
                sys::cuDeviceGetByPCIBusId(&mut device, short.as_ptr()).result().unwrap();
            }
            for malformed in [c"", c"0", c"0:0:0:0", c"0:g", c"0:+1", c"0:0.", c":"] {
                let code = sys::cuDeviceGetByPCIBusId(&mut device, malformed.as_ptr());
                assert_eq!(code, INVALID, "{malformed:?}");
            }
        }
    }
}

#[test]
fn a_device_is_not_its_own_peer() {
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
fn the_attribute_for_synchronous_copies_is_stored() {
    let context = context();
    let stream = context.new_stream().unwrap();
    let slice = stream.alloc_zeros::<u32>(4).unwrap();
    let inside = slice.device_ptr(&stream).0 + 4;
    let attribute = sys::CUpointer_attribute::CU_POINTER_ATTRIBUTE_SYNC_MEMOPS;
    let ordinal = sys::CUpointer_attribute::CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL;
    // SAFETY: the variables are valid for reads and writes of an `unsigned int`.
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
fn attributes_list_the_supported_features() {
    let context: std::sync::Arc<CudaContext> = context();
    let value = |attribute| context.attribute(attribute).unwrap();
    use sys::CUdevice_attribute as Attribute;
    assert_eq!(value(Attribute::CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS), 1);
    assert_eq!(value(Attribute::CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR), 1);
    assert_eq!(value(Attribute::CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING), 1);
    assert_eq!(value(Attribute::CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH), 1);
    assert_eq!(value(Attribute::CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY), 1);
    assert_eq!(value(Attribute::CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED), 1);
    if !on_hardware() {
        assert_eq!(value(Attribute::CU_DEVICE_ATTRIBUTE_CAN_FLUSH_REMOTE_WRITES), 0);
    }
}
