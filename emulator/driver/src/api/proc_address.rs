//! Function lookup by name at run time.

use super::address_of;
use crate::arguments::{Out, Text};
use crate::boundary::api;
use crate::result::{CUresult, Outcome};
use std::ffi::{c_int, c_ulonglong, c_void};
use std::ptr::null_mut;

/// Versions of functions, and the CUDA release that introduced them. A caller of an older release must not get them. Every
/// other versioned function is older than CUDA 11.4, or is not supported in any version.
const CHANGED: &[(&str, c_int)] = &[
    ("cuCtxCreate_v3", 11040),
    ("cuCtxCreate_v4", 12050),
    ("cuCtxGetDevice_v2", 13000),
    ("cuCtxSynchronize_v2", 13000),
    ("cuDeviceGetUuid_v2", 11040),
    ("cuEventElapsedTime_v2", 12080),
    ("cuGetProcAddress_v2", 12000),
    ("cuGraphAddKernelNode_v2", 12000),
    ("cuGraphExecKernelNodeSetParams_v2", 12000),
    ("cuGraphInstantiate", 12000),
    ("cuGraphKernelNodeSetParams_v2", 12000),
    ("cuLaunchHostFunc_v2", 13020),
    ("cuMemAdvise_v2", 12020),
    ("cuMemPrefetchAsync_v2", 12020),
    ("cuStreamGetCaptureInfo_v2", 11030),
    ("cuStreamGetCaptureInfo_v3", 12030),
    ("cuStreamGetCtx_v2", 12050),
];

/// The version that a newer one without a number replaced, and the CUDA release in which it did.
const REPLACED: (&str, c_int) = ("cuGraphInstantiate_v2", 12000);

/// `CU_GET_PROC_ADDRESS_SUCCESS` and the failures.
const FOUND: c_int = 0;
const SYMBOL_NOT_FOUND: c_int = 1;
const VERSION_NOT_SUFFICIENT: c_int = 2;

/// Returns the newest version of the function `name` that CUDA `version` has, or the failure status.
fn find(name: &str, version: c_int) -> Result<*mut c_void, c_int> {
    let forms = ["_v4", "_v3", "_v2", ""].map(|suffix| format!("{name}{suffix}"));
    let known = |form: &String| {
        let is_replaced = form != name && form == REPLACED.0 && version >= REPLACED.1;
        !is_replaced && CHANGED.iter().all(|(changed, since)| changed != form || version >= *since)
    };
    match forms.iter().filter(|form| known(form)).find_map(|form| address_of(form)) {
        Some(address) => Ok(address),
        None if forms.iter().any(|form| address_of(form).is_some()) => Err(VERSION_NOT_SUFFICIENT),
        None => Err(SYMBOL_NOT_FOUND),
    }
}

fn look_up(name: Text, address: Out<*mut c_void>, version: c_int) -> Outcome<Result<(), c_int>> {
    let found = find(&String::from_utf8_lossy(&name.bytes()?), version);
    address.set(found.unwrap_or(null_mut()))?;
    Ok(found.map(drop))
}

api! {
    /// Writes the address of the newest version of a function that CUDA `version` has (12080 is CUDA 12.8). Writes null and
    /// fails with `CUDA_ERROR_NOT_FOUND` if there is none. `flags` select the kind of default stream, which has no effect.
    fn cuGetProcAddress(name: Text, address: Out<*mut c_void>, version: c_int, _flags: c_ulonglong) {
        look_up(name, address, version)?.map_err(|_| CUresult::NOT_FOUND.into())
    }

    /// Writes the address as [`cuGetProcAddress`] does. If there is none, the call succeeds and writes the reason to `status`.
    fn cuGetProcAddress_v2(
        name: Text,
        address: Out<*mut c_void>,
        version: c_int,
        _flags: c_ulonglong,
        status: Out<c_int>,
    ) {
        let found = look_up(name, address, version)?;
        status.set_if_wanted(found.err().unwrap_or(FOUND))
    }
}
