//! Shares worked out by hand, and records that are missing or malformed.

use super::counts::{Launch, Reading};
use super::files::OfWavefronts;
use super::*;
use crate::ceilings::{Provenance, Quantity};
use crate::kernel::{CudaCpp, KernelSource};
use crate::problem::forces::{Buffers, Forces};
use std::path::PathBuf;

const SOURCE: KernelSource =
    KernelSource { file: "x", language: &CudaCpp, text: "", ptx: || "ret;", crate_folder: "/nowhere", rust: None };

static RUNG: Rung = Rung::new("computeForces", SOURCE, &Forces::<Buffers> { launch: |_, _| Ok(()) });

fn ceilings(launches: Vec<Launch>) -> Ceilings {
    let rates = [(Unit::Issue, 1e12), (Unit::Special, 1e11), (Unit::Memory, 4e12), (Unit::Blocks, 1.6e9)];
    Ceilings { rates: rates.into(), counts: Counts { launches, readings: Vec::new() }, ..Ceilings::default() }
}

/// For 1000 bodies, 600,000 instructions, 31,250 of them on the special-function units.
fn launch(version: Option<String>, counted_by: CountedBy) -> Launch {
    let work = [(Unit::Issue, 6e5), (Unit::Special, 31_250.0), (Unit::Fp32, 4e5)].into();
    Launch { kernel: "computeForces".into(), version, size: Size::new(1000), work, operations: 0.0, counted_by }
}

fn run(bytes: f64, seconds: f64) -> TimedRun {
    TimedRun { bytes, blocks: 1.0, seconds }
}

#[test]
fn work_grows_with_the_pairs_and_the_largest_share_is_the_busiest_units() {
    let ceilings = ceilings(vec![launch(None, CountedBy::MachineCode)]);
    // 100 times the pairs: 6e7 instructions at 1e12 per second take 60 µs, 3,125,000 at 1e11 take 31.25 µs
    let timed = TimedRun { blocks: 19_200.0, ..run(4e6, 120e-6) };
    let shares = ceilings.shares(&RUNG, &Size::new(10_000), &timed).expect("it is counted");
    let expected =
        [(Unit::Issue, 0.5), (Unit::Special, 31.25 / 120.0), (Unit::Memory, 1.0 / 120.0), (Unit::Blocks, 12.0 / 120.0)];
    assert_eq!(shares.of_limit.keys().collect::<Vec<_>>(), expected.iter().map(|(unit, _)| unit).collect::<Vec<_>>());
    for (unit, share) in expected {
        assert!((shares.of_limit[&unit] - share).abs() < 1e-12, "{unit:?}");
    }
    assert_eq!((shares.busiest, shares.largest()), (Unit::Issue, shares.of_limit[&Unit::Issue]));
    // 400 MB take 100 µs
    let shares = ceilings.shares(&RUNG, &Size::new(10_000), &run(4e8, 120e-6)).expect("it is counted");
    assert_eq!(shares.busiest, Unit::Memory);
}

#[test]
fn steps_count_each() {
    let ceilings = ceilings(vec![launch(None, CountedBy::MachineCode)]);
    let size = Size { steps: Some(10), ..Size::new(1000) };
    let shares = ceilings.shares(&RUNG, &size, &run(0.0, 6e-6)).expect("it is counted");
    assert!((shares.largest() - 1.0).abs() < 1e-12);
}

#[test]
fn counts_of_another_version_are_not_used_and_machine_code_comes_first() {
    let shares = |launches| ceilings(launches).shares(&RUNG, &Size::new(1000), &run(0.0, 1.0));
    let other = launch(Some("12ab".into()), CountedBy::MachineCode);
    assert_eq!(shares(vec![other.clone()]), None);
    let own = launch(Some(RUNG.version(false)), CountedBy::Emulator);
    assert_eq!(shares(vec![other, own.clone()]).map(|one| one.counted_by), Some(CountedBy::Emulator));
    let both = vec![launch(None, CountedBy::MachineCode), own];
    assert_eq!(shares(both).map(|one| one.counted_by), Some(CountedBy::MachineCode));
}

#[test]
fn machine_code_of_another_compute_capability_is_a_rough_count() {
    let ceilings = ceilings(vec![launch(None, CountedBy::OtherMachineCode)]);
    let shares = ceilings.shares(&RUNG, &Size::new(1000), &run(0.0, 1e-6)).expect("it is counted");
    assert_eq!((shares.largest(), shares.instructions), (0.6, None));
    let tools = [Unit::Issue, Unit::Memory].map(|unit| shares.roughly_counted_by(unit));
    assert_eq!(tools, [Some(CountedBy::OtherMachineCode), None]);
}

