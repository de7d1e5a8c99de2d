//! The kernels of the stages, which run as their programs do.

use super::{BOTH, Row};
use crate::command::{self, cargo};
use crate::workspace::Workspace;
use anyhow::{Context, Result, ensure};
use serde_json::Value;
use std::process::Command;

/// The options of each run beside the compiler and the size.
const OPTIONS: [&str; 4] = ["--device", "emulator", "--json", "--counters"];

/// A size at which the slowest kernel takes seconds.
const SIZE: &str = "1024";

/// Stage 8, whose products of n rows take n³ steps, and its size.
const MATMUL: (&str, &str) = ("stage08-matmul", "256");

/// The kernel that is left out: its blocks poll a counter, and how often they do differs from run to run.
const POLLING: &str = "periodicPersistent";

/// Stage 7 has rungs of several processes in place of kernels, and its own loader.
const MANY: &str = "stage07-many";

/// Builds and runs the stages with both compilers. A kernel is a row of the first stage that has it.
///
/// # Errors
/// Returns an error if a stage fails or a result is wrong.
pub fn rows(workspace: &Workspace) -> Result<Vec<Row>> {
    let stages: Vec<String> = workspace.stages()?.into_iter().filter(|stage| stage != MANY).collect();
    let packages = stages.iter().flat_map(|name| ["--package", name]);
    command::run(cargo().current_dir(&workspace.root).arg("build").args(packages))?;
    let mut rows: Vec<Row> = Vec::new();
    for stage in stages {
        let [nvrtc, clang] = BOTH.map(|choice| counts(workspace, &stage, &choice.to_string()));
        for ((kernel, nvrtc), (same, clang)) in nvrtc?.into_iter().zip(clang?) {
            ensure!(kernel == same, "{stage}: the records are of {kernel} and {same}");
            if kernel != POLLING && rows.iter().all(|row| row.kernel != kernel) {
                rows.push(Row { group: stage.clone(), kernel, instructions: [nvrtc, clang] });
            }
        }
    }
    Ok(rows)
}

/// Returns the kernels of a stage with their warp instructions.
fn counts(workspace: &Workspace, stage: &str, compiler: &str) -> Result<Vec<(String, u64)>> {
    let mut program = Command::new(workspace.target.join("debug").join(stage));
    let size = if stage == MATMUL.0 { MATMUL.1 } else { SIZE };
    let output = program.args(OPTIONS).args(["--n", size, "--compiler", compiler]).output();
    let output = output.with_context(|| format!("cannot start {stage}"))?;
    let errors = String::from_utf8_lossy(&output.stderr);
    let last = errors.lines().last().unwrap_or_default();
    ensure!(output.status.success(), "{stage} --compiler {compiler}: {last}");
    let records = String::from_utf8_lossy(&output.stdout).into_owned();
    records.lines().map(|line| count(line).with_context(|| format!("{stage} --compiler {compiler}: {line}"))).collect()
}

fn count(record: &str) -> Result<(String, u64)> {
    let record: Value = serde_json::from_str(record)?;
    let kernel = record["kernel"].as_str().context("no kernel")?.to_owned();
    ensure!(record["verified"] == true, "{kernel} is wrong");
    Ok((kernel, record["counters"]["warp_instructions"].as_u64().context("no count")?))
}
