//! The emulator's driver library: where it lies, and what it exports beyond the driver API.
//!
//! The library has its own copy of every static, so that counters are read through its exported functions, never
//! through the Rust crate of the same name.

use emulator::{Counters, Diagnosis, Scene};
use libloading::Library;
use nvrtc::loading_text;
use std::ffi::c_uint;
use std::path::{Path, PathBuf};

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

type GetText = unsafe extern "C" fn(*mut u8, usize) -> usize;

impl EmulatorLibrary {
    /// Loads the library from `COALESCED_EMULATOR`, or from beside the program.
    pub(super) fn load() -> Result<Self, String> {
        let file = find()?;
        // SAFETY: the emulator's library runs no initializer of its own.
        let library =
            unsafe { Library::new(&file) }.map_err(|error| format!("{}: {}", file.display(), loading_text(&error)))?;
        if !Self::is(&library) {
            return Err(format!("{} is not the emulator's driver library", file.display()));
        }
        Ok(Self { library: Box::leak(Box::new(library)) })
    }

    /// Whether a library is the emulator's.
    pub(super) fn is(library: &Library) -> bool {
        // SAFETY: the symbol is looked up, not called.
        unsafe { library.get::<GetText>(b"coalesced_last_counters\0") }.is_ok()
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

/// Cargo builds the library into `target/<profile>/deps`. A second copy in `target/<profile>` appears only when the
/// whole workspace is built and is not kept up to date, so `deps` comes first.
fn candidates(program: &Path) -> Vec<PathBuf> {
    let name = format!("{}emulator_driver{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    let Some(folder) = program.parent() else { return Vec::new() };
    // A stage's program lies above `deps`, tests and benchmarks in it, examples beside it.
    [folder.join("deps"), folder.to_owned(), folder.join("../deps")].map(|folder| folder.join(&name)).to_vec()
}

fn find() -> Result<PathBuf, String> {
    if !cfg!(target_os = "linux") {
        return Err("its driver library relies on the dynamic loader of Linux (WSL is Linux too)".into());
    }
    if let Some(file) = std::env::var_os(FILE_VARIABLE) {
        return Ok(file.into());
    }
    let program = std::env::current_exe().map_err(|error| format!("the program's own path is unknown: {error}"))?;
    let candidates = candidates(&program);
    candidates.iter().find(|file| file.is_file()).cloned().ok_or_else(|| {
        let places: Vec<_> = candidates.iter().map(|file| file.display().to_string()).collect();
        format!(
            "its driver library is not at {}; build with cargo, or name the file in {FILE_VARIABLE}",
            places.join(" or ")
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn candidates_prefer_deps_over_the_copy_beside_the_program() {
        let places = candidates(Path::new("/t/debug/stage"));
        assert_eq!(places[0], Path::new("/t/debug/deps/libemulator_driver.so"));
        assert_eq!(places[1], Path::new("/t/debug/libemulator_driver.so"));
    }

    #[test]
    fn candidates_of_a_test_program_are_beside_it() {
        let places = candidates(Path::new("/t/debug/deps/stage-0123"));
        assert!(places.contains(&PathBuf::from("/t/debug/deps/libemulator_driver.so")));
    }
}
