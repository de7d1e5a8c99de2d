//! Functions by name, for programs that look them up at run time.

use super::address_of;
use crate::arguments::{Out, Text};
use crate::boundary::api;
use crate::result::{CUresult, Outcome};
use std::ffi::{c_int, c_ulonglong, c_void};
use std::ptr::null_mut;

/// Functions whose arguments changed in a CUDA version, which an older caller must not get. Every other versioned
/// function has had its present form since before CUDA 11.
const CHANGED: [(&str, c_int); 10] = [
    ("cuCtxCreate_v3", 11040),
    ("cuCtxCreate_v4", 12050),
    ("cuDeviceGetUuid_v2", 11040),
    ("cuEventElapsedTime_v2", 12080),
    ("cuGetProcAddress_v2", 12000),
    ("cuGraphInstantiate", 12000),
    ("cuMemAdvise_v2", 12020),
    ("cuMemPrefetchAsync_v2", 12020),
    ("cuStreamGetCaptureInfo_v2", 11030),
    ("cuStreamGetCaptureInfo_v3", 12030),
];

/// `CU_GET_PROC_ADDRESS_SUCCESS` and its failures.
const FOUND: c_int = 0;
const SYMBOL_NOT_FOUND: c_int = 1;
const VERSION_NOT_SUFFICIENT: c_int = 2;

/// Returns the newest form of `name` that a caller of `version` knows, or why there is none.
fn find(name: &str, version: c_int) -> Result<*mut c_void, c_int> {
    let forms = ["_v4", "_v3", "_v2", ""].map(|suffix| format!("{name}{suffix}"));
    let known = |form: &String| CHANGED.iter().all(|(changed, since)| changed != form || version >= *since);
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
    /// Writes the address of the newest form of a function that a caller of `version` (12080 is CUDA 12.8) knows;
    /// null and `CUDA_ERROR_NOT_FOUND` if there is none. `flags` choose between kinds of default stream, which are the
    /// same here.
    fn cuGetProcAddress(name: Text, address: Out<*mut c_void>, version: c_int, _flags: c_ulonglong) {
        look_up(name, address, version)?.map_err(|_| CUresult::NOT_FOUND.into())
    }

    /// Writes the address as `cuGetProcAddress` does. That there is none is no failure: `status` tells.
    fn cuGetProcAddress_v2(
        name: Text,
        address: Out<*mut c_void>,
        version: c_int,
        _flags: c_ulonglong,
        status: Out<c_int>,
    ) {
        let found = look_up(name, address, version)?;
        status.set_if_wanted(found.err().unwrap_or(FOUND));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::event::{cuEventElapsedTime, cuEventElapsedTime_v2};
    use crate::api::memory::cuMemAlloc_v2;

    #[test]
    fn a_caller_gets_the_newest_form_that_it_knows() {
        assert_eq!(find("cuMemAlloc", 12080), Ok(cuMemAlloc_v2 as *const () as *mut c_void));
        assert_eq!(find("cuEventElapsedTime", 12080), Ok(cuEventElapsedTime_v2 as *const () as *mut c_void));
        assert_eq!(find("cuEventElapsedTime", 12040), Ok(cuEventElapsedTime as *const () as *mut c_void));
        assert_eq!(find("cuMemPrefetchAsync", 12000), Err(VERSION_NOT_SUFFICIENT));
        assert_eq!(find("cuNoSuchFunction", 12080), Err(SYMBOL_NOT_FOUND));
    }
}
