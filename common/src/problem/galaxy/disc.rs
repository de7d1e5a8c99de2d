//! The galaxy of a size and seed: a thin disc of radius 1 and mass about 1 that turns; G is 1.

use super::energy::energy;
use super::state::{EPSILON_SQUARED, ExpectedState, Float4, State};
use crate::problem::cpu::{CpuTimes, time_targets};
use crate::problem::gravity::pull_f32;
use crate::problem::inputs::Inputs;
use crate::problem::sample::{compared, sample};
use crate::problem::size::Size;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Half the thickness of the disc.
const HALF_THICKNESS: f32 = 0.05;
/// Standard deviation of velocities along x and y, in circular speeds.
const DISPERSION: f32 = 0.3;

/// A galaxy before its first step, and its first step in double precision.
#[derive(Debug)]
pub struct Disc {
    /// The first state.
    pub state: State,
    /// What the first step should lead to.
    pub(super) expected: ExpectedState,
}

impl Inputs for Disc {
    fn new(size: &Size) -> Self {
        Self::with_sample(size, compared(size.n))
    }
}

impl Disc {
    /// The galaxy of a size, of whose bodies `compared` are compared.
    #[must_use]
    pub fn with_sample(size: &Size, compared: usize) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(size.seed);
        let (position, velocity) = (0..size.n).map(|_| random_body(&mut rng, size.n)).unzip();
        let state = State { position, velocity };
        let expected = state.stepped(&sample(&mut rng, size.n, compared));
        Self { state, expected }
    }

    /// The bodies that are compared, in ascending order.
    pub(super) fn sample(&self) -> &[usize] {
        &self.expected.sample
    }

    /// Times the tutorial's loop over all bodies on this CPU: the accelerations of a step, which are all but a
    /// 1/n part of its work.
    pub(super) fn time_on_cpu(&self, steps: u32) -> CpuTimes {
        let state = &self.state;
        let acceleration = |body| pull_f32(state.place(body), state.bodies(), EPSILON_SQUARED);
        time_targets(state.position.len(), acceleration).of_steps(steps)
    }

    /// The energy of the first state.
    pub(super) fn energy(&self) -> f64 {
        energy(&self.state)
    }
}

/// A body of a disc after Mestel (1963): position with mass, velocity. Rings of the same width have the same mass, so
/// that M(r) / r, the square of the circular speed, is 1 at all radii; the softening lets it fall off at the center.
/// A part of the motion is random, without which the disc would fall into clumps (Toomre 1964). Arithmetic and square
/// roots alone: the same bits on every machine, which a sine would not give.
fn random_body(rng: &mut ChaCha8Rng, n: usize) -> (Float4, Float4) {
    let (x, y, radius) = loop {
        let (x, y) = (2.0 * rng.random::<f32>() - 1.0, 2.0 * rng.random::<f32>() - 1.0);
        let radius = (x * x + y * y).sqrt();
        if radius > 0.0 && radius <= 1.0 {
            // On a uniform disc the square of the radius is uniform; here the radius itself.
            break (x * radius, y * radius, radius * radius);
        }
    };
    let height = (2.0 * rng.random::<f32>() - 1.0) * HALF_THICKNESS;
    let mass = 2.0 * (1.0 - rng.random::<f32>()) / n as f32;
    let circular = radius / (radius * radius + 4.0 * EPSILON_SQUARED).sqrt();
    // Random motion carries a part of the disc against gravity, so that the mean speed is lower.
    let mean = circular * (1.0 - DISPERSION * DISPERSION).sqrt();
    // Uniform on [-√3, √3], whose standard deviation is 1.
    let mut random = || DISPERSION * circular * 3.0_f32.sqrt() * (2.0 * rng.random::<f32>() - 1.0);
    let velocity = [random() - mean * y / radius, random() + mean * x / radius, 0.0, 0.0];
    ([x, y, height, mass], velocity)
}

#[cfg(test)]
mod tests;
