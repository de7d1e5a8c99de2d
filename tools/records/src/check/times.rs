//! The times of a record: possible, from enough runs at a steady clock, and in agreement with the rates.

use super::header::is_same;
use super::{Entry, Findings};
use crate::expected::Work;
use crate::file::GpuRecord;
use common::device::Clock;
use common::timing::Timing;
use serde_json::Value;

/// The stages time each kernel at least as often.
const MIN_RUNS: usize = 3;

/// The median of a device that runs nothing else is at most this many times the fastest run.
const NOISE: f64 = 1.5;

/// A clock that falls by a larger share is throttled: its times are of the laptop's fan, and not of its GPU.
const FALL: f64 = 0.05;

/// Power lowers the clock of the largest GPUs further: an H200's falls by 12 % in products of matrices (`tensorRate` in its `limits.json`).
const FALL_BY_POWER: f64 = 0.2;

/// No GPU's multiprocessors have another clock, in MHz.
const CLOCKS: std::ops::RangeInclusive<u32> = 100..=4000;

/// Requires that the times are numbers, and names the one that is not.
pub(super) fn require_numbers(record: &Value) -> Result<(), (String, String)> {
    for name in ["median", "low", "high", "runs"] {
        let value = &record["time_ms"][name];
        if !value.is_number() {
            let value = if value.is_null() { "missing".into() } else { value.to_string() };
            return Err((format!("time_ms.{name}"), format!("it is {value}, and not a number")));
        }
    }
    Ok(())
}

pub(super) fn check(file: &GpuRecord, entry: &Entry, work: &Work, findings: &mut Findings) {
    let Some(time) = &entry.record.time_ms else { return };
    check_runs(time, findings);
    if let Some(clock) = &time.clock {
        check_clock(clock, findings);
    }
    if time.median > 0.0 {
        check_rates(file, entry, time.median / 1e3, work, findings);
    }
}

fn check_runs(time: &Timing, findings: &mut Findings) {
    let &Timing { median, low, high, runs, .. } = time;
    findings.require(low > 0.0, "time_ms.low", || format!("{low} ms is no time"));
    findings.require(low <= median, "time_ms.median", || format!("{median} ms is less than the fastest run, {low} ms"));
    findings
        .require(median <= high, "time_ms.median", || format!("{median} ms is more than the slowest run, {high} ms"));
    findings.require(median <= NOISE * low, "time_ms.median", || {
        format!(
            "{median} ms is over {NOISE} times the fastest run, {low} ms: end other programs on the GPU, record again"
        )
    });
    findings.require(runs >= MIN_RUNS, "time_ms.runs", || format!("{runs} are too few: at least {MIN_RUNS}"));
}

/// Checks the clocks before and after the runs.
fn check_clock(clock: &Clock, findings: &mut Findings) {
    let field = "time_ms.clock.sm_mhz";
    let [before, after] = clock.sm_mhz;
    let highest = clock.max_sm_mhz.unwrap_or(*CLOCKS.end());
    for (field, value) in [(field, before), (field, after), ("time_ms.clock.max_sm_mhz", highest)] {
        findings.require(CLOCKS.contains(&value), field, || format!("{value} MHz is not in {CLOCKS:?}"));
    }
    findings.require(f64::from(clock.highest()) <= 1.02 * f64::from(highest), field, || {
        format!("{} MHz is above the GPU's highest clock, {highest} MHz", clock.highest())
    });
    let causes: Vec<&str> = clock.throttled.names().collect();
    let most = if causes == ["power"] { FALL_BY_POWER } else { FALL };
    let fell = 1.0 - f64::from(after) / f64::from(before);
    findings.require(fell <= most, field, || {
        let percent = 100.0 * fell;
        format!(
            "the clock fell by {percent:.0} %, from {before} to {after} MHz: let the GPU cool, plug in a laptop, record again"
        )
    });
    findings.require(!causes.contains(&"temperature"), "time_ms.clock.throttled", || {
        "the GPU was too hot: let it cool and record again".into()
    });
}

/// Compares the rates with the work of the launch, in so many seconds.
fn check_rates(file: &GpuRecord, entry: &Entry, seconds: f64, work: &Work, findings: &mut Findings) {
    let record = &entry.record;
    let plan = &entry.kernel.expected.plan;
    let facts = plan.facts();
    if let Some(bytes) = work.bytes(plan) {
        findings.require(is_same(record.bytes_needed, bytes), "bytes_needed", || {
            format!("{} is not the {bytes} bytes of this launch", record.bytes_needed)
        });
    }
    let Some(rate) = &record.rate else { return findings.add("rate", "it is missing") };
    findings.require(rate.unit == facts.rate.unit, "rate.unit", || format!("{} is not {}", rate.unit, facts.rate.unit));
    if let Some(amount) = work.amount(plan) {
        let expected = amount / 1e9 / seconds;
        findings.require(is_same(rate.value, expected), "rate.value", || {
            format!("{} is not the {expected} {} of the median time", rate.value, rate.unit)
        });
    }
    let pairs = work.interactions(plan).map(|pairs| pairs / seconds);
    let agree = match (record.interactions_per_second, pairs) {
        (Some(stated), Some(expected)) => is_same(stated, expected),
        (stated, None) => stated.is_none() || work.amount(plan).is_none(),
        (None, Some(_)) => false,
    };
    findings.require(agree, "interactions_per_second", || {
        let [stated, expected] =
            [record.interactions_per_second, pairs].map(|rate| rate.map_or("none".into(), |rate| rate.to_string()));
        format!("{stated} is not {expected}, that of the median time")
    });
    let share = (facts.rate.limit)(&file.device.attributes()).map(|limit| rate.value * 1e9 / limit);
    if let (Some(stated), Some(expected)) = (record.limit_share, share) {
        findings.require(is_same(stated, expected), "limit_share", || {
            format!("{stated} is not the rate divided by the device's peak, {expected}")
        });
    }
}
