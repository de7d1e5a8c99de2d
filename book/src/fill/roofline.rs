//! The rooflines of a stage, one per problem: the operations per second of its kernels by their operations per byte, where the bytes
//! are those that the L1 caches, the L2 cache or memory had to deliver.

use super::chart::{self, Log, Panel, line, mark, spread, text};
use super::devices::Device;
use super::figure::{frame, open};
use super::kernels::STAGES;
use super::notation::{escape, power_of_ten};
use super::peaks::{self, LANES};
use super::profile::Profiles;
use super::records::{Records, Timed};
use anyhow::{Context, Result, bail};
use common::ceilings::{Measured, Quantity};
use common::device::fp32_lanes_per_multiprocessor;
use common::format::{scaled, significant};
use common::problem::Facts;
use common::report::Record;
use common::stage::{Rung, Stage};
use std::collections::{BTreeMap, HashSet};

const LEFT: f64 = 54.0;
const TOP: f64 = chart::ABOVE + 24.0;
const WIDTH: f64 = 480.0;
/// The least height of a frame, and the height of each kernel's name to the right of it.
const MIN_HEIGHT: f64 = 220.0;
const NAME_HEIGHT: f64 = 17.0;
/// The width of a letter of a kernel's name, and the room between the frame and the names.
const LETTER: f64 = 7.9;
const LEADER: f64 = 16.0;
const KEY_HEIGHT: f64 = 26.0;

/// The operations of a fused multiply-add of a lane.
const OF_MULTIPLY_ADD: f64 = 2.0;

/// The bytes per clock from the L1 cache of a multiprocessor. The cache and shared memory are one memory with 32 banks of 4
/// bytes (CUDA C++ Programming Guide, "Compute Capability 5.x", Shared Memory, also valid for later chips). A benchmark
/// reads 126 to 128 on an H200 (te42kyfo/gpu-benches, gpu-strides).
const L1_BYTES_PER_CLOCK: f64 = 128.0;

/// The unit of rates that count bytes.
const BYTES: &str = "GB/s";

/// The least height of a chart without a flat roof, relative to its highest point.
const ROOM: f64 = 3.0;

/// The highest rate per second of a unit.
#[derive(Clone, Copy)]
struct Peak {
    rate: f64,
    /// Whether the rate was measured. A nominal rate follows from the clock and the number of units.
    is_measured: bool,
}

impl Peak {
    /// Describes the rate: `4.56 TB/s`, `33.5 TB/s, nominal`.
    fn words(&self, unit: &str) -> String {
        format!("{}{}", scaled(self.rate, unit), if self.is_measured { "" } else { ", nominal" })
    }
}

/// The limits of a device: measured ones where there are any. The others are computed from the driver's attributes and from
/// records, which contain rates with their share of the nominal limit.
pub struct Limits {
    /// The operations, by unit.
    rates: BTreeMap<&'static str, Peak>,
    /// The bytes of device memory.
    memory: Peak,
    /// The bytes of all L1 caches.
    l1: Peak,
}

impl Limits {
    /// Returns the limits of a device.
    ///
    /// # Errors
    /// Returns an error if a limit is not measured and no record of the device has a share of it.
    pub fn read(device: &Device) -> Result<Self> {
        let files = STAGES.iter().filter(|stage| Records::file(&device.folder, stage.name).is_file());
        let runs = files.map(|stage| Records::in_folder(&device.folder, stage.name)).collect::<Result<Vec<_>>>()?;
        let records = || runs.iter().flat_map(Records::list);
        let measured = device.list("limits.json")?;
        let nominal = |unit: &str| {
            let limits = records().filter_map(|record| limit_behind(record, unit)).next();
            limits.with_context(|| format!("no record in {} has a share of a limit in {unit}", device.folder.display()))
        };
        let peak = |unit: &str| match measured_rate(&measured, unit) {
            Some(rate) => Ok(Peak { rate, is_measured: true }),
            None => nominal(unit).map(|rate| Peak { rate, is_measured: false }),
        };
        let roofs = STAGES.iter().flat_map(|stage| stage.rungs).map(|rung| &rung.work.facts().roof);
        let rates = roofs.map(|roof| Ok((roof.unit, peak(roof.unit)?))).collect::<Result<BTreeMap<_, _>>>()?;
        let lanes = records().find_map(|record| lanes(&record.compute_capability));
        let lanes =
            lanes.with_context(|| format!("the arithmetic of a multiprocessor of {} is not known", device.name))?;
        let clocks = nominal("GFLOP/s")? / (OF_MULTIPLY_ADD * f64::from(lanes));
        let l1 = Peak { rate: clocks * L1_BYTES_PER_CLOCK, is_measured: false };
        Ok(Self { rates, memory: peak(BYTES)?, l1 })
    }

