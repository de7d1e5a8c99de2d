//! The search for clang.

use super::{Clang, pinned};
use std::env::consts::EXE_SUFFIX;
use std::fmt;
use std::path::{Path, PathBuf};

/// The environment variable that names the program.
const FILE_VARIABLE: &str = "COALESCED_CLANG";

/// The names of the program on the PATH, the newest release first: Debian's packages install only names with a version.
const NAMES: [&str; 7] = ["clang", "clang-23", "clang-22", "clang-21", "clang-20", "clang-19", "clang-18"];

/// The folders in which packages install LLVM off the PATH: Homebrew on both kinds of Mac, and LLVM's installer on Windows.
const FOLDERS: [&str; 3] = ["/opt/homebrew/opt/llvm/bin", "/usr/local/opt/llvm/bin", "C:\\Program Files\\LLVM\\bin"];

/// The error if no clang can be used. Its text is one line with the command that installs it.
#[derive(Debug)]
pub struct Missing {
    /// The first program that exists and cannot be used, with the reason.
    unusable: Option<String>,
    is_named: bool,
}

impl std::error::Error for Missing {}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unusable = self.unusable.as_deref().unwrap_or_default();
        if self.is_named {
            return write!(f, "{FILE_VARIABLE} names a program that is not a usable clang: {unusable}");
        }
        match pinned::wheel() {
            Some(wheel) => {
                let (version, megabytes) = (pinned::CLANG_VERSION, wheel.megabytes);
                write!(f, "type `cargo x clang` to get clang {version} ({megabytes} MB)")?;
            }
            None => f.write_str("install clang 18 or newer with LLVM's target nvptx64")?,
        }
        if self.unusable.is_some() { write!(f, "; the installed one cannot be used: {unusable}") } else { Ok(()) }
    }
}

impl Missing {
    /// Returns whether `cargo x clang` can download a usable one.
    #[must_use]
    pub fn can_be_fetched(&self) -> bool {
        !self.is_named && pinned::wheel().is_some()
    }

    /// Returns whether the environment names the program, so that no other may be used.
    #[must_use]
    pub fn is_named(&self) -> bool {
        self.is_named
    }
}

/// Returns the first usable clang. If the environment names a program, only this one is tried.
pub(super) fn find() -> Result<Clang, Missing> {
    if let Some(file) = std::env::var_os(FILE_VARIABLE) {
        return Clang::open(Path::new(&file)).map_err(|error| Missing { unusable: Some(error), is_named: true });
    }
    first_usable(known_files())
}

/// Returns the first usable program; otherwise the error names the first that exists.
fn first_usable(files: impl IntoIterator<Item = PathBuf>) -> Result<Clang, Missing> {
    let mut unusable = None;
    let found = files.into_iter().filter(|file| file.is_file()).find_map(|file| match Clang::open(&file) {
        Ok(clang) => Some(clang),
        Err(error) => {
            unusable.get_or_insert(error);
            None
        }
    });
    found.ok_or(Missing { unusable, is_named: false })
}

/// Returns the paths at which clang may be.
fn known_files() -> Vec<PathBuf> {
    let kept = pinned::wheel().and_then(|wheel| wheel.kept_file());
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = std::env::split_paths(&path).chain(FOLDERS.map(PathBuf::from)).collect();
    let in_folders =
        NAMES.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(format!("{name}{EXE_SUFFIX}"))));
    kept.into_iter().chain(in_folders).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn advice_is_one_line_with_the_command() {
        let text = Missing { unusable: None, is_named: false }.to_string();
        let expected = if pinned::wheel().is_some() { "type `cargo x clang` to get clang" } else { "install clang 18" };
        assert!(text.starts_with(expected) && !text.contains('\n'), "{text}");
    }

    #[test]
    fn an_unusable_program_is_named_and_a_missing_one_is_not() {
        let program = std::env::current_exe().expect("the tests' own program");
        let missing = first_usable(["/no/such/clang".into(), program.clone()]).unwrap_err().to_string();
        assert!(missing.contains(&*program.to_string_lossy()) && !missing.contains("/no/such"), "{missing}");
    }
}
