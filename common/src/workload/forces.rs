//! Tutorial A: the gravitational force on each body from all others.
//!
//! Positions are uniform in the unit cube and masses uniform in (0, 1], from a ChaCha8 stream. The reference uses
//! the kernels' constants as single precision rounds them.
//!
//! Roundings inside a term, at most (in units of u): 6 in |r⃗|² + softening (2 from the differences, 1 from a square,
//! 3 from sums), halved by the root, which adds its own 2.15; three times that for the cube, and 3 products; 1
//! difference and 1 product for the component; 2 for G mᵢ. Together 23.

use super::baseline::{CpuTimes, time_targets};
use super::case::{Case, Cost, CostKind, Launch, LaunchResult, Setup};
use super::gravity::{Sources, pull_f32};
use super::{Seeded, Size};
use crate::Error;
use crate::verify::{Expected, RSQRT_ROUNDINGS, Report, poison_f32};
use cudarc::driver::CudaSlice;
use emulator::Counters;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use std::sync::Arc;

/// Gravitational constant, m³ kg⁻¹ s⁻².
pub const GRAVITY: f32 = 6.67e-11;
/// Added to |r⃗|², m².
pub const SOFTENING: f32 = 1e-9;
/// Operations counted for one interaction, the field's convention since GPU Gems 3, chapter 31.
pub const FLOPS_PER_INTERACTION: f64 = 20.0;

const ROUNDINGS: f64 = 3.0 * (3.0 + RSQRT_ROUNDINGS) + 3.0 + 2.0 + 2.0;

/// The arrays on the device, each of n values.
#[derive(Debug)]
pub struct Buffers {
    /// Coordinates.
    pub x: CudaSlice<f32>,
    /// Coordinates.
    pub y: CudaSlice<f32>,
    /// Coordinates.
    pub z: CudaSlice<f32>,
    /// Masses.
    pub mass: CudaSlice<f32>,
    /// Output: x component of the force.
    pub fx: CudaSlice<f32>,
    /// Output: y component of the force.
    pub fy: CudaSlice<f32>,
    /// Output: z component of the force.
    pub fz: CudaSlice<f32>,
    /// Number of bodies.
    pub n: i32,
}

/// Bodies of one size and seed, with their forces in double precision.
#[derive(Debug)]
pub struct Problem {
    seed: u64,
    coordinates: [Vec<f32>; 3],
    mass: Vec<f32>,
    /// The components of the forces.
    expected: [Vec<Expected>; 3],
}

impl Seeded for Problem {
    fn new(n: usize, seed: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let coordinates = std::array::from_fn(|_| (0..n).map(|_| rng.random()).collect());
        let mass = (0..n).map(|_| 1.0 - rng.random::<f32>()).collect();
        let mut problem = Self { seed, coordinates, mass, expected: Default::default() };
        problem.expected = problem.reference();
        problem
    }

    fn key(&self) -> (usize, u64) {
        (self.mass.len(), self.seed)
    }
}

impl Problem {
    fn position(&self, body: usize) -> [f32; 3] {
        [0, 1, 2].map(|axis| self.coordinates[axis][body])
    }

    fn bodies(&self) -> impl Iterator<Item = ([f32; 3], f32)> {
        let [x, y, z] = &self.coordinates;
        let places = x.iter().zip(y).zip(z);
        places.zip(&self.mass).map(|(((&x, &y), &z), &mass)| ([x, y, z], mass))
    }

    fn reference(&self) -> [Vec<Expected>; 3] {
        let sources = Sources::new(self.bodies());
        let forces: Vec<[Expected; 3]> = (0..self.mass.len())
            .into_par_iter()
            .map_init(
                || sources.scratch(),
                |scratch, body| {
                    let factor = f64::from(GRAVITY) * f64::from(self.mass[body]);
                    let pull = sources.pull(self.position(body), SOFTENING.into(), ROUNDINGS, scratch);
                    pull.map(|component| component.scaled(factor))
                },
            )
            .collect();
        [0, 1, 2].map(|axis| forces.iter().map(|force| force[axis]).collect())
    }

    /// The force on one body as the tutorial's CPU loop computes it.
    fn force_f32(&self, body: usize) -> [f32; 3] {
        let pull = pull_f32(self.position(body), self.bodies(), SOFTENING);
        pull.map(|component| GRAVITY * self.mass[body] * component)
    }

    /// Times the tutorial's loop on this CPU.
    pub(super) fn time_on_cpu(&self) -> CpuTimes {
        time_targets(self.mass.len(), |body| self.force_f32(body))
    }

    fn check(&self, forces: [&[f32]; 3]) -> Report {
        let mut report = Report::default();
        for (axis, name) in ["fx", "fy", "fz"].into_iter().enumerate() {
            report.compare(name, forces[axis], &self.expected[axis]);
            report.cancels(&format!("momentum: the sum of {name} must be 0"), forces[axis], &self.expected[axis]);
        }
        report
    }
}

/// One kernel of tutorial A, set up.
pub(super) struct ForcesCase<'a> {
    setup: Setup<'a>,
    problem: Arc<Problem>,
    launch: fn(&Launch, &mut Buffers) -> LaunchResult,
    buffers: Buffers,
    poison: CudaSlice<f32>,
    counters: Option<Counters>,
}