#[test]
fn shared_memory_is_counted_by_the_emulator_beside_machine_code() {
    let mut emulated = launch(Some(RUNG.version(false)), CountedBy::Emulator);
    emulated.work = [(Unit::Issue, 9e5), (Unit::Shared, 3e6)].into();
    let mut ceilings = ceilings(vec![launch(None, CountedBy::MachineCode), emulated]);
    ceilings.rates.insert(Unit::Shared, 3e13);
    // 100 times the pairs: 3e8 bytes at 3e13 per second take 10 µs; 6e7 instructions, the profiler's, take 60 µs
    let shares = ceilings.shares(&RUNG, &Size::new(10_000), &run(0.0, 100e-6)).expect("it is counted");
    let share = |unit| (shares.of_limit[&unit] * 100.0).round();
    assert_eq!((share(Unit::Shared), share(Unit::Issue), shares.counted_by), (10.0, 60.0, CountedBy::MachineCode));
}

#[test]
fn wavefronts_that_a_profiler_read_replace_those_of_ptx() {
    let mut emulated = launch(Some(RUNG.version(false)), CountedBy::Emulator);
    emulated.work = [(Unit::Issue, 9e5), (Unit::Shared, 3e6)].into();
    let mut ceilings = ceilings(vec![launch(None, CountedBy::MachineCode), emulated]);
    ceilings.rates.insert(Unit::Shared, 3e13);
    let reading = |n: u64, wavefronts: u64, differs: &str| -> Reading {
        let text = format!(
            r#"{{"kernel": "computeForces", "options": {{"n": {n}, "block": 128}},
            "readings": {{"shared_load_wavefronts": {wavefronts}, "shared_store_wavefronts": 125}}, "differs": {{{differs}}}}}"#
        );
        serde_json::from_str::<OfWavefronts>(&text).expect("a reading").into()
    };
    let shared = |ceilings: &Ceilings| {
        let shares = ceilings.shares(&RUNG, &Size::new(10_000), &run(0.0, 100e-6)).expect("it is counted");
        ((shares.of_limit[&Unit::Shared] * 1000.0).round(), shares.roughly_counted_by(Unit::Shared))
    };
    assert_eq!(shared(&ceilings), (100.0, Some(CountedBy::Emulator)));
    // the same wavefronts as in PTX
    ceilings.counts.readings = vec![reading(1000, 23_312, "")];
    assert_eq!(shared(&ceilings), (100.0, None));
    // 10,000 wavefronts of 128 bytes at 1000 bodies, of the larger launch: 128e6 bytes for 100 times the pairs take 4.27 us
    let differs = r#""shared_load_wavefronts": "ptxas reads several words at a time""#;
    ceilings.counts.readings = vec![reading(100, 1, differs), reading(1000, 9875, differs)];
    assert_eq!(shared(&ceilings), (43.0, None));
}

#[test]
fn without_rates_there_are_no_shares() {
    let ceilings = Ceilings { rates: PerUnit::new(), ..ceilings(vec![launch(None, CountedBy::MachineCode)]) };
    assert!(!ceilings.are_recorded() && ceilings.shares(&RUNG, &Size::new(1000), &run(1.0, 1.0)).is_none());
}

/// A folder `results` with one device, which is deleted at the end of the test.
pub struct Results(pub PathBuf);

impl Results {
    pub fn new(test: &str, files: &[(&str, &str)]) -> Self {
        let folder = std::env::temp_dir().join(format!("coalesced-ceilings-{test}-{}", std::process::id()));
        for (name, text) in files {
            let file = folder.join(name);
            std::fs::create_dir_all(file.parent().expect("a folder")).expect("a scratch folder");
            std::fs::write(file, text).expect("a file");
        }
        Self(folder)
    }

    fn of_device(&self) -> Result<Ceilings, RecordError> {
        Ceilings::for_device(&self.0, "a GPU").map(Option::unwrap_or_default)
    }
}

