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

use common::stage::Rung;
use std::sync::{Mutex, MutexGuard, PoisonError};

static TURN: Mutex<()> = Mutex::new(());

/// Waits for the tests before this one. Counters, checks, and the last fault are of the whole process, so that tests
/// which launch kernels take turns.
pub fn turn() -> MutexGuard<'static, ()> {
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A size of about as much work: `n`, and an eighth of it for a matrix of n rows, which has n² words.
#[must_use]
pub fn sized(rung: &Rung, n: usize) -> usize {
    if rung.work.facts().units() == "rows" { n / 8 } else { n }
}
