//! Estimates every recorded launch, not only those of the tables: the points behind `{{evaluated}}`.
//!
//! `cargo run -p book -- estimates --all` writes `book/evaluation.json`, which takes many minutes. A slow test estimates some
//! of the points again.

use super::errors::Estimated;
use super::estimate_kernels::{RECORDED, STEPS, WAYS, estimate, launch};
use super::launches::{self, Evaluation, Point, Set};
use crate::fill::kernels::STAGES;
use crate::fill::records::{self, Records};
use anyhow::{Context, Result, ensure};
use common::device::DeviceChoice;
use common::problem::Size;
use common::report::Record;
use common::session::Session;
use common::stage::{Grid, Plan, Rung, Shape, Stage};
use predict::{Gpu, H100, H200, Way};
use std::fs;
use std::path::Path;

/// The folder of the GPU of which the model has only the bandwidth of memory.
const HELD_OUT: &str = "../results/nvidia-h100";

/// The largest number of elements of a launch that is estimated: more take gigabytes of memory.
const MAX_ELEMENTS: usize = 1 << 26;

/// Of how many points a check estimates one again: an odd number, so that both ways are among them.
const SAMPLED: usize = 41;

/// The number of points after which the file is written.
const BETWEEN_WRITES: usize = 16;

/// Estimates all recorded launches, and writes the points. What the file has of the same sources is kept, so that an
/// interrupted run goes on.
///
/// # Errors
/// Returns an error if a record cannot be read, a kernel cannot be loaded, or the file cannot be written.
pub fn write(book: &Path) -> Result<()> {
    let sources = launches::sources(book)?;
    let kept: Option<Evaluation> = records::read(&launches::file(book)).ok();
    let kept = kept.filter(|kept| kept.sources == sources).map_or_else(Vec::new, |kept| kept.points);
    let mut all = Evaluation { sources, missing: 0, points: Vec::new() };
    let mut jobs: Vec<Job> = STAGES.iter().map(|stage| jobs(book, stage)).collect::<Result<Vec<_>>>()?.concat();
    jobs.sort_by_key(|job| job.set);
    all.missing = jobs.len();
    let mut session = Session::open(DeviceChoice::Emulator, None)?;
    for (number, job) in jobs.iter().enumerate() {
        let known = kept.iter().find(|point| job.is_of(point)).cloned();
        all.points.push(match known {
            Some(point) => point,
            None => point(&mut session, job)?,
        });
        all.missing = jobs.len() - all.points.len();
        if number % BETWEEN_WRITES == 0 || all.missing == 0 {
            eprintln!("{} of {} launches", all.points.len(), jobs.len());
            save(book, &all)?;
        }
    }
    Ok(())
}

fn save(book: &Path, all: &Evaluation) -> Result<()> {
    let lines: Vec<String> = all.points.iter().map(serde_json::to_string).collect::<Result<_, _>>()?;
    let sources = &all.sources;
    let missing = all.missing;
    let text =
        format!("{{\"sources\": \"{sources}\", \"missing\": {missing}, \"points\": [\n{}\n]}}\n", lines.join(",\n"));
    let file = launches::file(book);
    fs::write(&file, text).with_context(|| format!("cannot write {}", file.display()))
}

/// Estimates some of the points again and compares them with those that were written.
///
/// # Errors
/// Returns an error with the first point that differs, or as [`write()`] does.
pub fn compare_sample(book: &Path) -> Result<()> {
    let written: Evaluation = records::read(&launches::file(book))?;
    let mut session = Session::open(DeviceChoice::Emulator, None)?;
    // The references of stage 8 take longer than all others.
    for stage in STAGES.iter().filter(|stage| stage.name != "stage08-matmul") {
        for job in jobs(book, stage)?.iter().step_by(SAMPLED) {
            let Some(known) = written.points.iter().find(|point| job.is_of(point)) else { continue };
            let point = point(&mut session, job)?;
            ensure!(
                point == *known,
                "{point:?} instead of {known:?}: `cargo run -p book -- estimates --all` writes book/evaluation.json"
            );
        }
    }
    Ok(())
}

