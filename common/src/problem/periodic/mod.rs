//! Problem B: bodies of unit mass in the periodic unit square, without softening.
//!
//! A step is semi-implicit Euler: accelerations, v += a dt, x += v dt, x wrapped into [0, 1). Positions start uniform,
//! from a ChaCha8 stream, and velocities at zero. Without softening the motion is chaotic: a reference of the whole
//! run is meaningless after some steps. So the first accelerations are compared with the reference, and the last step
//! with a reference step from the kernel's own state before it.

mod layout;
mod track;

pub use layout::Buffers;
pub use reference::periodic::{BodiesInABox, TIME_STEP};
pub use reference::periodic::{Body, Found, RECORD, found};

use super::facts::pairs;
use super::{Cost, Definition, Facts, FileOption, Launch, LaunchResult, Layout, Prepared, Rate, Steps, Written};
use crate::error::Error;
use crate::progress;
use crate::verify::{Expected, Report};
use reference::periodic::{Departure, Exact};
use reference::periodic::{check_step, column};
use std::path::Path;
use track::Track;

/// Operations counted for one interaction: 2 differences, 2 wraps, 3 for the square, 1 for the root's reciprocal,
/// 2 for its cube, 4 to add the components.
pub const FLOPS_PER_INTERACTION: f64 = 14.0;

/// Time steps in the box, computed by launch functions on data in the layout `L`.
#[derive(Clone, Copy, Debug)]
pub struct Periodic<L> {
    /// Launches the kernel that writes the accelerations.
    pub accelerate: fn(&Launch, &mut L) -> LaunchResult,
    /// Launches the kernel that moves the bodies, the rung's companion; `None` if `accelerate` moves them too.
    pub integrate: Option<fn(&Launch, &mut L) -> LaunchResult>,
    /// Takes this many steps without the host between them; `None` if the host launches each.
    pub advance: Option<fn(&Launch, &mut L, u32) -> LaunchResult>,
}

const TRACK: FileOption = FileOption {
    name: "track",
    value_name: "FILE.csv",
    help: "Write the track of body 0 step by step; for the first kernel of the periodic box",
    refusal: "no chosen kernel moves bodies through a periodic box",
    extension: None,
    requires: None,
};

const DEPARTURE: FileOption = FileOption {
    name: "departure",
    help: "Write the bodies' distances from a run in double precision step by step; for the first kernel of the \
           periodic box",
    ..TRACK
};

impl<L: Layout<Inputs = BodiesInABox, Results = Vec<Found>>> Definition for Periodic<L> {
    const FACTS: &'static Facts = &Facts {
        steps: Some(Steps { published: 1000, emulated: 2 }),
        work: pairs,
        files: &[TRACK, DEPARTURE],
        ..Facts::new(
            "B",
            "periodic N-body",
            ["body", "bodies"],
            [4096, 1 << 16],
            Rate::arithmetic("GFLOP/s, 14 operations per interaction."),
        )
    };

    type Layout = L;

    fn launch(&self, launch: &Launch, layout: &mut L) -> LaunchResult {
        (self.accelerate)(launch, layout)
    }

    fn run(case: &mut Prepared<Self>) -> Result<(), Error> {
        case.advance(case.steps)
    }

    fn verify(case: &mut Prepared<Self>) -> Result<Report, Error> {
        Self::restore(case)?;
        case.launch_kernel()?;
        case.setup.finish_and_count()?;
        let mut report = case.inputs.check_accelerations(&case.state()?, case.problem.integrate.is_some());
        case.integrate()?;
        // Each step has the same counts, and counting takes time.
        case.setup.device.set_counters(false);
        case.advance(case.steps.saturating_sub(2))?;
        let before = if case.steps > 1 { case.state()? } else { found(&case.inputs.bodies) };
        if case.steps > 1 {
            case.step()?;
        }
        report.add(check_step(&before, &case.state()?, TIME_STEP));
        report.add(case.check_advance()?);
        case.setup.device.set_counters(true);
        Ok(report)
    }

    /// Each block needs the state of all others after each step.
    fn verify_sample(_: &mut Prepared<Self>) -> Result<Option<Report>, Error> {
        Ok(None)
    }

    fn check(case: &mut Prepared<Self>) -> Result<Report, Error> {
        let before = case.state()?;
        case.step()?;
        Ok(check_step(&before, &case.state()?, TIME_STEP))
    }

    fn cost(case: &Prepared<Self>) -> Cost {
        let n = case.inputs.bodies.len() as f64;
        let interactions = n * n * f64::from(case.steps);
        Cost {
            amount: interactions * FLOPS_PER_INTERACTION,
            interactions: Some(interactions),
            // x and y in, ax and ay out.
            bytes_needed_by_a_launch: n * 4.0 * 4.0,
        }
    }

    /// Writes the track of body 0, or the departure of all bodies from double precision, with one copy per step.
    fn write(case: &mut Prepared<Self>, option: &str, path: &Path) -> Result<Written, Error> {
        case.setup.device.set_counters(false);
        let written = match option {
            "departure" => case.write_departure(path),
            _ => case.write_track(path),
        };
        case.setup.device.set_counters(true);
        written
    }
}

