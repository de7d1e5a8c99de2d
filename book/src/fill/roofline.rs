//! The roofline of a stage: the operations per second of its kernels by their operations per requested byte.

use super::chart::{self, Labels, Log, Panel, label, line, mark, text};
use super::devices::Device;
use super::figure::{framed, open};
use super::kernels::STAGES;
use super::notation::{escape, scaled, three_digits};
use super::records::{Records, Timed};
use anyhow::{Context, Result, bail};
use common::device::fp32_lanes_per_multiprocessor;
use common::problem::{Roof, Size};
use common::report::Record;
use common::stage::{Rung, Stage};
use std::collections::BTreeMap;

const FRAME: (f64, f64, f64, f64) = (62.0, chart::ABOVE, 462.0, 290.0);
const KEY_HEIGHT: f64 = 22.0;

/// The bytes per clock from the L1 cache of a multiprocessor. The cache and shared memory are one memory with 32 banks of 4
/// bytes (CUDA C++ Programming Guide, "Compute Capability 5.x", Shared Memory, also valid for later chips). A benchmark
/// reads 126 to 128 on an H200 (te42kyfo/gpu-benches, gpu-strides).
const L1_BYTES_PER_CLOCK: f64 = 128.0;

/// The nominal limits of a device. All but the last are computed from the driver's attributes and from records, which contain
/// rates with their share of the limit.
pub struct Limits {
    /// The highest rate per second, by unit.
    rates: BTreeMap<&'static str, f64>,
    /// The bandwidth of device memory in bytes per second.
    memory: f64,
    /// The bandwidth of all L1 caches in bytes per second.
    l1: f64,
}

impl Limits {
    /// Computes the limits from a device's records.
    ///
    /// # Errors
    /// Returns an error if no record of the device has a share of one of the limits.
    pub fn of(device: &Device) -> Result<Self> {
        let files = STAGES.iter().filter(|stage| Records::file(&device.folder, stage.name).is_file());
        let runs = files.map(|stage| Records::in_folder(&device.folder, stage.name)).collect::<Result<Vec<_>>>()?;
        let records = || runs.iter().flat_map(Records::list);
        let limit = |unit: &str| {
            let limits = records().filter_map(|record| limit_behind(record, unit)).next();
            limits.with_context(|| format!("no record in {} has a share of a limit in {unit}", device.folder.display()))
        };
        let roofs = STAGES.iter().flat_map(|stage| stage.rungs).map(|rung| &rung.work.facts().roof);
        let rates = roofs.map(|roof| Ok((roof.unit, limit(roof.unit)?))).collect::<Result<BTreeMap<_, _>>>()?;
        let fp32 = limit("GFLOP/s")?;
        let lanes = records().find_map(|record| lanes(&record.compute_capability));
        let lanes =
            lanes.with_context(|| format!("the arithmetic of a multiprocessor of {} is not known", device.name))?;
        // A fused multiply-add of a lane is two operations.
        let clocks = fp32 / (2.0 * f64::from(lanes));
        Ok(Self { rates, memory: limit("GB/s")?, l1: clocks * L1_BYTES_PER_CLOCK })
    }

    /// Returns the flat roof of a problem and its name.
    fn arithmetic(&self, roof: &Roof) -> Result<(f64, &'static str)> {
        let limit = self.rates.get(roof.unit);
        Ok((*limit.with_context(|| format!("no record has a share of a limit in {}", roof.unit))?, roof.name))
    }
}

fn limit_behind(record: &Record, unit: &str) -> Option<f64> {
    let rate = record.rate.as_ref().filter(|rate| rate.unit == unit)?;
    Some(rate.value * 1e9 / record.limit_share.filter(|&share| share > 0.0)?)
}

fn lanes(compute_capability: &str) -> Option<u32> {
    let (major, minor) = compute_capability.split_once('.')?;
    fp32_lanes_per_multiprocessor((major.parse().ok()?, minor.parse().ok()?))
}

/// A point of the chart.
struct Point {
    rung: &'static Rung,
    is_baseline: bool,
    /// The operations per byte of traffic.
    intensity: f64,
    /// The operations per second.
    rate: f64,
}

