//! The emulator's driver library: where it is, and the functions that it exports in addition to the driver API.
//!
//! The library has its own copy of every static variable, so its counters are read through its exported functions and
//! never through the Rust crate `emulator`.

use libloading::Library;
use std::ffi::{CString, c_char, c_uint};
use std::path::PathBuf;

/// Whether launches are estimated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Estimating {
    /// They only run.
    Off = 0,
    /// They are estimated, and run.
    Beside = 1,
    /// They are estimated, and do not run, so that their results are missing.
    Instead = 2,
}

/// The loaded library; it stays loaded until the process ends.
#[derive(Clone, Copy, Debug)]
pub struct EmulatorLibrary {
    pub(super) functions: &'static Functions,
}

/// Environment variable that names the library's file.
const FILE_VARIABLE: &str = "COALESCED_EMULATOR";

/// A function that no other driver has.
const PROOF: &str = "coalesced_last_counters";

/// The version of the functions below that this crate calls: `ABI_VERSION` of `emulator/driver/src/api/extensions.rs`.
const ABI_VERSION: c_uint = 4;

/// Fills a buffer of the given size with text and returns the length of the whole text.
pub(super) type GetText = unsafe extern "C" fn(*mut u8, usize) -> usize;

/// The functions beyond the driver API, all resolved when the library is loaded: a library without one of them was built
/// from other sources, and would silently not do what it is asked to do.
#[derive(Debug)]
pub(super) struct Functions {
    pub last_counters: GetText,
    pub take_samples: GetText,
    last_error: GetText,
    pub take_findings: GetText,
    pub take_scenes: GetText,
    pub set_counters: extern "C" fn(c_uint),
    pub set_samples: extern "C" fn(c_uint),
    pub set_checks: extern "C" fn(c_uint),
    pub set_scenes: extern "C" fn(c_uint),
    pub take_estimates: GetText,
    pub set_estimates: extern "C" fn(c_uint),
    set_machine_code: unsafe extern "C" fn(*const c_char),
    pub set_estimated_gpu: extern "C" fn(usize),
    pub set_threads: extern "C" fn(usize),
    pub set_instruction_budget: extern "C" fn(u64),
    pub set_block_budget: extern "C" fn(u64),
}

impl Functions {
    /// Resolves the functions of a library, which must outlive them.
    ///
    /// # Errors
    /// A text: the library lacks a function, or has another version of them.
    fn find(library: &Library) -> Result<Self, String> {
        // SAFETY: every function has its type in `emulator/driver/src/api/extensions.rs` under this ABI version, and those that
        // take a number accept any, at any time.
        unsafe {
            require_version(find::<unsafe extern "C" fn() -> c_uint>(library, "coalesced_abi_version")?())?;
            Ok(Self {
                last_counters: find(library, PROOF)?,
                take_samples: find(library, "coalesced_take_samples")?,
                last_error: find(library, "coalesced_last_error")?,
                take_findings: find(library, "coalesced_take_findings")?,
                take_scenes: find(library, "coalesced_take_scenes")?,
                set_counters: find(library, "coalesced_set_counters")?,
                set_samples: find(library, "coalesced_set_samples")?,
                set_checks: find(library, "coalesced_set_checks")?,
                set_scenes: find(library, "coalesced_set_scenes")?,
                take_estimates: find(library, "coalesced_take_estimates")?,
                set_estimates: find(library, "coalesced_set_estimates")?,
                set_machine_code: find(library, "coalesced_set_machine_code")?,
                set_estimated_gpu: find(library, "coalesced_set_estimated_gpu")?,
                set_threads: find(library, "coalesced_set_threads")?,
                set_instruction_budget: find(library, "coalesced_set_instruction_budget")?,
                set_block_budget: find(library, "coalesced_set_block_budget")?,
            })
        }
    }
}

/// The advice about a library built from other sources than this program.
const BUILD_AGAIN: &str = "it was built from other sources than this program: run `cargo build -p emulator-driver`, or unset COALESCED_EMULATOR";

/// Looks a function up.
///
/// # Safety
/// A function of this name must have the type `T`.
unsafe fn find<T: Copy>(library: &Library, name: &str) -> Result<T, String> {
    // SAFETY: the caller's promise.
    let found = unsafe { library.get::<T>(name) };
    found.map(|function| *function).map_err(|_| format!("the emulator's library has no {name}; {BUILD_AGAIN}"))
}

