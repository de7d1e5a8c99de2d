//! `{{differences}}`: for each GPU other than that of the chapters, which rates differ, how much longer each kernel takes, how much
//! longer it should by the rate that limits it, and which kernels change order.

use super::devices::Device;
use super::kernels::STAGES;
use super::ladder::unbroken;
use super::notation::escape;
use super::peaks::{self, highest};
use super::records::{Records, Timed};
use anyhow::{Context, Result};
use common::ceilings::{Ceilings, Limiter, Measured, Quantity, Unit};
use common::format::{milliseconds, scaled, significant};
use common::stage::Rung;
use std::path::Path;

/// Two times of a problem's kernels are in an order if they differ by this factor.
const CLEAR: f64 = 1.03;

/// The rates in the table of the chips.
const RATES: [&str; 8] = ["fp32", "issue", "special", "tensor-bf16", "shared", "memory", "blocks", "launch"];

/// A GPU with its measured rates.
struct Chip<'a> {
    device: &'a Device,
    limits: Vec<Measured>,
    multiprocessors: u32,
    clock_hz: f64,
}

impl<'a> Chip<'a> {
    /// Reads the rates of a device; `None` if they are not recorded.
    fn read(device: &'a Device) -> Result<Option<Self>> {
        let limits = device.limits()?;
        let first = limits.first().and_then(|first| Some((first.multiprocessors?, first.nominal_clock_hz?)));
        Ok(first.map(|(multiprocessors, clock_hz)| Self { device, limits, multiprocessors, clock_hz }))
    }

    fn rate(&self, unit: Unit) -> Option<f64> {
        let quantity = Unit::ALL.iter().find(|(one, _)| *one == unit).map(|(_, quantity)| *quantity)?;
        highest(&self.limits, quantity)
    }

    /// Returns the largest number of blocks that a multiprocessor runs, one after the other or together.
    fn blocks_each(&self, blocks: u32) -> f64 {
        f64::from(blocks.div_ceil(self.multiprocessors))
    }
}

/// A kernel that is recorded on both GPUs.
struct Row {
    rung: &'static Rung,
    /// The times on the GPU of the chapters and on the other one, in milliseconds.
    times: [f64; 2],
    /// What limits it on the first.
    limiter: String,
    expected: Option<Expected>,
}

/// How many times as long a kernel should take on the other GPU.
struct Expected {
    ratio: f64,
    /// The unit that limits it there, if that is another one.
    unit: Option<Unit>,
}

impl Expected {
    /// Returns `1.09`, or `1.09 (memory)`.
    fn words(&self) -> String {
        let unit = self.unit.map_or(String::new(), |unit| format!(" ({})", unit.name()));
        significant(self.ratio) + &unit
    }
}

impl Row {
    fn ratio(&self) -> f64 {
        self.times[1] / self.times[0]
    }

    /// Describes the limiter and its consequence.
    fn reason(&self) -> String {
        let expected = self.expected.as_ref().map_or("whose consequence is not known".into(), |expected| {
            format!("by which it should take {} times as long", expected.words())
        });
        format!("`{}` has the limit *{}*, {expected}", self.rung.kernel, self.limiter)
    }
}

/// Returns a section for each GPU with rates, other than the first.
///
/// # Errors
/// Returns an error if a record cannot be read, has wrong results or no time.
pub fn render(results: &Path, devices: &[Device]) -> Result<String> {
    let first = devices.first().context("no GPU's runs are recorded in results/")?;
    let Some(shown) = Chip::read(first)? else { return Ok("The rates of no GPU are recorded.\n".into()) };
    let ceilings = peaks::ceilings(results, first)?;
    let mut text = String::new();
    for device in &devices[1..] {
        if let Some(other) = Chip::read(device)? {
            let rows = rows(&shown, &other, &ceilings)?;
            text += &format!("\n## {}\n\n{}", escape(&device.name), table_of_chips(&shown, &other)?);
            text += &format!("\n{}\n{}", order(&shown, &other, &rows), table_of_kernels(&shown, &other, &rows));
        }
    }
    Ok(text)
}

/// Returns the kernels that are recorded on both.
fn rows(shown: &Chip, other: &Chip, ceilings: &Ceilings) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for stage in STAGES {
        let [own, others] = [shown, other].map(|chip| Records::in_folder(&chip.device.folder, stage.name));
        let (own, others) = (own?, others?);
        for rung in stage.rungs.iter().copied().filter(|rung| !stage.is_baseline(rung)) {
            let (Some(own), Some(other_run)) = (own.find(rung.kernel)?, others.find(rung.kernel)?) else { continue };
            let is_same = (own.launch(), own.size()) == (other_run.launch(), other_run.size());
            if is_same {
                rows.push(Row {
                    rung,
                    times: [own.time.median, other_run.time.median],
                    limiter: peaks::limiter(ceilings, rung, &own),
                    expected: expected(shown, other, ceilings, rung, &own),
                });
            }
        }
    }
    Ok(rows)
}