impl Point {
    fn of(stage: &Stage, rung: &'static Rung, timed: &Timed, counted: &Records) -> Result<Self> {
        let rate = operations_a_second(rung, timed)?;
        let operations_of_a_launch = rate * timed.time.median / 1e3 / launches(rung, timed.record);
        let intensity = operations_of_a_launch / counted.bytes_moved(timed.record)?;
        if !(rate > 0.0 && intensity.is_finite() && intensity > 0.0) {
            bail!("{} moves nothing or does nothing: it has no place in a roofline", rung.kernel);
        }
        Ok(Self { rung, is_baseline: stage.is_baseline(rung), intensity, rate })
    }

    fn roof(&self) -> &'static Roof {
        &self.rung.work.facts().roof
    }

    /// Describes the point: `157 per byte, 13.4 T/s`.
    fn numbers(&self) -> String {
        format!("{} per byte, {}/s", three_digits(self.intensity), scaled(self.rate, ""))
    }
}

/// Returns the operations per second: the record's rate, or, if that does not count operations, the operations of a run
/// divided by its time.
fn operations_a_second(rung: &Rung, timed: &Timed) -> Result<f64> {
    let record = timed.record;
    if let Some(operations) = rung.work.facts().roof.operations {
        return Ok(operations(record.size) / (timed.time.median / 1e3));
    }
    let rate = record.rate.as_ref().with_context(|| format!("the record of {} has no rate", rung.kernel))?;
    Ok(rate.value * 1e9)
}

/// Returns the number of launches in the timed run, which have the same traffic.
fn launches(rung: &Rung, record: &Record) -> f64 {
    rung.work.launches(&Size { steps: record.steps, ..Size::of(record.size) }).into()
}

/// Returns a chart for each kind of operation, with its source below it.
///
/// # Errors
/// Returns an error if a recorded launch has no counts.
pub fn render(stage: &Stage, records: &Records, counted: &Records, limits: &Limits) -> Result<String> {
    let (mut points, mut device) = (Vec::new(), None);
    for rung in stage.rungs {
        // Kernels without a record are named below the chart.
        if let Some(timed) = records.of(rung.kernel)? {
            device.get_or_insert_with(|| timed.device());
            points.push(Point::of(stage, rung, &timed, counted)?);
        }
    }
    let mut charts = String::new();
    while let Some((first, device)) = points.first().zip(device.as_deref()) {
        let roof = first.roof();
        let (under_it, others): (Vec<Point>, Vec<Point>) =
            points.into_iter().partition(|point: &Point| point.roof().unit == roof.unit);
        charts += &under_one_roof(stage, &under_it, limits, limits.arithmetic(roof)?, device);
        points = others;
    }
    Ok(charts)
}

/// Returns the chart of points with the same kind of operation.
fn under_one_roof(stage: &Stage, points: &[Point], limits: &Limits, roof: (f64, &str), device: &str) -> String {
    let (_, _, _, bottom) = FRAME;
    let height = bottom + chart::BELOW + KEY_HEIGHT * points.len() as f64 + 6.0;
    let title = format!("Roofline of {} on {device}: {}", stage.name, roof.1);
    let mut svg = open(height as u32, &title, &description(points, limits, roof)) + &chart_of(points, limits, roof);
    for (number, point) in points.iter().enumerate() {
        svg += &key(point, number, bottom + chart::BELOW + KEY_HEIGHT * number as f64 + 14.0);
    }
    framed(&(svg + "</svg>"), &caption(points, device))
}

fn chart_of(points: &[Point], limits: &Limits, roof: (f64, &str)) -> String {
    let (left, top, right, bottom) = FRAME;
    // A slope spans at least a factor of ten, so that there is room for its name.
    let corners = [limits.memory, 10.0 * limits.l1].map(|bandwidth| roof.0 / bandwidth);
    let intensities = points.iter().flat_map(|point| [point.intensity / 1.3, point.intensity * 1.3]);
    let rates = points.iter().map(|point| point.rate);
    let panel = Panel {
        frame: FRAME,
        // This leaves room for numbers around the points, and for the name above the roof.
        x: Log::over(intensities.chain(corners), left, right),
        y: Log::over(rates.map(|rate| rate / 1.3).chain([roof.0 * 1.5]), bottom, top),
        names: ("operations per byte", "operations per second"),
    };
    let mut svg = panel.draw(&panel.x.ticks(), (plain, round));
    let mut labels = Labels::default();
    svg += &roofs(&panel, limits, roof);
    let places: Vec<(f64, f64)> =
        points.iter().map(|point| (panel.x.at(point.intensity), panel.y.at(point.rate))).collect();
    places.iter().for_each(|&(x, y)| labels.keep_free(x, y));
    for (number, (point, &(x, y))) in points.iter().zip(&places).enumerate() {
        svg += &mark(shape(point.rung), x, y, point.is_baseline);
        svg += &labels.write(x, y, number);
    }
    svg
}

