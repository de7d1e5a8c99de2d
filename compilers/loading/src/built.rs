//! The places where cargo puts the libraries that it builds for a program.

use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
use std::path::{Path, PathBuf};

/// Returns the file name of a library on this system: `libcuda.so`, `libcuda.dylib` or `cuda.dll` for `cuda`. This is the
/// first name that cudarc requests.
#[must_use]
pub fn file_name(library: &str) -> String {
    format!("{DLL_PREFIX}{library}{DLL_SUFFIX}")
}

/// Returns the path of the library that cargo has built for this program.
///
/// # Errors
/// Returns a message with the paths that do not exist.
pub fn beside_program(library: &str) -> Result<PathBuf, String> {
    let program = std::env::current_exe().map_err(|error| format!("the program's own path is unknown: {error}"))?;
    let candidates = candidates(&program, library);
    candidates.iter().find(|file| file.is_file()).cloned().ok_or_else(|| {
        let places: Vec<_> = candidates.iter().map(|file| file.display().to_string()).collect();
        format!("its library does not exist at {}; build with cargo", places.join(" or "))
    })
}

/// Returns the paths to try. Cargo builds libraries into `target/<profile>/deps`. A copy in `target/<profile>` exists only if
/// the package itself was built, and may be out of date, so `deps` comes first.
fn candidates(program: &Path, library: &str) -> Vec<PathBuf> {
    let Some(folder) = program.parent() else { return Vec::new() };
    // A stage's program is above `deps`, tests and benchmarks are in it, and examples are next to it.
    let folders = [folder.join("deps"), folder.to_owned(), folder.join("../deps")];
    folders.map(|folder| folder.join(file_name(library))).to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn candidates_prefer_deps_over_the_copy_beside_the_program() {
        let places = candidates(Path::new("/t/debug/stage"), "emulator_driver");
        let name = file_name("emulator_driver");
        assert_eq!(places[..2], [Path::new("/t/debug/deps").join(&name), Path::new("/t/debug").join(&name)]);
    }

    #[test]
    fn candidates_of_a_test_program_are_beside_it() {
        let places = candidates(Path::new("/t/debug/deps/stage-0123"), "emulator_driver");
        assert!(places.contains(&Path::new("/t/debug/deps").join(file_name("emulator_driver"))));
    }
}