/// Returns how many times as long a kernel should take on the other GPU: by the unit that is busiest there, if one limits it here, or
/// else by the clock and the blocks of a multiprocessor. Of a cache that may limit it, no rate is known.
fn expected(shown: &Chip, other: &Chip, ceilings: &Ceilings, rung: &Rung, timed: &Timed) -> Option<Expected> {
    let (limiter, shares) = peaks::find_limiter(ceilings, rung, timed)?;
    match limiter {
        Limiter::Unit(here) => {
            let there = shares?
                .of_limit
                .into_iter()
                .filter_map(|(unit, share)| Some((unit, share * shown.rate(unit)? / other.rate(unit)?)));
            let (unit, share) = there.max_by(|one, another| one.1.total_cmp(&another.1))?;
            Some(Expected { ratio: share / here.1, unit: Some(unit).filter(|unit| *unit != here.0) })
        }
        Limiter::Multiprocessors(..) | Limiter::Latency(..) => {
            let blocks = timed.blocks();
            let each = other.blocks_each(blocks) / shown.blocks_each(blocks);
            Some(Expected { ratio: shown.clock_hz / other.clock_hz * each, unit: None })
        }
        Limiter::Unlisted(_) => None,
    }
}

fn table_of_chips(shown: &Chip, other: &Chip) -> Result<String> {
    let [own, others] = [shown, other].map(|chip| escape(&chip.device.name));
    let mut text = format!("| rate | {own} | {others} | ratio |\n|---|--:|--:|--:|\n");
    let mut row = |name: &str, cells: [String; 2], [one, other]: [f64; 2]| {
        text += &format!("| {name} | {} | {} | {} |\n", cells[0], cells[1], significant(other / one));
    };
    let multiprocessors = [shown, other].map(|chip| chip.multiprocessors);
    row("multiprocessors", multiprocessors.map(|count| count.to_string()), multiprocessors.map(f64::from));
    let clocks = [shown, other].map(|chip| chip.clock_hz);
    row("nominal clock", clocks.map(|clock| scaled(clock, "Hz")), clocks);
    if let (Some(one), Some(other)) = (shown.device.l2_bytes()?, other.device.l2_bytes()?) {
        row(
            "L2 cache",
            [one, other].map(|bytes| format!("{} MiB", bytes >> 20)),
            [one, other].map(|bytes| bytes as f64),
        );
    }
    for name in RATES {
        let quantity: Quantity = serde_json::from_value(name.into())?;
        if let (Some(one), Some(another)) = (highest(&shown.limits, quantity), highest(&other.limits, quantity)) {
            // A launch is shown by its time.
            let rates = if quantity == Quantity::Launch { [1.0 / one, 1.0 / another] } else { [one, another] };
            row(quantity.name(), [peaks::one(&shown.limits, name)?, peaks::one(&other.limits, name)?], rates);
        }
    }
    Ok(text)
}

/// Returns the pairs of a problem's kernels that change order, with what limits them.
fn order(shown: &Chip, other: &Chip, rows: &[Row]) -> String {
    let [own, others] = [shown, other].map(|chip| escape(&chip.device.name));
    let mut text = String::new();
    for a in rows {
        for b in rows.iter().filter(|b| b.rung.work.facts() == a.rung.work.facts()) {
            let is_swapped = b.times[0] > CLEAR * a.times[0] && a.times[1] > CLEAR * b.times[1];
            if is_swapped {
                let expected = a.expected.as_ref().zip(b.expected.as_ref());
                let explained = match expected.map(|(of_a, of_b)| a.times[0] * of_a.ratio > b.times[0] * of_b.ratio) {
                    Some(true) => "The rates explain it.",
                    Some(false) => "The rates do not explain it.",
                    None => "Whether the rates explain it is not known.",
                };
                text += &format!(
                    "- `{}` is faster than `{}` on the {own}, and slower on the {others}. {}; {}. {explained}\n",
                    a.rung.kernel,
                    b.rung.kernel,
                    a.reason(),
                    b.reason(),
                );
            }
        }
    }
    if text.is_empty() {
        return format!("No two of the {} kernels that are recorded on both change their order.\n", rows.len());
    }
    format!("These kernels change their order:\n\n{text}")
}

fn table_of_kernels(shown: &Chip, other: &Chip, rows: &[Row]) -> String {
    let [own, others] = [shown, other].map(|chip| escape(&chip.device.name));
    let mut text =
        format!("| kernel | limited by | {own} | {others} | times as long | expected |\n|---|---|--:|--:|--:|--:|\n");
    for row in rows {
        let [one, another] = row.times.map(|time| unbroken(&milliseconds(time)));
        let expected = row.expected.as_ref().map_or("–".into(), Expected::words);
        let ratio = significant(row.ratio());
        let kernel = row.rung.kernel;
        text += &format!("| `{kernel}` | {} | {one} | {another} | {ratio} | {expected} |\n", row.limiter);
    }
    text
}
