//! Compares estimates with what was measured on an H200: `cargo run --release -p bench --example estimates`.
//!
//! Each kernel of stages 1 to 6 is estimated at the size and in the shape of its record in `results/nvidia-h200`. No kernel
//! runs. Arguments are names of kernels; without any, all are compared. `--rust` estimates the kernels in Rust instead.

mod limiters;
mod records;
mod summary;

use common::device::{Backend, DeviceChoice, Estimating};
use common::error::Error;
use common::options::Options;
use common::session::Session;
use common::stage::{Plan, Stage};
use predict::{H200, Prediction, RunEstimate};
use records::Records;
use std::error::Error as StdError;
use std::time::Instant;
use summary::{Row, Summary};

const STAGES: [&Stage; 6] = [
    &stage01_naive::STAGE,
    &stage02_shared::STAGE,
    &stage03_unroll::STAGE,
    &stage04_shuffle::STAGE,
    &stage05_coulomb::STAGE,
    &stage06_limit::STAGE,
];

/// The time steps that are estimated of problems with more: all are alike.
const STEPS: u32 = 2;

fn main() -> Result<(), Box<dyn StdError>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let in_rust = arguments.iter().any(|argument| argument == "--rust");
    let is_chosen = |kernel: &str| {
        let mut names = arguments.iter().filter(|argument| !argument.starts_with("--")).peekable();
        names.peek().is_none() || names.any(|name| name == kernel)
    };
    let mut summary = Summary::default();
    for stage in STAGES {
        let (records, options) = (Records::of(stage)?, full_size(stage, in_rust)?);
        for plan in options.plans(stage, Backend::Cuda)?.iter().filter(|plan| is_chosen(plan.rung.kernel)) {
            let Some(recorded) = records.of_plan(plan).filter(|_| !summary.has(plan.rung.kernel)) else { continue };
            let (estimate, seconds) = estimate(plan, recorded.steps)?;
            summary.add(Row::new(plan, recorded, records.limiter(plan), estimate, seconds));
        }
    }
    summary.print();
    Ok(())
}

/// Returns the options of a stage at the sizes of its record.
fn full_size(stage: &Stage, in_rust: bool) -> Result<Options, Box<dyn StdError>> {
    let language = if in_rust { "rust" } else { "cuda" };
    let mut arguments = vec![stage.name, "--full-size", "--language", language];
    let has_steps = stage.rungs.iter().any(|rung| rung.work.facts().default_steps(Backend::Cuda).is_some());
    let steps = STEPS.to_string();
    if has_steps {
        arguments.extend(["--steps", &steps]);
    }
    Ok(Options::parse_for(stage, arguments.into_iter().map(Into::into))?)
}

/// Estimates a run of a plan, with as many time steps as its record has. Also returns the seconds that it took.
fn estimate(plan: &Plan, steps: Option<u32>) -> Result<(Result<RunEstimate, String>, f64), Error> {
    let mut session = Session::open(DeviceChoice::Emulator, None)?;
    let (launches, seconds) = session.with_case(plan, |device, case| {
        case.restore()?;
        let start = Instant::now();
        device.set_estimates(Estimating::Instead);
        let launched = case.launch().and_then(|()| case.setup().finish());
        device.set_estimates(Estimating::Off);
        let launches = device.take_estimates();
        Ok((launched.and(launches)?, start.elapsed().as_secs_f64()))
    })?;
    let (all, some) = (steps.unwrap_or(1).max(1), plan.size.steps.unwrap_or(1).max(1));
    let count = launches.len() * all as usize / some as usize;
    let launches: Vec<Prediction> = launches.iter().cycle().take(count).cloned().collect();
    Ok((predict::run(&H200, launches), seconds))
}
