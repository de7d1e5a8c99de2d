//! What takes a run of a kernel depends on nothing that changes while this program lives: it is made once, where
//! launches can be taken at all.

use anyhow::Result;
use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, PoisonError};

/// Whether launches can be taken here: the emulator's driver library needs the dynamic loader of Linux.
const TAKES_LAUNCHES: bool = cfg!(target_os = "linux");

/// What a book that was built elsewhere has in place of what needs a launch.
const NOT_HERE: &str =
    "<p><em>A book that is built on Linux, WSL too, has more here: it runs the kernels while it is built.</em></p>\n";

static MADE: LazyLock<Mutex<HashMap<String, String>>> = LazyLock::new(Mutex::default);

/// What `make` gives, made the first time that this `key` comes. What fails is made again.
///
/// # Errors
/// Those of `make`.
pub fn remembered(key: String, make: impl FnOnce() -> Result<String>) -> Result<String> {
    if !TAKES_LAUNCHES {
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
    use super::remembered;
    use anyhow::bail;

    #[test]
    fn a_text_is_made_once_and_a_failure_again() {
        let key = || "a test".to_owned();
        assert!(remembered(key(), || bail!("no")).is_err());
        assert_eq!(remembered(key(), || Ok("first".into())).unwrap(), "first");
        assert_eq!(remembered(key(), || bail!("not called")).unwrap(), "first");
    }
}
