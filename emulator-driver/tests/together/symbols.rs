//! What the library exports: every function that cudarc may ask for, since it panics at a missing one.

use cudarc::driver::sys::{self, CUresult};
use std::collections::BTreeSet;
use std::ffi::{CString, c_void};
use std::ptr::null_mut;

/// The driver functions that cudarc 0.19 calls outside of its raw bindings.
const CUDARC: &str = include_str!("../data/cudarc_functions.txt");

/// Returns the driver functions that the sources of this crate define.
fn defined() -> BTreeSet<String> {
    let sources = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/src/api")).unwrap();
    let lines = sources.flat_map(|source| {
        let text = std::fs::read_to_string(source.unwrap().path()).unwrap();
        text.lines().map(str::to_owned).collect::<Vec<_>>()
    });
    let names = lines.filter_map(|line| Some(line.strip_prefix("    fn cu")?.split('(').next()?.to_owned()));
    names.map(|name| format!("cu{name}")).collect()
}

#[test]
fn every_function_that_cudarc_calls_is_defined() {
    let defined = defined();
    let wanted: BTreeSet<&str> = CUDARC.lines().filter(|line| line.starts_with("cu")).collect();
    assert_eq!(wanted.len(), 96);
    let missing: Vec<_> = wanted.iter().filter(|name| !defined.contains(**name)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn every_function_is_exported_and_found_by_name() {
    crate::support::install();
    // SAFETY: the library is the one that is loaded already.
    let library = unsafe { libloading::Library::new(loading::file_name("cuda")) }.unwrap();
    let defined = defined();
    for name in &defined {
        let forms = ["_v4", "_v3", "_v2", ""].map(|suffix| format!("{name}{suffix}"));
        let newest = forms.iter().find(|form| defined.contains(*form)).unwrap();
        // SAFETY: the address is compared and not called.
        let exported = unsafe { library.get::<unsafe extern "C" fn()>(newest) };
        let exported = exported.unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(look_up(name), *exported as *mut c_void, "{name}");
    }
    assert_eq!(look_up("cuNoSuchFunction"), null_mut());
}

fn look_up(name: &str) -> *mut c_void {
    let (name, mut address) = (CString::new(name).unwrap(), null_mut());
    let mut status = sys::CUdriverProcAddressQueryResult::CU_GET_PROC_ADDRESS_SUCCESS;
    // SAFETY: the outputs are valid for writes.
    let code = unsafe { sys::cuGetProcAddress_v2(name.as_ptr(), &mut address, 12080, 0, &mut status) };
    assert_eq!(code, CUresult::CUDA_SUCCESS);
    address
}

#[test]
fn what_is_not_supported_says_so() {
    let _context = crate::support::context();
    if crate::support::on_hardware() {
        return;
    }
    let mut address = 0;
    // SAFETY: the output is valid for a write.
    let code = unsafe { sys::cuMemAllocManaged(&mut address, 64, 1) };
    assert_eq!(code, CUresult::CUDA_ERROR_NOT_SUPPORTED);
    assert!(crate::support::last_error().contains("managed memory"), "{}", crate::support::last_error());
}