    /// Returns the flat roof of a problem; `None` if its rate counts bytes. Its operations are then additions of integers or words
    /// that move, for which the peak of multiply-adds is no roof.
    fn flat(&self, facts: &Facts) -> Result<Option<Peak>> {
        if facts.rate.unit == BYTES {
            return Ok(None);
        }
        let limit = self.rates.get(facts.roof.unit).copied();
        limit.map(Some).with_context(|| format!("no record has a share of a limit in {}", facts.roof.unit))
    }
}

/// Returns the measured rate per second behind a unit.
fn measured_rate(measured: &[Measured], unit: &str) -> Option<f64> {
    let (quantity, factor) = match unit {
        "GFLOP/s" => (Quantity::Fp32, LANES * OF_MULTIPLY_ADD),
        "Gevaluations/s" => (Quantity::Special, LANES),
        BYTES => (Quantity::Memory, 1.0),
        _ => return None,
    };
    peaks::highest(measured, quantity).map(|rate| rate * factor)
}

fn limit_behind(record: &Record, unit: &str) -> Option<f64> {
    let rate = record.rate.as_ref().filter(|rate| rate.unit == unit)?;
    Some(rate.value * 1e9 / record.limit_share.filter(|&share| share > 0.0)?)
}

fn lanes(compute_capability: &str) -> Option<u32> {
    let (major, minor) = compute_capability.split_once('.')?;
    fp32_lanes_per_multiprocessor((major.parse().ok()?, minor.parse().ok()?))
}

/// The places that bytes come from; the index of a level is that of its mark.
const LEVELS: [&str; 3] = ["L1", "L2", "memory"];

/// A kernel of the chart: the same rate at each level.
struct Point {
    rung: &'static Rung,
    is_baseline: bool,
    /// The operations per byte of traffic, L1 first. Only L1, which the emulator counts, if the launch was not profiled.
    intensities: Vec<f64>,
    /// The operations per second.
    rate: f64,
}

impl Point {
    fn new(stage: &Stage, rung: &'static Rung, timed: &Timed, counted: &Records, profiles: &Profiles) -> Result<Self> {
        let rate = operations_a_second(rung, timed)?;
        let operations_of_a_launch = rate * timed.time.median / 1e3 / timed.launches(rung);
        let requested = counted.bytes_moved(timed.record)?;
        let bytes = match profiles.find_launch(timed.record) {
            // The sectors of the L1 caches include those of asynchronous copies, but not bulk copies, which go from the L2 cache
            // to shared memory directly. The emulator counts these.
            Some(profile) => {
                let [l1, l2, memory] = profile.bytes();
                let l1 = l1 + counted.counters(timed.record)?.bulk_copy_bytes as f64;
                let steps = steps_of_a_launch(l1 / requested, timed);
                [l1, l2, memory].map(|bytes| bytes / steps).to_vec()
            }
            None => vec![requested],
        };
        let intensities: Vec<f64> = bytes.iter().map(|bytes| operations_of_a_launch / bytes).collect();
        if !(rate > 0.0 && intensities.iter().all(|intensity| intensity.is_finite() && *intensity > 0.0)) {
            bail!("{} moves nothing or does nothing: it has no place in a roofline", rung.kernel);
        }
        Ok(Self { rung, is_baseline: stage.is_baseline(rung), intensities, rate })
    }

    fn facts(&self) -> &'static Facts {
        self.rung.work.facts()
    }

    /// Describes the point: `6.02 T/s at 5.00 per byte of L1, 595 of L2, 20,100 of memory`.
    fn words(&self) -> String {
        let of_level = |(intensity, level): (&f64, &str)| {
            let unit = if level == LEVELS[0] { " per byte" } else { "" };
            format!("{}{unit} of {level}", significant(*intensity))
        };
        let intensities: Vec<String> = self.intensities.iter().zip(LEVELS).map(of_level).collect();
        format!("{}/s at {}", scaled(self.rate, ""), intensities.join(", "))
    }
}

/// Returns the steps of a profiled launch: one, or all of the run for a kernel that takes them itself. The emulator counts one step, so
/// that such a kernel has far more traffic than is counted.
fn steps_of_a_launch(traffic: f64, timed: &Timed) -> f64 {
    let steps = f64::from(timed.record.steps.unwrap_or(1));
    if traffic > steps.sqrt().max(2.0) { steps } else { 1.0 }
}

