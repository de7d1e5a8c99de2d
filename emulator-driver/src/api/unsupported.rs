//! Unsupported functions. They exist, because programs treat a missing function as a broken driver, and return
//! `CUDA_ERROR_NOT_SUPPORTED`.

use super::device::Device;
use super::launch::LaunchConfig;
use super::range::DevicePointer;
use crate::arguments::{In, Out};
use crate::boundary::api;
use crate::result::{CUresult, Outcome};
use crate::state::{Function, Handle, Stream};
use std::ffi::{c_int, c_uint, c_void};

/// `CUmemLocation`, which is passed by value.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct MemoryLocation {
    kind: c_int,
    number: c_int,
}

/// A pointer, or the handle of a pool or external memory. It is ignored.
type Unused = *mut c_void;

const MANAGED: &str = "managed memory is not supported: the host cannot access emulated device memory";
const POOLS: &str = "memory pools are not supported: use cuMemAlloc or cuMemAllocAsync";
const EXTERNAL: &str = "memory of graphics APIs is not supported";
const CLUSTERS: &str = "the occupancy of clusters is not supported";
const TABLES: &str = "the driver's internal tables are not supported: the CUDA runtime (cudart) requests them and requires \
     a driver that proves to be NVIDIA's with a keyed digest; use the driver API";

fn refuse(reason: &str) -> Outcome {
    Err(CUresult::NOT_SUPPORTED.because(reason))
}

api! {
    /// Not supported: managed memory.
    fn cuMemAllocManaged(_address: Out<DevicePointer>, _bytes: usize, _flags: c_uint) {
        refuse(MANAGED)
    }

    /// Not supported: managed memory.
    fn cuMemPrefetchAsync_v2(
        _address: DevicePointer,
        _bytes: usize,
        _location: MemoryLocation,
        _flags: c_uint,
        _stream: Handle<Stream>,
    ) {
        refuse(MANAGED)
    }

    /// Not supported: managed memory.
    fn cuMemAdvise_v2(_address: DevicePointer, _bytes: usize, _advice: c_int, _location: MemoryLocation) {
        refuse(MANAGED)
    }

    /// Not supported: managed memory.
    fn cuStreamAttachMemAsync(_stream: Handle<Stream>, _address: DevicePointer, _bytes: usize, _flags: c_uint) {
        refuse(MANAGED)
    }

    /// Not supported: memory pools.
    fn cuDeviceGetDefaultMemPool(_pool: Unused, _device: Device) {
        refuse(POOLS)
    }

    /// Not supported: memory pools.
    fn cuDeviceGetMemPool(_pool: Unused, _device: Device) {
        refuse(POOLS)
    }

    /// Not supported: memory pools.
    fn cuDeviceSetMemPool(_device: Device, _pool: Unused) {
        refuse(POOLS)
    }

    /// Not supported: memory pools.
    fn cuMemPoolCreate(_pool: Unused, _properties: Unused) {
        refuse(POOLS)
    }

    /// Not supported: memory pools.
    fn cuMemPoolDestroy(_pool: Unused) {
        refuse(POOLS)
    }

    /// Not supported: memory pools.
    fn cuMemPoolGetAttribute(_pool: Unused, _attribute: c_int, _value: Unused) {
        refuse(POOLS)
    }

    /// Not supported: memory pools.
    fn cuMemPoolSetAttribute(_pool: Unused, _attribute: c_int, _value: Unused) {
        refuse(POOLS)
    }

    /// Not supported: memory pools.
    fn cuMemPoolTrimTo(_pool: Unused, _kept_bytes: usize) {
        refuse(POOLS)
    }

    /// Not supported: memory pools.
    fn cuMemAllocFromPoolAsync(_address: Out<DevicePointer>, _bytes: usize, _pool: Unused, _stream: Handle<Stream>) {
        refuse(POOLS)
    }

    /// Not supported: external memory.
    fn cuImportExternalMemory(_memory: Unused, _description: Unused) {
        refuse(EXTERNAL)
    }

    /// Not supported: external memory.
    fn cuDestroyExternalMemory(_memory: Unused) {
        refuse(EXTERNAL)
    }

    /// Not supported: external memory.
    fn cuExternalMemoryGetMappedBuffer(_address: Out<DevicePointer>, _memory: Unused, _description: Unused) {
        refuse(EXTERNAL)
    }

    /// Not supported: the occupancy of clusters.
    fn cuOccupancyMaxActiveClusters(_count: Out<c_int>, _function: Handle<Function>, _config: In<LaunchConfig>) {
        refuse(CLUSTERS)
    }

    /// Not supported: the occupancy of clusters.
    fn cuOccupancyMaxPotentialClusterSize(_size: Out<c_int>, _function: Handle<Function>, _config: In<LaunchConfig>) {
        refuse(CLUSTERS)
    }

    /// Not supported: undocumented tables that the CUDA runtime needs, whether linked statically or dynamically.
    fn cuGetExportTable(_table: Unused, _id: Unused) {
        refuse(TABLES)
    }
}