/// Refuses a library with another version of the functions.
fn require_version(version: c_uint) -> Result<(), String> {
    if version == ABI_VERSION {
        return Ok(());
    }
    Err(format!("the emulator's library has interface {version} instead of {ABI_VERSION}; {BUILD_AGAIN}"))
}

impl EmulatorLibrary {
    /// Loads the library named by `COALESCED_EMULATOR`, or else the one next to the program.
    pub(super) fn load() -> Result<Self, String> {
        let file = library_file()?;
        let library: &'static Library =
            Box::leak(Box::new(loading::open_as(&file, &loading::file_name("cuda"), PROOF)?));
        let functions = Functions::find(library).map_err(|error| format!("{}: {error}", file.display()))?;
        Ok(Self { functions: Box::leak(Box::new(functions)) })
    }

    /// Returns whether a library is the emulator's.
    pub(super) fn is(library: &Library) -> bool {
        // SAFETY: the symbol is looked up, not called.
        unsafe { library.get::<GetText>(PROOF) }.is_ok()
    }

    /// Returns what one of the functions answers, read by `read`; the default for an empty answer.
    ///
    /// # Errors
    /// A text, if the library's answer is of another form.
    pub(super) fn take<T: Default>(
        self,
        get: fn(&Functions) -> GetText,
        read: fn(&str) -> serde_json::Result<T>,
    ) -> Result<T, String> {
        let text = text(get(self.functions))?;
        if text.is_empty() {
            return Ok(T::default());
        }
        read(&text).map_err(|error| format!("{error} in {text}"))
    }

    /// Returns the emulator's message about the last fault or refused module; empty if there was none.
    #[must_use]
    pub fn last_error(&self) -> String {
        text(self.functions.last_error).unwrap_or_default()
    }

    /// Sets the machine code of later launches, by its listing, from which they are estimated; without any, the PTX serves.
    pub fn set_machine_code(&self, listing: Option<&str>) {
        let text = listing.and_then(|listing| CString::new(listing).ok());
        let pointer = text.as_ref().map_or(std::ptr::null(), |text| text.as_ptr());
        // SAFETY: the function accepts null and any text with a NUL at its end, and keeps no pointer.
        unsafe { (self.functions.set_machine_code)(pointer) }
    }
}

/// Calls one of the functions that fill a buffer.
fn text(get: GetText) -> Result<String, String> {
    let mut buffer = vec![0_u8; 8192];
    // SAFETY: the buffer is writable for its whole length, which is passed along.
    let mut length = unsafe { get(buffer.as_mut_ptr(), buffer.len()) };
    // The functions also write a closing NUL, which needs room.
    if length >= buffer.len() {
        buffer.resize(length + 1, 0);
        // SAFETY: as above.
        length = unsafe { get(buffer.as_mut_ptr(), buffer.len()) };
    }
    buffer.truncate(length);
    String::from_utf8(buffer).map_err(|error| error.to_string())
}

fn library_file() -> Result<PathBuf, String> {
    match std::env::var_os(FILE_VARIABLE) {
        Some(file) => Ok(file.into()),
        None => loading::beside_program("emulator_driver")
            .map_err(|missing| format!("{missing}, or name the file in {FILE_VARIABLE}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn a_library_without_one_of_the_functions_is_refused_by_the_name_of_the_function() {
        let without: Library = libloading::os::unix::Library::this().into();
        let error = Functions::find(&without).expect_err("this program exports none of them");
        assert!(error.contains("has no coalesced_abi_version") && error.contains("emulator-driver"), "{error}");
        // SAFETY: the symbol is looked up, not called.
        let error = unsafe { find::<GetText>(&without, "coalesced_set_checks") }.expect_err("it is not exported");
        assert!(error.contains("coalesced_set_checks"), "{error}");
    }

    #[test]
    fn a_library_with_another_interface_is_refused() {
        assert!(require_version(ABI_VERSION).is_ok());
        let other = ABI_VERSION + 1;
        let error = require_version(other).expect_err("another interface");
        assert!(error.contains(&format!("interface {other} instead of {ABI_VERSION}")), "{error}");
    }
}
