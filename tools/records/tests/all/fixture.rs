//! A real file: the records of `results/nvidia-h200`, converted.

use common::ceilings::{Measured, Quantity};
use common::report::Record;
use records::STAGES;
use records::check::{self, Refusal, Repository};
use records::expected;
use records::file::{Cause, Chip, GpuRecord, SCHEMA};
use records::make::{brief, left_out};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::path::PathBuf;
use std::sync::LazyLock;
use std::time::SystemTime;

/// The recordings were made on several days, and a file is made on one.
const DATE: &str = "2026-11-26T01:00:00Z";

pub fn results() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../results")
}

pub static REPOSITORY: LazyLock<Repository> = LazyLock::new(|| Repository::read(&results()).expect("records"));

fn read<T: DeserializeOwned>(file: &str) -> T {
    let text = std::fs::read_to_string(results().join("nvidia-h200").join(file)).expect(file);
    serde_json::from_str(&text).expect(file)
}

/// Returns the H200's records as one file.
pub fn h200() -> GpuRecord {
    static FILE: LazyLock<GpuRecord> = LazyLock::new(convert);
    FILE.clone()
}

fn convert() -> GpuRecord {
    let limits: Vec<Measured> = read("limits.json");
    let mut records: Vec<Record> = Vec::new();
    for stage in STAGES {
        let all: Vec<Record> = read(&format!("{}.json", stage.name.split('-').next().expect("a number")));
        let is_own =
            |record: &Record| stage.rungs.iter().any(|rung| rung.kernel == record.kernel && !stage.is_baseline(rung));
        records.extend(all.into_iter().filter(is_own));
    }
    records.iter_mut().for_each(|record| record.date = DATE.into());
    let peak_of = |problem: &str| {
        let of_problem = records.iter().find(|record| record.problem == problem).expect("a record");
        of_problem.rate.as_ref().expect("a rate").value * 1e9 / of_problem.limit_share.expect("a share")
    };
    let device = Chip {
        name: records[0].device.clone(),
        compute_capability: records[0].compute_capability.clone(),
        multiprocessors: limits[0].multiprocessors.expect("recorded"),
        // The data sheet's 141 GB, and the cache of the estimates' model.
        memory_bytes: 141_000_000_000,
        l2_bytes: Some(60 << 20),
        clock_mhz: limits[0].nominal_clock_hz.map(|hertz| hertz / 1e6),
        fp32_flops_per_second: Some(peak_of("A")),
        tensor_flops_per_second: Some(peak_of("G16")),
        special_functions_per_second: None,
        memory_bytes_per_second: Some(peak_of("F")),
    };
    let driver = records[0].driver.clone();
    let records: Vec<Value> = records.iter().map(|record| brief(record).expect("a record")).collect();
    let mut file =
        GpuRecord { schema: SCHEMA, device, driver, date: DATE.into(), limits, left_out: Vec::new(), records };
    // Kernels that were not recorded in both languages.
    REPOSITORY.prune(&mut file);
    file
}

/// Returns what is wrong with a text, two days after the recording.
pub fn check(text: &[u8]) -> Vec<Refusal> {
    check::check(&REPOSITORY, text, now())
}

pub fn now() -> SystemTime {
    humantime::parse_rfc3339("2026-11-28T00:00:00Z").expect("a time")
}

/// Returns the position of the record of a kernel in CUDA C++.
pub fn index(file: &GpuRecord, kernel: &str) -> usize {
    let is_of = |record: &Value| record["kernel"] == kernel && record["language"] != "rust";
    file.records.iter().position(is_of).expect("a record")
}

#[test]
fn the_records_of_the_h200_are_accepted() {
    let file = h200();
    let text = file.text().expect("JSON");
    let found = check(text.as_bytes());
    let lines: Vec<String> = found.iter().map(ToString::to_string).collect();
    assert!(found.is_empty(), "{}", lines.join("\n"));
    assert!(text.len() < 200_000, "{} bytes", text.len());
    assert!(file.records.len() > 100, "{} records", file.records.len());
}

/// A chip without the H200's own instructions, whose machine code nobody has counted: its kernels are compared with counts of PTX.
#[test]
fn records_of_another_chip_are_accepted() {
    let mut file = h200();
    let capability = "8.9";
    file.device.compute_capability = capability.into();
    file.device.tensor_flops_per_second = None;
    file.limits.retain(|one| one.limit != Quantity::Warpgroup);
    file.limits.iter_mut().for_each(|one| one.made.compute_capability = capability.into());
    let all = expected::all().expect("kernels");
    let unfit = all.iter().filter_map(|one| Some((one, one.unfit_for((8, 9))?)));
    for (one, reason) in unfit {
        let kernel = one.plan.rung.kernel;
        file.records.retain(|record| record["kernel"] != kernel);
        file.left_out.push(left_out(one, Cause::ComputeCapability, reason));
    }
    assert!(file.left_out.iter().any(|one| one.kernel == "matmulWarpgroup"), "{:?}", file.left_out);
    // The driver's own version is not known on Windows.
    file.driver = "for CUDA 12.4".into();
    for record in &mut file.records {
        record["compute_capability"] = capability.into();
        record["driver"] = file.driver.clone().into();
    }
    file.limits.iter_mut().for_each(|one| one.made.driver = file.driver.clone());
    let lines: Vec<String> = check(file.text().expect("JSON").as_bytes()).iter().map(ToString::to_string).collect();
    assert!(lines.is_empty(), "{}", lines.join("\n"));
}
