//! The sample output in the README agrees with the records. A new recording has slightly other times, and needs no new
//! sample for that.

use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The records of stage 1 on a device.
fn records(device: &str) -> Vec<Value> {
    let file = root().join("results").join(device).join("stage01.json");
    serde_json::from_str(&fs::read_to_string(file).expect("the records")).expect("a list of records")
}

/// By how much a number of the sample may differ from the record's.
const TOLERANCE: f64 = 0.05;

/// What a line of the sample must hold beside the kernel's name: its launch, and numbers before their units.
fn expected(record: &Value) -> (String, Vec<(f64, &'static str)>) {
    let block = record["block"].as_array().expect("a shape")[0].as_u64().expect("threads");
    let launch = format!("{}x{block}", record["grid"][0]);
    let number = |value: &Value| value.as_f64().expect("a number");
    if record["backend"] == "emulator" {
        let sectors = |kind: &str| number(&record["counters"][format!("global_{kind}_sectors")]);
        let moved = 32.0 * (sectors("load") + sectors("store") + sectors("atomic"));
        return (launch, vec![(moved / number(&record["bytes_needed"]), "x")]);
    }
    let time = number(&record["time_ms"]["median"]);
    let time = if time >= 1.0 { (time, " ms") } else { (1e3 * time, " us") };
    (launch, vec![time, (number(&record["rate"]["value"]), "")])
}

/// Whether a line has that number with its unit.
fn has(line: &str, number: f64, unit: &str) -> bool {
    let line = line.replace(" ms", "_ms").replace(" us", "_us");
    let unit = unit.replace(' ', "_");
    let numbers = line.split(' ').filter_map(|word| word.strip_suffix(unit.as_str())?.parse::<f64>().ok());
    numbers.into_iter().any(|found| (found / number - 1.0).abs() <= TOLERANCE)
}

/// The lines about kernels in a text, each with what its record says and it does not.
fn wrong(text: &str) -> (usize, Vec<String>) {
    let (mut count, mut wrong) = (0, Vec::new());
    for device in ["emulator", "nvidia-h200"] {
        // the sample shows CUDA C++ alone
        for record in records(device).into_iter().filter(|record| record["in_rust"].is_null()) {
            let kernel = format!("{} ", record["kernel"].as_str().expect("a name"));
            let is_time = |line: &str| line.contains(" us ") || line.contains(" ms ");
            let of_device = |line: &&str| line.starts_with(&kernel) && is_time(line) != (device == "emulator");
            for line in text.lines().filter(of_device) {
                count += 1;
                let (launch, numbers) = expected(&record);
                let is_right = line.contains(&format!(" {launch} "))
                    && numbers.iter().all(|&(number, unit)| has(line, number, unit));
                wrong.extend((!is_right).then(|| format!("{device}: not {launch} and {numbers:?}: {line}")));
            }
        }
    }
    (count, wrong)
}

#[test]
fn sample_output_is_that_of_the_records() {
    let readme = fs::read_to_string(root().join("README.md")).expect("the README");
    assert_eq!(wrong(&readme), (6, vec![]));
    for (from, to) in [("895 us", "795 us"), ("5325", "3325"), ("2342x", "1342x"), ("131072x128", "131072x256")] {
        assert_eq!(wrong(&readme.replacen(from, to, 1)).1.len(), 1, "{from}");
    }
}
