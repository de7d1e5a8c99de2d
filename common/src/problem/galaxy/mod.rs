//! Problem D: steps of a galaxy, from one pair of buffers to another.
//!
//! aᵢ = Σ mⱼ r⃗ / (|r⃗|² + ε²)^(3/2), x' = x + v dt + ½ a dt², v' = v + a dt. A step is compared with the reference of
//! one step from the state before it, which the kernels leave in the old buffers.
//!
//! The galaxy is a Mestel disc with some dispersion. A disc in plain circular rotation flew apart into a ring within a
//! few hundred steps of the published first-order integrator; `--render` shows the difference.

mod disc;
mod energy;
mod film;
mod layout;
mod state;

pub use disc::Disc;
pub use layout::{Buffers, Layout};
pub use state::{EPSILON_SQUARED, ExpectedState, Float4, State, TIME_STEP};

use super::facts::{FP32, in_a_row, nothing_more, of_pairs};
use super::gravity::FLOPS_PER_INTERACTION;
use super::{
    Cost, CpuTimes, Facts, FileOption, Launch, LaunchResult, Problem, Rate, Roof, Run, Setup, Size, Steps, Written,
};
use crate::error::Error;
use crate::progress;
use crate::verify::Report;
use energy::{Energy, energy};
use film::{Film, steps_between_frames};
use std::path::Path;

/// Steps of a galaxy, by one launch function on data in the layout `L`.
#[derive(Clone, Copy, Debug)]
pub struct Galaxy<L> {
    /// Launches one step.
    pub launch: fn(&Launch, &mut L) -> LaunchResult,
}

static FACTS: Facts = Facts {
    letter: "D",
    title: "galaxy step",
    unit: ["body", "bodies"],
    n: 16384,
    accepted: 1..=1 << 20,
    steps: Some(Steps { published: 1, emulated: 1 }),
    work: of_pairs,
    rate: Rate {
        unit: "GFLOP/s",
        limit: |limits| limits.fp32_flops_per_second,
        limit_name: FP32,
        legend: "GFLOP/s, 20 operations per interaction.",
    },
    roof: Roof { name: "arithmetic", unit: "GFLOP/s", operations: None, note: "" },
    traffic_note: "",
    small: [100, 512],
    parameters: &[],
    files: &[FileOption {
        name: "render",
        value_name: "FILE.gif",
        help: "Film the galaxy over --steps steps, for the first chosen kernel that moves one",
        refusal: "no chosen kernel moves a galaxy",
        extension: Some(("gif", "a film is an animated GIF; name a file that ends in .gif")),
        requires: Some("steps"),
    }],
    extents: in_a_row,
    describe: nothing_more,
};

impl<L: Layout> Galaxy<L> {
    fn step(&self, run: &mut Run<Self>) -> Result<(), Error> {
        run.setup.run(|launch| (self.launch)(launch, &mut run.layout))
    }

    /// Runs from the start and films the first state, and those after every few steps.
    fn film(&self, run: &mut Run<Self>, path: &Path) -> Result<Energy, Error> {
        self.restore(run)?;
        let mut film = Film::create(path)?;
        let (between, title) = (steps_between_frames(run.steps), format!("{}: {}", run.setup.name, path.display()));
        let bar = progress::counted(title, run.steps.into());
        film.add(run.inputs.state.seen_from_above())?;
        for step in 1..=run.steps {
            self.step(run)?;
            run.layout.swap();
            if step % between == 0 {
                run.setup.finish()?;
                bar.set_position(step.into());
                film.add(run.layout.before(&run.setup)?.seen_from_above())?;
            }
        }
        run.setup.finish()?;
        bar.finish_and_clear();
        film.finish()?;
        Ok(Energy { first: run.inputs.energy(), last: energy(&run.layout.before(&run.setup)?) })
    }
}

impl<L: Layout> Problem for Galaxy<L> {
    type Inputs = Disc;
    type Layout = L;

    const FACTS: &'static Facts = &FACTS;

    fn prepare(&self, setup: &Setup, disc: &Disc) -> Result<L, Error> {
        L::prepare(setup, disc)
    }

    fn restore(&self, run: &mut Run<Self>) -> Result<(), Error> {
        run.layout.restore(&run.setup)
    }

    fn launch(&self, run: &mut Run<Self>) -> Result<(), Error> {
        for step in 0..run.steps {
            if step > 0 {
                run.layout.swap();
            }
            self.step(run)?;
        }
        Ok(())
    }

    fn verify(&self, run: &mut Run<Self>) -> Result<Report, Error> {
        self.restore(run)?;
        // Each step counts the same, and counting takes time.
        run.setup.device.set_counters(false);
        for _ in 1..run.steps {
            self.step(run)?;
            run.layout.swap();
        }
        // What the step before last wrote must not be taken for values of the last.
        run.layout.poison(&run.setup)?;
        run.setup.device.set_counters(true);
        self.step(run)?;
        run.setup.finish_counted()?;
        self.recheck(run)
    }

    fn recheck(&self, run: &mut Run<Self>) -> Result<Report, Error> {
        let new = run.layout.after(&run.setup)?;
        if run.steps == 1 {
            return Ok(run.inputs.expected.check(&run.inputs.state, &new, L::MORE_ROUNDINGS));
        }
        let old = run.layout.before(&run.setup)?;
        Ok(old.stepped(run.inputs.sample()).check(&old, &new, L::MORE_ROUNDINGS))
    }

    fn cost(&self, run: &Run<Self>) -> Cost {
        let n = run.inputs.state.position.len() as f64;
        let interactions = n * n * f64::from(run.steps);
        Cost {
            amount: interactions * FLOPS_PER_INTERACTION,
            interactions: Some(interactions),
            bytes_needed_by_a_launch: n * 4.0 * 16.0,
        }
    }

    fn time_on_cpu(disc: &Disc, steps: u32) -> CpuTimes {
        disc.time_on_cpu(steps)
    }

    /// Films the galaxy, and says what became of its energy.
    fn write(&self, run: &mut Run<Self>, _: &str, path: &Path) -> Result<Written, Error> {
        run.setup.device.set_counters(false);
        let energy = self.film(run, path);
        run.setup.device.set_counters(true);
        let energy = energy?;
        let Energy { first, last } = energy;
        let drift = energy.drift().map_or("-".into(), |drift| format!("{:+.2}%", 100.0 * drift));
        let size = Size { steps: Some(run.steps), ..Size::of(run.inputs.state.position.len()) };
        let size = Self::FACTS.describe_size(&size);
        let lines = vec![
            format!("Film, {}, {size}: {}", run.setup.name, path.display()),
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
