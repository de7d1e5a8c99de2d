//! Bodies, and the forces on them in double precision.
//!
//! Roundings inside a term, at most (in units of u): 6 in |r⃗|² + softening (2 from the differences, 1 from a square,
//! 3 from sums), halved by the root, which adds its own 2.15; three times that for the cube, and 3 products; 1
//! difference and 1 product for the component; 2 for G mᵢ. Together 23.

use crate::cpu::{CpuTimes, time_targets};
use crate::inputs::Inputs;
use crate::parallel;
use crate::sample::{compared, sample};
use crate::size::Size;
use crate::verify::{Expected, RSQRT_ROUNDINGS, Report};
use chacha20::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

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
    /// The components of the forces on them.
    expected: [Vec<Expected>; 3],
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

    /// Returns the components of the forces on these bodies, in double precision.
    #[must_use]
    pub fn expected_of(&self, bodies: &[usize]) -> [Vec<Expected>; 3] {
        let sources = Sources::new(self.all());
        let force = |scratch: &mut Scratch, index: usize| {
            let factor = f64::from(GRAVITY) * f64::from(self.mass[bodies[index]]);
            let pull = sources.pull(self.position(bodies[index]), SOFTENING.into(), ROUNDINGS, scratch);
            pull.map(|component| component.scaled(factor))
        };
        let forces = parallel::map_with(bodies.len(), || sources.scratch(), force);
        [0, 1, 2].map(|axis| forces.iter().map(|force| force[axis]).collect())
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

/// Returns the sum of all forces relative to the sum of their magnitudes; `None` if there is no force.
fn momentum_error([x, y, z]: &[Vec<f32>; 3]) -> Option<f64> {
    let forces = x.iter().zip(y).zip(z).map(|((&x, &y), &z)| [x, y, z].map(f64::from));
    let length = |[x, y, z]: [f64; 3]| (x * x + y * y + z * z).sqrt();
    let (sum, lengths) = forces.fold(([0.0; 3], 0.0), |(sum, lengths), force| {
        ([0, 1, 2].map(|axis| sum[axis] + force[axis]), lengths + length(force))
    });
    Some(length(sum) / lengths).filter(|error| error.is_finite())
}

/// Independent partial sums, so that the compiler can use vector instructions without reordering a sum.
const LANES: usize = 4;

/// Sources of gravity in double precision, one array per coordinate, padded with massless ones to whole lanes.
pub struct Sources {
    coordinates: [Vec<f64>; 3],
    mass: Vec<f64>,
}

/// Memory for the magnitudes of one target's terms, by component.
pub type Scratch = [Vec<f32>; 3];

impl Sources {
    /// Returns the positions and masses in double precision.
    pub fn new(bodies: impl Iterator<Item = ([f32; 3], f32)>) -> Self {
        let mut sources = Self { coordinates: Default::default(), mass: Vec::new() };
        for (position, mass) in bodies {
            sources.push(position.map(f64::from), f64::from(mass));
        }
        while !sources.mass.len().is_multiple_of(LANES) {
            sources.push([0.0; 3], 0.0);
        }
        sources
    }

    fn push(&mut self, position: [f64; 3], mass: f64) {
        for (coordinate, value) in self.coordinates.iter_mut().zip(position) {
            coordinate.push(value);
        }
        self.mass.push(mass);
    }

    /// Returns memory for [`Sources::pull`], one per thread.
    pub fn scratch(&self) -> Scratch {
        std::array::from_fn(|_| vec![0.0; self.mass.len()])
    }

    /// Returns Σ mⱼ r⃗ / (|r⃗|² + softening)^(3/2) at `target`, by component. A softening above 0 makes the term of a body
    /// on itself zero. `roundings` is the largest number of roundings inside a term of a kernel.
    pub fn pull(&self, target: [f32; 3], softening: f64, roundings: f64, scratch: &mut Scratch) -> [Expected; 3] {
        let (sum, magnitude) = self.sums(target.map(f64::from), softening, scratch);
        [0, 1, 2].map(|axis| Expected::sum(sum[axis], magnitude[axis], &scratch[axis], roundings))
    }

    /// Returns the sums of the terms and of their magnitudes, and writes the magnitudes one by one to `scratch`.
    fn sums(&self, target: [f64; 3], softening: f64, scratch: &mut Scratch) -> ([f64; 3], [f64; 3]) {
        let mut sum = [[0.0; LANES]; 3];
        let mut magnitude = [[0.0; LANES]; 3];
        let [x, y, z] = &self.coordinates;
        let x = x.chunks_exact(LANES);
        let y = y.chunks_exact(LANES);
        let z = z.chunks_exact(LANES);
        let [out_x, out_y, out_z] = scratch;
        let out_xy = out_x.chunks_exact_mut(LANES).zip(out_y.chunks_exact_mut(LANES));
        let out = out_xy.zip(out_z.chunks_exact_mut(LANES));
        for ((((x, y), z), mass), ((out_x, out_y), out_z)) in
            x.zip(y).zip(z).zip(self.mass.chunks_exact(LANES)).zip(out)
        {
            for lane in 0..LANES {
                let r = [x[lane] - target[0], y[lane] - target[1], z[lane] - target[2]];
                let squared = r[0] * r[0] + r[1] * r[1] + r[2] * r[2] + softening;
                let weight = mass[lane] / (squared * squared.sqrt());
                let terms = r.map(|r| weight * r);
                for axis in 0..3 {
                    sum[axis][lane] += terms[axis];
                    magnitude[axis][lane] += terms[axis].abs();
                }
                out_x[lane] = terms[0].abs() as f32;
                out_y[lane] = terms[1].abs() as f32;
                out_z[lane] = terms[2].abs() as f32;
            }
        }
        (sum.map(|lanes| lanes.iter().sum()), magnitude.map(|lanes| lanes.iter().sum()))
    }
}

/// Returns the same in single precision, in the order of the tutorials' loops.
pub fn pull_f32(target: [f32; 3], bodies: impl Iterator<Item = ([f32; 3], f32)>, softening: f32) -> [f32; 3] {
    let mut sum = [0.0_f32; 3];
    for (position, mass) in bodies {
        let r = [position[0] - target[0], position[1] - target[1], position[2] - target[2]];
        let inverse = 1.0 / (r[0] * r[0] + r[1] * r[1] + r[2] * r[2] + softening).sqrt();
        let weight = mass * inverse * inverse * inverse;
        for axis in 0..3 {
            sum[axis] += weight * r[axis];
        }
    }
    sum
}

#[cfg(test)]
mod tests;
