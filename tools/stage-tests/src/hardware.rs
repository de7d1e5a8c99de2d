//! The comparison of the emulator's counters with recorded readings of Nsight Compute, which needs no GPU.

use loading::workspace_root;
use serde_json::Value;
use std::process::Command;

/// Returns the recorded readings of a stage.
fn readings(stage: &str) -> Vec<Value> {
    let file = workspace_root().join("results/nvidia-h200/nsight-compute.json");
    let text = std::fs::read_to_string(file).unwrap();
    let all: Value = serde_json::from_str(&text).unwrap();
    all["kernels"].as_array().unwrap().iter().filter(|reading| reading["stage"] == stage).cloned().collect()
}

/// Runs the kernel of a reading on the emulator, with its options, and returns the record.
fn record(program: &str, reading: &Value) -> Value {
    let mut command = Command::new(program);
    command.args(["--device", "emulator", "--no-estimate", "--json", "--kernel", reading["kernel"].as_str().unwrap()]);
    for (name, value) in reading["options"].as_object().unwrap() {
        command.arg(format!("--{name}")).arg(value.to_string());
    }
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let line = String::from_utf8(output.stdout).unwrap();
    serde_json::from_str(line.lines().next().unwrap()).unwrap()
}

/// Returns the counters that differ from the readings, except for those that cannot be derived from PTX.
fn mismatches(reading: &Value, record: &Value) -> Vec<String> {
    let differs = reading["differs"].as_object().unwrap();
    let compared = reading["readings"].as_object().unwrap().iter().filter(|(name, _)| !differs.contains_key(*name));
    let unlike = compared.filter(|(name, value)| record["counters"][name.as_str()] != **value);
    unlike
        .map(|(name, value)| {
            let kernel = &reading["kernel"];
            let options = &reading["options"];
            format!("{kernel} {options}: {name} is {}, Nsight Compute read {value}", record["counters"][name.as_str()])
        })
        .collect()
}

/// Requires that the counters of a stage equal the readings of Nsight Compute, of which there must be some.
pub fn compare(stage: &str, program: &str) {
    let readings = readings(stage);
    assert!(!readings.is_empty(), "no readings of {stage}");
    let wrong: Vec<String> =
        readings.iter().flat_map(|reading| mismatches(reading, &record(program, reading))).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Requires that the comparison fails for a reading that is too high by one.
pub fn notices_a_wrong_reading(stage: &str, program: &str) {
    let mut reading = readings(stage).swap_remove(0);
    let record = record(program, &reading);
    assert_eq!(mismatches(&reading, &record), [""; 0]);
    let sectors = &mut reading["readings"]["global_store_sectors"];
    *sectors = (sectors.as_u64().unwrap() + 1).into();
    assert_eq!(mismatches(&reading, &record).len(), 1);
}
