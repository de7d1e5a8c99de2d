//! Loads this workspace's shared libraries so that code which opens a library by name, as cudarc does, gets them. The loaders
//! of Linux, macOS and Windows differ:
//!
//! - **Linux** returns a loaded library if its SONAME is requested. A `build.rs` sets the SONAME.
//! - **macOS** returns a loaded library if its install name is `@rpath/` and the requested name (dyld, `Loader::getLoader`).
//!   The same `build.rs` sets the install name.
//! - **Windows** identifies loaded libraries by their file names, so this crate opens a copy with the requested name.
//!
//! It also finds the workspace ([`workspace_root`]) and installed compilers ([`search`]), and keeps downloaded ones ([`Wheel`]).

mod built;
mod cache;
mod copy;
pub mod search;
mod workspace;

pub use built::{beside_program, file_name};
pub use cache::{NO_CACHE, Wheel, cache_folder};
pub use workspace::workspace_root;

use libloading::Library;
use std::path::Path;

/// Opens the library in `file` so that later requests for `name` return it. The function `proof` identifies the library.
///
/// # Errors
/// Returns a message if the file is missing, lacks `proof`, or if the loader returns another library for the name.
pub fn open_as(file: &Path, name: &str, proof: &str) -> Result<Library, String> {
    let failed = |error: String| format!("{}: {error}", file.display());
    let opened = if cfg!(windows) { copy::copy_as(file, name).map_err(failed)? } else { file.to_owned() };
    // SAFETY: this workspace's libraries have no initializers.
    let library = unsafe { Library::new(&opened) }.map_err(|error| loading_error_text(file, &error))?;
    let Some(ours) = address_of(&library, proof) else {
        return Err(failed(format!("it has no function {proof}, so it is not this course's library")));
    };
    // SAFETY: as above. If it is another library, the program is about to open it anyway.
    let asked = unsafe { Library::new(name) };
    match asked.map(|asked| address_of(&asked, proof)) {
        Ok(Some(theirs)) if theirs == ours => Ok(library),
        Ok(_) => {
            Err(failed(format!("it is loaded, but the system's loader returns another library for the name {name}")))
        }
        Err(error) => Err(failed(format!(
            "it is loaded, but the system's loader does not find it under the name {name}: {}",
            loading_text(&error)
        ))),
    }
}

/// Returns the loaded library with a name, `None` if there is none. Does not load any.
#[must_use]
pub fn find_loaded(name: &str) -> Option<Library> {
    #[cfg(unix)]
    {
        use libloading::os::unix;
        /// Opens a library only if it is already loaded. The first value is for macOS, the second for glibc and musl.
        const RTLD_NOLOAD: i32 = if cfg!(target_vendor = "apple") { 0x10 } else { 4 };
        // SAFETY: the initializers of a loaded library do not run again.
        unsafe { unix::Library::open(Some(name), unix::RTLD_NOW | RTLD_NOLOAD) }.ok().map(Into::into)
    }
    #[cfg(windows)]
    {
        libloading::os::windows::Library::open_already_loaded(name).ok().map(Into::into)
    }
}

/// Returns the loader's message, which libloading stores as the source of its error.
#[must_use]
pub fn loading_text(error: &libloading::Error) -> String {
    std::error::Error::source(error).map_or_else(|| error.to_string(), ToString::to_string)
}

/// Returns the loader's message about a file, prefixed with the file's name unless the loader includes it. Windows' does not.
#[must_use]
pub fn loading_error_text(file: &Path, error: &libloading::Error) -> String {
    let name = file.display().to_string();
    let text = loading_text(error);
    if text.contains(&name) { text } else { format!("{name}: {text}") }
}

fn address_of(library: &Library, function: &str) -> Option<usize> {
    // SAFETY: the function is looked up, not called.
    unsafe { library.get::<unsafe extern "C" fn()>(function) }.ok().map(|found| *found as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_file_is_named() {
        let error = open_as(Path::new("/no/such/library"), "libcuda.so", "cuInit").unwrap_err();
        assert!(error.starts_with("/no/such/library: "), "{error}");
    }

    #[test]
    fn a_query_does_not_load_a_library() {
        assert!(find_loaded("libno-such-library.so").is_none());
    }
}
