//! The ladder in the README agrees with the records. The sample output is checked by stage 1's tests, which run the program.

use loading::workspace_root;
use serde_json::Value;
use std::fs;
use std::path::PathBuf;

fn root() -> PathBuf {
    workspace_root()
}

/// How much a time may differ from the record's: a new recording is slightly different and needs no new README.
const TOLERANCE: f64 = 0.05;

/// Returns the recorded time of a kernel in CUDA C++, in milliseconds.
fn recorded(stage: &str, kernel: &str) -> Option<f64> {
    let file = root().join(format!("results/nvidia-h200/stage0{stage}.json"));
    let records: Vec<Value> = serde_json::from_str(&fs::read_to_string(file).ok()?).ok()?;
    let record = records.iter().find(|record| record["kernel"] == kernel && record["in_rust"].is_null())?;
    record["time_ms"]["median"].as_f64()
}

/// Returns the number of rows of the ladder, and those whose time is not the record's.
fn wrong(text: &str) -> (usize, Vec<&str>) {
    let rows: Vec<&str> = text.lines().filter(|line| line.starts_with("| `") && line.ends_with(" ms |")).collect();
    let is_wrong = |row: &&str| {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let time: Option<f64> = cells[4].strip_suffix(" ms").and_then(|time| time.parse().ok());
        let record = recorded(cells[2], cells[1].trim_matches('`'));
        !time.zip(record).is_some_and(|(time, record)| (time / record - 1.0).abs() <= TOLERANCE)
    };
    (rows.len(), rows.iter().copied().filter(is_wrong).collect())
}

#[test]
fn the_ladder_is_that_of_the_records() {
    let readme = fs::read_to_string(root().join("README.md")).expect("the README");
    assert_eq!(wrong(&readme), (7, vec![]));
    for (from, to) in [("0.475 ms", "0.575 ms"), ("| `forcesThirdLaw` | 6", "| `forcesThirdLaw` | 5")] {
        assert_eq!(wrong(&readme.replacen(from, to, 1)).1.len(), 1, "{from}");
    }
}
