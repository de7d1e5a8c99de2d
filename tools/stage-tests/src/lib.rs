//! The functions that the tests of the stages share. Like a test, each panics if something is wrong.
#![allow(clippy::missing_panics_doc, reason = "every function panics if the test fails")]

pub mod cards;
pub mod checks;
pub mod counts;
pub mod entries;
pub mod hardware;
pub mod languages;
pub mod mutants;
pub mod planes;
pub mod program;
pub mod results;
pub mod sampled;
pub mod twins;

use common::stage::Rung;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Returns whether the tests that `cargo test` leaves out as slow run too. Tests with a range of sizes then try all of it.
#[must_use]
pub fn is_slow_run() -> bool {
    std::env::args().any(|argument| argument == "--include-ignored" || argument == "--ignored")
}

/// Declares the tests that every stage has, of its kernels and its program. The checks may be left out as slow.
#[macro_export]
macro_rules! of_every_stage {
    ($stage:path, $name:literal $(, #[$slow:meta])?) => {
        const PROGRAM: &str = env!(concat!("CARGO_BIN_EXE_", $name));

        #[test]
        $(#[$slow])?
        fn every_kernel_is_clean() {
            $crate::checks::all_are_clean(PROGRAM, &$stage);
        }

        #[test]
        fn other_cards_run_what_they_can() {
            $crate::cards::each_runs_what_it_can(PROGRAM, &$stage);
        }

        #[test]
        fn every_rung_has_its_prebuilt_ptx() {
            $crate::results::ptx_is_of_the_sources($stage.rungs);
        }

        #[test]
        fn every_kernel_is_loaded_without_the_others_of_its_file() {
            $crate::entries::each_is_loaded_alone(&$stage);
        }

        #[test]
        fn counters_equal_those_of_nsight_compute() {
            $crate::hardware::compare($name, PROGRAM);
        }

        #[test]
        fn a_wrong_reading_is_noticed() {
            $crate::hardware::notices_a_wrong_reading($name, PROGRAM);
        }
    };
}

static TURN: Mutex<()> = Mutex::new(());

/// Waits until no other test launches kernels. Counters, checks and the last fault belong to the whole process, so only
/// one test at a time can launch kernels.
pub fn turn() -> MutexGuard<'static, ()> {
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns a size with about as much work as `n` bodies: less for a matrix with n rows, and otherwise `n`.
#[must_use]
pub fn sized(rung: &Rung, n: usize) -> usize {
    match rung.work.facts().letter {
        "F" => n / 8,
        "G" | "G16" | "H" | "I" | "I16" | "M" | "O" => n / 16,
        _ => n,
    }
}
