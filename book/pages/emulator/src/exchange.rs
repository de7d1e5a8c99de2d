//! The exchange of text between JavaScript and the linear memory of WebAssembly.
//!
//! JavaScript allocates a buffer with `question_room(bytes)`, writes the question to it in UTF-8, calls `ask()`, and reads
//! `answer_bytes()` bytes from the returned address. Both texts are valid until the next question. A page has one thread, so
//! the mutex is never contended.

use std::sync::{Mutex, PoisonError};

/// The last question and its answer.
#[derive(Debug)]
pub struct Exchange(Mutex<(Vec<u8>, String)>);

impl Exchange {
    /// Returns an exchange without a question.
    #[must_use]
    #[expect(clippy::new_without_default, reason = "it is a static")]
    pub const fn new() -> Self {
        Self(Mutex::new((Vec::new(), String::new())))
    }

    /// Allocates a zeroed buffer for a question of `bytes` bytes and returns its address.
    pub fn room(&self, bytes: usize) -> *mut u8 {
        self.with(|question, _| {
            *question = vec![0; bytes];
            question.as_mut_ptr()
        })
    }

    /// Answers the question and returns the address of the answer.
    pub fn ask(&self, answered: impl FnOnce(&str) -> String) -> *const u8 {
        self.with(|question, answer| {
            *answer = answered(&String::from_utf8_lossy(question));
            answer.as_ptr()
        })
    }

    /// Returns the length of the last answer in bytes.
    pub fn answer_bytes(&self) -> usize {
        self.with(|_, answer| answer.len())
    }

    fn with<T>(&self, act: impl FnOnce(&mut Vec<u8>, &mut String) -> T) -> T {
        let mut texts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (question, answer) = &mut *texts;
        act(question, answer)
    }
}

/// Exports the exchange of a module whose questions are answered by a function from `&str` to `String`.
///
/// A module exports one exchange, and a module may contain another crate's, so a crate exports its own only when it is
/// built as a module.
#[macro_export]
macro_rules! export_exchange {
    ($answer:path) => {
        static EXCHANGE: $crate::Exchange = $crate::Exchange::new();

        /// Allocates a zeroed buffer for a question of `bytes` bytes and returns its address.
        // SAFETY: no other symbol of the page's module has this name.
        #[unsafe(no_mangle)]
        pub extern "C" fn question_room(bytes: usize) -> *mut u8 {
            EXCHANGE.room(bytes)
        }

        /// Answers the question and returns the address of the answer.
        // SAFETY: no other symbol of the page's module has this name.
        #[unsafe(no_mangle)]
        pub extern "C" fn ask() -> *const u8 {
            EXCHANGE.ask($answer)
        }

        /// Returns the length of the last answer in bytes.
        // SAFETY: no other symbol of the page's module has this name.
        #[unsafe(no_mangle)]
        pub extern "C" fn answer_bytes() -> usize {
            EXCHANGE.answer_bytes()
        }

        /// Returns the address of the module with the fused multiply-add.
        // SAFETY: no other symbol of the page's module has this name.
        #[unsafe(no_mangle)]
        pub extern "C" fn fused_module() -> *const u8 {
            $crate::fused::MODULE.as_ptr()
        }

        /// Returns the length of that module in bytes.
        // SAFETY: no other symbol of the page's module has this name.
        #[unsafe(no_mangle)]
        pub extern "C" fn fused_module_bytes() -> usize {
            $crate::fused::MODULE.len()
        }

        /// Uses the function of that module, at an index of the table, if it rounds once. Returns whether it does.
        ///
        /// # Safety
        /// The function must be that of this instance's module, instantiated with the memory of this instance.
        // SAFETY: no other symbol of the page's module has this name.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn use_fused(index: usize) -> bool {
            // SAFETY: the caller promises the same.
            unsafe { $crate::fused::Fused::offer(index) }
        }
    };
}
