//! Problem B: bodies of unit mass in the unit square, whose edges meet; no softening.
//!
//! A step is semi-implicit Euler: accelerations, v += a dt, x += v dt, x wrapped into [0, 1). Positions start uniform,
//! from a ChaCha8 stream, and velocities at zero. Without softening the motion is chaotic: a reference of the whole
//! run means nothing after some steps. So the first accelerations are compared with the reference, and the last step
//! with a reference of one step from the kernel's own state before it.

mod body;
mod departure;
mod inputs;
mod layout;
mod reference;
mod track;

pub use body::{Body, Found, RECORD, found};
pub use inputs::{BodiesInABox, TIME_STEP};
pub use layout::{Buffers, Layout};

use super::facts::{FP32, in_a_row, nothing_more, of_pairs};
use super::{Cost, CpuTimes, Facts, FileOption, Launch, LaunchResult, Problem, Rate, Roof, Run, Setup, Steps, Written};
use crate::error::Error;
use crate::progress;
use crate::verify::{Expected, Report};
use departure::{Departure, Exact};
use reference::{check_step, column};
use std::path::Path;
use track::Track;

/// Operations counted for one interaction: 2 differences, 2 wraps, 3 for the square, 1 for the root's reciprocal,
/// 2 for its cube, 4 to add the components.
pub const FLOPS_PER_INTERACTION: f64 = 14.0;

/// Steps in the box, by launch functions for data in the layout `L`.
#[derive(Clone, Copy, Debug)]
pub struct Periodic<L> {
    /// Launches the kernel that writes the accelerations.
    pub accelerate: fn(&Launch, &mut L) -> LaunchResult,
    /// Launches the kernel that moves the bodies, which is the rung's companion; `None` where `accelerate` moves them too.
    pub integrate: Option<fn(&Launch, &mut L) -> LaunchResult>,
    /// Takes this many steps without the host between them; `None` where the host launches each.
    pub advance: Option<fn(&Launch, &mut L, u32) -> LaunchResult>,
}

const TRACK: FileOption = FileOption {
    name: "track",
    value_name: "FILE.csv",
    help: "Write the track of body 0, step by step, for the first chosen kernel of the periodic box",
    refusal: "no chosen kernel moves bodies through a periodic box",
    extension: None,
    requires: None,
};

const DEPARTURE: FileOption = FileOption {
    name: "departure",
    help: "Write how far the bodies are from where double precision has them, step by step, for the first chosen kernel of \
           the periodic box",
    ..TRACK
};

static FACTS: Facts = Facts {
    letter: "B",
    title: "periodic N-body",
    unit: ["body", "bodies"],
    n: 4096,
    accepted: 1..=1 << 16,
    steps: Some(Steps { published: 1000, emulated: 20 }),
    work: of_pairs,
    rate: Rate {
        unit: "GFLOP/s",
        limit: |limits| limits.fp32_flops_per_second,
        limit_name: FP32,
        legend: "GFLOP/s, 14 operations per interaction.",
    },
    roof: Roof { name: "arithmetic", unit: "GFLOP/s", operations: None, note: "" },
    traffic_note: "",
    small: [100, 512],
    parameters: &[],
    files: &[TRACK, DEPARTURE],
    extents: in_a_row,
    describe: nothing_more,
};

impl<L: Layout> Periodic<L> {
    fn accelerate(&self, run: &mut Run<Self>) -> Result<(), Error> {
        run.setup.run(|launch| (self.accelerate)(launch, &mut run.layout))
    }

    fn integrate(&self, run: &mut Run<Self>) -> Result<(), Error> {
        let Some(integrate) = self.integrate else { return Ok(()) };
        run.setup.run_companion(|launch| integrate(launch, &mut run.layout))
    }

    fn step(&self, run: &mut Run<Self>) -> Result<(), Error> {
        self.accelerate(run)?;
        self.integrate(run)
    }

    /// As many steps as a time counts.
    fn steps(&self, run: &mut Run<Self>, steps: u32) -> Result<(), Error> {
        match self.advance {
            Some(advance) if steps > 0 => run.setup.run(|launch| advance(launch, &mut run.layout, steps)),
            _ => (0..steps).try_for_each(|_| self.step(run)),
        }
    }

    /// Steps without the host between them leave the same bits as steps one by one.
    fn check_advance(&self, run: &mut Run<Self>) -> Result<Report, Error> {
        let mut report = Report::default();
        if self.advance.is_none() || run.steps < STEPS_TOGETHER {
            return Ok(report);
        }
        self.restore(run)?;
        (0..STEPS_TOGETHER).try_for_each(|_| self.step(run))?;
        let one_by_one = state(run)?;
        self.restore(run)?;
        self.steps(run, STEPS_TOGETHER)?;
        for (field, name) in ["x", "y", "vx", "vy", "ax", "ay"].into_iter().enumerate() {
            let expected: Vec<_> =
                column(&one_by_one, field).into_iter().map(|value| Expected::exact(value.into())).collect();
            let name = format!("{name} ({STEPS_TOGETHER} steps at once, as {STEPS_TOGETHER} steps one by one)");
            report.compare(&name, &column(&state(run)?, field), &expected);
        }
        Ok(report)
    }