/// The number of steps over which [`Periodic::advance`] is compared.
const STEPS_TOGETHER: u32 = 5;

impl<L: Layout<Inputs = BodiesInABox, Results = Vec<Found>>> Prepared<'_, Periodic<L>> {
    /// Returns the state after all launches so far.
    fn state(&self) -> Result<Vec<Found>, Error> {
        self.setup.finish()?;
        self.results()
    }

    fn integrate(&mut self) -> Result<(), Error> {
        let Some(integrate) = self.problem.integrate else { return Ok(()) };
        let Self { setup, layout, .. } = self;
        setup.run_companion(|launch| integrate(launch, layout))
    }

    fn step(&mut self) -> Result<(), Error> {
        self.launch_kernel()?;
        self.integrate()
    }

    /// Takes steps as the timed part does.
    fn advance(&mut self, steps: u32) -> Result<(), Error> {
        match self.problem.advance {
            Some(advance) if steps > 0 => {
                let Self { setup, layout, .. } = self;
                setup.run(|launch| advance(launch, layout, steps))
            }
            _ => (0..steps).try_for_each(|_| self.step()),
        }
    }

    /// Checks that steps without the host between them leave the same bits as single steps.
    fn check_advance(&mut self) -> Result<Report, Error> {
        let mut report = Report::default();
        if self.problem.advance.is_none() || self.steps < STEPS_TOGETHER {
            return Ok(report);
        }
        self.layout.restore(&self.setup)?;
        (0..STEPS_TOGETHER).try_for_each(|_| self.step())?;
        let one_by_one = self.state()?;
        self.layout.restore(&self.setup)?;
        self.advance(STEPS_TOGETHER)?;
        for (field, name) in ["x", "y", "vx", "vy", "ax", "ay"].into_iter().enumerate() {
            let expected: Vec<_> =
                column(&one_by_one, field).into_iter().map(|value| Expected::exact(value.into())).collect();
            let name = format!("{name} ({STEPS_TOGETHER} steps at once, as {STEPS_TOGETHER} steps one by one)");
            report.compare(&name, &column(&self.state()?, field), &expected);
        }
        Ok(report)
    }

    /// Runs from the start and records the position of body 0 before the first step and after each.
    fn track(&mut self) -> Result<Track, Error> {
        self.layout.restore(&self.setup)?;
        let mut places = vec![self.inputs.place(0)];
        for _ in 0..self.steps {
            self.step()?;
            let [x, y, ..] = self.state()?[0];
            places.push([x as f32, y as f32]);
        }
        Ok(Track(places))
    }

    fn write_track(&mut self, path: &Path) -> Result<Written, Error> {
        let track = self.track()?;
        track.write(path)?;
        let lines = vec![format!("Track of body 0, {}: {}", self.setup.name, path.display())];
        Ok(Written { lines, report: track.check(), measured: Vec::new() })
    }

    /// Runs from the start next to an integration in double precision.
    fn write_departure(&mut self, path: &Path) -> Result<Written, Error> {
        self.layout.restore(&self.setup)?;
        let mut exact = Exact::new(&found(&self.inputs.bodies));
        let mut departure = Departure::default();
        let bar = progress::step_bar(format!("{}: {}", self.setup.name, path.display()), self.steps.into());
        for step in 1..=self.steps {
            self.step()?;
            exact.step();
            departure.add(&exact, &self.state()?);
            bar.set_position(step.into());
        }
        bar.finish_and_clear();
        departure.write(path).map_err(|error| Error::file(path, &error))?;
        let lines = vec![
            format!("Departure from double precision, {}: {}", self.setup.name, path.display()),
            departure.describe(),
        ];
        Ok(Written { lines, report: Report::default(), measured: departure.measured() })
    }
}
