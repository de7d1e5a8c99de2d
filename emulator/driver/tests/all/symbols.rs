//! The exported functions. cudarc panics if one is missing: since 0.18 when it is called, before that at its start.

use crate::support::on_hardware;
use cudarc::driver::sys::{self, CUdriverProcAddressQueryResult as Query, CUresult};
use libloading::Library;
use std::collections::BTreeSet;
use std::ffi::{CString, c_int, c_void};
use std::ptr::null_mut;

/// The driver functions that cudarc 0.19 calls outside its raw bindings.
const CUDARC: &str = include_str!("../data/cudarc_functions.txt");

/// The names of functions that only the lookup by name has: the newest versions since CUDA 12 without their numbers.
const OTHERS: [&str; 1] = ["cuGraphInstantiate"];

/// The driver functions of all bindings for Rust, of which cudarc up to 0.17 looks up nearly all.
const BINDINGS: &str = include_str!("../data/driver_functions.txt");

/// Returns the driver functions that the source files of this crate define.
fn defined() -> BTreeSet<String> {
    let sources = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/src/api")).unwrap();
    let lines = sources.flat_map(|source| {
        let text = std::fs::read_to_string(source.unwrap().path()).unwrap();
        text.lines().map(str::to_owned).collect::<Vec<_>>()
    });
    lines.flat_map(|line| names(&line)).collect()
}

/// Returns the functions that a line defines: one with another name, or several of those that are not supported.
fn names(line: &str) -> Vec<String> {
    let function = line.strip_prefix("    fn ").and_then(|function| function.split('(').next());
    let other = line.split_once(") | ").map(|(_, name)| name.trim_end_matches(" {"));
    let listed = line.split_once(": ").map_or(line, |(_, names)| names);
    let words: Vec<&str> = match function.or(other) {
        Some(_) => function.into_iter().chain(other).collect(),
        None => listed.trim().trim_end_matches(';').split(' ').collect(),
    };
    let is_name = |word: &&str| {
        let has_prefix = word.strip_prefix("cu").is_some_and(|rest| rest.starts_with(char::is_uppercase));
        has_prefix && word.chars().all(|letter| letter.is_alphanumeric() || letter == '_')
    };
    if words.iter().all(is_name) { words.into_iter().map(str::to_owned).collect() } else { Vec::new() }
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
fn every_function_of_the_bindings_is_exported() {
    if on_hardware() {
        return;
    }
    let library = library();
    let names = || BINDINGS.lines().filter(|line| !line.starts_with('#')).flat_map(str::split_whitespace);
    assert_eq!(names().count(), 521);
    // SAFETY: the function is not called.
    let is_exported = |name: &str| unsafe { library.get::<unsafe extern "C" fn()>(name) }.is_ok();
    let missing: Vec<_> = names().filter(|name| !is_exported(name)).collect();
    assert!(missing.is_empty(), "{missing:?}");
    assert!(!is_exported("cuNoSuchFunction"));
    let listed: BTreeSet<String> = names().map(str::to_owned).collect();
    let others: Vec<_> = defined().difference(&listed).cloned().collect();
    assert_eq!(others, OTHERS);
}

#[test]
fn every_function_is_exported_and_found_by_name() {
    let library = library();
    let defined = defined();
    for name in &defined {
        let forms = ["_v4", "_v3", "_v2", ""].map(|suffix| format!("{name}{suffix}"));
        let is_newest = |form: &&String| defined.contains(*form) && (name == *form || *form != "cuGraphInstantiate_v2");
        let newest = forms.iter().find(is_newest).unwrap();
        assert_eq!(look_up(name, 13020), Ok(exported(&library, newest)), "{name}");
    }
    assert_eq!(look_up("cuNoSuchFunction", 12080), Err(Query::CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND));
}

#[test]
fn a_caller_gets_the_newest_version_of_its_cuda_release() {
    let library = library();
    let elapsed = |name| Ok(exported(&library, name));
    assert_eq!(look_up("cuEventElapsedTime", 12080), elapsed("cuEventElapsedTime_v2"));
    assert_eq!(look_up("cuEventElapsedTime", 12040), elapsed("cuEventElapsedTime"));
    assert_eq!(look_up("cuMemPrefetchAsync", 12000), elapsed("cuMemPrefetchAsync"));
    assert_eq!(look_up("cuMemPrefetchAsync", 12020), elapsed("cuMemPrefetchAsync_v2"));
    assert_eq!(look_up("cuCtxSynchronize", 12080), elapsed("cuCtxSynchronize"));
    assert_eq!(look_up("cuGraphInstantiate", 12000), elapsed("cuGraphInstantiate"));
    assert!(on_hardware() || look_up("cuGraphInstantiate", 11080) == elapsed("cuGraphInstantiate_v2"));
    let too_old = Err(Query::CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
    assert!(on_hardware() || look_up("cuCtxCreate_v4", 12000) == too_old);
}

/// Returns the loaded driver.
fn library() -> Library {
    crate::support::install();
    let name = if on_hardware() { "libcuda.so.1".to_owned() } else { loading::file_name("cuda") };
    // SAFETY: the library is loaded already.
    unsafe { Library::new(name) }.unwrap()
}

fn exported(library: &Library, name: &str) -> *mut c_void {
    // SAFETY: the address is compared and not called.
    let found = unsafe { library.get::<unsafe extern "C" fn()>(name) };
    *found.unwrap_or_else(|error| panic!("{error}")) as *mut c_void
}

/// Looks a function up as a caller of a CUDA release. Returns its address, or the reason why there is none.
fn look_up(name: &str, version: c_int) -> Result<*mut c_void, Query> {
    let name = CString::new(name).unwrap();
    let mut address = null_mut();
    let mut status = Query::CU_GET_PROC_ADDRESS_SUCCESS;
    // SAFETY: the outputs are valid for writes.
    let code = unsafe { sys::cuGetProcAddress_v2(name.as_ptr(), &mut address, version, 0, &mut status) };
    assert_eq!(code, CUresult::CUDA_SUCCESS);
    if address.is_null() { Err(status) } else { Ok(address) }
}

#[test]
fn unsupported_functions_explain_themselves() {
    let _context = crate::support::context();
    if crate::support::on_hardware() {
        return;
    }
    let mut memory = null_mut();
    // SAFETY: the output is valid for a write, and the description is not read.
    let code = unsafe { sys::cuImportExternalMemory(&mut memory, std::ptr::null()) };
    assert_eq!(code, CUresult::CUDA_ERROR_NOT_SUPPORTED);
    assert!(crate::support::last_error().contains("memory of graphics APIs"), "{}", crate::support::last_error());
}
