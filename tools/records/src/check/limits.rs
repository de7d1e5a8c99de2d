//! The rates of the units: those of the file are possible, and no kernel is faster than they allow.

use super::header::is_same;
use super::{Entry, Findings};
use crate::file::GpuRecord;
use common::ceilings::bench::{MEASUREMENTS, quick};
use common::ceilings::{Ceilings, Measured, Quantity, Shares, TimedRun, Unit};
use common::kernel;
use std::path::Path;

/// Rates vary by less, from one run to another.
const SLACK: f64 = 1.05;

/// Blocks of a kernel that works may start while others end, unlike those of an empty one.
const SLACK_OF_BLOCKS: f64 = 1.5;

/// Work that was counted in PTX: machine code has fewer instructions, and some counts are of smaller sizes, in which what a block does
/// once has a larger share. The H200's `softmaxPrefetch` would be 2.4 times as fast as its counts in PTX allow.
const SLACK_OF_PTX: f64 = 3.0;

/// The measured clock may exceed the nominal one, which on cards for games is an average.
const BOOST: f64 = 1.4;

/// No launch is shorter, in seconds.
const SHORTEST: f64 = 1e-6;

/// Checks the rates with the peaks of the device.
pub(super) fn check_rates(file: &GpuRecord, findings: &mut Findings) {
    for one in &file.limits {
        let mut own = Findings { record: Some(format!("limits, {}", one.kernel)), all: Vec::new() };
        check_made(file, one, &mut own);
        check_rate(file, one, &mut own);
        findings.all.append(&mut own.all);
    }
    let Some(device) = file.device.capability() else { return };
    for expected in quick::measurements(device) {
        let is_of = |one: &&Measured| one.kernel == expected.kernel && one.limit == expected.limit;
        let count = file.limits.iter().filter(is_of).count();
        findings.require(count == 1, "limits", || format!("{} is there {count} times", expected.kernel));
    }
}

/// Checks the kernel and the device of a rate.
fn check_made(file: &GpuRecord, one: &Measured, findings: &mut Findings) {
    let made = &one.made;
    let expected = MEASUREMENTS.iter().find(|expected| expected.kernel == one.kernel && expected.limit == one.limit);
    match expected.map(|expected| kernel::version([&expected.source])) {
        None => findings.add("kernel", "the program limits has no such kernel"),
        Some(version) => findings.require(made.kernel_sha256.as_ref() == Some(&version), "kernel_sha256", || {
            "it is of another version of the kernel: record again".into()
        }),
    }
    findings.require(one.verified, "verified", || "its results were wrong".into());
    let is_of_device = made.device == file.device.name && made.driver == file.driver;
    findings.require(is_of_device, "device", || {
        format!("{}, {}, is not the file's: {}, {}", made.device, made.driver, file.device.name, file.driver)
    });
    let multiprocessors = one.multiprocessors;
    findings.require(multiprocessors == Some(file.device.multiprocessors), "multiprocessors", || {
        format!("{multiprocessors:?} is not {}, the device's", file.device.multiprocessors)
    });
}

/// Checks a rate with its time, its clock and the device's peak.
fn check_rate(file: &GpuRecord, one: &Measured, findings: &mut Findings) {
    let (Some(time), Some(rate)) = (&one.time_ms, one.rate) else {
        return findings.add("rate", "it has no rate, or no time");
    };
    findings.require(time.low > 0.0 && time.low <= time.median && time.median <= time.high, "time_ms", || {
        format!("{} ms is not between the fastest and the slowest run, {} to {} ms", time.median, time.low, time.high)
    });
    findings.require(is_same(rate, one.amount / (time.median / 1e3)), "rate", || {
        format!("{rate} is not the amount divided by the median time")
    });
    let nominal = file.device.clock_mhz.map(|clock| clock * 1e6);
    let boost = one.clock_hz.zip(nominal).map_or(1.0, |(clock, nominal)| clock / nominal);
    findings.require((0.1..=BOOST).contains(&boost), "clock_hz", || {
        format!("the clock was {boost:.2} times the nominal one of the device")
    });
    let peak = match one.limit {
        // A warp instruction is a multiply-add of 32 lanes.
        Quantity::Fp32 => file.device.fp32_flops_per_second.map(|flops| flops / 64.0),
        Quantity::Special => file.device.special_functions_per_second.map(|results| results / 32.0),
        Quantity::Memory => file.device.memory_bytes_per_second,
        Quantity::Warpgroup => file.device.tensor_flops_per_second,
        _ => None,
    };
    if let Some(peak) = peak.map(|peak| peak * boost.max(1.0)) {
        findings.require(rate <= SLACK * peak, "rate", || {
            format!("{rate:e} {}/s is above the device's peak, {peak:e}", one.unit)
        });
    }
}

