//! The output of `--check`.

use crate::program::output;
use common::format::WIDTH;
use common::stage::{Rung, Stage};

/// `--check` has one line for each kernel and one for its twin in Rust, which are all clean, and with
/// `--json` a record for each of a kernel's languages.
pub fn all_are_clean(program: &str, stage: &Stage) {
    let words = output(program, &["--check"]);
    let has_twin = |rung: &&&Rung| rung.source.rust.is_some();
    let twins = stage.rungs.iter().filter(has_twin).map(|rung| format!("{} in Rust ", rung.kernel));
    let names: Vec<String> = stage.rungs.iter().map(|rung| format!("{} ", rung.kernel)).chain(twins).collect();
    for begins in &names {
        let line = words.lines().find(|line| line.starts_with(begins)).expect("a line for each kernel");
        assert!(line.ends_with(" clean") && line.len() <= WIDTH, "{line}");
    }
    let first = stage.rungs[0];
    let records = output(program, &["--check", "--json", "--kernel", first.kernel]);
    assert_eq!(records.lines().count(), 1 + usize::from(first.source.rust.is_some()), "{records}");
    assert!(records.lines().all(|line| line.contains("\"verified\":true,\"findings\":[]")), "{records}");
}
