//! What takes a run of a kernel and depends on nothing that changes while this program lives is made once.

use anyhow::Result;
use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, PoisonError};

static MADE: LazyLock<Mutex<HashMap<String, String>>> = LazyLock::new(Mutex::default);

/// What `make` gives, made the first time that this `key` comes. What fails is made again.
///
/// # Errors
/// Those of `make`.
pub fn remembered(key: String, make: impl FnOnce() -> Result<String>) -> Result<String> {
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
