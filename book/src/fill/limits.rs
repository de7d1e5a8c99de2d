//! What a device's units reach, as measured, and how near a kernel brings them to it.

use super::devices::Device;
use super::notation::{escape, milliseconds, percent, scaled, three_digits};
use super::records::{self, NOT_RECORDED, Timed};
use anyhow::{Context, Result, bail};
use common::limit::{CountedBy, Known, Measured, Quantity, Shares, Unit};
use common::problem::Size;
use common::stage::Rung;
use std::path::Path;

/// Lanes of a warp: what the book counts as a result.
const LANES: f64 = 32.0;

/// The measured limits of a device; none where they are not recorded.
///
/// # Errors
/// When the file cannot be read.
pub fn measured(device: &Device) -> Result<Vec<Measured>> {
    let file = device.folder.join("limits.json");
    if file.is_file() { records::read(&file) } else { Ok(Vec::new()) }
}

/// One measured number: `4.51 TB/s`, `31.7 T/s`, `5.02 µs`.
///
/// # Errors
/// When nothing is measured under this name; lists what is.
pub fn one(measured: &[Measured], name: &str) -> Result<String> {
    let Ok(quantity) = serde_json::from_value::<Quantity>(name.into()) else {
        bail!("no limit {name}; there are fp32, registers, issue, special, tensor, memory, launch and launches")
    };
    let found = measured.iter().filter(|one| one.limit == quantity && one.rate.is_some());
    let best = found.max_by(|one, other| one.rate.unwrap_or(0.0).total_cmp(&other.rate.unwrap_or(0.0)));
    best.map_or_else(|| Ok(NOT_RECORDED.into()), number)
}

fn number(one: &Measured) -> Result<String> {
    let (rate, time) = one.rate.zip(one.time_ms).with_context(|| format!("{} has no time", one.kernel))?;
    Ok(match one.limit {
        Quantity::Memory => scaled(rate, "B/s"),
        Quantity::Launch | Quantity::Launches => milliseconds(time.median / one.amount),
        _ => format!("{}/s", scaled(rate * LANES, "")),
    })
}

/// All of a device's limits as a table.
///
/// # Errors
/// When one has no time.
pub fn table(measured: &[Measured]) -> Result<String> {
    let Some(first) = measured.first() else {
        return Ok(format!("<p class=\"source older\">The limits of the units are {NOT_RECORDED}.</p>\n"));
    };
    let mut text =
        String::from("| limit | kernel | rate | per clock and multiprocessor | clock |\n|---|---|--:|--:|--:|\n");
    for one in measured {
        let (factor, clock) = (if one.limit == Quantity::Tensor { 1.0 } else { LANES }, one.clock_hz);
        let per_clock = one.per_clock().map_or("–".into(), |each| three_digits(each * factor));
        let clock = clock.map_or("–".into(), |clock| format!("{} GHz", three_digits(clock / 1e9)));
        text += &format!("| {} | `{}` | {} | {per_clock} | {clock} |\n", one.limit.name(), one.kernel, number(one)?);
    }
    let day = first.made.date.split('T').next().unwrap_or_default();
    text += &format!(
        "\n<p class=\"source\">{}, driver {}, {day}. Medians, by <code>cargo run -p limits</code>. Instructions and results \
         are those of lanes, products of matrices those of warps; the clock is the one that the kernel ran with.</p>\n",
        escape(&first.made.device),
        escape(&first.made.driver)
    );
    Ok(text)
}

/// The shares of a recorded run; `None` where limits or counts are not recorded.
pub fn shares(known: &Known, rung: &Rung, timed: &Timed) -> Option<Shares> {
    let record = timed.record;
    let parameters = record.parameters.clone().unwrap_or_default();
    let size = Size { steps: record.steps, parameters, ..Size::of(record.size) };
    let bytes = record.bytes_needed * f64::from(rung.work.launches(&size));
    known.shares(rung, &size, bytes, timed.time.median / 1e3)
}

/// `issue slots 88 %`; with a mark where the machine code was not counted.
pub fn limiter(known: &Known, rung: &Rung, timed: &Timed) -> String {
    if !known.has_limits() {
        return NOT_RECORDED.into();
    }
    shares(known, rung, timed).map_or("–".into(), |shares| {
        let mark = if shares.counted_by == CountedBy::Emulator { "~" } else { "" };
        format!("{} {mark}{}", shares.limiter.name(), percent(shares.largest()))
    })
}

/// The share of one unit's limit, by the unit's name.
///
/// # Errors
/// When there is no such unit.
pub fn of_unit(known: &Known, rung: &Rung, timed: &Timed, unit: &str) -> Result<String> {
    let Ok(unit) = serde_json::from_value::<Unit>(unit.into()) else {
        bail!("no unit {unit}; there are issue, fp32, special, tensor and memory")
    };
    let shares = shares(known, rung, timed);
    Ok(shares.and_then(|shares| shares.of_limit.get(&unit).copied()).map_or(NOT_RECORDED.into(), percent))
}

/// What is known of the device's limits and of what kernels ask for.
pub fn known(results: &Path, device: &Device) -> Known {
    Known::in_folder(results, &device.folder)
}