impl Drop for Results {
    fn drop(&mut self) {
        // Nothing depends on the folder being gone.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// One ceiling of "a GPU".
pub const LIMITS: &str = r#"[{"limit": "memory", "kernel": "readMemory", "amount": 1.0, "unit": "bytes", "time_ms": null,
    "rate": 4e12, "clock_hz": null, "nominal_clock_hz": null, "multiprocessors": 132, "device": "a GPU",
    "compute_capability": "9.0", "driver": "1", "code": "", "kernel_sha256": null, "date": "", "verified": true}]"#;

#[test]
fn a_malformed_record_is_an_error_that_names_the_file() {
    let opcodes = r#"{"kernels": []}"#;
    for (test, file, text) in [
        ("limits", "gpu/limits.json", "[{}]"),
        ("opcodes", "gpu/opcodes.json", r#"{"kernels": 1}"#),
        ("counts", "emulator/stage01.json", "{"),
    ] {
        let all = [("gpu/limits.json", LIMITS), ("gpu/opcodes.json", opcodes), ("emulator/stage01.json", "[]")];
        let mut files: Vec<(&str, &str)> = all.into_iter().filter(|(name, _)| *name != file).collect();
        files.push((file, text));
        let error = Results::new(test, &files).of_device().expect_err(file).to_string();
        assert!(error.starts_with("cannot read ") && error.contains(file), "{error}");
    }
}

#[test]
fn a_missing_record_is_reported() {
    let complete = Results::new("complete", &[("gpu/limits.json", LIMITS), ("gpu/opcodes.json", r#"{"kernels": []}"#)]);
    let ceilings = complete.of_device().expect("it is well-formed");
    assert!(ceilings.are_recorded() && ceilings.notices().is_empty(), "{:?}", ceilings.notices());
    let attributes = ceilings.attributes();
    assert_eq!((attributes.multiprocessors, attributes.threads_per_multiprocessor), (Some(132), Some(2048)));
    assert_eq!(ceilings.origin(), Some(&Origin::Record("gpu".into())));
    let without_opcodes = Results::new("renamed", &[("gpu/limits.json", LIMITS), ("gpu/opcodes-old.json", "{}")]);
    let ceilings = without_opcodes.of_device().expect("it is well-formed");
    assert!(ceilings.notices()[0].contains("no machine code is counted"), "{:?}", ceilings.notices());
    let counted = r#"{"kernels": [{"kernel": "k", "options": {}, "opcodes": {}}]}"#;
    let like = [("gpu/limits.json", LIMITS), ("a-like-gpu/limits.json", LIMITS), ("a-like-gpu/opcodes.json", counted)];
    let ceilings = Results::new("like", &like).of_device().expect("it is well-formed");
    assert_eq!((ceilings.counts.launches.len(), ceilings.notices().len()), (1, 0));
    let without_limits = Results::new("no-limits", &[("gpu/limits-old.json", LIMITS)]);
    assert!(Ceilings::for_device(&without_limits.0, "a GPU").expect("nothing is malformed").is_none());
    let ceilings = Ceilings::in_folder(&without_limits.0, &without_limits.0.join("gpu")).expect("nothing is malformed");
    assert!(!ceilings.are_recorded() && ceilings.notices()[0].contains("limits.json"), "{:?}", ceilings.notices());
}

/// Returns a measured ceiling of a GPU.
pub fn measured(limit: Quantity, rate: f64, verified: bool) -> Measured {
    Measured {
        limit,
        kernel: String::new(),
        amount: 1.0,
        unit: limit.unit().into(),
        time_ms: None,
        rate: Some(rate),
        clock_hz: Some(2e9),
        nominal_clock_hz: None,
        multiprocessors: Some(100),
        made: Provenance::default(),
        verified,
    }
}

#[test]
fn the_highest_verified_rate_of_a_unit_counts() {
    let all = [
        measured(Quantity::Special, 1e11, true),
        measured(Quantity::Special, 1.2e11, true),
        measured(Quantity::Special, 9e11, false),
        measured(Quantity::Launch, 2e5, true),
    ];
    assert_eq!(rates(&all), [(Unit::Special, 1.2e11), (Unit::Launch, 2e5)].into());
    // single-precision instructions take issue slots too
    let mixed = [measured(Quantity::Issue, 0.9e12, true), measured(Quantity::Fp32, 1.0e12, true)];
    assert_eq!(rates(&mixed), [(Unit::Issue, 1.0e12), (Unit::Fp32, 1.0e12)].into());
    assert_eq!(measured(Quantity::Issue, 8e11, true).per_clock(), Some(4.0));
}
