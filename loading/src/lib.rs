//! Shared libraries that a program opens itself. Here is what differs between the loaders of Linux, Windows and macOS:
//! who asks for a library by its name alone, as cudarc does, must get one of ours, which lies where cargo has built it.
//!
//! - **Linux** hands a library that is loaded to whoever asks for its SONAME, which a `build.rs` sets.
//! - **macOS** does so for an install name of `@rpath/` and the name that is asked for (dyld, `Loader::getLoader`), which
//!   the same `build.rs` sets.
//! - **Windows** knows libraries that are loaded by the names of their files: what is opened is a copy under that name.

mod built;
mod cache;
mod copy;

pub use built::{beside_program, file_name};
pub use cache::{NO_CACHE, cache_folder};

use libloading::Library;
use std::path::Path;

/// Opens the library of ours in `file`, and sees to it that whoever asks for `name` gets it from now on. The library has
/// the function `proof`, by which it is recognized.
///
/// # Errors
/// A text: the file is missing, is no such library, or another one answers to the name.
pub fn open_as(file: &Path, name: &str, proof: &str) -> Result<Library, String> {
    let failed = |error: String| format!("{}: {error}", file.display());
    let opened = if cfg!(windows) { copy::named(file, name).map_err(failed)? } else { file.to_owned() };
    // SAFETY: our libraries run no initializer of their own.
    let library = unsafe { Library::new(&opened) }.map_err(|error| not_loaded(file, &error))?;
    let Some(ours) = address_of(&library, proof) else {
        return Err(failed(format!("it has no {proof}, and is not this course's library")));
    };
    // SAFETY: as above; where it is another one, a program that asks for it by its name would open it just so.
    let asked = unsafe { Library::new(name) };
    match asked.map(|asked| address_of(&asked, proof)) {
        Ok(Some(theirs)) if theirs == ours => Ok(library),
        Ok(_) => {
            Err(failed(format!("it is loaded, and the system's loader gives another library for the name {name}")))
        }
        Err(error) => Err(failed(format!(
            "it is loaded, and the system's loader does not find it under the name {name}: {}",
            loading_text(&error)
        ))),
    }
}

/// The library that answers to a name, if one is loaded; none is loaded for it.
#[must_use]
pub fn loaded(name: &str) -> Option<Library> {
    #[cfg(unix)]
    {
        use libloading::os::unix;
        /// Opens a library only if it is loaded already: the value of macOS, and that of glibc and musl.
        const RTLD_NOLOAD: i32 = if cfg!(target_vendor = "apple") { 0x10 } else { 4 };
        // SAFETY: a library that is loaded already runs no initializer again.
        unsafe { unix::Library::open(Some(name), unix::RTLD_NOW | RTLD_NOLOAD) }.ok().map(Into::into)
    }
    #[cfg(windows)]
    {
        libloading::os::windows::Library::open_already_loaded(name).ok().map(Into::into)
    }
}

/// The loader's own words, which libloading keeps as the source of its error.
#[must_use]
pub fn loading_text(error: &libloading::Error) -> String {
    std::error::Error::source(error).map_or_else(|| error.to_string(), ToString::to_string)
}

/// The loader's words on a file, which that of Windows does not name.
#[must_use]
pub fn not_loaded(file: &Path, error: &libloading::Error) -> String {
    let (name, text) = (file.display().to_string(), loading_text(error));
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
    fn missing_file_is_named() {
        let error = open_as(Path::new("/no/such/library"), "libcuda.so", "cuInit").unwrap_err();
        assert!(error.starts_with("/no/such/library: "), "{error}");
    }

    #[test]
    fn library_that_is_not_loaded_is_not_loaded_for_a_question() {
        assert!(loaded("libno-such-library.so").is_none());
    }
}