/// Returns the rates with the counted work of all kernels in the repository, from which the shares of units follow.
pub(super) fn ceilings(results: &Path, file: &GpuRecord, findings: &mut Findings) -> Option<Ceilings> {
    let read = || -> anyhow::Result<Ceilings> {
        let folder = tempfile::tempdir()?;
        std::fs::write(folder.path().join("limits.json"), serde_json::to_vec(&file.limits)?)?;
        Ok(Ceilings::in_folder(results, folder.path())?)
    };
    read().map_err(|error| findings.add("limits", format!("they cannot be compared: {error}"))).ok()
}

/// Checks that the units of the device can do the work of a launch in its time.
pub(super) fn check_time(file: &GpuRecord, entry: &Entry, ceilings: &Ceilings, findings: &mut Findings) {
    let record = &entry.record;
    let Some(time) = &record.time_ms else { return };
    let plan = &entry.kernel.expected.plan;
    let seconds = time.low / 1e3;
    let launches = f64::from(plan.facts().launches_of_a_run(&plan.size));
    findings.require(seconds >= SHORTEST * launches, "time_ms.low", || {
        format!("{} ms is too short for {launches} launches", time.low)
    });
    let run = TimedRun::new(plan.facts(), &plan.size, plan.grid, record.bytes_needed, seconds);
    // The machine code of Rust versions is not counted; what they must move is.
    let shares = if plan.in_rust { None } else { ceilings.shares(plan.rung, &plan.size, &run) };
    for (unit, share) in shares.iter().flat_map(|shares| &shares.of_limit) {
        if let Some(most) = most(shares.as_ref(), *unit) {
            findings.require(*share <= most * clock_above(file, *unit), "time_ms.low", || {
                let percent = 100.0 * share;
                format!("{} ms would be {percent:.0} % of the measured rate of {}", time.low, unit.name())
            });
        }
    }
    check_memory(file, &run, launches, findings);
}

/// Returns the most that the share of a unit can be; `None` if its work is an upper bound.
fn most(shares: Option<&Shares>, unit: Unit) -> Option<f64> {
    match unit {
        Unit::Memory | Unit::Launch => None,
        Unit::Blocks => Some(SLACK_OF_BLOCKS),
        // Machine code may read several words at a time.
        Unit::Shared if shares?.roughly_counted_by(unit).is_some() => None,
        _ if shares?.roughly_counted_by(unit).is_some() => Some(SLACK_OF_PTX),
        _ => Some(SLACK),
    }
}

/// Returns how much higher than in the measurement of a unit's rate the clock may be, which power limits.
fn clock_above(file: &GpuRecord, unit: Unit) -> f64 {
    let quantity = Unit::ALL.iter().find(|(one, _)| *one == unit).map(|(_, quantity)| *quantity);
    let clocks = file.limits.iter().filter(|one| Some(one.limit) == quantity).filter_map(|one| one.clock_hz);
    let lowest = clocks.fold(f64::INFINITY, f64::min);
    file.device.clock_mhz.map_or(1.0, |clock| (clock * 1e6 / lowest).max(1.0))
}

/// Checks the bytes that must move with the device's peak. What the L2 cache holds need not come from memory.
fn check_memory(file: &GpuRecord, run: &TimedRun, launches: f64, findings: &mut Findings) {
    let (Some(peak), Some(l2)) = (file.device.memory_bytes_per_second, file.device.l2_bytes) else { return };
    let from_memory = (run.bytes - l2 as f64 * launches).max(0.0);
    let share = from_memory / run.seconds / peak;
    findings.require(share <= SLACK, "time_ms.low", || {
        let percent = 100.0 * share;
        format!("{} ms would be {percent:.0} % of the peak rate of the device's memory", 1e3 * run.seconds)
    });
}
