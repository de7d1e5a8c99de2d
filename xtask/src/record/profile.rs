//! `--only profile`: what Nsight Compute reads while a stage's kernels run.
//!
//! The program runs as for its table, and then with as many bodies as fill an H200, for its kernels of problems A and D.
//! Nsight Compute empties the caches before each launch that it reads, and repeats it until all counters are read.

use super::programs::judge;
use anyhow::{Context, Result, bail, ensure};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// Which launches are read: the first two of each function.
const LAUNCHES: &str = ":::1|2";

/// Bodies at which each of an H200's 528 schedulers has eight warps.
const MANY_BODIES: &str = "131072";

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

/// A launch as Nsight Compute read it.
struct Launch {
    entry: String,
    metrics: BTreeMap<String, f64>,
}

impl Launch {
    /// Whether it is of the kernel, whose entry points may have the size of a block at their end.
    fn is_of(&self, kernel: &str) -> bool {
        let size = self.entry.strip_prefix(kernel).map(|rest| rest.trim_start_matches('_'));
        size.is_some_and(|size| size.bytes().all(|byte| byte.is_ascii_digit()))
    }

    fn time(&self) -> f64 {
        self.metrics.get(TIME).copied().unwrap_or(0.0)
    }
}

/// Profiles a stage's own kernels; gives a record for each, as a line of JSON.
///
/// A rung without a function of its own, such as a graph of another's launches, has none.
///
/// # Errors
/// No `ncu`, no permission to read counters, or a kernel with wrong results.
pub fn records(program: &Path, options: &[String], earlier: &[PathBuf]) -> Result<Vec<String>> {
    let others = earlier.iter().map(|program| kernels(program)).collect::<Result<Vec<_>>>()?.concat();
    let own: Vec<_> = kernels(program)?.into_iter().filter(|kernel| !others.contains(kernel)).collect();
    let mut records = of_kernels(program, options, own.iter())?;
    let with_bodies: Vec<_> = own.iter().filter(|(letter, _)| letter == "A" || letter == "D").collect();
    if !with_bodies.is_empty() {
        let options = [options, &["--n".into(), MANY_BODIES.into()]].concat();
        records.extend(of_kernels(program, &options, with_bodies.into_iter())?);
    }
    Ok(records)
}

/// Letters of problems and names of kernels, as `--list` prints them.
fn kernels(program: &Path) -> Result<Vec<(String, String)>> {
    let output = Command::new(program).arg("--list").output();
    let output = output.with_context(|| format!("cannot start {}", program.display()))?;
    ensure!(output.status.success(), "{} --list failed", program.display());
    let text = String::from_utf8(output.stdout)?;
    let name = |line: &str| {
        let mut words = line.split_whitespace().map(str::to_owned);
        Some((words.next()?, words.next()?))
    };
    Ok(text.lines().skip(1).filter_map(name).collect())
}

/// The program's own records of kernels, each with the readings of its function's longest launch.
fn of_kernels<'a>(
    program: &Path,
    options: &[String],
    kernels: impl Iterator<Item = &'a (String, String)>,
) -> Result<Vec<String>> {
    let chosen = kernels.flat_map(|(_, kernel)| ["--kernel".to_owned(), kernel.clone()]);
    let options: Vec<String> = options.iter().cloned().chain(chosen).collect();
    let readings = tempfile::NamedTempFile::new().context("no temporary file for the readings")?;
    let output = profiled(program, &options, readings.path())?;
    let log = fs::read_to_string(readings.path()).context("cannot read what ncu wrote")?;
    ensure!(output.status.success(), "ncu: {}", reason(&log, &output));
    let launches = launches(&log)?;
    let text = String::from_utf8_lossy(&output.stdout);
    let lines = text.lines().filter(|line| line.starts_with('{'));
    let records = lines.map(|line| judge(line).and_then(|()| Ok(serde_json::from_str::<Value>(line)?)));
    let records = records.collect::<Result<Vec<_>>>()?;
    let read = records.iter().filter_map(|record| Some(joined(record, longest(record, &launches)?).to_string()));
    let read: Vec<String> = read.collect();
    ensure!(!read.is_empty(), "ncu saw no kernel of the program: {}", reason(&log, &output));
    Ok(read)
}

/// The longest launch of the record's kernel.
fn longest<'a>(record: &Value, launches: &'a [Launch]) -> Option<&'a Launch> {
    let kernel = record["kernel"].as_str()?;
    let own = launches.iter().filter(|launch| launch.is_of(kernel));
    own.max_by(|one, other| one.time().total_cmp(&other.time()))
}

fn profiled(program: &Path, options: &[String], log: &Path) -> Result<Output> {
    let metrics: Vec<String> = METRICS.iter().map(|&metric| metric.into()).chain(REASONS.map(stalled)).collect();
    let mut ncu = Command::new("ncu");
    // clocks stay as they are in the tables
    ncu.args(["--clock-control", "none", "--kernel-id", LAUNCHES, "--metrics", &metrics.join(",")]);
    ncu.args(["--csv", "--page", "raw", "--print-units", "base", "--log-file"]).arg(log);
    let output = ncu.arg(program).args(options).stdin(Stdio::null()).output();
    output.map_err(|error| match error.kind() {
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

/// What a record needs to say which launch was read, and the readings.
fn joined(record: &Value, launch: &Launch) -> Value {
    const KEPT: [&str; 13] = [
        "stage",
        "problem",
        "kernel",
        "size",
        "steps",
        "parameters",
        "grid",
        "block",
        "device",
        "driver",
        "kernel_sha256",
        "date",
        "verified",
    ];
    let kept = KEPT.iter().map(|&name| (name.to_owned(), record[name].clone()));
    let own = [("entry".to_owned(), json!(launch.entry)), ("metrics".to_owned(), json!(launch.metrics))];
    Value::Object(kept.chain(own).collect::<Map<_, _>>())
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
        let record = |kernel: &str| json!({"kernel": kernel});
        assert_eq!(longest(&record("move"), &launches).unwrap().time(), 10234.0);
        assert!(longest(&record("for"), &launches).is_none());
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
    fn readings_join_the_record() {
        let record = json!({"kernel": "forces", "size": 1024, "time_ms": {"median": 1.0}});
        let read = launches(&page(&[("forces", 1.0)])).unwrap();
        let joined = joined(&record, &read[0]);
        assert_eq!((&joined["kernel"], &joined["size"]), (&json!("forces"), &json!(1024)));
        assert_eq!(joined["time_ms"], Value::Null);
        assert_eq!(joined["metrics"]["dram__bytes_read.sum"], json!(10001.0));
    }
}