    /// Runs from the start and notes where body 0 is, before the first step and after each.
    fn track(&self, run: &mut Run<Self>) -> Result<Track, Error> {
        self.restore(run)?;
        let mut places = vec![run.inputs.place(0)];
        for _ in 0..run.steps {
            self.step(run)?;
            run.setup.finish()?;
            places.push(run.layout.first_place(&run.setup)?);
        }
        Ok(Track(places))
    }

    fn write_track(&self, run: &mut Run<Self>, path: &Path) -> Result<Written, Error> {
        let track = self.track(run)?;
        track.write(path)?;
        let lines = vec![format!("Track of body 0, {}: {}", run.setup.name, path.display())];
        Ok(Written { lines, report: track.check(), measured: Vec::new() })
    }

    /// Runs from the start beside an integration in double precision.
    fn write_departure(&self, run: &mut Run<Self>, path: &Path) -> Result<Written, Error> {
        self.restore(run)?;
        let (mut exact, mut departure) = (Exact::new(&found(&run.inputs.bodies)), Departure::default());
        let bar = progress::counted(format!("{}: {}", run.setup.name, path.display()), run.steps.into());
        for step in 1..=run.steps {
            self.step(run)?;
            exact.step();
            departure.add(&exact, &state(run)?);
            bar.set_position(step.into());
        }
        bar.finish_and_clear();
        departure.write(path)?;
        let lines = vec![
            format!("Departure from double precision, {}: {}", run.setup.name, path.display()),
            departure.describe(),
        ];
        Ok(Written { lines, report: Report::default(), measured: departure.measured() })
    }
}

/// How many steps [`Periodic::advance`] is compared over.
const STEPS_TOGETHER: u32 = 5;

/// The state after all launches so far.
fn state<L: Layout>(run: &Run<Periodic<L>>) -> Result<Vec<Found>, Error> {
    run.setup.finish()?;
    run.layout.bodies(&run.setup)
}

impl<L: Layout> Problem for Periodic<L> {
    type Inputs = BodiesInABox;
    type Layout = L;

    const FACTS: &'static Facts = &FACTS;

    fn prepare(&self, setup: &Setup, inputs: &BodiesInABox) -> Result<L, Error> {
        L::prepare(setup, inputs)
    }

    fn restore(&self, run: &mut Run<Self>) -> Result<(), Error> {
        run.layout.restore(&run.setup)
    }

    fn launch(&self, run: &mut Run<Self>) -> Result<(), Error> {
        self.steps(run, run.steps)
    }

    fn verify(&self, run: &mut Run<Self>) -> Result<Report, Error> {
        self.restore(run)?;
        self.accelerate(run)?;
        run.setup.finish_counted()?;
        let mut report = run.inputs.check_accelerations(&state(run)?, self.integrate.is_some());
        self.integrate(run)?;
        // Each step counts the same, and counting takes time.
        run.setup.device.set_counters(false);
        self.steps(run, run.steps.saturating_sub(2))?;
        let before = if run.steps > 1 { state(run)? } else { found(&run.inputs.bodies) };
        if run.steps > 1 {
            self.step(run)?;
        }
        report.add(check_step(&before, &state(run)?, TIME_STEP));
        report.add(self.check_advance(run)?);
        run.setup.device.set_counters(true);
        Ok(report)
    }

    fn recheck(&self, run: &mut Run<Self>) -> Result<Report, Error> {
        let before = state(run)?;
        self.step(run)?;
        Ok(check_step(&before, &state(run)?, TIME_STEP))
    }

    fn cost(&self, run: &Run<Self>) -> Cost {
        let n = run.inputs.bodies.len() as f64;
        let interactions = n * n * f64::from(run.steps);
        Cost {
            amount: interactions * FLOPS_PER_INTERACTION,
            interactions: Some(interactions),
            // x and y in, ax and ay out.
            bytes_needed_by_a_launch: n * 4.0 * 4.0,
        }
    }

    fn time_on_cpu(inputs: &BodiesInABox, steps: u32) -> CpuTimes {
        inputs.time_on_cpu(steps)
    }

    /// Writes the track of body 0, or how far all bodies are from double precision, one copy a step.
    fn write(&self, run: &mut Run<Self>, option: &str, path: &Path) -> Result<Written, Error> {
        run.setup.device.set_counters(false);
        let written = match option {
            "departure" => self.write_departure(run, path),
            _ => self.write_track(run, path),
        };
        run.setup.device.set_counters(true);
        written
    }
}
