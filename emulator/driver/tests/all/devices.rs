//! The properties of a device: its PCI bus ID, its peers and its attributes.

use crate::support::{context, on_hardware};
use cudarc::driver::CudaContext;
use cudarc::driver::sys::{self, CUresult};
use std::ffi::{CStr, c_char};
use std::ptr::null_mut;

const INVALID: CUresult = CUresult::CUDA_ERROR_INVALID_VALUE;

#[test]
fn a_device_has_a_pci_bus_id() {
    let _context = context();
    let mut id = [b'!' as c_char; 16];
    // SAFETY: the outputs are valid for writes of the lengths that are passed.
    unsafe {
        sys::cuDeviceGetPCIBusId(id.as_mut_ptr(), 16, 0).result().unwrap();
        assert_eq!(CStr::from_ptr(id.as_ptr()).to_bytes().len(), 12);
        assert_eq!(sys::cuDeviceGetPCIBusId(null_mut(), 16, 0), INVALID);
        assert_eq!(sys::cuDeviceGetPCIBusId(id.as_mut_ptr(), 16, 1), CUresult::CUDA_ERROR_INVALID_DEVICE);
        if !on_hardware() {
            assert_eq!(CStr::from_ptr(id.as_ptr()), c"0000:00:00.0");
            assert_eq!(sys::cuDeviceGetPCIBusId(id.as_mut_ptr(), 12, 0), INVALID);
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
fn attributes_list_the_supported_features() {
    let context: std::sync::Arc<CudaContext> = context();
    let value = |attribute| context.attribute(attribute).unwrap();
    use sys::CUdevice_attribute as Attribute;
    assert_eq!(value(Attribute::CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING), 1);
    assert_eq!(value(Attribute::CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH), 1);
    assert_eq!(value(Attribute::CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY), 1);
    assert_eq!(value(Attribute::CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED), 1);
    if !on_hardware() {
        assert_eq!(value(Attribute::CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS), 0);
        assert_eq!(value(Attribute::CU_DEVICE_ATTRIBUTE_CAN_FLUSH_REMOTE_WRITES), 0);
    }
}