/// A launch to estimate.
#[derive(Clone)]
struct Job {
    set: Set,
    way: Way,
    plan: Plan<'static>,
    record: Record,
}

impl Job {
    fn is_of(&self, point: &Point) -> bool {
        let Record { kernel, size, parameters, grid, block, .. } = &self.record;
        let launch = (&point.kernel, &point.size, &point.parameters, &point.grid, &point.block);
        (point.set, point.way) == (self.set, self.way) && launch == (kernel, size, parameters, grid, block)
    }
}

/// Returns the launches of a stage's records, by their sizes, so that those of one size share their inputs.
fn jobs(book: &Path, stage: &'static Stage) -> Result<Vec<Job>> {
    let mut jobs: Vec<Job> = Vec::new();
    for (set, records) in read_records(book, stage)? {
        for record in records.list() {
            let Some(plan) = plan(stage, record) else { continue };
            let is_known = |job: &Job| job.set == set && is_same(&job.record, record);
            if record.verified && record.time_ms.is_some() && !jobs.iter().any(is_known) {
                jobs.extend(WAYS.map(|way| Job { set, way, plan: plan.clone(), record: record.clone() }));
            }
        }
    }
    jobs.sort_by_key(|job| (job.record.problem.clone(), job.record.size));
    Ok(jobs)
}

fn read_records(book: &Path, stage: &Stage) -> Result<Vec<(Set, Records)>> {
    let own = book.join(RECORDED);
    let held_out = book.join(HELD_OUT);
    Ok(vec![
        (Set::Shapes, Records::others(&own, stage.name, "sweep")?),
        (Set::Sizes, Records::others(&own, stage.name, "sizes")?),
        (Set::Sizes, Records::others(&own, stage.name, "heads")?),
        (Set::H100, Records::in_folder(&held_out, stage.name)?),
        (Set::H100, Records::others(&held_out, stage.name, "sweep")?),
    ])
}

fn is_same(one: &Record, other: &Record) -> bool {
    let launch = |record: &Record| (record.size, record.parameters.clone(), record.grid, record.block);
    one.kernel == other.kernel && launch(one) == launch(other)
}

/// Returns the plan of a recorded launch; `None` if the kernel is another stage's or has changed since, and for a launch that
/// is too large.
fn plan(stage: &'static Stage, record: &Record) -> Option<Plan<'static>> {
    let is_of = |rung: &&&Rung| rung.kernel == record.kernel && !stage.is_baseline(rung);
    let rung = stage.rungs.iter().find(is_of)?;
    if record.size > MAX_ELEMENTS || record.kernel_sha256.as_deref() != Some(&rung.version(false)) {
        return None;
    }
    let steps = record.steps.map(|steps| steps.min(STEPS));
    let parameters = record.parameters.clone().unwrap_or_default();
    let size = Size { steps, seed: record.seed, parameters, ..Size::new(record.size) };
    let grid = matches!(rung.grid, Grid::Stride(_)).then(|| record.grid.iter().product());
    let plan = Plan::new(rung, size, Shape { grid, block: record.block.iter().product() }).ok()?;
    (launch(&plan) == (record.grid, record.block)).then_some(plan)
}

fn gpu(set: Set) -> &'static Gpu {
    if set == Set::H100 { &H100 } else { &H200 }
}

fn point(session: &mut Session, job: &Job) -> Result<Point> {
    let gpu = gpu(job.set);
    let record = job.record.clone();
    let time = record.time_ms.context("a record without a time")?;
    let (estimate, _) = estimate(session, &job.plan, record.steps, (job.way, gpu))?;
    Ok(Point {
        set: job.set,
        way: job.way,
        problem: record.problem,
        kernel: record.kernel,
        size: record.size,
        parameters: record.parameters,
        grid: record.grid,
        block: record.block,
        measured_ns: (time.median * 1e6).round() as u64,
        estimate: estimate.as_ref().map(Estimated::new).map_err(Clone::clone),
    })
}
