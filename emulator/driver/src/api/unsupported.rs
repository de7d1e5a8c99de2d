//! Unsupported functions. They exist, because programs treat a missing function as a broken driver, and return
//! `CUDA_ERROR_NOT_SUPPORTED`.

use super::launch::LaunchConfig;
use super::range::DevicePointer;
use crate::arguments::{In, Out};
use crate::boundary::api;
use crate::result::{CUresult, Outcome};
use crate::state::{Function, Handle};
use std::ffi::{c_int, c_void};

/// A pointer, or the handle of external memory. It is ignored.
type Unused = *mut c_void;

const EXTERNAL: &str = "memory of graphics APIs is not supported";
const CLUSTERS: &str = "the occupancy of clusters is not supported";
const TABLES: &str = "the driver's internal tables are not supported: the CUDA runtime (cudart) requests them and requires \
     a driver that proves to be NVIDIA's with a keyed digest; use the driver API";

fn refuse(reason: &str) -> Outcome {
    Err(CUresult::NOT_SUPPORTED.because(reason))
}

api! {
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
