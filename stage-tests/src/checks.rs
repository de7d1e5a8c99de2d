//! `--check` as a user meets it.

use common::stage::Stage;
use std::process::Command;

/// Columns of text that a line keeps within.
const WIDTH: usize = 100;

fn check(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).arg("--check").args(arguments).output().expect("the program starts");
    let words = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{words}{}", String::from_utf8_lossy(&output.stderr));
    words
}

/// `--check` has one line for each kernel, which are all clean, and a record of each with `--json`.
pub fn all_are_clean(program: &str, stage: &Stage) {
    let words = check(program, &[]);
    for rung in stage.rungs {
        let begins = format!("{} ", rung.kernel);
        let line = words.lines().find(|line| line.starts_with(&begins)).expect("a line for each kernel");
        assert!(line.ends_with(" clean") && line.len() <= WIDTH, "{line}");
    }
    let records = check(program, &["--json"]);
    assert_eq!(records.lines().count(), stage.rungs.len(), "{records}");
    assert!(records.lines().all(|line| line.contains("\"verified\":true,\"findings\":[]")), "{records}");
}

/// The same for the twins in Rust: one line for each kernel that has one, which are all clean.
pub fn all_in_rust_are_clean(program: &str, stage: &Stage) {
    let words = check(program, &["--language", "rust"]);
    for rung in stage.rungs.iter().filter(|rung| rung.source.rust.is_some()) {
        let begins = format!("{} in Rust ", rung.kernel);
        let line = words.lines().find(|line| line.starts_with(&begins)).expect("a line for each kernel");
        assert!(line.ends_with(" clean") && line.len() <= WIDTH, "{line}");
    }
}
