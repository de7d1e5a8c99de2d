//! `--only profile`: Nsight Compute's metrics of a stage's kernels.
//!
//! The program runs as for its table. Its kernels of problems A and D also run with as many bodies as fill an H200. Nsight
//! Compute flushes the caches before each launch, and repeats the launch until all counters are read.

mod ncu;

use super::judge::judge;
use anyhow::{Context, Result, ensure};
use ncu::Launch;
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The number of bodies for which each of an H200's 528 schedulers has eight warps.
const MANY_BODIES: &str = "131072";

/// Profiles the kernels of a stage that `earlier` programs do not have, and returns a record of each as a line of JSON.
///
/// A rung without its own function, such as a graph of another rung's launches, has no record.
///
/// # Errors
/// Returns an error if `ncu` or the permission to read counters is missing, or if a kernel has wrong results.
pub fn records(program: &Path, options: &[String], earlier: &[PathBuf]) -> Result<Vec<String>> {
    let others = earlier.iter().map(|program| kernels(program)).collect::<Result<Vec<_>>>()?.concat();
    let own: Vec<_> = kernels(program)?.into_iter().filter(|kernel| !others.contains(kernel)).collect();
    let tool = ncu::tool()?;
    let mut records = record_kernels(program, options, own.iter())?;
    let with_bodies: Vec<_> = own.iter().filter(|(letter, _)| letter == "A" || letter == "D").collect();
    if !with_bodies.is_empty() {
        let options = [options, &["--n".into(), MANY_BODIES.into()]].concat();
        records.extend(record_kernels(program, &options, with_bodies.into_iter())?);
    }
    let lines = records.into_iter().map(|mut record| {
        record["tool"] = json!(tool);
        record.to_string()
    });
    Ok(lines.collect())
}

/// Returns the letters of problems and the names of kernels of a program.
fn kernels(program: &Path) -> Result<Vec<(String, String)>> {
    let output = Command::new(program).args(["--list", "--json"]).output();
    let output = output.with_context(|| format!("cannot start {}", program.display()))?;
    ensure!(output.status.success(), "{} --list --json failed", program.display());
    String::from_utf8(output.stdout)?.lines().map(parse_listed).collect()
}

/// Returns problem and kernel of a line of `--list --json`.
fn parse_listed(line: &str) -> Result<(String, String)> {
    let kernel: Value = serde_json::from_str(line).with_context(|| format!("`{line}` is not a listed kernel"))?;
    let text = |field: &str| kernel[field].as_str().map(str::to_owned);
    text("problem").zip(text("kernel")).with_context(|| format!("`{line}` has no problem or kernel"))
}

/// Returns the program's records of kernels, each with the metrics of the longest launch of its function.
fn record_kernels<'a>(
    program: &Path,
    options: &[String],
    kernels: impl Iterator<Item = &'a (String, String)>,
) -> Result<Vec<Value>> {
    let chosen = kernels.flat_map(|(_, kernel)| ["--kernel".to_owned(), kernel.clone()]);
    let options: Vec<String> = options.iter().cloned().chain(chosen).collect();
    let reading = ncu::read(program, &options)?;
    let lines = reading.printed.lines().filter(|line| line.starts_with('{'));
    let records = lines.map(|line| judge(line).and_then(|()| Ok(serde_json::from_str::<Value>(line)?)));
    let records = records.collect::<Result<Vec<_>>>()?;
    let read = records.iter().filter_map(|record| Some(join(record, longest(record, &reading.launches)?)));
    let read: Vec<Value> = read.collect();
    ensure!(!read.is_empty(), "ncu saw no kernel of the program: {}", reading.complaint);
    Ok(read)
}

/// Returns the longest launch of the record's kernel.
fn longest<'a>(record: &Value, launches: &'a [Launch]) -> Option<&'a Launch> {
    let kernel = record["kernel"].as_str()?;
    let own = launches.iter().filter(|launch| launch.is_of(kernel));
    own.max_by(|one, other| one.time().total_cmp(&other.time()))
}

/// Returns the parts of a record that identify the launch, with the metrics.
fn join(record: &Value, launch: &Launch) -> Value {
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

    /// A launch of a kernel with a duration.
    fn launch(entry: &str, time: f64) -> Launch {
        Launch { entry: entry.into(), metrics: [("gpu__time_duration.sum".to_owned(), time)].into() }
    }

    #[test]
    fn the_longest_launch_of_a_kernel_is_chosen() {
        let launches = [launch("forces", 1.0), launch("move", 10.0), launch("move_128", 234.0)];
        let record = |kernel: &str| json!({"kernel": kernel});
        assert_eq!(longest(&record("move"), &launches).unwrap().time(), 234.0);
        assert!(longest(&record("for"), &launches).is_none());
    }

    #[test]
    fn metrics_are_added_to_the_record() {
        let record = json!({"kernel": "forces", "size": 1024, "time_ms": {"median": 1.0}});
        let joined = join(&record, &launch("forces", 10001.0));
        assert_eq!((&joined["kernel"], &joined["size"]), (&json!("forces"), &json!(1024)));
        assert_eq!(joined["time_ms"], Value::Null);
        assert_eq!(joined["metrics"]["gpu__time_duration.sum"], json!(10001.0));
    }
}
