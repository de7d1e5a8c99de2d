//! `cargo bench -p stage…`: the kernels of a stage and their twins in Rust under criterion, which keeps results and
//! compares with the last run.
//!
//! Kernel times are those of device events, of one run or one step. Where there is no GPU, only the CPU's own loop is
//! measured, which is there everywhere: emulated time says nothing. Emulator or GPU is chosen by `COALESCED_DEVICE`.

use crate::device::{Backend, DeviceChoice};
use crate::error::Error;
use crate::plan::Plan;
use crate::problem::{Facts, Size};
use crate::session::Session;
use crate::stage::{Rung, Shape, Stage};
use crate::timing::time_once;
use clap::ValueEnum;
use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, SamplingMode};
use std::process::ExitCode;
use std::time::Duration;

/// The `main` of a stage's bench. Criterion's own options work, a filter among them.
#[must_use]
pub fn run(stage: &Stage) -> ExitCode {
    match measure(stage) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(error.exit_status())
        }
    }
}

fn measure(stage: &Stage) -> Result<(), Error> {
    let mut session = Session::open(device()?, false)?;
    eprintln!("{}", session.device.banner());
    if session.device.backend == Backend::Emulator {
        eprintln!("No times of kernels here: only the CPU's own loops are measured.");
    }
    let criterion = Criterion::default().sample_size(10).warm_up_time(Duration::from_millis(500));
    let mut criterion = criterion.measurement_time(Duration::from_secs(2)).configure_from_args();
    let mut last: Option<&Facts> = None;
    for rung in stage.rungs {
        let (facts, plan) = (rung.work.facts(), published_plan(rung)?);
        let mut group = criterion.benchmark_group(format!("{} {}", facts.letter, plan.describe_size()));
        group.sampling_mode(SamplingMode::Flat);
        if last != Some(facts) {
            bench_cpu(&mut group, &mut session, &plan);
        }
        if session.device.backend == Backend::Cuda {
            bench_kernel(&mut group, &mut session, &plan)?;
            plan.in_rust().map_or(Ok(()), |twin| bench_kernel(&mut group, &mut session, &twin))?;
        }
        group.finish();
        last = Some(facts);
    }
    criterion.final_summary();
    Ok(())
}

/// `COALESCED_DEVICE`, as for the stage's program.
fn device() -> Result<DeviceChoice, Error> {
    let Ok(name) = std::env::var("COALESCED_DEVICE") else { return Ok(DeviceChoice::Auto) };
    DeviceChoice::from_str(&name, true).map_err(|reason| Error::Usage(format!("COALESCED_DEVICE={name}: {reason}")))
}

/// The published size and launch shape, one step of it.
fn published_plan(rung: &Rung) -> Result<Plan<'_>, Error> {
    let steps = rung.work.facts().default_steps(Backend::Cuda).map(|_| 1);
    let size = Size { steps, ..Size::of(rung.work.default_n(Backend::Cuda)) };
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

fn bench_kernel(group: &mut BenchmarkGroup<WallTime>, session: &mut Session, plan: &Plan) -> Result<(), Error> {
    session.with_case(plan, |device, case| {
        let report = case.verify()?;
        if let Some(failure) = report.examples.first() {
            let doing = format!("cannot measure {}", plan.name());
            return Err(Error::Driver { doing, reason: format!("its results are wrong: {failure}") });
        }
        let mut failed = None;
        group.bench_function(plan.name(), |bencher| {
            bencher.iter_custom(|runs| {
                let time = |_| time_once(device, case).map(|time_ms| Duration::from_secs_f64(time_ms / 1e3));
                // Criterion takes no error: it gets some time, and the error is reported after it.
                (0..runs).map(time).sum::<Result<_, _>>().unwrap_or_else(|error| {
                    failed = Some(error);
                    Duration::from_secs(1)
                })
            });
        });
        failed.map_or(Ok(()), Err)
    })
}
