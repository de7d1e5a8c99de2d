//! Runs of a program under Nsight Compute's `ncu`.

use anyhow::{Context, Result, bail, ensure};
use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// The launches that are profiled: the first two of each function.
const LAUNCHES: &str = ":::1|2";

/// The metrics: time, work, and the load of each unit.
const METRICS: [&str; 17] = [
    TIME,
    "sm__cycles_elapsed.max",
    "sm__cycles_active.avg",
    "smsp__inst_executed.sum",
    "smsp__issue_active.avg.per_cycle_active",
    "sm__warps_active.avg.per_cycle_active",
    "smsp__average_warp_latency_per_inst_issued.ratio",
    "smsp__thread_inst_executed_per_inst_executed.ratio",
    "sm__inst_executed_pipe_fma.avg.pct_of_peak_sustained_active",
    "sm__inst_executed_pipe_alu.avg.pct_of_peak_sustained_active",
    "sm__inst_executed_pipe_xu.avg.pct_of_peak_sustained_active",
    "sm__inst_executed_pipe_lsu.avg.pct_of_peak_sustained_active",
    "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active",
    "l1tex__t_sectors.sum",
    "lts__t_sectors_srcunit_tex.sum",
    "dram__bytes_read.sum",
    "dram__bytes_write.sum",
];

/// The duration, which identifies the kernel's main launch.
const TIME: &str = "gpu__time_duration.sum";

/// The stall reasons of a warp, as Nsight Compute names them.
const REASONS: [&str; 18] = [
    "selected",
    "wait",
    "long_scoreboard",
    "short_scoreboard",
    "barrier",
    "not_selected",
    "math_pipe_throttle",
    "mio_throttle",
    "lg_throttle",
    "tex_throttle",
    "imc_miss",
    "no_instruction",
    "dispatch_stall",
    "branch_resolving",
    "membar",
    "drain",
    "sleeping",
    "misc",
];

/// Returns the metric of a stall reason: the stalled warps per issued instruction.
fn stalled(reason: &str) -> String {
    format!("smsp__average_warps_issue_stalled_{reason}_per_issue_active.ratio")
}

/// The result of a run under Nsight Compute.
pub struct Reading {
    /// The program's output.
    pub printed: String,
    /// The launches, in the order of their ends.
    pub launches: Vec<Launch>,
    /// Nsight Compute's last message, for an error about a missing launch.
    pub complaint: String,
}

/// A profiled launch.
pub struct Launch {
    pub entry: String,
    pub metrics: BTreeMap<String, f64>,
}

impl Launch {
    /// Returns whether it is a launch of the kernel. The name of an entry point may end in the block size.
    pub fn is_of(&self, kernel: &str) -> bool {
        let size = self.entry.strip_prefix(kernel).map(|rest| rest.trim_start_matches('_'));
        size.is_some_and(|size| size.bytes().all(|byte| byte.is_ascii_digit()))
    }

    /// Returns the duration in nanoseconds.
    pub fn time(&self) -> f64 {
        self.metrics.get(TIME).copied().unwrap_or(0.0)
    }
}

/// Returns the name and version of the tool: `Nsight Compute 2025.3.1`.
pub fn tool() -> Result<String> {
    let output = start(Command::new("ncu").arg("--version"))?;
    version(&String::from_utf8_lossy(&output.stdout)).context("ncu --version names no version")
}

/// Parses a line such as `Version 2025.3.1.0 (build 36398880)`, without the build number.
fn version(text: &str) -> Option<String> {
    let line = text.lines().find_map(|line| line.strip_prefix("Version "))?;
    let numbers: Vec<&str> = line.split_whitespace().next()?.split('.').take(3).collect();
    Some(format!("Nsight Compute {}", numbers.join(".")))
}

/// Runs a program under Nsight Compute and returns its output and its launches.
///
/// # Errors
/// Returns an error if `ncu` or the permission to read counters is missing, or if its version lacks one of the metrics.
pub fn read(program: &Path, options: &[String]) -> Result<Reading> {
    let file = tempfile::NamedTempFile::new().context("cannot make a temporary file for the metrics")?;
    let output = profile(program, options, file.path())?;
    let log = fs::read_to_string(file.path()).context("cannot read what ncu wrote")?;
    let complaint = reason(&log, &output);
    ensure!(output.status.success(), "ncu: {complaint}");
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    Ok(Reading { printed, launches: launches(&log)?, complaint })
}

