//! The search for a compiler, which packages install in different places.

use std::fmt;
use std::path::{Path, PathBuf};

/// A compiler to search for.
#[derive(Debug)]
pub struct Wanted {
    /// The name in messages: `NVRTC`.
    pub name: &'static str,
    /// The environment variable that names its file.
    pub variable: &'static str,
    /// The advice if none is found, one line.
    pub advice: String,
    /// Whether this platform's can be downloaded.
    pub is_fetchable: bool,
}

/// The error if no file can be used. Its text is one line with the advice.
#[derive(Debug)]
pub struct Missing {
    text: String,
    can_be_fetched: bool,
    is_named: bool,
}

impl std::error::Error for Missing {}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Missing {
    fn in_variable(wanted: &Wanted, reason: &str) -> Self {
        let text = format!("{} names a file that is not a usable {}: {reason}", wanted.variable, wanted.name);
        Self { text, can_be_fetched: false, is_named: true }
    }

    /// Returns the error after a search that met one `unusable` file, or none.
    fn after_search(wanted: Wanted, unusable: Option<&str>) -> Self {
        let text = match unusable {
            Some(reason) => format!("{}; the installed one cannot be used: {reason}", wanted.advice),
            None => wanted.advice,
        };
        Self { text, can_be_fetched: wanted.is_fetchable, is_named: false }
    }

    /// Returns whether a usable one can be downloaded.
    #[must_use]
    pub fn can_be_fetched(&self) -> bool {
        self.can_be_fetched
    }

    /// Returns whether the environment names the file, so that no other may be used.
    #[must_use]
    pub fn is_named(&self) -> bool {
        self.is_named
    }
}

/// Opens the first usable one of `files`. If the environment names a file, only this file is tried.
///
/// # Errors
/// No file can be used. The error of `open` is the reason.
pub fn find<T>(
    wanted: Wanted,
    files: impl IntoIterator<Item = PathBuf>,
    open: impl Fn(&Path) -> Result<T, String>,
) -> Result<T, Missing> {
    if let Some(file) = std::env::var_os(wanted.variable) {
        return open(Path::new(&file)).map_err(|reason| Missing::in_variable(&wanted, &reason));
    }
    first_usable(wanted, files, open)
}

fn first_usable<T>(
    wanted: Wanted,
    files: impl IntoIterator<Item = PathBuf>,
    open: impl Fn(&Path) -> Result<T, String>,
) -> Result<T, Missing> {
    let mut unusable = None;
    for file in files {
        match open(&file) {
            Ok(opened) => return Ok(opened),
            // Names without a folder are the loader's, and their absence is no news.
            Err(reason) if file.is_file() => drop(unusable.get_or_insert(reason)),
            Err(_) => {}
        }
    }
    Err(Missing::after_search(wanted, unusable.as_deref()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted() -> Wanted {
        let advice = "type `get it`".to_owned();
        Wanted { name: "compiler", variable: "COALESCED_NO_SUCH_VARIABLE", advice, is_fetchable: true }
    }

    fn open(file: &Path) -> Result<(), String> {
        Err(format!("{}: no", file.display()))
    }

    #[test]
    fn an_unusable_file_is_named_and_a_missing_one_is_not() {
        let file = std::env::current_exe().expect("the tests' own program");
        let missing = find(wanted(), ["/no/such/file".into(), file.clone()], open).unwrap_err();
        let expected = format!("type `get it`; the installed one cannot be used: {}: no", file.display());
        assert_eq!(missing.to_string(), expected);
        assert!(missing.can_be_fetched());
    }

    #[test]
    fn advice_is_one_line_with_the_command() {
        assert_eq!(find(wanted(), [], open).unwrap_err().to_string(), "type `get it`");
    }

    #[test]
    fn the_first_usable_file_is_opened() {
        let opened = find(wanted(), ["/a".into(), "/b".into()], |file| {
            if file == Path::new("/b") { Ok("b") } else { Err("no".to_owned()) }
        });
        assert_eq!(opened.unwrap(), "b");
    }
}
