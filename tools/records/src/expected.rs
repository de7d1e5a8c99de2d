//! The repository's side of a record: the kernels with their launches, and the amount of their work.

use crate::STAGES;
use crate::file::Name;
use anyhow::{Context, Result};
use common::problem::{DEFAULT_SEED, Parameters, Size};
use common::recorded::results::short_name;
use common::recorded::{EMULATOR, Language};
use common::report::Record;
use common::stage::{Plan, Shape, Stage};
use std::fs;
use std::path::Path;

/// A kernel in a language, in its default launch at the tutorial's size.
#[derive(Clone, Debug)]
pub struct Expected {
    /// The stage whose own kernel it is.
    pub stage: &'static Stage,
    /// The launch.
    pub plan: Plan<'static>,
}

impl Expected {
    /// Returns the kernel's name.
    #[must_use]
    pub fn name(&self) -> Name {
        Name { stage: self.stage.name.into(), kernel: self.plan.rung.kernel.into(), in_rust: self.plan.in_rust }
    }

    /// Returns why a device of this compute capability cannot run the kernel; `None` if it can.
    #[must_use]
    pub fn unfit_for(&self, own: (i32, i32)) -> Option<String> {
        self.plan.lacks(own).map(|lacking| format!("it needs {lacking}"))
    }
}

/// Returns the own kernels of all stages: first those in CUDA C++, and then their Rust versions.
///
/// # Errors
/// A stage's, if a default launch is not accepted.
pub fn all() -> Result<Vec<Expected>> {
    let mut all = Vec::new();
    for stage in STAGES {
        for rung in stage.rungs.iter().copied().filter(|rung| !stage.is_baseline(rung)) {
            let facts = rung.work.facts();
            let steps = facts.steps.map(|steps| steps.published);
            let size = Size { n: facts.n, steps, seed: DEFAULT_SEED, parameters: Parameters::default() };
            let plan = Plan::new(rung, size, Shape::block(rung.block))?;
            all.push(Expected { stage, plan });
        }
    }
    let twins = all.iter().filter_map(|one| Some(Expected { stage: one.stage, plan: one.plan.in_rust()? }));
    let twins: Vec<Expected> = twins.collect();
    all.extend(twins);
    Ok(all)
}

/// The work of a launch, from the records in `results`.
#[derive(Debug)]
pub struct Work {
    /// The emulator's, which have the bytes of every launch.
    counted: Vec<Record>,
    /// A GPU's, whose rates have the amounts of every problem.
    timed: Vec<Record>,
}

/// The folder of the GPU that has records of all problems.
const REFERENCE: &str = "nvidia-h200";

impl Work {
    /// Reads the records in the folder `results`, as far as they are there.
    ///
    /// # Errors
    /// The file that cannot be read, and the reason.
    pub fn read(results: &Path) -> Result<Self> {
        let read = |device: &str| -> Result<Vec<Record>> {
            let files = STAGES.map(|stage| results.join(device).join(format!("{}.json", short_name(stage))));
            let lists = files.iter().filter(|file| file.is_file()).map(|file| {
                let context = || format!("cannot read {}", file.display());
                let text = fs::read_to_string(file).with_context(context)?;
                serde_json::from_str(&text).with_context(context)
            });
            Ok(lists.collect::<Result<Vec<Vec<Record>>>>()?.concat())
        };
        Ok(Self { counted: read(EMULATOR)?, timed: read(REFERENCE)? })
    }

    /// Returns the bytes that a launch must move; `None` if it was not counted.
    #[must_use]
    pub fn bytes(&self, plan: &Plan) -> Option<f64> {
        let is_of = |record: &&Record| record.kernel == plan.rung.kernel && is_of_size(record, plan);
        let of_language = |record: &&Record| record.language == Language::from_plan(plan);
        let all = || self.counted.iter().filter(is_of);
        all().find(of_language).or_else(|| all().next()).map(|record| record.bytes_needed)
    }

    /// Returns the work that the rate of a run counts; `None` if no kernel of the problem is recorded.
    #[must_use]
    pub fn amount(&self, plan: &Plan) -> Option<f64> {
        let facts = plan.facts();
        if facts.rate.unit == "GB/s" {
            return Some(self.bytes(plan)? * f64::from((facts.launches)(&plan.size)));
        }
        let record = self.of_problem(plan)?;
        Some(record.rate.as_ref()?.value * 1e9 * record.time_ms.as_ref()?.median / 1e3)
    }

    /// Returns the pairs of a run; `None` for a problem without, or without a record.
    #[must_use]
    pub fn interactions(&self, plan: &Plan) -> Option<f64> {
        let record = self.of_problem(plan)?;
        Some(record.interactions_per_second? * record.time_ms.as_ref()?.median / 1e3)
    }

    fn of_problem(&self, plan: &Plan) -> Option<&Record> {
        self.timed.iter().find(|record| record.problem == plan.facts().letter && is_of_size(record, plan))
    }
}

/// Returns whether a record has the size of a plan. The emulator's have one step, which has the bytes of all.
fn is_of_size(record: &Record, plan: &Plan) -> bool {
    let parameters = record.parameters.clone().unwrap_or_default();
    let has_steps = record.time_ms.is_none() || record.steps == plan.size.steps;
    has_steps && (record.size, &parameters) == (plan.size.n, &plan.size.parameters)
}
