//! Problem D: time steps of a galaxy, from one pair of buffers to another.
//!
//! aᵢ = Σ mⱼ r⃗ / (|r⃗|² + ε²)^(3/2), x' = x + v dt + ½ a dt², v' = v + a dt. A step is compared with a reference
//! step from the state before it, which the kernels leave in the old buffers.
//!
//! The galaxy is a Mestel disc with some dispersion. A disc in plain circular rotation flew apart into a ring within a
//! few hundred steps of the published first-order integrator; `--render` shows the difference.

mod film;
mod layout;

pub use layout::{Buffers, Layout};
pub use reference::galaxy::Disc;
pub use reference::galaxy::{EPSILON_SQUARED, ExpectedState, Float4, State, TIME_STEP};

use super::facts::of_pairs;
use super::forces::FLOPS_PER_INTERACTION;
use super::{
    Case, Cost, CpuTimes, Facts, FileOption, InputCache, Launch, LaunchResult, Prepared, Problem, Rate, Setup, Size,
    Steps, Written,
};
use crate::error::Error;
use crate::progress;
use crate::verify::Report;
use film::{Film, steps_between_frames};
use reference::galaxy::{Energy, energy};
use std::path::Path;

/// Time steps of a galaxy, computed by one launch function on data in the layout `L`.
#[derive(Clone, Copy, Debug)]
pub struct Galaxy<L> {
    /// Launches one step.
    pub launch: fn(&Launch, &mut L) -> LaunchResult,
}

static FACTS: Facts = Facts {
    steps: Some(Steps { published: 1, emulated: 1 }),
    emulated_n: 4096,
    work: of_pairs,
    files: &[FILM],
    ..Facts::new(
        "D",
        "galaxy step",
        ["body", "bodies"],
        [16384, 1 << 20],
        Rate::of_arithmetic("GFLOP/s, 20 operations per interaction."),
    )
};

const FILM: FileOption = FileOption {
    name: "render",
    value_name: "FILE.gif",
    help: "Film the galaxy over --steps steps, as an animated GIF; for the first kernel that moves one",
    refusal: "no chosen kernel moves a galaxy",
    extension: Some(("gif", "a film is an animated GIF; name a file that ends in .gif")),
    requires: Some("steps"),
};

impl<L: Layout> Problem for Galaxy<L> {
    fn facts(&self) -> &'static Facts {
        &FACTS
    }

    fn prepare<'a>(
        &'a self,
        inputs: &mut InputCache,
        setup: Setup<'a>,
        size: &Size,
    ) -> Result<Box<dyn Case + 'a>, Error> {
        let inputs = inputs.get::<Disc>(size);
        let layout = L::prepare(&setup, &inputs)?;
        Ok(Box::new(Prepared { problem: self, setup, inputs, layout, steps: size.step_count() }))
    }

    fn time_on_cpu(&self, inputs: &mut InputCache, size: &Size) -> CpuTimes {
        inputs.get::<Disc>(size).time_on_cpu(size.step_count())
    }
}

impl<L: Layout> Case for Prepared<'_, Galaxy<L>, Disc, L> {
    fn setup(&self) -> &Setup<'_> {
        &self.setup
    }

    fn restore(&mut self) -> Result<(), Error> {
        self.layout.restore(&self.setup)
    }

    fn launch(&mut self) -> Result<(), Error> {
        for step in 0..self.steps {
            if step > 0 {
                self.layout.swap();
            }
            self.step()?;
        }
        Ok(())
    }

    fn verify(&mut self) -> Result<Report, Error> {
        self.restore()?;
        // Each step has the same counts, and counting takes time.
        self.setup.device.set_counters(false);
        for _ in 1..self.steps {
            self.step()?;
            self.layout.swap();
        }
        // Values written by the step before must not pass as values of the last one.
        self.layout.poison(&self.setup)?;
        self.setup.device.set_counters(true);
        self.step()?;
        self.setup.finish_counted()?;
        self.recheck()
    }

    fn recheck(&mut self) -> Result<Report, Error> {
        let new = self.layout.after(&self.setup)?;
        if self.steps == 1 {
            return Ok(self.inputs.expected.check(&self.inputs.state, &new, L::MORE_ROUNDINGS));
        }
        let old = self.layout.before(&self.setup)?;
        Ok(old.stepped(self.inputs.sample()).check(&old, &new, L::MORE_ROUNDINGS))
    }

    fn cost(&self) -> Cost {
        let n = self.inputs.state.position.len() as f64;
        let interactions = n * n * f64::from(self.steps);
        Cost {
            amount: interactions * FLOPS_PER_INTERACTION,
            interactions: Some(interactions),
            bytes_needed_by_a_launch: n * 4.0 * 16.0,
        }
    }

    /// Films the galaxy, and reports the drift of its energy.
    fn write(&mut self, _: &str, path: &Path) -> Result<Written, Error> {
        self.setup.device.set_counters(false);
        let energy = self.film(path);
        self.setup.device.set_counters(true);
        let energy = energy?;
        let Energy { first, last } = energy;
        let drift = energy.drift().map_or("-".into(), |drift| format!("{:+.2}%", 100.0 * drift));
        let size = Size { steps: Some(self.steps), ..Size::of(self.inputs.state.position.len()) };
        let size = FACTS.describe_size(&size);
        let lines = vec![
            format!("Film, {}, {size}: {}", self.setup.name, path.display()),
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

impl<L: Layout> Prepared<'_, Galaxy<L>, Disc, L> {
    fn step(&mut self) -> Result<(), Error> {
        let Self { problem, setup, layout, .. } = self;
        setup.run(|launch| (problem.launch)(launch, layout))
    }

    /// Runs from the start and films the first state, and the state after every few steps.
    fn film(&mut self, path: &Path) -> Result<Energy, Error> {
        self.restore()?;
        let mut film = Film::create(path)?;
        let (between, title) = (steps_between_frames(self.steps), format!("{}: {}", self.setup.name, path.display()));
        let bar = progress::counted(title, self.steps.into());
        film.add(self.inputs.state.seen_from_above())?;
        for step in 1..=self.steps {
            self.step()?;
            self.layout.swap();
            if step % between == 0 {
                self.setup.finish()?;
                bar.set_position(step.into());
                film.add(self.layout.before(&self.setup)?.seen_from_above())?;
            }
        }
        self.setup.finish()?;
        bar.finish_and_clear();
        film.finish()?;
        Ok(Energy { first: self.inputs.energy(), last: energy(&self.layout.before(&self.setup)?) })
    }
}
