//! The tests of the crate, of its program, and of the repository's set of exercises, in one program.

mod arguments;
mod bounds;
mod cheats;
#[path = "../../../../tools/xtask/src/sanitizer/collection.rs"]
mod collection;
#[cfg(target_os = "linux")]
mod costs;
mod doctor;
mod driver;
mod exercises;
mod faults;
mod fetch;
mod grade;
mod handing_in;
mod hostile_archives;
#[cfg(unix)]
mod in_trouble;
mod kernel_check;
mod learner;
mod marks;
mod memory_order;
mod mistakes;
mod names;
mod output;
mod own_set;
mod platforms;
mod program;
mod references;
mod schemas;
mod synccheck;
mod whole_programs;
mod worker;

/// Prints that the calling test is skipped, and what to install. The line goes around the capture of the test harness, so
/// that it is shown for a passing test.
fn skip(install: &str) {
    use std::io::Write;
    let test = std::thread::current();
    let _ = writeln!(std::io::stderr(), "skipped: {}: {install}", test.name().unwrap_or("a test"));
}
