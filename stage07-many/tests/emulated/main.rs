//! The program on emulated devices, as processes.

mod ends;
mod exercises;
#[cfg(unix)]
mod launchers;
#[cfg(target_os = "linux")]
mod signals;
mod strategies;

use serde_json::Value;
use std::process::{Command, Output};

/// Returns the program with these options, on the emulator.
fn program(options: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_stage07-many"));
    command.args(["--device", "emulator"]).args(options);
    command
}

fn run(options: &[&str]) -> Output {
    program(options).output().expect("the program starts")
}

/// Returns the records of a run, all of whose results must be correct.
fn records(options: &[&str]) -> Vec<Value> {
    let output = run(&[options, &["--json"]].concat());
    let words = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{options:?}: {words}");
    let lines = String::from_utf8(output.stdout).expect("text");
    let records: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).expect("a record")).collect();
    for record in &records {
        assert!(record["verified"] == true || record["left_out"].is_string(), "{options:?}: {record} {words}");
    }
    records
}