impl<'a> ForcesCase<'a> {
    pub fn new(
        setup: Setup<'a>,
        problem: Arc<Problem>,
        launch: fn(&Launch, &mut Buffers) -> LaunchResult,
    ) -> Result<Self, Error> {
        let size = Size { n: problem.mass.len(), steps: None, seed: problem.seed };
        let poison = vec![poison_f32(); size.n];
        let [x, y, z] = &problem.coordinates;
        let buffers = Buffers {
            x: setup.upload(x)?,
            y: setup.upload(y)?,
            z: setup.upload(z)?,
            mass: setup.upload(&problem.mass)?,
            fx: setup.upload(&poison)?,
            fy: setup.upload(&poison)?,
            fz: setup.upload(&poison)?,
            n: size.n_i32(),
        };
        let poison = setup.upload(&poison)?;
        Ok(Self { setup, problem, launch, buffers, poison, counters: None })
    }
}

impl Case for ForcesCase<'_> {
    fn restore(&mut self) -> Result<(), Error> {
        let Buffers { fx, fy, fz, .. } = &mut self.buffers;
        [fx, fy, fz].into_iter().try_for_each(|output| self.setup.copy(&self.poison, output))
    }

    fn launch(&mut self) -> Result<(), Error> {
        self.setup.run(|launch| (self.launch)(launch, &mut self.buffers))
    }

    fn verify(&mut self) -> Result<Report, Error> {
        self.restore()?;
        self.launch()?;
        self.setup.finish()?;
        self.counters = self.setup.gpu.last_counters()?;
        self.recheck()
    }

    fn recheck(&mut self) -> Result<Report, Error> {
        let Buffers { fx, fy, fz, .. } = &self.buffers;
        let (fx, fy, fz) = (self.setup.download(fx)?, self.setup.download(fy)?, self.setup.download(fz)?);
        Ok(self.problem.check([&fx, &fy, &fz]))
    }

    fn counters(&self) -> Option<Counters> {
        self.counters
    }

    fn cost(&self) -> Cost {
        let n = self.problem.mass.len() as f64;
        Cost {
            kind: CostKind::Flops,
            amount: n * n * FLOPS_PER_INTERACTION,
            interactions: Some(n * n),
            bytes_needed_by_a_launch: n * 7.0 * 4.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::SIZES_AROUND_WARPS;

    fn forces(problem: &Problem) -> [Vec<f32>; 3] {
        let forces: Vec<_> = (0..problem.mass.len()).map(|body| problem.force_f32(body)).collect();
        [0, 1, 2].map(|axis| forces.iter().map(|force| force[axis]).collect())
    }

    fn checked(problem: &Problem, forces: &[Vec<f32>; 3]) -> Report {
        problem.check([&forces[0], &forces[1], &forces[2]])
    }

    #[test]
    fn an_honest_single_precision_result_passes_at_every_size() {
        for n in SIZES_AROUND_WARPS {
            let problem = Problem::new(n, 7);
            let report = checked(&problem, &forces(&problem));
            assert!(report.passed(), "n = {n}: {report:?}");
        }
    }

    #[test]
    fn the_reference_of_two_bodies_is_newtons_formula() {
        let mut problem = Problem::new(2, 7);
        problem.coordinates = [vec![0.0, 1.0], vec![0.0, 0.0], vec![0.0, 0.0]];
        problem.mass = vec![0.5, 0.25];
        let force = problem.reference()[0].clone();
        assert!((force[0].value / (6.67e-11 * 0.125) - 1.0).abs() < 1e-7, "{force:?}");
        assert_eq!(force[0].value, -force[1].value);
    }

    #[test]
    fn a_result_with_one_body_missing_fails_at_every_size() {
        for n in SIZES_AROUND_WARPS.into_iter().filter(|&n| n > 1) {
            let problem = Problem::new(n, 7);
            let forces = [0, 1, 2].map(|axis| {
                let of = |body| {
                    let position = problem.position(body);
                    let pull = pull_f32(position, problem.bodies().take(n - 1), SOFTENING);
                    GRAVITY * problem.mass[body] * pull[axis]
                };
                (0..n).map(of).collect::<Vec<f32>>()
            });
            assert!(!checked(&problem, &forces).passed(), "n = {n}");
        }
    }

    #[test]
    fn outputs_shifted_by_one_zero_or_unwritten_fail() {
        let problem = Problem::new(33, 7);
        let mut shifted = forces(&problem);
        shifted.iter_mut().for_each(|values| values.rotate_left(1));
        assert!(!checked(&problem, &shifted).passed());
        assert!(!checked(&problem, &[0, 1, 2].map(|_| vec![0.0; 33])).passed());
        assert_eq!(checked(&problem, &[0, 1, 2].map(|_| vec![poison_f32(); 33])).failed, 99 + 3);
    }

    #[test]
    fn seeds_give_the_same_bodies_on_every_machine() {
        let problem = Problem::new(2, 1687);
        assert_eq!(problem.key(), (2, 1687));
        assert_eq!(problem.coordinates[0][0], 0.826_069_95);
    }
}
