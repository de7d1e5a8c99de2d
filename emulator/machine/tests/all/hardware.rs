//! Counters of launches, compared with hardware: `hardware/*.json` contains the readings of Nsight Compute on an H200 for
//! launches of the kernels in `hardware/bodies.ptx`, with different address patterns, active lanes and shapes.
//!
//! Counts that do not follow from the PTX are marked in the data, with the reason. All others are compared. A count without a
//! reading must be zero.

use crate::support::machine::{Machine, Shape};
use crate::support::measured::{Case, MEMORY_BYTES, Reading, Readings, module};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

const GROUPS: [&str; 9] = ["shared", "global", "local", "atomic", "constant", "block", "warp", "branch", "async"];

fn readings(group: &str) -> Readings {
    let file = crate::support::folder(&format!("hardware/{group}.json"));
    let text = std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

/// Returns the emulator's counters by name.
fn counted(machine: &Machine, case: &Case) -> BTreeMap<String, u64> {
    let table: Vec<u8> = case.table.lanes().iter().flat_map(|number| number.to_le_bytes()).collect();
    let mut memory = table.clone();
    memory.resize(MEMORY_BYTES, 0);
    let memory = machine.upload(&memory);
    let shape = Shape::threads(case.threads).blocks(case.blocks);
    let arguments: [&[u8]; 4] =
        [&table, &memory.to_le_bytes(), &case.mask.to_le_bytes(), &case.warp_bytes.to_le_bytes()];
    let counters = machine.run(&case.kernel, shape, &arguments);
    let Value::Object(fields) = serde_json::to_value(counters).unwrap() else { panic!("counters are an object") };
    let mut counts: BTreeMap<String, u64> =
        fields.into_iter().filter_map(|(name, value)| Some((name, value.as_u64()?))).collect();
    counts
        .insert("constant_load_replays".to_owned(), counters.constant_load_addresses - counters.constant_load_requests);
    counts
}

/// Returns the counters that differ from a reading and are not marked.
fn differences(counters: &[String], reading: &Reading, ours: &BTreeMap<String, u64>) -> Vec<String> {
    let compared = counters.iter().filter(|name| !reading.differs.contains_key(*name));
    let unlike = compared.filter(|name| ours[*name] != reading.counts.get(*name).copied().unwrap_or(0));
    unlike
        .map(|name| {
            let read = reading.counts.get(name).copied().unwrap_or(0);
            format!("{name} is {}, Nsight Compute read {read}: {:?}", ours[name], reading.case)
        })
        .collect()
}

#[test]
fn counters_match_nsight_compute() {
    let machine = Machine::new(&module());
    let mut wrong = Vec::new();
    for group in GROUPS {
        let Readings { counters, readings, .. } = readings(group);
        let marked: usize = readings.iter().map(|reading| reading.differs.len()).sum();
        let compared = readings.len() * counters.len() - marked;
        println!("{group}: {} launches, {compared} counts compared, {marked} that PTX cannot give", readings.len());
        for reading in readings {
            wrong.append(&mut differences(&counters, &reading, &counted(&machine, &reading.case)));
        }
    }
    assert!(wrong.is_empty(), "{} counts differ:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn a_count_that_is_one_off_is_noticed() {
    let machine = Machine::new(&module());
    for group in GROUPS {
        let Readings { counters, readings, .. } = readings(group);
        for reading in readings.iter().step_by(7) {
            let ours = counted(&machine, &reading.case);
            for name in counters.iter().filter(|name| !reading.differs.contains_key(*name)) {
                let mut reading = reading.clone();
                *reading.counts.entry(name.clone()).or_default() += 1;
                assert_eq!(differences(&counters, &reading, &ours).len(), 1, "{name}: {:?}", reading.case);
            }
        }
    }
}

/// An unnecessary mark could hide a mistake later.
#[test]
fn every_mark_is_necessary() {
    let machine = Machine::new(&module());
    let mut marked = BTreeSet::new();
    let mut different = BTreeSet::new();
    for reading in GROUPS.iter().flat_map(|group| readings(group).readings) {
        let ours = counted(&machine, &reading.case);
        for name in reading.differs.keys() {
            marked.insert((reading.case.kernel.clone(), name.clone()));
            if ours[name] != reading.counts.get(name).copied().unwrap_or(0) {
                different.insert((reading.case.kernel.clone(), name.clone()));
            }
        }
    }
    assert_eq!(marked, different);
}
