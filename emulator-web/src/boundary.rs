//! The exchange of text between JavaScript and the linear memory of WebAssembly.
//!
//! JavaScript allocates a buffer with `question_room(bytes)`, writes the question to it in UTF-8, calls `ask()`, and reads
//! `answer_bytes()` bytes from the returned address. Both texts are valid until the next question. A page has one thread, so
//! the mutex is never contended.

use std::sync::{Mutex, PoisonError};

/// The last question and its answer.
static TEXTS: Mutex<(Vec<u8>, String)> = Mutex::new((Vec::new(), String::new()));

fn with_texts<T>(act: impl FnOnce(&mut Vec<u8>, &mut String) -> T) -> T {
    let mut texts = TEXTS.lock().unwrap_or_else(PoisonError::into_inner);
    let (question, answer) = &mut *texts;
    act(question, answer)
}

/// Allocates a zeroed buffer for a question of `bytes` bytes and returns its address.
// SAFETY: no other symbol of the page's module has this name.
#[unsafe(no_mangle)]
pub extern "C" fn question_room(bytes: usize) -> *mut u8 {
    with_texts(|question, _| {
        *question = vec![0; bytes];
        question.as_mut_ptr()
    })
}

/// Answers the question and returns the address of the answer.
// SAFETY: no other symbol of the page's module has this name.
#[unsafe(no_mangle)]
pub extern "C" fn ask() -> *const u8 {
    with_texts(|question, answer| {
        *answer = crate::answer(&String::from_utf8_lossy(question));
        answer.as_ptr()
    })
}

/// Returns the length of the last answer in bytes.
// SAFETY: no other symbol of the page's module has this name.
#[unsafe(no_mangle)]
pub extern "C" fn answer_bytes() -> usize {
    with_texts(|_, answer| answer.len())
}