fn profile(program: &Path, options: &[String], log: &Path) -> Result<Output> {
    let metrics: Vec<String> = METRICS.iter().map(|&metric| metric.into()).chain(REASONS.map(stalled)).collect();
    let mut ncu = Command::new("ncu");
    // The clocks must be the same as in the tables.
    ncu.args(["--clock-control", "none", "--kernel-id", LAUNCHES, "--metrics", &metrics.join(",")]);
    ncu.args(["--csv", "--page", "raw", "--print-units", "base", "--log-file"]).arg(log);
    start(ncu.arg(program).args(options).stdin(Stdio::null()))
}

fn start(ncu: &mut Command) -> Result<Output> {
    ncu.output().map_err(|error| match error.kind() {
        ErrorKind::NotFound => {
            anyhow::anyhow!("ncu is not on the PATH: install the CUDA toolkit, or the package of Nsight Compute")
        }
        _ => error.into(),
    })
}

/// Returns ncu's error message.
fn reason(log: &str, output: &Output) -> String {
    let said = String::from_utf8_lossy(&output.stderr);
    let error = log.lines().chain(said.lines()).find(|line| line.starts_with("==ERROR=="));
    error.or(said.lines().last()).unwrap_or("it said nothing").into()
}

/// Parses a page of raw values: a line of names, a line of units, and one line per launch.
fn launches(log: &str) -> Result<Vec<Launch>> {
    let page: String = log.lines().filter(|line| line.starts_with('"')).map(|line| format!("{line}\n")).collect();
    let mut reader = csv::Reader::from_reader(page.as_bytes());
    let names = reader.headers().context("ncu wrote no table")?.clone();
    let rows = reader.records().skip(1).collect::<Result<Vec<_>, _>>().context("a table of ncu")?;
    rows.iter().map(|row| launch(names.iter().zip(row))).collect()
}

fn launch<'a>(cells: impl Iterator<Item = (&'a str, &'a str)>) -> Result<Launch> {
    let mut entry = String::new();
    let mut metrics = BTreeMap::new();
    for (name, value) in cells {
        if name == "Kernel Name" {
            entry = value.split('(').next().unwrap_or_default().into();
        } else if METRICS.contains(&name) || name.contains("_issue_stalled_") {
            let number = value.replace(',', "").parse().with_context(|| format!("{name} is {value:?}"))?;
            metrics.insert(name.to_owned(), number);
        }
    }
    match METRICS.iter().find(|&&metric| !metrics.contains_key(metric)) {
        Some(missing) => bail!("this version of ncu does not have the metric {missing}"),
        None => Ok(Launch { entry, metrics }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(rows: &[(&str, f64)]) -> String {
        let names: Vec<String> = METRICS.iter().map(|&name| name.into()).chain([stalled("barrier")]).collect();
        let line = |first: &str, cells: Vec<String>| {
            let cells = cells.iter().map(|cell| format!(",\"{cell}\"")).collect::<String>();
            format!("\"{first}\"{cells}\n")
        };
        let mut text = "==PROF== Connected\n".to_owned() + &line("Kernel Name", names.clone());
        text += &line("", names.iter().map(|_| "ns".into()).collect());
        for (kernel, time) in rows {
            text += &line(kernel, names.iter().map(|_| format!("1,{time:06.1}")).collect());
        }
        text
    }

    #[test]
    fn numbers_with_thousands_separators_are_parsed() {
        let launches = launches(&page(&[("forces(float *, int)", 1.5), ("move(float *)", 234.0)])).unwrap();
        assert_eq!((launches[0].entry.as_str(), launches[0].time()), ("forces", 10001.5));
        assert_eq!(launches[1].metrics[&stalled("barrier")], 10234.0);
    }

    #[test]
    fn entry_points_may_end_in_the_block_size() {
        let launch = |entry: &str| Launch { entry: entry.into(), metrics: BTreeMap::new() };
        assert!(launch("computeForces").is_of("computeForces"));
        assert!(launch("computeForces_128").is_of("computeForces"));
        assert!(!launch("computeForces_Shared_128").is_of("computeForces"));
    }

    #[test]
    fn a_missing_metric_is_named() {
        let page = page(&[("forces", 1.0)]).replace("dram__bytes_read", "dram__other");
        let error = launches(&page).err().unwrap().to_string();
        assert_eq!(error, "this version of ncu does not have the metric dram__bytes_read.sum");
    }

    #[test]
    fn the_version_is_parsed_from_its_line() {
        let text = "NVIDIA (R) Nsight Compute Command Line Profiler\nVersion 2025.3.1.0 (build 36398880)\n";
        assert_eq!(version(text).unwrap(), "Nsight Compute 2025.3.1");
        assert_eq!(version("Nsight"), None);
    }
}
