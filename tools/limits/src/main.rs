//! `cargo run -p limits`: measures the highest rates of this machine's GPU.

use clap::Parser;
use common::ceilings::Measured;
use common::ceilings::bench::quick::{self, Quick};
use common::ceilings::bench::{Bench, MEASUREMENTS, Measurement};
use common::device::{Device, DeviceChoice};
use common::error::Error;
use common::format::{DASH, milliseconds, percent, three_digits};
use common::report::{Output, Table};
use limits::{against, costs, latency};
use serde::Serialize;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

/// Measure the highest rates of a GPU: single precision, issue slots, special functions, tensor cores, memory, block starts
#[derive(Debug, Parser)]
struct Options {
    /// Device: `auto` takes an NVIDIA GPU if there is one, else the emulator, which only checks results
    #[arg(long, value_enum, default_value = "auto", env = "COALESCED_DEVICE", ignore_case = true)]
    device: DeviceChoice,

    /// Timed runs of each kernel, at most
    #[arg(long, value_name = "COUNT", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    runs: u32,

    /// Measure only the rates that a stage measures on a GPU without a record, and as it does: within 3 s
    #[arg(long, conflicts_with_all = ["runs", "latency", "costs"])]
    quick: bool,

    /// Compare the rates with those of a record, results/DEVICE/limits.json, from which each may differ by 3 %
    #[arg(long, value_name = "FILE", conflicts_with_all = ["latency", "costs"])]
    against: Option<PathBuf>,

    /// Measure the latency of the units, and how many warps, chains and bytes in flight hide it
    #[arg(long)]
    latency: bool,

    /// Measure what block starts, constants, atomic additions, strided stores and loads, the L2 cache and long code cost
    #[arg(long, conflicts_with = "latency")]
    costs: bool,

    /// Print one JSON record per rate on stdout, and everything else on stderr
    #[arg(long)]
    json: bool,
}

fn main() -> ExitCode {
    match run(&Options::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(error.exit_status())
        }
    }
}

/// Runs what the options ask for; returns whether all results were correct.
fn run(options: &Options) -> Result<bool, Error> {
    let mut output = Output::new(options.json);
    let device = Device::open(options.device)?;
    let mut bench = Bench::new(&device, options.runs as usize);
    output.say(&device.banner())?;
    match (options.latency, options.costs) {
        (true, _) => measure_latencies(&mut bench, &mut output, options),
        (_, true) => measure_costs(&mut bench, &mut output, options),
        _ => measure_rates(&mut bench, &mut output, options),
    }
}

/// Measures the rates, and compares them with a record if one is named.
fn measure_rates(bench: &mut Bench<'_>, output: &mut Output, options: &Options) -> Result<bool, Error> {
    let recorded = options.against.as_deref().map(against::read).transpose()?;
    if recorded.is_some() && bench.is_emulated() {
        return Err(Error::Usage("--against: the emulator has no rates; this needs a GPU".into()));
    }
    let started = Instant::now();
    let Quick { measured: rows, failures } =
        if options.quick { quick_rates(bench, output, options)? } else { all_rates(bench, output, options)? };
    let seconds = started.elapsed().as_secs_f64();
    print(output, "Highest rates of the units", &RATES, rows.iter().map(row_of_rate))?;
    if !bench.is_emulated() {
        output.say(&format!(
            "\nper clock: rate / clock during the run / multiprocessors. range: (slowest - fastest run) / median.\n\
             Measured in {seconds:.1} s."
        ))?;
    }
    let compared = recorded.map(|recorded| against::compare(&rows, &recorded)).unwrap_or_default();
    if !compared.is_empty() {
        print(output, "Against the record", &against::COLUMNS, compared.iter().map(against::Comparison::row))?;
    }
    let is_right = failures.is_empty() && rows.iter().all(|one| one.verified);
    Ok(is_right && compared.iter().all(|one| one.agrees() != Some(false)))
}

/// Measures what a stage measures on a GPU without a record.
fn quick_rates(bench: &Bench<'_>, output: &mut Output, options: &Options) -> Result<Quick, Error> {
    let quick = quick::measure(bench.device, |_| {});
    for failure in &quick.failures {
        output.say(&format!("Note: {failure}"))?;
    }
    if options.json {
        quick.measured.iter().try_for_each(|row| output.json(row))?;
    }
    Ok(quick)
}

