//! The search for clang.

use super::{Clang, pinned};
use loading::search::{self, Missing, Wanted};
use std::env::consts::EXE_SUFFIX;
use std::path::PathBuf;

/// The environment variable that names the program.
const FILE_VARIABLE: &str = "COALESCED_CLANG";

/// The names of the program on the PATH, the newest release first: Debian's packages install only names with a version.
const NAMES: [&str; 7] = ["clang", "clang-23", "clang-22", "clang-21", "clang-20", "clang-19", "clang-18"];

/// The folders in which packages install LLVM off the PATH: Homebrew on both kinds of Mac, and LLVM's installer on Windows.
const FOLDERS: [&str; 3] = ["/opt/homebrew/opt/llvm/bin", "/usr/local/opt/llvm/bin", "C:\\Program Files\\LLVM\\bin"];

/// Returns the first usable clang. If the environment names a program, only this one is tried.
pub(super) fn find() -> Result<Clang, Missing> {
    search::find(wanted(), known_files().filter(|file| file.is_file()), Clang::open)
}

fn wanted() -> Wanted {
    let wheel = pinned::wheel();
    let advice = wheel.as_ref().map_or_else(
        || "install clang 18 or newer with LLVM's target nvptx64".into(),
        |wheel| format!("type `cargo learn clang` to get clang {} ({} MB)", pinned::CLANG_VERSION, wheel.megabytes),
    );
    Wanted { name: "clang", variable: FILE_VARIABLE, advice, is_fetchable: wheel.is_some() }
}

/// Returns the paths at which clang may be.
fn known_files() -> impl Iterator<Item = PathBuf> {
    let kept = pinned::wheel().and_then(|wheel| wheel.kept_file());
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = std::env::split_paths(&path).chain(FOLDERS.map(PathBuf::from)).collect();
    let in_folders = move |name: &str| {
        let folders = folders.clone().into_iter();
        let file = format!("{name}{EXE_SUFFIX}");
        folders.map(move |folder| folder.join(&file))
    };
    kept.into_iter().chain(NAMES.into_iter().flat_map(in_folders))
}
