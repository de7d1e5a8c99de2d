//! Bodies, and the forces on them in double precision.
//!
//! Roundings inside a term, at most (in units of u): 6 in |r⃗|² + softening (2 from the differences, 1 from a square,
//! 3 from sums), halved by the root, which adds its own 2.15; three times that for the cube, and 3 products; 1
//! difference and 1 product for the component; 2 for G mᵢ. Together 23.

use crate::problem::cpu::{CpuTimes, time_targets};
use crate::problem::gravity::{Sources, pull_f32};
use crate::problem::inputs::Inputs;
use crate::problem::sample::{compared, sample};
use crate::problem::size::Size;
use crate::verify::{Expected, RSQRT_ROUNDINGS, Report};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

/// Gravitational constant, m³ kg⁻¹ s⁻².
pub const GRAVITY: f32 = 6.67e-11;
/// Added to |r⃗|², m².
pub const SOFTENING: f32 = 1e-9;

const ROUNDINGS: f64 = 3.0 * (3.0 + RSQRT_ROUNDINGS) + 3.0 + 2.0 + 2.0;

/// Bodies of one size and seed, with the forces on them.
#[derive(Debug)]
pub struct Bodies {
    /// x, y and z of all bodies.
    pub coordinates: [Vec<f32>; 3],
    /// Their masses.
    pub mass: Vec<f32>,
    /// The bodies that are compared, in ascending order.
    sample: Vec<usize>,
    /// The components of the forces on them.
    expected: [Vec<Expected>; 3],
}

impl Inputs for Bodies {
    fn new(size: &Size) -> Self {
        Self::with_sample(size, compared(size.n))
    }
}

impl Bodies {
    /// The bodies of a size, of which `compared` are compared.
    #[must_use]
    pub fn with_sample(size: &Size, compared: usize) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(size.seed);
        let coordinates = std::array::from_fn(|_| (0..size.n).map(|_| rng.random()).collect());
        let mass = (0..size.n).map(|_| 1.0 - rng.random::<f32>()).collect();
        let sample = sample(&mut rng, size.n, compared);
        let mut bodies = Self { coordinates, mass, sample, expected: Default::default() };
        bodies.expected = bodies.expected_of(&bodies.sample);
        bodies
    }

    fn position(&self, body: usize) -> [f32; 3] {
        [0, 1, 2].map(|axis| self.coordinates[axis][body])
    }

    fn all(&self) -> impl Iterator<Item = ([f32; 3], f32)> {
        let [x, y, z] = &self.coordinates;
        let places = x.iter().zip(y).zip(z);
        places.zip(&self.mass).map(|(((&x, &y), &z), &mass)| ([x, y, z], mass))
    }

    /// The components of the forces on these bodies, in double precision.
    #[must_use]
    pub fn expected_of(&self, bodies: &[usize]) -> [Vec<Expected>; 3] {
        let sources = Sources::new(self.all());
        let forces: Vec<[Expected; 3]> = bodies
            .par_iter()
            .map_init(
                || sources.scratch(),
                |scratch, &body| {
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
        let pull = pull_f32(self.position(body), self.all(), SOFTENING);
        pull.map(|component| GRAVITY * self.mass[body] * component)
    }

    /// Times the tutorial's loop on this CPU.
    pub(super) fn time_on_cpu(&self) -> CpuTimes {
        time_targets(self.mass.len(), |body| self.force_f32(body))
    }

    /// Compares forces whose terms have this many roundings more with the reference, looks through those that are not in
    /// the sample, and requires that they cancel: momentum is conserved. How far a sum may be from 0 follows from the
    /// tolerances of all its terms, so that of a sample's bodies nothing is required.
    pub(super) fn check(&self, forces: &[Vec<f32>; 3], more_roundings: f64) -> Report {
        let (mut report, n) = (Report::default(), self.mass.len());
        for ((name, forces), expected) in ["fx", "fy", "fz"].into_iter().zip(forces).zip(&self.expected) {
            let expected: Vec<_> = expected.iter().map(|component| component.with_roundings(more_roundings)).collect();
            report.compare_sample((name, "bodies"), forces, n, &self.sample, &expected);
            if self.sample.len() == n {
                report.cancels(&format!("momentum: the sum of {name} must be 0"), forces, &expected);
            }
        }
        report.measured.extend(momentum_error(forces).map(|error| ("momentum_error", error)));
        report
    }
}

/// The sum of all forces in relation to the sum of their magnitudes; `None` where there is no force.
fn momentum_error([x, y, z]: &[Vec<f32>; 3]) -> Option<f64> {
    let forces = x.iter().zip(y).zip(z).map(|((&x, &y), &z)| [x, y, z].map(f64::from));
    let length = |[x, y, z]: [f64; 3]| (x * x + y * y + z * z).sqrt();
    let (sum, lengths) = forces.fold(([0.0; 3], 0.0), |(sum, lengths), force| {
        ([0, 1, 2].map(|axis| sum[axis] + force[axis]), lengths + length(force))
    });
    Some(length(sum) / lengths).filter(|error| error.is_finite())
}

#[cfg(test)]
mod tests;
