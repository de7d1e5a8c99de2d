//! The time that a kernel would take on a GPU, at a size that fills it.
//!
//! Only a part of such a launch runs. The machine code of a learner's kernel is not known here, so the estimate is made from
//! the PTX.

use crate::device::How;
use crate::error::Error;
use crate::set::{Case, Exercise};
use crate::submission::Submission;
use predict::{H200, RunEstimate};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::fmt;

/// The estimated time of a learner's kernel, beside that of the solution.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Estimated {
    /// The name of the case at its full size.
    pub case: String,
    /// The estimate of the learner's kernel, or the reason why there is none.
    pub learners: Result<RunEstimate, String>,
    /// The estimate of the solution, unless there is none.
    pub solution: Option<RunEstimate>,
    /// Whether another compiler made the solution's PTX than the learner's, so that the two differ for this reason too.
    pub differs_in_compiler: bool,
}

/// Estimates the first case on an H200; `None` if the card has no full size for it.
pub(crate) fn estimate(
    exercise: &Exercise,
    solution: &Submission,
    submission: &Submission,
) -> Result<Option<Estimated>, Error> {
    let full = exercise.card.cases.first().map(Case::full).transpose().map_err(|reason| exercise.invalid(reason))?;
    let Some(case) = full.flatten() else { return Ok(None) };
    let learners = follows_sizes(exercise, submission, &case)
        .and_then(|()| run(exercise, submission, &case).map_err(|error| error.to_string()))
        .and_then(|run| run);
    let is_solution = submission.ptx == solution.ptx;
    let solution = if is_solution { learners.clone() } else { run(exercise, solution, &case)? };
    Ok(Some(Estimated { case: case.name, learners, solution: solution.ok(), differs_in_compiler: false }))
}

/// A launch line of numbers alone would leave out most of the larger problem.
fn follows_sizes(exercise: &Exercise, submission: &Submission, full: &Case) -> Result<(), String> {
    let usual = submission.launch_line(exercise, &exercise.card.cases[0])?;
    let has_changed = usual.is_none() || usual != submission.launch_line(exercise, full)?;
    has_changed.then_some(()).ok_or_else(|| "the launch is the same for every size: write it as in `n / 128`".into())
}

fn run(exercise: &Exercise, kernel: &Submission, case: &Case) -> Result<Result<RunEstimate, String>, Error> {
    let scenes = kernel.run(exercise, case, How::Set)?.scenes;
    let launches = scenes.iter().map(|scene| predict::predict(&H200, scene, None).into());
    Ok(predict::run(&H200, launches.collect()))
}

impl Estimated {
    /// Returns the estimates as JSON.
    #[must_use]
    pub fn json(&self) -> Value {
        let learners = self.learners.as_ref();
        json!({
            "differs_in_compiler": self.differs_in_compiler,
            "case": self.case, "kernel": learners.ok(), "no_estimate_because": learners.err(), "solution": self.solution,
        })
    }
}

impl fmt::Display for Estimated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let on = H200.phrase();
        let case = &self.case;
        let learners = match &self.learners {
            Ok(learners) => learners,
            Err(reason) => return write!(f, "{on} with {case}: no estimated time, because {reason}"),
        };
        let band = learners.band_text();
        let limiter = learners.limited_by();
        let way = learners.way.name();
        write!(f, "{on} with {case}: {band}, limited by {limiter}")?;
        let by = if self.differs_in_compiler { ", by another compiler" } else { "" };
        self.solution.iter().try_for_each(|solution| write!(f, "; the solution{by}: {}", solution.band_text()))?;
        write!(f, "\n    (ESTIMATED from {way}, not measured)")
    }
}