/// Measures all rates.
fn all_rates(bench: &mut Bench<'_>, output: &mut Output, options: &Options) -> Result<Quick, Error> {
    let is_possible = |one: &&Measurement| one.runs_on(bench.device.compute_capability);
    let (possible, others): (Vec<&Measurement>, Vec<_>) = MEASUREMENTS.iter().partition(is_possible);
    for other in others {
        let (major, minor) = other.source.compute_capability();
        let kernel = other.kernel;
        output.say(&format!("Note: {kernel} is left out: it needs compute capability {major}.{minor}"))?;
    }
    let measured = measure_all(possible, |measurement| bench.measure(measurement), output, options)?;
    Ok(Quick { measured, failures: Vec::new() })
}

/// Measures the latencies.
fn measure_latencies(bench: &mut Bench<'_>, output: &mut Output, options: &Options) -> Result<bool, Error> {
    let rows = measure_all(latency::points(), |point| latency::measure(bench, &point), output, options)?;
    print(output, "Latency of the units", &POINTS, rows.iter().map(row_of_point))?;
    output
        .say("\nindependent: chains or loads per thread that do not wait for each other. warps: per multiprocessor.")?;
    Ok(rows.iter().all(|one| one.verified))
}

/// Measures the costs.
fn measure_costs(bench: &mut Bench<'_>, output: &mut Output, options: &Options) -> Result<bool, Error> {
    let rows = measure_all(costs::points(), |point| costs::measure(bench, &point), output, options)?;
    print(output, "Costs by circumstances", &COSTS, rows.iter().map(row_of_cost))?;
    Ok(rows.iter().all(|one| one.verified))
}

/// Makes all measurements. With `--json`, prints each when it is made.
fn measure_all<P, M: Serialize>(
    points: Vec<P>,
    mut measure: impl FnMut(P) -> Result<M, Error>,
    output: &mut Output,
    options: &Options,
) -> Result<Vec<M>, Error> {
    let mut all = Vec::new();
    for point in points {
        let measured = measure(point)?;
        if options.json {
            output.json(&measured)?;
        }
        all.push(measured);
    }
    Ok(all)
}

/// Prints a table.
fn print(
    output: &mut Output,
    title: &str,
    columns: &[&str],
    rows: impl Iterator<Item = Vec<String>>,
) -> Result<(), Error> {
    output.say("")?;
    output.say(Table::from_rows(title, columns, &rows.collect::<Vec<_>>()).without_missing().render().trim_end())
}

const COSTS: [&str; 7] = ["cost", "kernel", "at", "rate", "in", "ns each", "result"];

fn row_of_cost(one: &costs::Measured) -> Vec<String> {
    vec![
        one.cost.name().into(),
        one.kernel.clone(),
        one.cost.circumstances(),
        one.rate.map_or_else(|| DASH.into(), three_digits),
        format!("{}/s", one.unit),
        one.rate.map_or_else(|| DASH.into(), |rate| three_digits(1e9 / rate)),
        result(one.verified),
    ]
}

const POINTS: [&str; 7] = ["unit", "kernel", "independent", "warps", "value", "in", "result"];

fn row_of_point(point: &latency::Measured) -> Vec<String> {
    let unit = match point.quantity {
        latency::Quantity::Issue => "instructions / clock of a scheduler",
        latency::Quantity::Answer => "clocks",
        latency::Quantity::Read => "bytes/s",
    };
    vec![
        point.unit.name().into(),
        point.kernel.clone(),
        point.independent.to_string(),
        point.warps.to_string(),
        point.value.map_or_else(|| DASH.into(), three_digits),
        unit.into(),
        result(point.verified),
    ]
}

const RATES: [&str; 9] = ["unit", "kernel", "rate", "in", "per clock", "clock", "time", "range", "result"];

fn row_of_rate(one: &Measured) -> Vec<String> {
    let or_dash = |text: Option<String>| text.unwrap_or_else(|| DASH.into());
    vec![
        one.limit.name().into(),
        one.kernel.clone(),
        or_dash(one.rate.map(three_digits)),
        format!("{}/s", one.unit),
        or_dash(one.per_clock().map(three_digits)),
        or_dash(one.clock_hz.map(|clock| format!("{:.0} MHz", clock / 1e6))),
        or_dash(one.time_ms.map(|time| milliseconds(time.median))),
        or_dash(one.time_ms.map(|time| percent((time.high - time.low) / time.median))),
        result(one.verified),
    ]
}

fn result(verified: bool) -> String {
    if verified { "correct" } else { "WRONG" }.into()
}
