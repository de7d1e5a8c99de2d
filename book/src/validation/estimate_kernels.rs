//! Estimates the recorded kernels as if there were no record: the rows behind `{{estimates}}`.
//!
//! `cargo run -p book -- estimates` writes `book/estimates.json` from the PTX, and `book/estimates-machine-code.json` from machine
//! code, which takes minutes. A slow test compares the files with what it would write.

use super::errors::Estimated;
use super::kernels::{self, Group, Row, Taken};
use crate::fill::kernels::STAGES;
use crate::fill::profile::{Profile, Profiles};
use crate::fill::records::{self, Records};
use crate::fill::twins::has_twin;
use anyhow::{Context, Result, bail, ensure};
use common::device::{Backend, DeviceChoice};
use common::kernel::Resources;
use common::options::Options;
use common::problem::estimate_launches;
use common::report::Record;
use common::session::Session;
use common::stage::{Plan, Stage};
use predict::{Gpu, H200, Prediction, RunEstimate, Way};
use std::fs;
use std::path::Path;

/// The folder of `results` with the records of the GPU that the model describes.
pub(crate) const RECORDED: &str = "../results/nvidia-h200";

/// The ways, each with a file. A kernel whose machine code cannot be followed has the same estimate in both.
pub(crate) const WAYS: [Way; 2] = [Way::Ptx, Way::MachineCode];

/// The time steps that are estimated of problems with more: all are alike.
pub(crate) const STEPS: u32 = 2;

/// Estimates every recorded kernel, and writes the rows.
///
/// # Errors
/// Returns an error if a record cannot be read, a kernel cannot be loaded, or the file cannot be written.
pub fn write(book: &Path) -> Result<()> {
    let rows = rows(book)?;
    for way in WAYS {
        let own = rows.iter().filter(|(other, _)| *other == way);
        let lines: Vec<String> = own.map(|(_, row)| serde_json::to_string(row)).collect::<Result<_, _>>()?;
        let file = kernels::file(book, way);
        fs::write(&file, format!("[\n{}\n]\n", lines.join(",\n")))
            .with_context(|| format!("cannot write {}", file.display()))?;
    }
    Ok(())
}

/// Compares the rows with those that were written.
///
/// # Errors
/// Returns an error with the first row that differs, or as [`write()`] does.
pub fn compare(book: &Path) -> Result<()> {
    let all = rows(book)?;
    for way in WAYS {
        let written: Vec<Row> = records::read(&kernels::file(book, way))?;
        let rows: Vec<&Row> = all.iter().filter(|(other, _)| *other == way).map(|(_, row)| row).collect();
        let advice = "`cargo run -p book -- estimates` writes book/estimates.json and book/estimates-machine-code.json";
        ensure!(rows.len() == written.len(), "{} rows instead of {}: {advice}", rows.len(), written.len());
        if let Some((row, written)) = rows.into_iter().zip(&written).find(|(row, written)| row != written) {
            bail!("{row:?} instead of {written:?}: {advice}");
        }
    }
    Ok(())
}

