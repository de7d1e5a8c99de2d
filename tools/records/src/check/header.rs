//! The file as a whole: device, driver and date.

use super::Findings;
use crate::file::{Chip, GpuRecord};
use common::device::{fp32_lanes_per_multiprocessor, special_functions_per_clock};
use std::time::{Duration, SystemTime};

/// No GPU with compute capability 7.5 or newer is outside.
const MULTIPROCESSORS: std::ops::RangeInclusive<u32> = 1..=1024;
const MEMORY_BYTES: std::ops::RangeInclusive<u64> = 1 << 29..=1 << 42;
const CLOCK_MHZ: std::ops::RangeInclusive<f64> = 200.0..=4000.0;
const MEMORY_BYTES_PER_SECOND: std::ops::RangeInclusive<f64> = 1e10..=5e13;

/// The oldest compute capability that the prebuilt PTX runs on.
const OLDEST: (i32, i32) = (7, 5);

/// Clocks of computers differ by as much.
const AHEAD: Duration = Duration::from_hours(1);

/// A recording takes minutes, and may stop over night.
pub(super) const LONGEST: Duration = Duration::from_hours(24);

/// The rates of records and peaks are printed with more digits.
pub(super) const SAME: f64 = 1e-3;

pub(super) fn is_same(one: f64, other: f64) -> bool {
    (one - other).abs() <= SAME * other.abs()
}

pub(super) fn check(file: &GpuRecord, now: SystemTime, findings: &mut Findings) {
    check_device(&file.device, findings);
    let cuda = file.driver.split("CUDA ").nth(1).and_then(|version| version.chars().next());
    findings.require(cuda.is_some_and(|digit| digit.is_ascii_digit()), "driver", || {
        format!("it is `{}`, and that of a GPU is such as `580.65.06 (CUDA 13.0)`", file.driver)
    });
    match humantime::parse_rfc3339(&file.date) {
        Err(_) => findings.add("date", format!("`{}` is no time in UTC, such as 2026-11-22T03:45:16Z", file.date)),
        Ok(date) if date > now + AHEAD => {
            findings.add("date", format!("{} is in the future: set the computer's clock and record again", file.date));
        }
        Ok(_) => {}
    }
}

fn check_device(device: &Chip, findings: &mut Findings) {
    let Chip { name, compute_capability, multiprocessors, memory_bytes, clock_mhz, .. } = device;
    findings.require(!name.trim().is_empty(), "device.name", || "it is empty".into());
    findings.require(MULTIPROCESSORS.contains(multiprocessors), "device.multiprocessors", || {
        format!("{multiprocessors} is not in {MULTIPROCESSORS:?}")
    });
    findings.require(MEMORY_BYTES.contains(memory_bytes), "device.memory_bytes", || {
        format!("{memory_bytes} is not in {MEMORY_BYTES:?}")
    });
    findings.require(device.l2_bytes.is_none_or(|bytes| bytes < *memory_bytes), "device.l2_bytes", || {
        "the L2 cache is not smaller than the memory".into()
    });
    if let Some(clock) = clock_mhz {
        findings
            .require(CLOCK_MHZ.contains(clock), "device.clock_mhz", || format!("{clock} MHz is not in {CLOCK_MHZ:?}"));
    }
    if let Some(rate) = device.memory_bytes_per_second {
        findings.require(MEMORY_BYTES_PER_SECOND.contains(&rate), "device.memory_bytes_per_second", || {
            format!("{rate:e} is not in {MEMORY_BYTES_PER_SECOND:?}")
        });
    }
    match device.capability() {
        None => findings.add("device.compute_capability", format!("`{compute_capability}` is not such as 8.6")),
        Some(old) if old < OLDEST => {
            findings.add("device.compute_capability", format!("{compute_capability} is older than 7.5"));
        }
        Some(capability) => check_peaks(device, capability, findings),
    }
}

/// Compares the peaks with multiprocessors and clock. They bound the rates of all records.
fn check_peaks(device: &Chip, capability: (i32, i32), findings: &mut Findings) {
    let clocks = device.clock_mhz.map(|clock| clock * 1e6 * f64::from(device.multiprocessors));
    let peaks = [
        ("fp32_flops", fp32_lanes_per_multiprocessor(capability).map(|lanes| 2 * lanes), device.fp32_flops_per_second),
        ("special_functions", special_functions_per_clock(capability), device.special_functions_per_second),
    ];
    for (name, per_clock, stated) in peaks {
        let expected = clocks.zip(per_clock).map(|(clocks, per_clock)| clocks * f64::from(per_clock));
        if let (Some(expected), Some(stated)) = (expected, stated) {
            findings.require(is_same(stated, expected), &format!("device.{name}_per_second"), || {
                format!("{stated:e} is not the {expected:e} of its multiprocessors and clock")
            });
        }
    }
}
