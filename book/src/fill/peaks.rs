//! The measured peak rates of a device's units, and the share of them that a kernel reaches.

use super::devices::Device;
use super::notation::escape;
use super::records::{NOT_RECORDED, Timed};
use anyhow::{Context, Result, bail};
use common::ceilings::{Ceilings, Limiter, Measured, Quantity, Residency, Shares, TimedRun, Unit};
use common::format::{milliseconds, percent, scaled, significant};
use common::stage::Rung;
use emulator::WARP_SIZE;
use std::path::Path;

/// The number of lanes in a warp. Rates are shown per lane.
pub const LANES: f64 = WARP_SIZE as f64;

/// The operations of one `mma.sync.m16n8k8`, an instruction of `common/kernels/04_tensor.cu`: as many multiply-adds, each
/// counted as two operations.
const OPERATIONS_PER_PRODUCT: f64 = 2.0 * 16.0 * 8.0 * 8.0;

/// The operations of one `mma.sync.m16n8k16`, likewise.
const OPERATIONS_PER_PRODUCT_OF_BF16: f64 = 2.0 * OPERATIONS_PER_PRODUCT;

/// Returns the highest verified rate of a quantity per second; `None` if there is none.
pub fn highest(measured: &[Measured], quantity: Quantity) -> Option<f64> {
    let rates = measured.iter().filter(|one| one.verified && one.limit == quantity).filter_map(|one| one.rate);
    rates.max_by(f64::total_cmp)
}

/// Returns one measured number: `4.51 TB/s`, `31.7 T/s`, `5.02 µs`.
///
/// # Errors
/// Returns an error that lists the names if there is no such limit.
pub fn one(measured: &[Measured], name: &str) -> Result<String> {
    let Ok(quantity) = serde_json::from_value::<Quantity>(name.into()) else {
        bail!(
            "there is no limit {name}; the limits are fp32, registers, issue, special, tensor, tensor-bf16, warpgroup, load-store, shared, memory, blocks, launch and launches"
        )
    };
    let found = measured.iter().filter(|one| one.limit == quantity && one.rate.is_some());
    let best = found.max_by(|one, other| one.rate.unwrap_or(0.0).total_cmp(&other.rate.unwrap_or(0.0)));
    best.map_or_else(|| Ok(NOT_RECORDED.into()), number)
}

fn number(one: &Measured) -> Result<String> {
    let (rate, time) = one.rate.zip(one.time_ms).with_context(|| format!("{} has no time", one.kernel))?;
    Ok(match one.limit {
        Quantity::Memory | Quantity::Shared => scaled(rate, "B/s"),
        Quantity::Launch | Quantity::Launches => milliseconds(time.median / one.amount),
        Quantity::Blocks => format!("{} blocks/s", scaled(rate, "")),
        Quantity::Tensor => scaled(rate * OPERATIONS_PER_PRODUCT, "FLOP/s"),
        Quantity::TensorBf16 => scaled(rate * OPERATIONS_PER_PRODUCT_OF_BF16, "FLOP/s"),
        Quantity::Warpgroup => scaled(rate, "FLOP/s"),
        _ => format!("{}/s", scaled(rate * LANES, "")),
    })
}

/// Returns a table of all peak rates of a device.
///
/// # Errors
/// Returns an error if a record has no time.
pub fn table(measured: &[Measured]) -> Result<String> {
    let Some(first) = measured.first() else {
        return Ok(format!("<p class=\"source older\">The limits of the units are {NOT_RECORDED}.</p>\n"));
    };
    let mut text =
        String::from("| limit | kernel | rate | per clock and multiprocessor | clock |\n|---|---|--:|--:|--:|\n");
    for one in measured {
        let factor = match one.limit {
            Quantity::Tensor => OPERATIONS_PER_PRODUCT,
            Quantity::TensorBf16 => OPERATIONS_PER_PRODUCT_OF_BF16,
            Quantity::Shared | Quantity::Warpgroup => 1.0,
            _ => LANES,
        };
        let clock = one.clock_hz;
        let per_clock = one.per_clock().map_or("–".into(), |each| significant(each * factor));
        let clock = clock.map_or("–".into(), |clock| format!("{} GHz", significant(clock / 1e9)));
        text += &format!("| {} | `{}` | {} | {per_clock} | {clock} |\n", one.limit.name(), one.kernel, number(one)?);
    }
    let day = first.made.date.split('T').next().unwrap_or_default();
    text += &format!(
        "\n<p class=\"source\">{}, driver {}, {day}. Medians, by <code>cargo run -p limits</code>. Instructions and results \
         are those of lanes, products of matrices are counted in operations, shared \
         memory in bytes; the clock is the one that the kernel ran with.</p>\n",
        escape(&first.made.device),
        escape(&first.made.driver)
    );
    Ok(text)
}

/// Returns the shares of a recorded run; `None` if the rates or the counts are not recorded.
pub fn shares(ceilings: &Ceilings, rung: &Rung, timed: &Timed) -> Option<Shares> {
    let (size, seconds) = (timed.size(), timed.time.median / 1e3);
    let run = TimedRun::new(rung.work.facts(), &size, timed.blocks(), timed.record.bytes_needed, seconds);
    ceilings.shares(rung, &size, &run)
}

/// Returns what limits a recorded run, by the rule of [`Limiter`]: `issue slots 88 %`, `latency: 1 warp per scheduler`. A `~`
/// marks kernels whose machine code was not counted.
pub fn limiter(ceilings: &Ceilings, rung: &Rung, timed: &Timed) -> String {
    if !ceilings.are_recorded() {
        return NOT_RECORDED.into();
    }
    let found = find_limiter(ceilings, rung, timed);
    found.map_or("–".into(), |(limiter, shares)| limiter.marked(shares.as_ref(), false))
}

/// Returns what limits a recorded run, and the shares of its units; `None` if the run is not counted.
pub fn find_limiter(ceilings: &Ceilings, rung: &Rung, timed: &Timed) -> Option<(Limiter, Option<Shares>)> {
    let shares = shares(ceilings, rung, timed);
    let threads = timed.block();
    let residency = Residency::new(timed.blocks(), threads, timed.record.occupancy, ceilings.attributes());
    Some((Limiter::find(shares.as_ref(), residency)?, shares))
}

/// Returns the share of one unit, by the unit's name.
///
/// # Errors
/// Returns an error that lists the names if there is no such unit.
pub fn unit_share(ceilings: &Ceilings, rung: &Rung, timed: &Timed, unit: &str) -> Result<String> {
    let Ok(unit) = serde_json::from_value::<Unit>(unit.into()) else {
        bail!(
            "there is no unit {unit}; the units are issue, fp32, special, tensor, warpgroup, load-store, shared, memory, blocks and launch"
        )
    };
    let shares = shares(ceilings, rung, timed);
    Ok(shares.and_then(|shares| shares.of_limit.get(&unit).copied()).map_or(NOT_RECORDED.into(), percent))
}

/// Reads the ceilings of a device.
///
/// # Errors
/// When a record cannot be read.
pub fn ceilings(results: &Path, device: &Device) -> Result<Ceilings> {
    Ok(Ceilings::in_folder(results, &device.folder)?)
}
