//! Bodies, and the forces on them in double precision.
//!
//! Roundings inside a term, at most (in units of u): 6 in |r⃗|² + softening (2 from the differences, 1 from a square,
//! 3 from sums), halved by the root, which adds its own 2.15; three times that for the cube, and 3 products; 1
//! difference and 1 product for the component; 2 for G mᵢ. Together 23.

use crate::cpu::{CpuTimes, time_targets};
use crate::gravity::{Scratch, Sources, pull_f32};
use crate::inputs::Inputs;
use crate::parallel;
use crate::sample::{compared, sample};
use crate::size::Size;
use crate::verify::{Expected, LastWritten, RSQRT_ROUNDINGS, Report, written};
use chacha20::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use std::sync::OnceLock;

/// Gravitational constant, m³ kg⁻¹ s⁻².
pub const GRAVITY: f32 = 6.67e-11;
/// Added to |r⃗|², m².
pub const SOFTENING: f32 = 1e-9;
/// Operations counted for one interaction, the field's convention since GPU Gems 3, chapter 31.
pub const FLOPS_PER_INTERACTION: f64 = 20.0;

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
    /// The components of the forces on them, which only a comparison needs.
    expected: OnceLock<[Vec<Expected>; 3]>,
    /// Those on the bodies of which a sample of the blocks wrote the forces.
    written: LastWritten<[Expected; 3]>,
}

impl Inputs for Bodies {
    fn new(size: &Size) -> Self {
        Self::with_sample(size, compared(size.n))
    }

    fn time_on_cpu(&self) -> CpuTimes {
        time_targets(self.mass.len(), |body| self.force_f32(body))
    }
}

impl Bodies {
    /// Returns the bodies of a size, `compared` of which are compared.
    #[must_use]
    pub fn with_sample(size: &Size, compared: usize) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(size.seed);
        let coordinates = std::array::from_fn(|_| (0..size.n).map(|_| rng.random()).collect());
        let mass = (0..size.n).map(|_| 1.0 - rng.random::<f32>()).collect();
        let sample = sample(&mut rng, size.n, compared);
        Self { coordinates, mass, sample, expected: OnceLock::new(), written: LastWritten::default() }
    }

    fn position(&self, body: usize) -> [f32; 3] {
        [0, 1, 2].map(|axis| self.coordinates[axis][body])
    }

    fn all(&self) -> impl Iterator<Item = ([f32; 3], f32)> {
        let [x, y, z] = &self.coordinates;
        let places = x.iter().zip(y).zip(z);
        places.zip(&self.mass).map(|(((&x, &y), &z), &mass)| ([x, y, z], mass))
    }

    /// Returns the components of the forces on these bodies, in double precision.
    #[must_use]
    pub fn expected_of(&self, bodies: &[usize]) -> [Vec<Expected>; 3] {
        let forces = self.expected_forces(bodies);
        [0, 1, 2].map(|axis| forces.iter().map(|force| force[axis]).collect())
    }

    fn expected_forces(&self, bodies: &[usize]) -> Vec<[Expected; 3]> {
        let sources = Sources::new(self.all());
        let force = |scratch: &mut Scratch, index: usize| {
            let factor = f64::from(GRAVITY) * f64::from(self.mass[bodies[index]]);
            let pull = sources.pull(self.position(bodies[index]), SOFTENING.into(), ROUNDINGS, scratch);
            pull.map(|component| component.scaled(factor))
        };
        parallel::map_with(bodies.len(), || sources.scratch(), force)
    }

    /// Returns the force on one body as the tutorial's CPU loop computes it.
    fn force_f32(&self, body: usize) -> [f32; 3] {
        let pull = pull_f32(self.position(body), self.all(), SOFTENING);
        pull.map(|component| GRAVITY * self.mass[body] * component)
    }

    /// Compares forces with the reference, whose terms may have `more_roundings`; requires the others to be finite, and all
    /// to cancel: momentum is conserved. The bound of that sum follows from the tolerances of all its terms, so nothing is
    /// required of a sample's.
    pub fn check(&self, forces: &[Vec<f32>; 3], more_roundings: f64) -> Report {
        let mut report = Report::default();
        let n = self.mass.len();
        let expected = self.expected.get_or_init(|| self.expected_of(&self.sample));
        for ((name, forces), expected) in ["fx", "fy", "fz"].into_iter().zip(forces).zip(expected) {
            let expected: Vec<_> = expected.iter().map(|component| component.with_roundings(more_roundings)).collect();
            report.compare_sample((name, "bodies"), forces, n, &self.sample, &expected);
            if self.sample.len() == n {
                report.cancels(&format!("momentum: the sum of {name} must be 0"), forces, &expected);
            }
        }
        report.measured.extend(momentum_error(forces).map(|error| ("momentum_error", error)));
        report
    }

    /// Compares the forces that a sample of the blocks wrote: those on `count` bodies.
    pub fn check_written(&self, forces: &[Vec<f32>; 3], more_roundings: f64, count: usize) -> Report {
        let mut report = Report::default();
        let bodies = written(&forces[0]);
        let expected = self.written.get(&bodies, || self.expected_forces(&bodies));
        for (axis, (name, forces)) in ["fx", "fy", "fz"].into_iter().zip(forces).enumerate() {
            let more = |force: &[Expected; 3]| force[axis].with_roundings(more_roundings);
            report.compare_written((name, "bodies"), forces, count, |_| expected.iter().map(more).collect());
        }
        report
    }
}

/// Returns the sum of all forces relative to the sum of their magnitudes; `None` if there is no force.
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
