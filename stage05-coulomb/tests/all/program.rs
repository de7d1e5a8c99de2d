//! The program as a user runs it: exit status, output and messages.

use serde_json::{Value, json};
use stage05_coulomb::STAGE;
use std::process::{Command, Output};

fn stage(threads: &str, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_stage05-coulomb"))
        .args(["--device", "emulator"])
        .args(arguments)
        .env("RAYON_NUM_THREADS", threads)
        .output()
        .expect("the program starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Returns the output of a run that succeeds.
fn words(arguments: &[&str]) -> String {
    let output = stage("2", arguments);
    assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
    text(&output.stdout)
}

/// The program refuses these options with status 2, and its message has all of `parts`.
fn refuses(arguments: &[&str], parts: &[&str]) {
    let output = stage("2", arguments);
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {message}");
    for part in parts {
        assert!(message.contains(part), "{arguments:?} does not say {part:?}: {message}");
    }
}

#[test]
fn values_out_of_range_are_refused_with_the_range() {
    refuses(&["--width", "0"], &["--width", "1..=16384"]);
    refuses(&["--height", "16385"], &["--height", "1..=16384"]);
    refuses(&["--spacing", "0"], &["--spacing", "0.001..=1000"]);
    refuses(&["--spacing", "-1"], &["--spacing", "0.001..=1000"]);
    refuses(&["--spacing", "NaN"], &["--spacing", "0.001..=1000"]);
    refuses(&["--spacing", "far"], &["--spacing", "far is not a number"]);
    refuses(&["--width", "-5"], &["--width", "-5", "1..=16384"]);
    refuses(&["--n", "131073"], &["--n 131073", "coulombGather", "1 to 131072 atoms"]);
    refuses(&["--block", "100"], &["--block 100", "coulombGather", "a multiple of 16 up to 1024"]);
    refuses(&["--steps", "2"], &["--steps", "no kernel of stage05-coulomb takes this option"]);
    refuses(&["--grid", "2"], &["--grid 2", "grid-stride"]);
}

#[test]
fn the_table_has_every_kernel_within_a_hundred_columns_and_says_what_it_ran() {
    let words = words(&["--n", "100", "--width", "129", "--height", "7"]);
    assert!(words.contains("100 atoms, 129 x 7 points"), "{words}");
    assert!(!words.contains("sample"), "{words}");
    let table: Vec<&str> = words.lines().skip(2).take_while(|line| !line.is_empty()).collect();
    for rung in STAGE.rungs {
        let begins = format!("{} ", rung.kernel);
        assert!(table.iter().any(|line| line.starts_with(&begins)), "{} is not in\n{words}", rung.kernel);
    }
    for line in table {
        assert!(line.chars().count() <= common::format::WIDTH, "{line}");
    }
}

#[test]
fn a_check_of_a_sample_and_counts_of_a_part_say_so() {
    let size = ["--n", "10000", "--width", "512", "--height", "64", "--all-blocks"];
    let words = words(&[&["--kernel", "coulombCoarsened", "--columns", "instructions"], &size[..]].concat());
    assert!(words.contains("E: 26,843 of 32,768 points"), "{words}");
    assert!(words.contains("counts are of the last one"), "{words}");
}

fn records(threads: &str) -> Vec<Value> {
    let output = stage(threads, &["--json", "--n", "300", "--width", "130", "--height", "40"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let record = |line| {
        let mut record: Value = serde_json::from_str(line).expect("a JSON object a line");
        let fields = record.as_object_mut().expect("a JSON object");
        fields.retain(|field, _| field != "date" && field != "cpu");
        record
    };
    text(&output.stdout).lines().map(record).collect()
}

#[test]
fn records_say_slice_and_shape_and_do_not_depend_on_threads() {
    let alone = records("1");
    let many = records("5");
    assert_eq!(alone.len(), STAGE.rungs.len());
    assert_eq!(alone[0]["problem"], "E");
    assert_eq!(alone[0]["parameters"], json!({ "width": 130, "height": 40, "spacing": 0.1 }));
    assert_eq!(alone[0]["grid"], json!([9, 3, 1]));
    assert_eq!(alone[0]["block"], json!([16, 16, 1]));
    assert_eq!(alone[3]["grid"], json!([2, 3, 1]));
    for (one, other) in alone.iter().zip(&many) {
        assert_eq!(one["verified"], true);
        assert_eq!(one["counters"], other["counters"]);
        // Scatter adds in whatever order its threads come.
        assert!(one["kernel"] == "coulombScatter" || one == other, "{one} {other}");
    }
}