/// Estimates every recorded kernel. A kernel that several stages show has one row.
///
/// # Errors
/// Returns an error if a record cannot be read or a kernel cannot be loaded.
fn rows(book: &Path) -> Result<Vec<(Way, Row)>> {
    let folder = book.join(RECORDED);
    let profiles = Profiles::read(&folder)?;
    let mut rows: Vec<(Way, Row)> = Vec::new();
    for in_rust in [false, true] {
        for stage in STAGES.iter().filter(|stage| !in_rust || stage.rungs.iter().any(|rung| has_twin(rung))) {
            let records = Records::in_folder(&folder, stage.name)?;
            let options = full_size(stage, in_rust)?;
            let group = group(stage, in_rust);
            // Kernels of one problem share their inputs and references, which take longer than the estimates.
            let mut session = Session::open(DeviceChoice::Emulator, None)?;
            for plan in options.plans(stage, Backend::Cuda)? {
                let kernel = plan.rung.kernel;
                let is_there = rows.iter().any(|(_, row)| row.group == group && row.kernel == kernel);
                let recorded = records.launches().find(|record| is_of(record, &plan)).filter(|_| !is_there);
                let Some((record, time)) = recorded.and_then(|record| Some((record, record.time_ms?))) else {
                    continue;
                };
                let recorded = taken(record.registers, record.occupancy).context("a record without registers")?;
                let profile = profiles.usual(kernel).filter(|_| !in_rust);
                for way in WAYS {
                    let (estimate, estimated) = estimate(&mut session, &plan, record.steps, (way, &H200))?;
                    let waits = estimate.as_ref().ok().and_then(kernels::waits);
                    let row = Row {
                        group,
                        problem: plan.facts().letter.to_owned(),
                        kernel: kernel.to_owned(),
                        measured_ns: (time.median * 1e6).round() as u64,
                        waits: waits.zip(profile.map(Profile::waits)).map(Into::into),
                        estimate: estimate.as_ref().map(Estimated::new).map_err(Clone::clone),
                        profiled: profile.and_then(Profile::limiter),
                        taken: (recorded, estimated),
                    };
                    rows.push((way, row));
                }
            }
        }
    }
    Ok(rows)
}

fn group(stage: &Stage, in_rust: bool) -> Group {
    match stage.name {
        _ if in_rust => Group::Rust,
        "stage08-matmul" | "stage09-patterns" => Group::Matmul,
        _ => Group::Cuda,
    }
}

/// Returns the options of a stage at the sizes of its record.
fn full_size(stage: &Stage, in_rust: bool) -> Result<Options> {
    let language = if in_rust { "rust" } else { "cuda" };
    let mut arguments = vec![stage.name, "--all-blocks", "--language", language];
    let has_steps = stage.rungs.iter().any(|rung| rung.work.facts().steps.is_some());
    let steps = STEPS.to_string();
    if has_steps {
        arguments.extend(["--steps", &steps]);
    }
    Ok(Options::parse_for(stage, arguments.into_iter().map(Into::into))?)
}

/// Returns whether a record is of a plan's kernel, size and launch.
fn is_of(record: &Record, plan: &Plan) -> bool {
    let is_kernel = record.kernel == plan.rung.kernel && record.language.is_rust() == plan.in_rust;
    is_kernel && record.size == plan.size.n && (record.grid, record.block) == launch(plan)
}

/// Returns the grid and the block of a plan.
pub(crate) fn launch(plan: &Plan) -> ([u32; 3], [u32; 3]) {
    let config = plan.config();
    (config.grid_dim.into(), config.block_dim.into())
}

fn taken(registers: Option<u32>, occupancy: Option<f64>) -> Option<Taken> {
    Some(Taken { registers: registers?, occupancy: occupancy? })
}

/// Estimates a run of a plan, with as many time steps as its record has, and what a launch takes.
pub(crate) fn estimate(
    session: &mut Session,
    plan: &Plan,
    steps: Option<u32>,
    (way, gpu): (Way, &Gpu),
) -> Result<(Result<RunEstimate, String>, Taken)> {
    let (launches, resources) = session.with_case(plan, |device, case| {
        device.set_estimated_gpu(gpu);
        if way == Way::Ptx {
            device.set_machine_code(None);
        }
        let launches = estimate_launches(case)?;
        let kernel = &case.setup().kernel;
        let shared_bytes = plan.config().shared_mem_bytes;
        let resources = Resources::new(device, kernel, plan.block, shared_bytes);
        Ok((launches, resources))
    })?;
    let all = steps.unwrap_or(1).max(1);
    let some = plan.size.steps.unwrap_or(1).max(1);
    let count = launches.len() * all as usize / some as usize;
    let launches: Vec<Prediction> = launches.iter().cycle().take(count).cloned().collect();
    let taken = taken(resources.registers, resources.occupancy).context("a kernel without registers")?;
    Ok((predict::run(gpu, launches), taken))
}
