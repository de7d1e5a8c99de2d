//! Problem D: time steps of a galaxy, from one pair of buffers to another.
//!
//! aᵢ = Σ mⱼ r⃗ / (|r⃗|² + ε²)^(3/2), x' = x + v dt + ½ a dt², v' = v + a dt. A step is compared with a reference
//! step from the state before it, which the kernels leave in the old buffers.
//!
//! The galaxy is a Mestel disc with some dispersion. A disc in plain circular rotation flew apart into a ring within a
//! few hundred steps of the published first-order integrator; `--render` shows the difference.

mod film;
mod layout;

pub use layout::{Buffers, Stepping};
pub use reference::galaxy::Disc;
pub use reference::galaxy::{EPSILON_SQUARED, ExpectedState, Float4, State, TIME_STEP};

use super::facts::pairs;
use super::forces::FLOPS_PER_INTERACTION;
use super::{Cost, Definition, Facts, FileOption, Launch, LaunchResult, Prepared, Rate, Size, Steps, Written};
use crate::error::Error;
use crate::progress;
use crate::verify::Report;
use emulator::Sample;
use film::{Film, steps_between_frames};
use reference::galaxy::{Energy, energy};
use std::path::Path;

/// Time steps of a galaxy, computed by one launch function on data in the layout `L`.
#[derive(Clone, Copy, Debug)]
pub struct Galaxy<L> {
    /// Launches one step.
    pub launch: fn(&Launch, &mut L) -> LaunchResult,
}

const FILM: FileOption = FileOption {
    name: "render",
    value_name: "FILE.gif",
    help: "Film the galaxy over --steps steps, as an animated GIF; for the first kernel that moves one",
    refusal: "no chosen kernel moves a galaxy",
    extension: Some(("gif", "a film is an animated GIF; name a file that ends in .gif")),
    requires: Some("steps"),
};

impl<L: Stepping> Definition for Galaxy<L> {
    const FACTS: &'static Facts = &Facts {
        steps: Some(Steps { published: 1, emulated: 1 }),
        emulated_n: 4096,
        work: pairs,
        files: &[FILM],
        ..Facts::new(
            "D",
            "galaxy step",
            ["body", "bodies"],
            [16384, 1 << 20],
            Rate::arithmetic("GFLOP/s, 20 operations per interaction."),
        )
    };

    type Layout = L;

    fn launch(&self, launch: &Launch, layout: &mut L) -> LaunchResult {
        (self.launch)(launch, layout)
    }

    fn run(case: &mut Prepared<Self>) -> Result<(), Error> {
        for step in 0..case.steps {
            if step > 0 {
                case.layout.buffers().swap();
            }
            case.launch_kernel()?;
        }
        Ok(())
    }

    fn verify(case: &mut Prepared<Self>) -> Result<Report, Error> {
        Self::restore(case)?;
        // Each step has the same counts, and counting takes time.
        case.setup.device.set_counters(false);
        for _ in 1..case.steps {
            case.launch_kernel()?;
            case.layout.buffers().swap();
        }
        // Values written by the step before must not pass as values of the last one.
        case.layout.buffers().poison(&case.setup)?;
        case.setup.device.set_counters(true);
        case.launch_kernel()?;
        case.setup.finish_and_count()?;
        Self::check(case)
    }

    fn check(case: &mut Prepared<Self>) -> Result<Report, Error> {
        let new = case.results()?;
        if case.steps == 1 {
            return Ok(case.inputs.check(&new, L::MORE_ROUNDINGS));
        }
        let old = case.layout.buffers().before(&case.setup)?;
        Ok(old.stepped(case.inputs.sample()).check(&old, &new, L::MORE_ROUNDINGS))
    }

    /// Runs no sample of several steps, of which each needs all results of the one before.
    fn verify_sample(case: &mut Prepared<Self>) -> Result<Option<Report>, Error> {
        if case.steps > 1 {
            return Ok(None);
        }
        Self::restore(case)?;
        case.run_sample()
    }

    fn check_written(case: &mut Prepared<Self>, sample: &Sample) -> Result<Option<Report>, Error> {
        let Some(count) = case.setup.values_of(sample, case.inputs.state.position.len()) else { return Ok(None) };
        Ok(Some(case.inputs.check_written(&case.results()?, L::MORE_ROUNDINGS, count)))
    }

    fn cost(case: &Prepared<Self>) -> Cost {
        let n = case.inputs.state.position.len() as f64;
        let interactions = n * n * f64::from(case.steps);
        Cost {
            amount: interactions * FLOPS_PER_INTERACTION,
            interactions: Some(interactions),
            bytes_needed_by_a_launch: n * 4.0 * 16.0,
        }
    }

    /// Films the galaxy, and reports the drift of its energy.
    fn write(case: &mut Prepared<Self>, _: &str, path: &Path) -> Result<Written, Error> {
        case.setup.device.set_counters(false);
        let energy = case.film(path);
        case.setup.device.set_counters(true);
        let energy = energy?;
        let Energy { first, last } = energy;
        let drift = energy.drift().map_or("-".into(), |drift| format!("{:+.2}%", 100.0 * drift));
        let size = Size { steps: Some(case.steps), ..Size::new(case.inputs.state.position.len()) };
        let size = Self::FACTS.describe_size(&size);
        let lines = vec![
            format!("Film, {}, {size}: {}", case.setup.name, path.display()),
            format!(
                "Energy over these steps: {first:.6} to {last:.6}, drift {drift}; the tutorial's steps are of first order."
            ),
        ];
        let drift = energy.drift().filter(|drift| drift.is_finite());
        Ok(Written {
            lines,
            report: Report::default(),
            measured: Vec::from_iter(drift.map(|drift| ("energy_drift", drift))),
        })
    }
}

impl<L: Stepping> Prepared<'_, Galaxy<L>> {
    /// Runs from the start and films the first state, and the state after every few steps.
    fn film(&mut self, path: &Path) -> Result<Energy, Error> {
        self.layout.restore(&self.setup)?;
        let mut film = Film::create(path)?;
        let between = steps_between_frames(self.steps);
        let title = format!("{}: {}", self.setup.name, path.display());
        let bar = progress::step_bar(title, self.steps.into());
        film.add(self.inputs.state.seen_from_above())?;
        for step in 1..=self.steps {
            self.launch_kernel()?;
            self.layout.buffers().swap();
            if step % between == 0 {
                self.setup.finish()?;
                bar.set_position(step.into());
                film.add(self.layout.buffers().before(&self.setup)?.seen_from_above())?;
            }
        }
        self.setup.finish()?;
        bar.finish_and_clear();
        film.finish()?;
        Ok(Energy { first: self.inputs.energy(), last: energy(&self.layout.buffers().before(&self.setup)?) })
    }
}
