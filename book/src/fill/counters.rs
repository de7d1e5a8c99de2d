//! A table of Nsight Compute's readings.

use super::kernels::Kernel;
use super::peaks::LANES;
use super::records::{NOT_RECORDED, Reading, Readings};
use super::version;
use anyhow::{Context, Result, ensure};
use common::format::{significant, thousands};

/// A counter: its name, and its value in a launch.
type Column = (&'static str, fn(&Reading) -> Result<Cell>);

/// A number; none if there is nothing to count.
type Cell = Option<String>;

const COLUMNS: [Column; 14] = [
    ("global load requests", |reading| count_cell(reading, "global_load_requests")),
    ("sectors per load", |reading| each(reading, "global_load_sectors", "global_load_requests")),
    ("global store requests", |reading| count_cell(reading, "global_store_requests")),
    ("sectors per store", |reading| each(reading, "global_store_sectors", "global_store_requests")),
    ("global atomic requests", |reading| count_cell(reading, "global_atomic_requests")),
    ("shared load wavefronts", |reading| count_cell(reading, "shared_load_wavefronts")),
    ("of these, conflicts", |reading| count_cell(reading, "shared_load_conflicts")),
    ("shared store wavefronts", |reading| count_cell(reading, "shared_store_wavefronts")),
    ("of these, conflicts", |reading| count_cell(reading, "shared_store_conflicts")),
    ("shared atomic wavefronts", |reading| read_cell(reading, "shared_atomic_wavefronts")),
    ("of these, conflicts", |reading| read_cell(reading, "shared_atomic_conflicts")),
    ("warp instructions, machine code", |reading| Ok(Some(thousands(reading.machine_instructions())))),
    ("of these, branches", |reading| executions(reading, "BRA")),
    ("of these, barriers", |reading| executions(reading, "BAR")),
];

/// The cell of an opcode in a launch whose opcodes were not read.
const NOT_READ: &str = "not read";

/// Returns the number of executions of an opcode.
fn executions(reading: &Reading, opcode: &str) -> Result<Cell> {
    Ok(match reading.opcode(opcode) {
        Some(0) => None,
        Some(count) => Some(thousands(count)),
        None => Some(NOT_READ.into()),
    })
}

fn count_cell(reading: &Reading, counter: &str) -> Result<Cell> {
    let count = reading.count(counter)?;
    Ok((count > 0).then(|| thousands(count)))
}

/// Returns the cell of a counter that is read only of kernels that can have it.
fn read_cell(reading: &Reading, counter: &str) -> Result<Cell> {
    Ok(reading.count(counter).ok().filter(|count| *count > 0).map(thousands))
}

fn each(reading: &Reading, part: &str, whole: &str) -> Result<Cell> {
    let part = reading.count(part)?;
    let whole = reading.count(whole)?;
    Ok((whole > 0).then(|| significant(part as f64 / whole as f64)))
}

/// Returns a table with the readings of one kernel per column, without counters that are zero for all of them or read of
/// none. The names of kernels without readings are below the table.
///
/// # Errors
/// Returns an error if a kernel is unknown.
pub fn table(readings: &Readings, names: &[&str]) -> Result<String> {
    let mut kernels = names.iter().map(|name| Kernel::find(name)).collect::<Result<Vec<_>>>()?;
    let missing: Vec<_> =
        kernels.extract_if(.., |kernel| readings.find(kernel).is_none()).map(|kernel| kernel.name).collect();
    let launches: Vec<_> = kernels.iter().filter_map(|kernel| readings.find(kernel)).collect();
    let table = if launches.is_empty() { String::new() } else { columns(readings, &kernels, &launches)? };
    Ok(table + &version::gaps(&missing))
}

fn columns(readings: &Readings, kernels: &[Kernel], launches: &[&Reading]) -> Result<String> {
    let headings: String = kernels.iter().map(|kernel| format!(" `{}` |", kernel.name)).collect();
    let mut text = format!("| |{headings}\n|---|{}\n", "--:|".repeat(kernels.len()));
    let shapes: String =
        kernels.iter().zip(launches).map(|(kernel, launch)| format!(" {} |", shape(kernel, launch))).collect();
    text += &format!("| size, block |{shapes}\n");
    for (heading, of) in COLUMNS {
        let cells = launches.iter().map(|launch| of(launch)).collect::<Result<Vec<_>>>()?;
        if cells.iter().flatten().any(|cell| cell != NOT_READ) {
            let cells: String = cells.iter().map(|cell| format!(" {} |", cell.as_deref().unwrap_or("–"))).collect();
            text += &format!("| {heading} |{cells}\n");
        }
    }
    text += &format!(
        "\n<p class=\"source\">Read by {} on an {}. One launch, at a small size; <code>--counters</code> \
         counts yours.</p>\n",
        readings.tool, readings.device
    );
    Ok(text)
}

/// Describes a launch: `1,024 bodies, 128`, or `33 atoms, 128 × 16 points, 256`.
fn shape(kernel: &Kernel, launch: &Reading) -> String {
    let mut parts: Vec<String> = Vec::new();
    parts.extend(launch.option("n").map(|n| format!("{} {}", thousands(n), kernel.rung.work.facts().units())));
    let points = launch.option("width").zip(launch.option("height"));
    parts.extend(points.map(|(width, height)| format!("{} × {} points", thousands(width), thousands(height))));
    parts.push(thousands(launch.option("block").unwrap_or(kernel.rung.block.into())));
    parts.join(", ")
}

/// Returns one count of a kernel's launch.
///
/// # Errors
/// Returns an error if there is no such counter.
pub fn one(readings: &Readings, kernel: &Kernel, counter: &str) -> Result<String> {
    readings.find(kernel).map_or_else(|| Ok(NOT_RECORDED.into()), |reading| Ok(thousands(reading.count(counter)?)))
}

/// Returns the machine instructions per lane and pair of bodies: `18.3`.
///
/// # Errors
/// Returns an error if the launch has no bodies.
pub fn per_pair(readings: &Readings, kernel: &Kernel) -> Result<String> {
    ensure!(kernel.rung.work.facts().units() == "bodies", "{} has no pairs of bodies", kernel.name);
    let Some(reading) = readings.find(kernel) else { return Ok(NOT_RECORDED.into()) };
    let bodies = reading.option("n").context("nsight-compute.json does not contain the number of bodies")? as f64;
    Ok(significant(reading.machine_instructions() as f64 * LANES / (bodies * bodies)))
}
