//! The launch of a record: of the file's device, of the present kernel, in its default shape, and with correct results.

use super::{Entry, Findings, header};
use crate::file::GpuRecord;
use common::device::Backend;
use common::kernel::PREBUILT;
use std::fmt::Debug;

/// The most registers of a thread, on all devices.
const REGISTERS: std::ops::RangeInclusive<u32> = 1..=255;

pub(super) fn check(file: &GpuRecord, entry: &Entry, findings: &mut Findings) {
    let record = &entry.record;
    findings.require(record.backend == Backend::Cuda, "backend", || "it is of the emulator, and not of a GPU".into());
    same(findings, "device", &record.device, &file.device.name, "the file's device");
    same(findings, "compute_capability", &record.compute_capability, &file.device.compute_capability, "the file's");
    same(findings, "driver", &record.driver, &file.driver, "the file's driver");
    check_date(file, entry, findings);
    same(findings, "code", record.code.as_str(), PREBUILT, "that of the repository");
    let is_present = record.kernel_sha256.as_ref() == Some(&entry.kernel.version);
    findings.require(is_present, "kernel_sha256", || {
        "it is of another version of the kernel: record again, or remove it by `cargo x record --prune FILE`".into()
    });
    check_shape(entry, findings);
    check_results(entry, findings);
}

fn check_shape(entry: &Entry, findings: &mut Findings) {
    let record = &entry.record;
    let plan = &entry.kernel.expected.plan;
    let config = plan.config();
    same(findings, "problem", record.problem.as_str(), plan.facts().letter, "the kernel's");
    same(findings, "size", &record.size, &plan.size.n, "the tutorial's");
    same(findings, "steps", &record.steps, &plan.size.steps, "the tutorial's");
    let parameters = record.parameters.clone().unwrap_or_default();
    same(findings, "parameters", &parameters, &plan.size.parameters, "the defaults");
    same(findings, "seed", &record.seed, &plan.size.seed, "the default");
    same(findings, "grid", &record.grid, &config.grid_dim.into(), "the kernel's default");
    same(findings, "block", &record.block, &config.block_dim.into(), "the kernel's default");
    if let Some(registers) = record.registers {
        findings
            .require(REGISTERS.contains(&registers), "registers", || format!("{registers} is not in {REGISTERS:?}"));
    }
    if let Some(occupancy) = record.occupancy {
        findings.require(occupancy > 0.0 && occupancy <= 1.0, "occupancy", || format!("{occupancy} is not in 0 to 1"));
    }
}

fn check_results(entry: &Entry, findings: &mut Findings) {
    let record = &entry.record;
    findings.require(record.verified, "verified", || "its results were wrong".into());
    match record.share_of_tolerance {
        None => findings.add("share_of_tolerance", "it is missing: the results were not compared"),
        Some(share) => findings.require((0.0..=1.0).contains(&share), "share_of_tolerance", || {
            format!("{share} is not in 0 to 1: the results are not as exact as the kernel's arithmetic")
        }),
    }
    let is_error = |error: f64| (0.0..=1.0).contains(&error);
    findings.require(record.max_rel_error.is_some_and(is_error), "max_rel_error", || "it is not in 0 to 1".into());
    findings
        .require(record.estimate.is_none(), "estimate", || "a record has what was measured, and no estimate".into());
}

/// Requires that a record was made during the recording.
fn check_date(file: &GpuRecord, entry: &Entry, findings: &mut Findings) {
    let [begin, date] = [&file.date, &entry.record.date].map(|text| humantime::parse_rfc3339(text).ok());
    // `header` refuses a date of the file that is none.
    let Some(begin) = begin else { return };
    let is_after = date.and_then(|date| date.duration_since(begin).ok()).is_some_and(|after| after <= header::LONGEST);
    findings.require(is_after, "date", || {
        format!("`{}` is not in the day after {}, when the recording began", entry.record.date, file.date)
    });
}

fn same<T: PartialEq + Debug + ?Sized>(findings: &mut Findings, field: &str, recorded: &T, expected: &T, whose: &str) {
    findings.require(recorded == expected, field, || format!("{recorded:?} is not {expected:?}, {whose}"));
}
