//! The rates that stages measure: on the emulator, with correct results and no rates, and compared with a record.

use common::ceilings::bench::quick::{self, Quick};
use common::ceilings::{Measured, Unit};
use common::device::{Device, DeviceChoice};
use limits::against::{compare, read};
use loading::workspace_root;
use std::path::PathBuf;

fn record() -> PathBuf {
    workspace_root().join("results/nvidia-h200/limits.json")
}

#[test]
fn the_needed_kernels_compute_right_results_in_order() {
    let device = Device::open(DeviceChoice::Emulator).expect("the emulator");
    let mut begun = Vec::new();
    let Quick { measured: all, failures } = quick::measure(&device, |one| begun.push(one.kernel));
    assert!(failures.is_empty(), "{failures:?}");
    assert!(all.iter().all(|one| one.verified && one.rate.is_none()), "{all:?}");
    assert_eq!(all.iter().map(|one| one.kernel.as_str()).collect::<Vec<_>>(), begun);
    assert!(!begun.contains(&"registerRate"), "the column does not need it: {begun:?}");
}

/// Every unit has a kernel among the needed ones.
#[test]
fn a_gpu_of_the_record_has_a_rate_of_every_unit() {
    let compared = compare(&read(&record()).expect("a record"), &[]);
    assert_eq!(compared.iter().map(|one| one.unit).collect::<Vec<_>>(), Unit::ALL.map(|(unit, _)| unit));
    for (unit, quantity) in Unit::ALL {
        assert!(quick::measurements((9, 0)).any(|one| one.limit == quantity), "{unit:?}");
    }
}

#[test]
fn only_rates_within_three_percent_agree() {
    let recorded = read(&record()).expect("a record");
    let scaled = |factor: f64| -> Vec<Measured> {
        recorded.iter().map(|one| Measured { rate: one.rate.map(|rate| rate * factor), ..one.clone() }).collect()
    };
    let verdicts =
        |measured: &[Measured]| compare(measured, &recorded).into_iter().map(|one| one.agrees()).collect::<Vec<_>>();
    let same = verdicts(&recorded);
    assert_eq!(same.iter().filter(|verdict| **verdict == Some(true)).count(), same.len() - 1, "all but a launch");
    assert_eq!(verdicts(&scaled(1.02)), same);
    for factor in [0.96, 1.04] {
        assert!(verdicts(&scaled(factor)).iter().all(|verdict| *verdict != Some(true)), "{factor}");
    }
    // A rate that is missing now is a difference, and one that was never recorded is not.
    assert!(verdicts(&[]).contains(&Some(false)));
    assert!(compare(&recorded, &[]).iter().all(|one| one.agrees().is_none()));
}

#[test]
fn a_record_that_cannot_be_read_is_named() {
    let error = read(&workspace_root().join("results/nvidia-h200/no.json")).expect_err("there is none").to_string();
    assert!(error.contains("no.json"), "{error}");
    let error = read(&workspace_root().join("Cargo.toml")).expect_err("it is no JSON").to_string();
    assert!(error.contains("Cargo.toml") && error.contains("line 1"), "{error}");
}
