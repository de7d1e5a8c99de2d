//! Runs a program under Nsight Compute's `ncu`, and reads the table that it writes.

use anyhow::{Context, Result, bail, ensure};
use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// Which launches are read: the first two of each function.
const LAUNCHES: &str = ":::1|2";

/// Time, work, and what each part of the chip had to do.
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

/// Which of several launches is the kernel's own is told by their time.
const TIME: &str = "gpu__time_duration.sum";

/// What a warp waits for between two instructions, in the words of Nsight Compute.
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

/// The metric of a reason: warps that wait so, per instruction issued.
fn stalled(reason: &str) -> String {
    format!("smsp__average_warps_issue_stalled_{reason}_per_issue_active.ratio")
}

/// What came of a program under Nsight Compute.
pub struct Reading {
    /// What the program printed.
    pub printed: String,
    /// In the order of their end.
    pub launches: Vec<Launch>,
    /// What to say where a launch is missing.
    pub complaint: String,
}

/// A launch as Nsight Compute read it.
pub struct Launch {
    pub entry: String,
    pub metrics: BTreeMap<String, f64>,
}

impl Launch {
    /// Whether it is of the kernel, whose entry points may have the size of a block at their end.
    pub fn is_of(&self, kernel: &str) -> bool {
        let size = self.entry.strip_prefix(kernel).map(|rest| rest.trim_start_matches('_'));
        size.is_some_and(|size| size.bytes().all(|byte| byte.is_ascii_digit()))
    }

    pub fn time(&self) -> f64 {
        self.metrics.get(TIME).copied().unwrap_or(0.0)
    }
}

/// `Nsight Compute 2025.3.1`.
pub fn tool() -> Result<String> {
    let output = start(Command::new("ncu").arg("--version"))?;
    version(&String::from_utf8_lossy(&output.stdout)).context("ncu --version names no version")
}

/// What a line such as `Version 2025.3.1.0 (build 36398880)` says, without the number of the build.
fn version(text: &str) -> Option<String> {
    let line = text.lines().find_map(|line| line.strip_prefix("Version "))?;
    let numbers: Vec<&str> = line.split_whitespace().next()?.split('.').take(3).collect();
    Some(format!("Nsight Compute {}", numbers.join(".")))
}

/// Runs a program and reads its launches.
///
/// # Errors
/// No `ncu`, no permission to read counters, or a version without one of the metrics.
pub fn read(program: &Path, options: &[String]) -> Result<Reading> {
    let file = tempfile::NamedTempFile::new().context("no temporary file for the readings")?;
    let output = profiled(program, options, file.path())?;
    let log = fs::read_to_string(file.path()).context("cannot read what ncu wrote")?;
    let complaint = reason(&log, &output);
    ensure!(output.status.success(), "ncu: {complaint}");
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    Ok(Reading { printed, launches: launches(&log)?, complaint })
}

fn profiled(program: &Path, options: &[String], log: &Path) -> Result<Output> {
    let metrics: Vec<String> = METRICS.iter().map(|&metric| metric.into()).chain(REASONS.map(stalled)).collect();
    let mut ncu = Command::new("ncu");
    // clocks stay as they are in the tables
    ncu.args(["--clock-control", "none", "--kernel-id", LAUNCHES, "--metrics", &metrics.join(",")]);
    ncu.args(["--csv", "--page", "raw", "--print-units", "base", "--log-file"]).arg(log);
    start(ncu.arg(program).args(options).stdin(Stdio::null()))
}

fn start(ncu: &mut Command) -> Result<Output> {
    ncu.output().map_err(|error| match error.kind() {
        ErrorKind::NotFound => {
            anyhow::anyhow!(
                "ncu is not on the PATH: Nsight Compute comes with the CUDA toolkit, and as a package of its own"
            )
        }
        _ => error.into(),
    })
}

/// Why ncu failed, in its own words.
fn reason(log: &str, output: &Output) -> String {
    let said = String::from_utf8_lossy(&output.stderr);
    let error = log.lines().chain(said.lines()).find(|line| line.starts_with("==ERROR=="));
    error.or(said.lines().last()).unwrap_or("it said nothing").into()
}

/// The launches of a page of raw values: a line of names, one of units, and one per launch.
fn launches(log: &str) -> Result<Vec<Launch>> {
    let page: String = log.lines().filter(|line| line.starts_with('"')).map(|line| format!("{line}\n")).collect();
    let mut reader = csv::Reader::from_reader(page.as_bytes());
    let names = reader.headers().context("ncu wrote no table")?.clone();
    let rows = reader.records().skip(1).collect::<Result<Vec<_>, _>>().context("a table of ncu")?;
    rows.iter().map(|row| launch(names.iter().zip(row))).collect()
}

fn launch<'a>(cells: impl Iterator<Item = (&'a str, &'a str)>) -> Result<Launch> {
    let (mut entry, mut metrics) = (String::new(), BTreeMap::new());
    for (name, value) in cells {
        if name == "Kernel Name" {
            entry = value.split('(').next().unwrap_or_default().into();
        } else if METRICS.contains(&name) || name.contains("_issue_stalled_") {
            let number = value.replace(',', "").parse().with_context(|| format!("{name} is {value:?}"))?;
            metrics.insert(name.to_owned(), number);
        }
    }
    match METRICS.iter().find(|&&metric| !metrics.contains_key(metric)) {
        Some(missing) => bail!("this version of ncu does not read {missing}"),
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
    fn launches_are_read_with_their_thousands() {
        let launches = launches(&page(&[("forces(float *, int)", 1.5), ("move(float *)", 234.0)])).unwrap();
        assert_eq!((launches[0].entry.as_str(), launches[0].time()), ("forces", 10001.5));
        assert_eq!(launches[1].metrics[&stalled("barrier")], 10234.0);
    }

    #[test]
    fn entry_points_may_have_the_size_of_a_block() {
        let launch = |entry: &str| Launch { entry: entry.into(), metrics: BTreeMap::new() };
        assert!(launch("computeForces").is_of("computeForces"));
        assert!(launch("computeForces_128").is_of("computeForces"));
        assert!(!launch("computeForces_Shared_128").is_of("computeForces"));
    }

    #[test]
    fn a_version_without_a_metric_is_named_by_it() {
        let page = page(&[("forces", 1.0)]).replace("dram__bytes_read", "dram__other");
        let error = launches(&page).err().unwrap().to_string();
        assert_eq!(error, "this version of ncu does not read dram__bytes_read.sum");
    }

    #[test]
    fn the_version_is_that_of_the_program() {
        let text = "NVIDIA (R) Nsight Compute Command Line Profiler\nVersion 2025.3.1.0 (build 36398880)\n";
        assert_eq!(version(text).unwrap(), "Nsight Compute 2025.3.1");
        assert_eq!(version("Nsight"), None);
    }
}
