//! The output of `--check`.

use common::stage::{Rung, Stage};
use std::process::Command;

/// The greatest width of a line.
const WIDTH: usize = 100;

fn check(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).arg("--check").args(arguments).output().expect("the program starts");
    let words = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{words}{}", String::from_utf8_lossy(&output.stderr));
    words
}

/// `--check` has one line for each kernel and one for its twin in Rust, which are all clean, and with
/// `--json` a record for each of a kernel's languages.
pub fn all_are_clean(program: &str, stage: &Stage) {
    let words = check(program, &[]);
    let has_twin = |rung: &&&Rung| rung.source.rust.is_some();
    let twins = stage.rungs.iter().filter(has_twin).map(|rung| format!("{} in Rust ", rung.kernel));
    let names: Vec<String> = stage.rungs.iter().map(|rung| format!("{} ", rung.kernel)).chain(twins).collect();
    for begins in &names {
        let line = words.lines().find(|line| line.starts_with(begins)).expect("a line for each kernel");
        assert!(line.ends_with(" clean") && line.len() <= WIDTH, "{line}");
    }
    let first = stage.rungs[0];
    let records = check(program, &["--json", "--kernel", first.kernel]);
    assert_eq!(records.lines().count(), 1 + usize::from(first.source.rust.is_some()), "{records}");
    assert!(records.lines().all(|line| line.contains("\"verified\":true,\"findings\":[]")), "{records}");
}
