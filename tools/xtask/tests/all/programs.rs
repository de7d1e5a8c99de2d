//! The stages' one-page programs, which the book and the README name, run on the emulator and print the expected lines.

use loading::workspace_root;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;

/// The programs and the lines that each prints, where `…` stands for any text.
const PROGRAMS: [(&str, &[&str]); 5] = [
    (
        "whole_program",
        &[
            "fx[0] = 9.71…e-7, on the CPU in f64 9.7142…e-7: … apart",
            "fx[500] = 2.506…e-6, on the CPU in f64 2.50626…e-6: … apart",
            "fx[999] = -4.01…e-5, on the CPU in f64 -4.01123…e-5: … apart",
            "1000 bodies on the emulator, whose time says nothing about a GPU",
        ],
    ),
    ("time_steps", &["1000 bodies, 10 steps: momentum along x …, of …e-2 in either direction"]),
    (
        "any_block_size",
        &[
            "blocks of   64:  391 partial sums, in all 704982704",
            "blocks of  128:  196 partial sums, in all 704982704",
            "blocks of  256:   98 partial sums, in all 704982704",
            "blocks of  512:   49 partial sums, in all 704982704",
            "blocks of 1024:   25 partial sums, in all 704982704",
        ],
    ),
    ("two_kernels", &["1000 bodies, 10 steps of two launches: 1000 inside of the box, 1000 moving"]),
    (
        "constant_memory",
        &[
            "potential at column 0, row 0: 819.337, within …",
            "potential at column 50, row 30: 1553.983, within …",
            "potential at column 99, row 59: 1140.351, within …",
        ],
    ),
];

/// Builds the examples of the workspace, as `cargo test --workspace` does, and returns them by name.
fn built() -> BTreeMap<String, PathBuf> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "--quiet", "--workspace", "--examples", "--message-format", "json"]);
    let output = cargo.current_dir(workspace_root()).output().expect("cargo starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let messages = String::from_utf8_lossy(&output.stdout).into_owned();
    let messages = messages.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
    let program = |message: serde_json::Value| {
        let name = message["target"]["name"].as_str()?.to_owned();
        Some((name, PathBuf::from(message["executable"].as_str()?)))
    };
    messages.filter_map(program).collect()
}

/// Returns whether a line is like the expected one, in which `…` stands for any text.
fn is_like(line: &str, expected: &str) -> bool {
    let mut parts = expected.split('…');
    let Some(mut rest) = parts.next().and_then(|first| line.strip_prefix(first)) else { return false };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else { return rest.is_empty() };
    for part in middle {
        let Some(place) = rest.find(part) else { return false };
        rest = &rest[place + part.len()..];
    }
    rest.ends_with(last)
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn every_one_page_program_prints_the_expected_lines() {
    let built = built();
    for (name, expected) in PROGRAMS {
        let program = built.get(name).unwrap_or_else(|| panic!("no example {name}"));
        let output = Command::new(program).env("COALESCED_DEVICE", "emulator").output().expect("it starts");
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{name}: {said}{}", String::from_utf8_lossy(&output.stderr));
        let lines: Vec<&str> = said.lines().collect();
        assert_eq!(lines.len(), expected.len(), "{name}: {said}");
        for (line, expected) in lines.iter().zip(expected) {
            assert!(is_like(line, expected), "{name}: `{line}` is not `{expected}`");
        }
    }
}

#[test]
fn a_line_is_compared_except_for_what_is_left_open() {
    assert!(is_like("a 1.5 b", "a … b") && is_like("a", "a") && is_like("x 1 y 2 z", "x … y … z"));
    assert!(!is_like("a 1.5 c", "a … b") && !is_like("a b", "a") && !is_like("x 1 z", "x … y … z"));
}
