//! `cargo run -p limits`: measures what the units of this machine's GPU do at most.

use clap::Parser;
use common::device::{Backend, Device, DeviceChoice};
use common::error::Error;
use common::limit::Measured;
use common::report::{DASH, Output, milliseconds, percent, render_lines, three_digits};
use limits::latency::{self, points};
use limits::{Bench, MEASUREMENTS};
use std::process::ExitCode;

/// Measure what the units of a GPU do at most: single precision, issue slots, special functions, tensor cores, memory
#[derive(Debug, Parser)]
struct Options {
    /// Where to run; `auto` takes the NVIDIA driver where it has a device, else the emulator, which only checks results
    #[arg(long, value_enum, default_value = "auto", env = "COALESCED_DEVICE", ignore_case = true)]
    device: DeviceChoice,

    /// Timed runs of each kernel at most
    #[arg(long, value_name = "COUNT", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    runs: u32,

    /// Measure how long units take to answer, and how many warps, chains and bytes under way hide it
    #[arg(long)]
    latency: bool,

    /// Print one JSON record per limit on stdout, and everything else on stderr
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

/// Whether all results were right.
fn run(options: &Options) -> Result<bool, Error> {
    let mut output = Output::new(options.json);
    let mut bench = Bench::new(Device::open(options.device)?, options.runs as usize);
    output.say(&bench.device.banner())?;
    if options.latency { latencies(&mut bench, &mut output, options) } else { limits(&mut bench, &mut output, options) }
}

/// What units do at most.
fn limits(bench: &mut Bench, output: &mut Output, options: &Options) -> Result<bool, Error> {
    let mut limits = Vec::new();
    for measurement in &MEASUREMENTS {
        if measurement.source.compute_capability() > bench.device.compute_capability {
            output.say(&format!("{} is left out: this GPU is too old for it.", measurement.kernel))?;
            continue;
        }
        let measured = bench.measure(measurement)?;
        if options.json {
            output.json(&measured)?;
        }
        limits.push(measured);
    }
    let lines: Vec<Vec<String>> = limits.iter().map(line).collect();
    output.say(&format!("\n{}", render_lines(&COLUMNS, &lines)))?;
    if bench.device.backend == Backend::Cuda {
        output
            .say("per clock: of one multiprocessor, at the clock that it ran with. range: slowest less fastest run.")?;
    }
    Ok(limits.iter().all(|limit| limit.verified))
}

/// How long they take.
fn latencies(bench: &mut Bench, output: &mut Output, options: &Options) -> Result<bool, Error> {
    let mut lines = Vec::new();
    let mut verified = true;
    for point in points() {
        let measured = bench.point(&point)?;
        if options.json {
            output.json(&measured)?;
        }
        verified &= measured.verified;
        lines.push(line_of_point(&measured));
    }
    output.say(&format!("\n{}", render_lines(&POINT_COLUMNS, &lines)))?;
    output
        .say("independent: chains or loads of a thread that do not wait for each other. warps: of a multiprocessor.")?;
    Ok(verified)
}

const POINT_COLUMNS: [&str; 6] = ["of", "kernel", "independent", "warps", "value", ""];

fn line_of_point(point: &latency::Measured) -> Vec<String> {
    let unit = match point.quantity {
        latency::Quantity::Issue => "instructions per clock of a scheduler",
        latency::Quantity::Answer => "clocks to the result",
        latency::Quantity::Read => "bytes/s",
    };
    vec![
        format!("{}{}", point.unit.name(), if point.verified { "" } else { " FAILED" }),
        point.kernel.clone(),
        point.independent.to_string(),
        point.warps.to_string(),
        point.value.map_or_else(|| DASH.into(), three_digits),
        unit.into(),
    ]
}

const COLUMNS: [&str; 8] = ["limit", "kernel", "rate", "", "per\nclock", "clock\nMHz", "time of\na run", "range"];

fn line(limit: &Measured) -> Vec<String> {
    let or_dash = |text: Option<String>| text.unwrap_or_else(|| DASH.into());
    let unit = format!("{}/s", limit.unit);
    vec![
        format!("{}{}", limit.limit.name(), if limit.verified { "" } else { " FAILED" }),
        limit.kernel.clone(),
        or_dash(limit.rate.map(three_digits)),
        unit,
        or_dash(limit.per_clock().map(three_digits)),
        or_dash(limit.clock_hz.map(|clock| format!("{:.0}", clock / 1e6))),
        or_dash(limit.time_ms.map(|time| milliseconds(time.median))),
        or_dash(limit.time_ms.map(|time| percent((time.high - time.low) / time.median))),
    ]
}
