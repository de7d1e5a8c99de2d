//! `cargo learn check` on the collection of faulty kernels, compared with compute-sanitizer on a GPU.
//!
//! Each file in `emulator/machine/tests/faults` contains a faulty kernel, a correct twin, and the expected report. The file
//! `compute-sanitizer.json` contains the reports of compute-sanitizer's tools on an H200. The test is here and not in the
//! emulator because it compares the output of the program that users run, source lines included.

use crate::collection::{self, Case};
use loading::workspace_root;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::Command;

const TOOLS: [&str; 4] = ["memcheck", "initcheck", "racecheck", "synccheck"];

fn folder() -> PathBuf {
    workspace_root().join("emulator/machine/tests/faults")
}

/// Returns the exit status and the output of `cargo learn check`, without an estimate, which takes most of its time.
fn check(case: &Case, kernel: &str, options: &[&str]) -> (Option<i32>, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_learn"))
        .arg("check")
        .args(case.arguments(kernel))
        .arg("--no-estimate")
        .args(options)
        .current_dir(folder())
        .output()
        .expect("it starts");
    let text = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8_lossy(&text).trim_end().to_owned())
}

#[test]
fn every_faulty_kernel_gets_the_report_in_its_file() {
    let cases = collection::all(&folder());
    assert!(cases.len() > 40, "{} files", cases.len());
    for case in cases {
        let (status, said) = check(&case, "faulty", &[]);
        assert_eq!(said, case.diagnosis(), "{}.cu\n{said}\n", case.name);
        assert_eq!(status, Some(i32::from(!said.contains(": clean ("))), "{}.cu", case.name);
    }
}

#[test]
fn every_twin_is_clean() {
    for case in collection::all(&folder()) {
        let (status, said) = check(&case, "fixed", &[]);
        assert!(
            said.starts_with("fixed: clean (memcheck, initcheck, racecheck, synccheck), "),
            "{}: {said}",
            case.name
        );
        assert_eq!(status, Some(0), "{}", case.name);
    }
}

/// These kernels have no error of memory or synchronization, but wrong results, which only a comparison finds.
#[test]
fn faulty_kernels_without_a_report_have_wrong_results() {
    let mut names = Vec::new();
    for case in collection::all(&folder()).iter().filter(|case| case.diagnosis().contains(": clean (")) {
        let elements = |kernel| {
            let (_, said) = check(case, kernel, &["--print", "2"]);
            said.split_once("\nargument 2, ").unwrap_or_else(|| panic!("{}: {said}", case.name)).1.to_owned()
        };
        assert_ne!(elements("faulty"), elements("fixed"), "{}", case.name);
        names.push(case.name.clone());
    }
    assert_eq!(names, ["reduction_level_skipped", "reduction_tail_dropped", "tile_count_truncated"]);
}

fn recording() -> Value {
    let file = folder().join("compute-sanitizer.json");
    serde_json::from_str(&std::fs::read_to_string(file).expect("the recording")).expect("JSON")
}

/// Returns the tools with messages in a recording of one kernel.
fn reporting_tools(kernel: &Value) -> BTreeSet<&'static str> {
    let speaks = |tool: &&str| !kernel[tool].as_array().expect("a list of messages").is_empty();
    TOOLS.into_iter().filter(speaks).collect()
}

#[test]
fn every_file_is_recorded_and_compute_sanitizer_finds_the_twins_clean() {
    let recording = recording();
    let recorded = recording["kernels"].as_object().expect("kernels");
    let cases = collection::all(&folder());
    assert!(cases.iter().map(|case| &case.name).eq(recorded.keys()), "record again with `cargo x sanitize`");
    for (name, kernels) in recorded {
        assert_eq!(reporting_tools(&kernels["fixed"]), BTreeSet::new(), "{name}");
        assert_eq!(kernels["fixed"]["without"], "completed", "{name}");
    }
}

#[test]
fn files_explain_reports_of_compute_sanitizer_that_differ() {
    let recording = recording();
    for case in collection::all(&folder()) {
        let said = case.diagnosis();
        let ours = TOOLS.into_iter().filter(|tool| said.lines().any(|line| line.starts_with(&format!("{tool}: "))));
        let theirs = reporting_tools(&recording["kernels"][&case.name]["faulty"]);
        let alike = ours.collect::<BTreeSet<_>>() == theirs;
        assert_eq!(case.sanitizer_note().is_none(), alike, "{}.cu: compute-sanitizer's tools: {theirs:?}", case.name);
    }
}
