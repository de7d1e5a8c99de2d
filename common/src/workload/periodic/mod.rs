//! Tutorial B: bodies of unit mass in the unit square, whose edges meet; no softening.
//!
//! A step is semi-implicit Euler: accelerations, v += a dt, x += v dt, x wrapped into [0, 1). Positions start uniform,
//! from a ChaCha8 stream, and velocities at zero. Without softening the motion is chaotic: a reference of the whole
//! run means nothing after some steps. So the first accelerations are compared with the reference, and the last step
//! with a reference of one step from the kernel's own state before it.

mod reference;

use super::baseline::{CpuTimes, time_targets};
use super::case::{Case, Cost, CostKind, Launch, LaunchResult, Setup};
use super::{Seeded, Size, Track};
use crate::Error;
use crate::verify::{Expected, Report, poison_f32};
use cudarc::driver::CudaSlice;
use emulator::Counters;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use reference::{acceleration_f32, accelerations, axis_of, check_step, column};
use std::sync::Arc;

/// Length of a step.
pub const TIME_STEP: f32 = 1e-4;
/// Floats a body: x, y, vx, vy, ax, ay.
pub const RECORD: usize = 6;
/// Operations counted for one interaction: 2 differences, 2 wraps, 3 for the square, 1 for the root's reciprocal,
/// 2 for its cube, 4 to add the components.
pub const FLOPS_PER_INTERACTION: f64 = 14.0;

/// What a step's launch functions get.
#[derive(Debug)]
pub struct Buffers {
    /// [`RECORD`] floats a body.
    pub bodies: CudaSlice<f32>,
    /// Number of bodies.
    pub n: i32,
    /// Length of a step.
    pub dt: f32,
}

/// A body as the kernels store it.
type Body = [f32; RECORD];

/// Bodies of one size and seed, with their first accelerations in double precision.
#[derive(Debug)]
pub struct Problem {
    seed: u64,
    bodies: Vec<Body>,
    accelerations: Vec<[Expected; 2]>,
}

impl Seeded for Problem {
    fn new(n: usize, seed: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let bodies: Vec<Body> =
            (0..n).map(|_| [rng.random(), rng.random(), 0.0, 0.0, poison_f32(), poison_f32()]).collect();
        let accelerations = accelerations(&bodies);
        Self { seed, bodies, accelerations }
    }

    fn key(&self) -> (usize, u64) {
        (self.bodies.len(), self.seed)
    }
}

impl Problem {
    /// Times the tutorial's loop over all bodies on this CPU: the accelerations of a step, which are all but a
    /// 1/n part of its work.
    pub(super) fn time_on_cpu(&self, steps: u32) -> CpuTimes {
        time_targets(self.bodies.len(), |body| acceleration_f32(&self.bodies, body)).of_steps(steps)
    }

    /// Compares the state after the first launch of the accelerating kernel.
    fn check_accelerations(&self, got: &[Body]) -> Report {
        let mut report = Report::default();
        for (axis, name) in ["ax", "ay"].into_iter().enumerate() {
            let (values, expected) = (column(got, 4 + axis), axis_of(&self.accelerations, axis));
            report.compare(name, &values, &expected);
            report.cancels(&format!("momentum: the sum of {name} must be 0"), &values, &expected);
        }
        for (field, name) in ["x", "y", "vx", "vy"].into_iter().enumerate() {
            let expected: Vec<_> = self.bodies.iter().map(|body| Expected::exact(body[field].into())).collect();
            report.compare(&format!("{name} (which the accelerations leave alone)"), &column(got, field), &expected);
        }
        report
    }
}

/// A launch function of a row.
type LaunchFunction = fn(&Launch, &mut Buffers) -> LaunchResult;

/// One kernel of tutorial B, set up with the kernel that moves the bodies.
pub(super) struct PeriodicCase<'a> {
    setup: Setup<'a>,
    problem: Arc<Problem>,
    accelerate: LaunchFunction,
    integrate: LaunchFunction,
    steps: u32,
    buffers: Buffers,
    pristine: CudaSlice<f32>,
    counters: Option<Counters>,
}

impl<'a> PeriodicCase<'a> {
    pub fn new(
        setup: Setup<'a>,
        problem: Arc<Problem>,
        accelerate: LaunchFunction,
        integrate: LaunchFunction,
        steps: u32,
    ) -> Result<Self, Error> {
        let size = Size { n: problem.bodies.len(), steps: Some(steps), seed: problem.seed };
        let pristine = setup.upload(problem.bodies.as_flattened())?;
        let bodies = setup.upload(problem.bodies.as_flattened())?;
        let buffers = Buffers { bodies, n: size.n_i32(), dt: TIME_STEP };
        Ok(Self { setup, problem, accelerate, integrate, steps, buffers, pristine, counters: None })
    }

