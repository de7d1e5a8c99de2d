//! What the tests of the stages share. Each function panics with what is wrong, as a test does.
#![allow(clippy::missing_panics_doc, reason = "every function of a test panics where the test fails")]

pub mod checks;
pub mod counts;
pub mod hardware;
pub mod kept;
pub mod languages;
pub mod mutants;
pub mod planes;
pub mod program;
pub mod results;
pub mod twins;

use std::sync::{Mutex, MutexGuard, PoisonError};

static TURN: Mutex<()> = Mutex::new(());

/// Waits for the tests before this one. Counters, checks, and the last fault are of the whole process, so that tests
/// which launch kernels take turns.
pub fn turn() -> MutexGuard<'static, ()> {
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}
