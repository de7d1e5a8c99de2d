//! What went wrong: on standard error, as NCCL prints it with `NCCL_DEBUG=WARN`, and for who asks.

use crate::result::Error;
use std::collections::HashSet;
use std::ffi::{CStr, CString};
use std::io::Write;
use std::sync::{Mutex, PoisonError};

#[derive(Default)]
struct Told {
    last: String,
    /// Texts that were printed: a failure of a communicator comes out of every call on it.
    printed: Option<HashSet<String>>,
}

static TOLD: Mutex<Told> = Mutex::new(Told { last: String::new(), printed: None });

/// Prints what an error of the call `name` has to tell, once, and keeps it.
pub(crate) fn warn(name: &str, error: &Error) {
    let mut told = TOLD.lock().unwrap_or_else(PoisonError::into_inner);
    told.last = error.text.to_string();
    if told.printed.get_or_insert_default().insert(error.text.to_string()) {
        // At once: ranks share standard error, and parts of lines would mix. Nothing is left to do where it is closed.
        let _ = std::io::stderr().write_all(format!("NCCL WARN {name}: {}\n", error.text).as_bytes());
    }
}

/// Returns the text of the last call of this process that failed, empty if none has.
pub(crate) fn last_error() -> String {
    TOLD.lock().unwrap_or_else(PoisonError::into_inner).last.clone()
}

/// Returns the same as C text that is never freed; one for each text.
pub(crate) fn last_error_forever() -> &'static CStr {
    static KEPT: Mutex<Vec<&CStr>> = Mutex::new(Vec::new());
    let text = CString::new(last_error().replace('\0', " ")).unwrap_or_default();
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(text) = kept.iter().find(|old| **old == text.as_c_str()) {
        return text;
    }
    let text: &CStr = Box::leak(text.into_boxed_c_str());
    kept.push(text);
    text
}
