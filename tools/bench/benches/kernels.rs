//! The kernels of the stages, in CUDA C++ and in Rust, under criterion, which keeps results and compares with the last run.
//!
//! `cargo bench -p bench --bench kernels` measures all stages, `cargo bench -p bench --bench kernels -- stage02` only those
//! whose names begin with `stage02`. Below criterion's lines, each stage has its tables with these times. Kernel times are
//! device-event times of one run, or of one step. Without a GPU, only the CPU's own loops are measured, because emulated time is
//! not GPU time. `COALESCED_DEVICE` chooses the device.

use clap::ValueEnum;
use common::Error;
use common::device::{Backend, DeviceChoice};
use common::outcome::Outcome;
use common::problem::{Facts, Size};
use common::recorded::of_the_other;
use common::report::{Readings, View, ceilings, table};
use common::session::{Run, Session};
use common::stage::{Plan, Rung, Shape, Stage};
use common::timing::{summary, time_once};
use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, SamplingMode};
use std::process::ExitCode;
use std::time::Duration;

const STAGES: [&Stage; 8] = [
    &stage01_naive::STAGE,
    &stage02_shared::STAGE,
    &stage03_unroll::STAGE,
    &stage04_shuffle::STAGE,
    &stage05_coulomb::STAGE,
    &stage06_limit::STAGE,
    &stage08_matmul::STAGE,
    &stage09_patterns::STAGE,
];

fn main() -> ExitCode {
    match measure() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(error.exit_status())
        }
    }
}

fn measure() -> Result<(), Error> {
    let mut session = Session::open(device()?, None)?;
    eprintln!("{}", session.device.banner());
    if session.device.backend == Backend::Emulator {
        eprintln!("Without a GPU, only the CPU's own loops are measured.");
    }
    if let Some(stage) = STAGES.first() {
        session.ceilings = ceilings(stage, &session.device, None, false).unwrap_or_default();
    }
    let criterion = Criterion::default().sample_size(10).warm_up_time(Duration::from_millis(500));
    let mut criterion = criterion.measurement_time(Duration::from_secs(2)).configure_from_args();
    for stage in chosen() {
        measure_stage(stage, &mut session, &mut criterion)?;
    }
    criterion.final_summary();
    Ok(())
}

/// Returns the stages that an argument names by the beginning of their names, or all. Criterion filters benchmarks by the
/// same argument, but only after their kernels were prepared and verified.
fn chosen() -> Vec<&'static Stage> {
    let is_named = |stage: &&Stage| std::env::args().skip(1).any(|argument| stage.name.starts_with(&argument));
    let named: Vec<&Stage> = STAGES.into_iter().filter(is_named).collect();
    if named.is_empty() { STAGES.to_vec() } else { named }
}

fn measure_stage(stage: &Stage, session: &mut Session, criterion: &mut Criterion) -> Result<(), Error> {
    session.recorded = of_the_other(stage, session.device.backend, None);
    let mut last: Option<&Facts> = None;
    let mut rows = Vec::new();
    for rung in stage.rungs {
        let facts = rung.work.facts();
        let plan = published_plan(rung)?;
        let mut group = criterion.benchmark_group(format!("{} {} {}", stage.name, facts.letter, plan.describe_size()));
        group.sampling_mode(SamplingMode::Flat);
        if last != Some(facts) {
            bench_cpu(&mut group, session, &plan);
        }
        if session.device.backend == Backend::Cuda {
            for plan in [Some(plan.clone()), plan.in_rust()].into_iter().flatten() {
                let times = bench_kernel(&mut group, session, &plan)?;
                // criterion leaves out what its filter does not name
                if !times.is_empty() {
                    let run = session.run(&plan, 1)?;
                    rows.push(Outcome::of_run(session, Run { timing: Some(summary(times)), ..run }));
                }
            }
        }
        group.finish();
        last = Some(facts);
    }
    if !rows.is_empty() {
        println!("\n{}\n{}", stage.name, summary_of(stage, session, &rows));
    }
    Ok(())
}

/// Returns the tables that the stage's program prints, with criterion's times.
fn summary_of(stage: &Stage, session: &Session, rows: &[Outcome]) -> String {
    let readings = Readings::read(stage).unwrap_or_default();
    let attributes = &session.device.attributes;
    let view = View {
        stage,
        attributes,
        rows,
        readings: &readings,
        is_sweep: false,
        chosen: None,
        with_counters: false,
        has_times: true,
    };
    table::render(&view)
}

/// `COALESCED_DEVICE`, as for the stage's program.
fn device() -> Result<DeviceChoice, Error> {
    let Ok(name) = std::env::var("COALESCED_DEVICE") else { return Ok(DeviceChoice::Auto) };
    DeviceChoice::from_str(&name, true).map_err(|reason| Error::Usage(format!("COALESCED_DEVICE={name}: {reason}")))
}

/// The published size and launch shape, one step of it.
fn published_plan(rung: &Rung) -> Result<Plan<'_>, Error> {
    let facts = rung.work.facts();
    let size = Size { steps: facts.steps.map(|_| 1), ..Size::new(facts.n) };
    Plan::new(rung, size, Shape::block(rung.block))
}

/// The loop on all cores in single precision.
fn bench_cpu(group: &mut BenchmarkGroup<WallTime>, session: &mut Session, plan: &Plan) {
    group.bench_function("CPU, all threads", |bencher| {
        bencher.iter_custom(|runs| {
            let time = |_| Duration::from_secs_f64(session.measure_on_cpu(plan).parallel_ms / 1e3);
            (0..runs).map(time).sum()
        });
    });
}

/// Measures a kernel and returns its times in milliseconds.
fn bench_kernel(group: &mut BenchmarkGroup<WallTime>, session: &mut Session, plan: &Plan) -> Result<Vec<f64>, Error> {
    session.with_case(plan, |device, case| {
        let report = case.verify()?;
        if let Some(failure) = report.examples.first() {
            let doing = format!("cannot measure {}", plan.name());
            return Err(Error::Driver { doing, reason: format!("its results are wrong: {failure}") });
        }
        let mut failed = None;
        let mut times = Vec::new();
        group.bench_function(plan.name(), |bencher| {
            bencher.iter_custom(|runs| {
                let time = |_| {
                    let time_ms = time_once(device, case)?;
                    times.push(time_ms);
                    Ok(Duration::from_secs_f64(time_ms / 1e3))
                };
                // Criterion takes no error: it gets some time, and the error is reported after it.
                (0..runs).map(time).sum::<Result<_, _>>().unwrap_or_else(|error| {
                    failed = Some(error);
                    Duration::from_secs(1)
                })
            });
        });
        failed.map_or(Ok(times), Err)
    })
}