/// Returns the flat roof, a slope for the L1 caches, and a slope for memory.
fn roofs(panel: &Panel, limits: &Limits, (roof, what): (f64, &str)) -> String {
    let (x_low, x_high) = panel.x.ends();
    let (y_low, _) = panel.y.ends();
    let (flat, corner) = (panel.y.at(roof), roof / limits.l1);
    let mut svg = line("roof", (panel.x.at(corner), flat), (panel.x.at(x_high), flat));
    svg += &text(panel.x.at(x_high), flat - 7.0, "end halo", &format!("{what}, {}/s", scaled(roof, "")));
    for (bandwidth, name, class) in [(limits.l1, "L1", "roof"), (limits.memory, "memory", "roof dashed")] {
        let start = x_low.max(y_low / bandwidth);
        let (from, to) = ((panel.x.at(start), panel.y.at(start * bandwidth)), (panel.x.at(roof / bandwidth), flat));
        svg += &line(class, from, to);
        let slope = (to.1 - from.1).atan2(to.0 - from.0).to_degrees();
        let middle = ((from.0 + to.0) / 2.0, (from.1 + to.1) / 2.0);
        svg += &format!(
            "<text class=\"middle halo\" transform=\"translate({:.1} {:.1}) rotate({slope:.1})\" y=\"-6\">{}</text>\n",
            middle.0,
            middle.1,
            escape(&format!("{name}, {}", scaled(bandwidth, "B/s")))
        );
    }
    svg
}

/// Returns the shape of a problem's points.
fn shape(rung: &Rung) -> usize {
    usize::from(rung.work.facts().letter.as_bytes()[0].saturating_sub(b'A'))
}

/// Returns the line of the list for a point: number, mark, name and values.
fn key(point: &Point, number: usize, y: f64) -> String {
    label(0.0, y, number)
        + &mark(shape(point.rung), 22.0, y - 5.0, point.is_baseline)
        + &text(34.0, y, "code", point.rung.kernel)
        + &text(480.0, y, "end", &point.numbers())
}

fn description(points: &[Point], limits: &Limits, (roof, what): (f64, &str)) -> String {
    let points: Vec<String> =
        points.iter().map(|point| format!("{}: {}", point.rung.kernel, point.numbers())).collect();
    format!(
        "Roofs: {what} {}/s, L1 caches {}, memory {}. {}",
        scaled(roof, ""),
        scaled(limits.l1, "B/s"),
        scaled(limits.memory, "B/s"),
        points.join("; ")
    )
}

/// Returns the notes of the problems, each once and with a space before it.
pub fn notes(notes: impl Iterator<Item = &'static str>) -> String {
    let mut said: Vec<&str> = Vec::new();
    for note in notes {
        if !note.is_empty() && !said.contains(&note) {
            said.push(note);
        }
    }
    said.iter().map(|note| format!(" {note}")).collect()
}

fn caption(points: &[Point], device: &str) -> String {
    let operations = notes(points.iter().map(|point| point.rung.work.facts().roof.note));
    let baselines =
        if points.iter().any(|point| point.is_baseline) { " Outlined: a rung of an earlier stage." } else { "" };
    format!(
        "Rates on {}, against operations per byte. Bytes are those of the sectors that the launch requests from the L1 \
         caches, counted by the emulator, however many of them the L2 cache or memory had to deliver; roofs are the \
         nominal limits. Both scales are logarithmic. A shape is a problem.{operations}{baselines}",
        escape(device)
    )
}

/// Returns a number for the vertical axis: `500 G`, `1 T`, `10 T`.
fn round(rate: f64) -> String {
    scaled(rate, "").replace(".00", "").replace(".0", "")
}

/// Returns a number for the horizontal axis: `0.05`, `100`.
fn plain(value: f64) -> String {
    if value < 1.0 { format!("{value}") } else { super::notation::whole(value as u64) }
}
