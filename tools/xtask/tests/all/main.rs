//! The workspace's commands, run as programs. One test program for all of them, so that the emulator is linked once.

mod check;
#[path = "../../src/sanitizer/collection.rs"]
mod collection;
#[cfg(target_os = "linux")]
mod doctor;
mod drawers;
mod faults;
mod floors;
mod learn;
mod learn_cheats;
mod learn_grade;
#[cfg(unix)]
mod learn_in_trouble;
mod learn_own_set;
mod programs;
mod readme;
mod record;

/// Prints that the calling test is skipped, and what to install. The line goes around the capture of the test harness, so
/// that it is shown for a passing test.
fn skip(install: &str) {
    use std::io::Write;
    let test = std::thread::current();
    let _ = writeln!(std::io::stderr(), "skipped: {}: {install}", test.name().unwrap_or("a test"));
}
mod way;
