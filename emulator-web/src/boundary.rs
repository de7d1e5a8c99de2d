//! Texts between JavaScript and the linear memory of WebAssembly.
//!
//! JavaScript asks for room by `question_room(bytes)`, writes the question there in UTF-8, calls `ask()`, and reads
//! `answer_bytes()` bytes from the address that `ask` returned. Both texts stay until the next question. A page has one
//! thread, so that the mutex never waits.

use std::sync::{Mutex, PoisonError};

/// The last question and its answer.
static TEXTS: Mutex<(Vec<u8>, String)> = Mutex::new((Vec::new(), String::new()));

fn with_texts<T>(act: impl FnOnce(&mut Vec<u8>, &mut String) -> T) -> T {
    let mut texts = TEXTS.lock().unwrap_or_else(PoisonError::into_inner);
    let (question, answer) = &mut *texts;
    act(question, answer)
}

/// Returns the address of room for a question of that many bytes, which holds zeros.
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

/// Returns the length of the last answer.
// SAFETY: no other symbol of the page's module has this name.
#[unsafe(no_mangle)]
pub extern "C" fn answer_bytes() -> usize {
    with_texts(|_, answer| answer.len())
}