    fn accelerate(&mut self) -> Result<(), Error> {
        self.setup.run(|launch| (self.accelerate)(launch, &mut self.buffers))
    }

    fn integrate(&mut self) -> Result<(), Error> {
        self.setup.run_companion(|launch| (self.integrate)(launch, &mut self.buffers))
    }

    fn step(&mut self) -> Result<(), Error> {
        self.accelerate()?;
        self.integrate()
    }

    fn state(&self) -> Result<Vec<Body>, Error> {
        self.setup.finish()?;
        let flat = self.setup.download(&self.buffers.bodies)?;
        Ok(flat.chunks_exact(RECORD).map(|body| std::array::from_fn(|field| body[field])).collect())
    }

    /// Runs from the start and notes where body 0 is, before the first step and after each.
    pub fn track(&mut self) -> Result<Track, Error> {
        self.restore()?;
        self.setup.gpu.set_counters(false);
        let [x, y, ..] = self.problem.bodies[0];
        let mut places = vec![[x, y]];
        for _ in 0..self.steps {
            self.step()?;
            self.setup.finish()?;
            let mut place = [0.0; 2];
            self.setup.download_part(&self.buffers.bodies, &mut place)?;
            places.push(place);
        }
        self.setup.gpu.set_counters(true);
        Ok(Track(places))
    }
}

impl Case for PeriodicCase<'_> {
    fn restore(&mut self) -> Result<(), Error> {
        self.setup.copy(&self.pristine, &mut self.buffers.bodies)
    }

    fn launch(&mut self) -> Result<(), Error> {
        (0..self.steps).try_for_each(|_| self.step())
    }

    fn verify(&mut self) -> Result<Report, Error> {
        self.restore()?;
        self.accelerate()?;
        let accelerated = self.state()?;
        self.counters = self.setup.gpu.last_counters()?;
        let mut report = self.problem.check_accelerations(&accelerated);
        self.integrate()?;
        // Each step counts the same, and counting takes time.
        self.setup.gpu.set_counters(false);
        for _ in 2..self.steps {
            self.step()?;
        }
        let before = if self.steps > 1 { self.state()? } else { self.problem.bodies.clone() };
        if self.steps > 1 {
            self.step()?;
        }
        report.add(check_step(&before, &self.state()?, self.buffers.dt));
        self.setup.gpu.set_counters(true);
        Ok(report)
    }

    fn recheck(&mut self) -> Result<Report, Error> {
        let before = self.state()?;
        self.step()?;
        Ok(check_step(&before, &self.state()?, self.buffers.dt))
    }

    fn counters(&self) -> Option<Counters> {
        self.counters
    }

    fn cost(&self) -> Cost {
        let n = self.problem.bodies.len() as f64;
        let interactions = n * n * f64::from(self.steps);
        Cost {
            kind: CostKind::Flops,
            amount: interactions * FLOPS_PER_INTERACTION,
            interactions: Some(interactions),
            // x and y in, ax and ay out.
            bytes_needed_by_a_launch: n * 4.0 * 4.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::SIZES_AROUND_WARPS;

    /// Accelerations in single precision, from the first `sources` bodies.
    fn accelerated(problem: &Problem, sources: usize) -> Vec<Body> {
        let mut bodies = problem.bodies.clone();
        let (kept, left_out) = problem.bodies.split_at(sources);
        for (target, body) in bodies.iter_mut().enumerate() {
            let own = left_out.get(target.wrapping_sub(sources));
            let kept: Vec<Body> = kept.iter().chain(own).copied().collect();
            [body[4], body[5]] = acceleration_f32(&kept, target.min(kept.len() - 1));
        }
        bodies
    }

    #[test]
    fn honest_accelerations_pass_at_every_size() {
        for n in SIZES_AROUND_WARPS {
            let problem = Problem::new(n, 7);
            let report = problem.check_accelerations(&accelerated(&problem, n));
            assert!(report.passed(), "n = {n}: {report:?}");
        }
    }

    #[test]
    fn accelerations_with_one_body_missing_fail_at_every_size() {
        for n in SIZES_AROUND_WARPS.into_iter().filter(|&n| n > 1) {
            let problem = Problem::new(n, 7);
            assert!(!problem.check_accelerations(&accelerated(&problem, n - 1)).passed(), "n = {n}");
        }
    }

    #[test]
    fn unwritten_and_shifted_accelerations_fail() {
        let problem = Problem::new(33, 7);
        assert_eq!(problem.check_accelerations(&problem.bodies).failed, 66 + 2);
        let mut shifted = accelerated(&problem, 33);
        shifted.rotate_left(1);
        assert!(!problem.check_accelerations(&shifted).passed());
    }
}
