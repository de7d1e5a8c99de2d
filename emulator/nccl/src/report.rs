//! Error messages: printed to standard error as NCCL does with `NCCL_DEBUG=WARN`, and stored for queries.

use crate::result::Error;
use std::collections::HashSet;
use std::ffi::{CStr, CString};
use std::io::Write;
use std::sync::{Mutex, PoisonError};

#[derive(Default)]
struct Messages {
    last: String,
    /// The messages that have been printed. Every call on a failed communicator returns the same one.
    printed: Option<HashSet<String>>,
}

static MESSAGES: Mutex<Messages> = Mutex::new(Messages { last: String::new(), printed: None });

/// Prints the message of an error of the call `name`, once, and stores it.
pub(crate) fn warn(name: &str, error: &Error) {
    let mut messages = MESSAGES.lock().unwrap_or_else(PoisonError::into_inner);
    messages.last = error.text.to_string();
    if messages.printed.get_or_insert_default().insert(error.text.to_string()) {
        // In a single write, because ranks share standard error and parts of lines would mix. Ignored if it is closed.
        let _ = std::io::stderr().write_all(format!("NCCL WARN {name}: {}\n", error.text).as_bytes());
    }
}

/// Returns the message of this process's last failed call, empty if none has failed.
pub(crate) fn last_error() -> String {
    MESSAGES.lock().unwrap_or_else(PoisonError::into_inner).last.clone()
}

/// Returns the message as C text that is never freed. Equal messages share one text.
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
