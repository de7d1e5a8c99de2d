//! The emulator's driver library: where it lies, and what it exports beyond the driver API.
//!
//! The library has its own copy of every static, so that counters are read through its exported functions, never
//! through the Rust crate of the same name.

use emulator::{Counters, Diagnosis, Scene};
use libloading::Library;
use loading::loading_text;
use std::ffi::c_uint;
use std::path::PathBuf;

/// The loaded library; it stays loaded until the process ends.
#[derive(Clone, Copy, Debug)]
pub struct EmulatorLibrary {
    library: &'static Library,
}

/// What was moved to and from an emulated device: copies from and to the host and other devices, and what a library moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
pub struct Transferred {
    /// Ordinal of the device in its process.
    pub device: u32,
    /// Bytes in all.
    pub bytes: u64,
    /// Bytes of transfers that are ordered against every kernel of the device: nothing could run beside them.
    pub exposed_bytes: u64,
}

/// Environment variable that names the library's file.
const FILE_VARIABLE: &str = "COALESCED_EMULATOR";

/// A function that no other driver has.
const PROOF: &str = "coalesced_last_counters";

type GetText = unsafe extern "C" fn(*mut u8, usize) -> usize;

impl EmulatorLibrary {
    /// Loads the library from `COALESCED_EMULATOR`, or from beside the program.
    pub(super) fn load() -> Result<Self, String> {
        let library = loading::open_as(&find()?, &loading::file_name("cuda"), PROOF)?;
        Ok(Self { library: Box::leak(Box::new(library)) })
    }

    /// Whether a library is the emulator's.
    pub(super) fn is(library: &Library) -> bool {
        // SAFETY: the symbol is looked up, not called.
        unsafe { library.get::<GetText>(PROOF) }.is_ok()
    }

    /// What the last launch did; `None` before the first launch, and while counting is off.
    ///
    /// # Errors
    /// A text, when the library answers something else than counters.
    pub fn last_counters(&self) -> Result<Option<Counters>, String> {
        let text = self.text(b"coalesced_last_counters\0")?;
        if text.is_empty() {
            return Ok(None);
        }
        serde_json::from_str(&text).map_err(|error| format!("{error} in {text}"))
    }

    /// The emulator's words on the last fault or refused module; empty when there was none.
    #[must_use]
    pub fn last_error(&self) -> String {
        self.text(b"coalesced_last_error\0").unwrap_or_default()
    }

    /// What checked launches of this thread did wrong since the last call.
    ///
    /// # Errors
    /// A text, when the library answers something else than findings.
    pub fn take_findings(&self) -> Result<Vec<Diagnosis>, String> {
        let text = self.text(b"coalesced_take_findings\0")?;
        serde_json::from_str(&text).map_err(|error| format!("{error} in {text}"))
    }

    /// The launches of this thread that were kept since the last call.
    ///
    /// # Errors
    /// A text, when the library answers something else than scenes.
    pub fn take_scenes(&self) -> Result<Vec<Scene>, String> {
        let text = self.text(b"coalesced_take_scenes\0")?;
        serde_json::from_str(&text).map_err(|error| error.to_string())
    }

    /// What each device of the process transferred since the last call, by copies and by libraries.
    ///
    /// # Errors
    /// A text, when the library answers something else.
    pub fn take_transfers(&self) -> Result<Vec<Transferred>, String> {
        let text = self.text(b"coalesced_take_transfers\0")?;
        serde_json::from_str(&text).map_err(|error| format!("{error} in {text}"))
    }

    /// Keeps the launches that follow as scenes, or not.
    pub fn set_scenes(&self, on: bool) {
        self.set(b"coalesced_set_scenes\0", c_uint::from(on));
    }

    /// Turns counting on or off for the launches that follow. Results are the same.
    pub fn set_counters(&self, on: bool) {
        self.set(b"coalesced_set_counters\0", c_uint::from(on));
    }

    /// Turns checks on or off for the allocations and launches that follow. Results are the same; there are no
    /// counters.
    pub fn set_checks(&self, on: bool) {
        self.set(b"coalesced_set_checks\0", c_uint::from(on));
    }

    /// Worker threads of the launches that follow; 0 for one a core. Results and counts are the same.
    pub fn set_threads(&self, threads: usize) {
        self.set(b"coalesced_set_threads\0", threads);
    }

    /// Warp instructions after which a launch that follows ends with a fault; 0 for never.
    pub fn set_instruction_budget(&self, warp_instructions: u64) {
        self.set(b"coalesced_set_instruction_budget\0", warp_instructions);
    }

    /// Calls one of the functions that take one number, which has the function's type.
    fn set<T>(&self, name: &[u8], value: T) {
        // SAFETY: the callers above pass the type that the named function has, and it accepts any value.
        unsafe {
            if let Ok(set) = self.library.get::<unsafe extern "C" fn(T)>(name) {
                set(value);
            }
        }
    }

    /// Calls one of the functions that fill a buffer and return the length of the whole text.
    fn text(&self, name: &[u8]) -> Result<String, String> {
        // SAFETY: both functions have this type.
        let get = unsafe { self.library.get::<GetText>(name) }.map_err(|error| loading_text(&error))?;
        let mut buffer = vec![0_u8; 8192];
        // SAFETY: the buffer is writable for its whole length, which is passed along.
        let mut length = unsafe { get(buffer.as_mut_ptr(), buffer.len()) };
        // The functions also write a closing NUL, for which there must be room.
        if length >= buffer.len() {
            buffer.resize(length + 1, 0);
            // SAFETY: as above.
            length = unsafe { get(buffer.as_mut_ptr(), buffer.len()) };
        }
        buffer.truncate(length);
        String::from_utf8(buffer).map_err(|error| error.to_string())
    }
}

fn find() -> Result<PathBuf, String> {
    match std::env::var_os(FILE_VARIABLE) {
        Some(file) => Ok(file.into()),
        None => loading::beside_program("emulator_driver")
            .map_err(|missing| format!("{missing}, or name the file in {FILE_VARIABLE}")),
    }
}