/// Returns the operations per second: the record's rate, or, if that does not count operations, the operations of a run
/// divided by its time.
///
/// They are nominal: those of the formula, the same for each kernel of a problem. A kernel that needs fewer, by Newton's third law
/// or by a root in software, gets a higher rate for that. What is executed is known only of kernels whose machine code was counted,
/// and a cheaper kernel would then look worse for being cheaper.
fn operations_a_second(rung: &Rung, timed: &Timed) -> Result<f64> {
    let record = timed.record;
    if let Some(operations) = rung.work.facts().roof.operations {
        return Ok(operations(record.size) / (timed.time.median / 1e3));
    }
    let rate = record.rate.as_ref().with_context(|| format!("the record of {} has no rate", rung.kernel))?;
    Ok(rate.value * 1e9)
}

/// Returns a figure with a chart for each problem of some rungs of a stage, with its source below it.
///
/// # Errors
/// Returns an error if a recorded launch has no counts.
pub fn render(
    (stage, rungs): (&Stage, &[&'static Rung]),
    records: &Records,
    counted: &Records,
    profiles: &Profiles,
    limits: &Limits,
) -> Result<String> {
    let mut points = Vec::new();
    let mut device = None;
    for &rung in rungs {
        // Kernels without a record are named below the chart.
        if let Some(timed) = records.find(rung.kernel)? {
            device.get_or_insert_with(|| timed.device());
            points.push(Point::new(stage, rung, &timed, counted, profiles)?);
        }
    }
    let Some(device) = device else { return Ok(String::new()) };
    let problems = points.chunk_by(|one, other| one.facts() == other.facts());
    let charts = problems.map(|points| problem(stage, points, limits, &device)).collect::<Result<String>>()?;
    Ok(frame(&charts, &caption(&points, &device)))
}

/// Returns the chart of a problem.
fn problem(stage: &Stage, points: &[Point], limits: &Limits, device: &str) -> Result<String> {
    let facts = points[0].facts();
    let flat = limits.flat(facts)?;
    let heading = format!("{}, {}", facts.letter, facts.title);
    let title = format!("Roofline of {}, {heading}, on {device}", stage.name);
    let letters = points.iter().map(|point| point.rung.kernel.len()).max().unwrap_or_default();
    let names = WIDTH - LETTER * letters as f64;
    let height = MIN_HEIGHT.max(NAME_HEIGHT * (points.len() + 1) as f64);
    let frame = (LEFT, TOP, names - LEADER, TOP + height);
    let key = frame.3 + chart::BELOW;
    let mut svg = open((key + KEY_HEIGHT) as u32, &title, &description(points, limits, flat));
    svg += &chart::heading(18.0, &heading);
    svg += &draw(points, limits, flat, frame, names);
    for (shape, level) in LEVELS.iter().enumerate() {
        let x = LEFT + 90.0 * shape as f64;
        svg += &(mark(shape, x, key + 9.0, false) + &text(x + 12.0, key + 14.0, "", level));
    }
    Ok(svg + "</svg>\n")
}

fn draw(points: &[Point], limits: &Limits, flat: Option<Peak>, frame: (f64, f64, f64, f64), names: f64) -> String {
    let (left, top, right, bottom) = frame;
    // A slope spans at least a factor of ten, so that there is room for its name.
    let rates = points.iter().map(|point| point.rate);
    let highest = rates.clone().fold(0.0, f64::max);
    // This leaves room for the name above the roof.
    let y = Log::over(rates.chain([flat.map_or(ROOM * highest, |flat| flat.rate * 1.5)]), bottom, top);
    let end = flat.map_or(y.ends().1, |flat| flat.rate);
    let corners = [limits.memory.rate, 10.0 * limits.l1.rate].map(|bandwidth| end / bandwidth);
    let intensities = points.iter().flat_map(|point| &point.intensities).copied();
    let panel = Panel {
        frame,
        x: Log::over(intensities.chain(corners), left, right),
        y,
        names: ("operations per byte", "operations per second"),
    };
    let mut svg = panel.draw(&panel.x.ticks(), (power_of_ten, round));
    if let Some(flat) = flat {
        // The points of kernels that pass the roof are where its name would be.
        let name_y = if highest > flat.rate { top + 14.0 } else { panel.y.at(flat.rate) - 6.0 };
        let name = format!("{}, {}", points[0].facts().roof.name, flat.words("/s"));
        svg += &text(right, name_y, "end halo small narrow", &name);
        let y = panel.y.at(flat.rate);
        svg += &line("roof", (panel.x.at(flat.rate / limits.l1.rate), y), (right, y));
    }
    svg += &slopes(&panel, limits, end);
    svg + &points_of(points, &panel, names)
}

/// Draws the points of each kernel on a line, and its name to the right of the frame.
fn points_of(points: &[Point], panel: &Panel, names: f64) -> String {
    let (_, top, _, bottom) = panel.frame;
    let mut rows: Vec<(f64, &Point)> = points.iter().map(|point| (panel.y.at(point.rate), point)).collect();
    rows.sort_by(|one, other| one.0.total_cmp(&other.0));
    let wanted: Vec<f64> = rows.iter().map(|(y, _)| *y).collect();
    let mut svg = String::new();
    for ((y, point), name_y) in rows.iter().zip(spread(&wanted, NAME_HEIGHT, (top + 8.0, bottom - 4.0))) {
        let places = point.intensities.iter().map(|intensity| panel.x.at(*intensity));
        let (first, last) =
            places.clone().fold((f64::INFINITY, 0.0_f64), |(first, last), x| (first.min(x), last.max(x)));
        svg += &line("levels", (first, *y), (last, *y));
        svg += &line("leader", (last, *y), (names - 4.0, name_y));
        svg += &places.enumerate().map(|(shape, x)| mark(shape, x, *y, point.is_baseline)).collect::<String>();
        svg += &text(names, name_y + 4.5, "code narrow", point.rung.kernel);
    }
    svg
}

/// Returns a slope for the L1 caches and one for memory, up to a rate.
fn slopes(panel: &Panel, limits: &Limits, end: f64) -> String {
    let (x_low, _) = panel.x.ends();
    let (y_low, _) = panel.y.ends();
    let mut svg = String::new();
    for (peak, name, class) in [(limits.l1, "L1", "roof"), (limits.memory, "memory", "roof dashed")] {
        let start = x_low.max(y_low / peak.rate);
        let from = (panel.x.at(start), panel.y.at(start * peak.rate));
        let to = (panel.x.at(end / peak.rate), panel.y.at(end));
        svg += &line(class, from, to);
        let slope = (to.1 - from.1).atan2(to.0 - from.0).to_degrees();
        let middle = ((from.0 + to.0) / 2.0, (from.1 + to.1) / 2.0);
        svg += &format!(
            "<text class=\"middle halo small narrow\" transform=\"translate({:.1} {:.1}) rotate({slope:.1})\" y=\"15\">{}</text>\n",
            middle.0,
            middle.1,
            escape(&format!("{name}, {}", peak.words("B/s")))
        );
    }
    svg
}

fn description(points: &[Point], limits: &Limits, flat: Option<Peak>) -> String {
    let name = points[0].facts().roof.name;
    let flat = flat.map_or(String::new(), |flat| format!("{name} {}; ", flat.words("/s")));
    let points: Vec<String> = points.iter().map(|point| format!("{}: {}", point.rung.kernel, point.words())).collect();
    format!(
        "Roofs: {flat}L1 caches {}; memory {}. {}",
        limits.l1.words("B/s"),
        limits.memory.words("B/s"),
        points.join("; ")
    )
}

/// Returns the notes of the problems, each once and with a space before it.
pub fn notes(notes: impl Iterator<Item = &'static str>) -> String {
    let mut said = HashSet::new();
    notes.filter(|note| !note.is_empty() && said.insert(*note)).map(|note| format!(" {note}")).collect()
}

fn caption(points: &[Point], device: &str) -> String {
    let operations = notes(points.iter().map(|point| point.facts().roof.note));
    let has_slopes_alone = points.iter().any(|point| point.facts().rate.unit == BYTES);
    let slopes = if has_slopes_alone { " Problems whose rate counts bytes have no flat roof." } else { "" };
    let baselines =
        if points.iter().any(|point| point.is_baseline) { " Outlined: a rung of an earlier stage." } else { "" };
    let alone: Vec<&str> =
        points.iter().filter(|point| point.intensities.len() == 1).map(|point| point.rung.kernel).collect();
    let alone = match alone[..] {
        [] => String::new(),
        _ => format!(" Not profiled, so with what the emulator counts at L1 alone: {}.", alone.join(", ")),
    };
    escape(&format!(
        "Rates on {device}, against operations per byte that warps request from the L1 caches or copy to shared memory, that \
         the L2 cache is asked for, and that memory moves, in a launch that begins with empty caches. A point belongs \
         under the roof of its level; the L2 cache has none here. Roofs are measured, except those called \
         nominal. Operations are nominal, those of the formula: a kernel with a cheaper algorithm executes fewer, and can \
         pass the flat roof.{operations}{slopes}{baselines}{alone}"
    ))
}

/// Returns a number for the vertical axis: `500 G`, `1 T`, `10 T`.
fn round(rate: f64) -> String {
    scaled(rate, "").replace(".00", "").replace(".0", "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_nominal_rate_is_called_so() {
        let peak = |is_measured| Peak { rate: 33.5e12, is_measured }.words("B/s");
        assert_eq!([true, false].map(peak), ["33.5 TB/s", "33.5 TB/s, nominal"]);
    }
}
