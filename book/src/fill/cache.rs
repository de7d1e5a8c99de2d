//! A cache for content that takes a run of a kernel, which depends on nothing that changes while this program runs.

use anyhow::Result;
use common::device::{DeviceChoice, choose};
use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, PoisonError};

/// The text in place of content that needs a launch, if the emulator's library could not be loaded.
const NOT_HERE: &str = "<p><em>There is more here where the emulator can be loaded: it runs the kernels while the book is built.</em></p>\n";

/// Whether the emulator's library is known to load on this system. On macOS this is not tested, and an incomplete book is better
/// than none; on other systems a failure is an error.
static TAKES_LAUNCHES: LazyLock<bool> = LazyLock::new(|| {
    let opened = || choose(DeviceChoice::Emulator);
    match cfg!(target_os = "macos").then(opened) {
        Some(Err(error)) => {
            eprintln!("The book is built without what needs a launch: {error}. `cargo learn doctor` says more.");
            false
        }
        _ => true,
    }
});

static MADE: LazyLock<Mutex<HashMap<String, String>>> = LazyLock::new(Mutex::default);

/// Returns the result of `make`, which is called for each `key` until it succeeds.
///
/// # Errors
/// Returns the error of `make`.
pub fn get_or_make(key: String, make: impl FnOnce() -> Result<String>) -> Result<String> {
    if !*TAKES_LAUNCHES {
        return Ok(NOT_HERE.to_owned());
    }
    let known = || MADE.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(text) = known().get(&key) {
        return Ok(text.clone());
    }
    let text = make()?;
    known().insert(key, text.clone());
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::get_or_make;
    use anyhow::bail;

    #[test]
    fn a_text_is_made_once_and_a_failure_again() {
        let key = || "a test".to_owned();
        assert!(get_or_make(key(), || bail!("no")).is_err());
        assert_eq!(get_or_make(key(), || Ok("first".into())).unwrap(), "first");
        assert_eq!(get_or_make(key(), || bail!("not called")).unwrap(), "first");
    }
}
