//! The output of a stage's program.

use crate::sized;
use common::format::WIDTH;
use common::stage::{Rung, Stage};
use std::process::Command;

/// Returns what a program prints.
pub(crate) fn output(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output().expect("the program starts");
    let words = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{words}{}", String::from_utf8_lossy(&output.stderr));
    words
}

/// Returns the tables at about this many bodies, with so many steps if any problem of the stage has steps.
fn tables(program: &str, stage: &Stage, n: usize, steps: &str, others: &[&str]) -> String {
    let n = stage.rungs.iter().map(|rung| sized(rung, n)).max().expect("a stage has kernels").to_string();
    let has_steps = stage.rungs.iter().any(|rung| rung.work.facts().steps.is_some());
    let steps: &[&str] = if has_steps { &["--steps", steps] } else { &[] };
    output(program, &[&["--device", "emulator", "--n", &n], steps, others].concat())
}

/// Holds the tables to a row for each rung of the stage, within 100 columns, and to a step from each rung to the one below.
/// Both read one output, because a run of a stage takes seconds.
pub fn tables_are_complete(program: &str, stage: &Stage) {
    let words = tables(program, stage, 1025, "2", &["--changes"]);
    rows_fit(&words, stage);
    steps_are_compared(&words, stage);
}

/// At most four lines follow the tables, the last about what to read next.
fn rows_fit(words: &str, stage: &Stage) {
    for rung in stage.rungs {
        let is_row = |line: &&str| line.starts_with(&format!("{} ", rung.kernel)) && line.ends_with(" correct");
        assert!(words.lines().any(|line| is_row(&line)), "{} has no row in\n{words}", rung.kernel);
    }
    for line in words.lines() {
        assert!(line.chars().count() <= WIDTH, "{line}");
    }
    let below: Vec<&str> = words.lines().rev().take_while(|line| !line.is_empty()).collect();
    assert!(below.len() <= 4 && below[0].starts_with("Read on: "), "{below:?}");
}

/// Every kernel of the stage's own is compared with its rung below, which the stage lists before it; only a kernel that
/// the stage lists before any other of its problem may begin a ladder.
fn steps_are_compared(words: &str, stage: &Stage) {
    for (place, rung) in stage.rungs.iter().enumerate().filter(|(_, rung)| !stage.is_baseline(rung)) {
        let Some(below) = rung.below.map(|below| below.kernel) else {
            let of_its_problem = |other: &&Rung| other.work.facts() == rung.work.facts();
            let is_first = !stage.rungs[..place].iter().copied().any(|other| of_its_problem(&other));
            assert!(is_first, "{} has no rung below", rung.kernel);
            continue;
        };
        assert!(stage.rungs[..place].iter().any(|rung| rung.kernel == below), "{below} is not before {}", rung.kernel);
        let is_step = |lines: &[&str]| {
            let [own, next] = lines else { return false };
            let begins = own.starts_with(&format!("{} ", rung.kernel));
            begins && (own.contains(&format!(" from {below} ")) || next.trim() == format!("from {below}"))
        };
        let lines: Vec<&str> = words.lines().collect();
        assert!(lines.windows(2).any(is_step), "no step from {below} to {} in\n{words}", rung.kernel);
    }
}
