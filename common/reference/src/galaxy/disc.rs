//! The galaxy of a size and seed: a thin rotating disc of radius 1 and mass about 1, with G = 1.

use super::energy::energy;
use super::state::{EPSILON_SQUARED, ExpectedState, Float4, State};
use crate::cpu::{CpuTimes, time_targets};
use crate::gravity::pull_f32;
use crate::inputs::Inputs;
use crate::sample::{compared, sample};
use crate::size::Size;
use crate::verify::Report;
use chacha20::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use std::sync::OnceLock;

/// Half the thickness of the disc.
const HALF_THICKNESS: f32 = 0.05;
/// Standard deviation of velocities along x and y, in circular speeds.
const DISPERSION: f32 = 0.3;

/// The initial state of a galaxy, and its first step in double precision.
#[derive(Debug)]
pub struct Disc {
    /// The initial state.
    pub state: State,
    /// The bodies that are compared, in ascending order.
    sample: Vec<usize>,
    /// The expected result of the first step, which only a comparison needs.
    expected: OnceLock<ExpectedState>,
}

impl Inputs for Disc {
    fn new(size: &Size) -> Self {
        Self::with_sample(size, compared(size.n))
    }

    fn time_on_cpu(&self) -> CpuTimes {
        let state = &self.state;
        let acceleration = |body| pull_f32(state.place(body), state.bodies(), EPSILON_SQUARED);
        time_targets(state.position.len(), acceleration)
    }
}

impl Disc {
    /// Returns the galaxy of a size, `compared` of whose bodies are compared.
    #[must_use]
    pub fn with_sample(size: &Size, compared: usize) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(size.seed);
        let (position, velocity) = (0..size.n).map(|_| random_body(&mut rng, size.n)).unzip();
        let state = State { position, velocity };
        let sample = sample(&mut rng, size.n, compared);
        Self { state, sample, expected: OnceLock::new() }
    }

    /// Returns the bodies that are compared, in ascending order.
    pub fn sample(&self) -> &[usize] {
        &self.sample
    }

    /// Compares the state after the first step, as [`ExpectedState::check`] does.
    pub fn check(&self, new: &State, more_roundings: f64) -> Report {
        let expected = self.expected.get_or_init(|| self.state.stepped(&self.sample));
        expected.check(&self.state, new, more_roundings)
    }

    /// Compares the bodies that a sample of the blocks wrote in the first step, of which there must be `count`.
    pub fn check_written(&self, new: &State, more_roundings: f64, count: usize) -> Report {
        self.state.stepped(&new.written()).check_written(&self.state, new, more_roundings, count)
    }

    /// Returns the energy of the initial state.
    pub fn energy(&self) -> f64 {
        energy(&self.state)
    }
}

/// Returns the position with mass, and the velocity, of a body of a Mestel disc (1963). Rings of the same width have the same
/// mass, so M(r) / r, the square of the circular speed, is 1 at all radii; softening reduces it at the center. A part of
/// the motion is random, without which the disc would fragment (Toomre 1964). Only arithmetic and square roots, which have
/// the same bits on every machine, unlike a sine.
fn random_body(rng: &mut ChaCha8Rng, n: usize) -> (Float4, Float4) {
    let (x, y, radius) = loop {
        let x = 2.0 * rng.random::<f32>() - 1.0;
        let y = 2.0 * rng.random::<f32>() - 1.0;
        let radius = (x * x + y * y).sqrt();
        if radius > 0.0 && radius <= 1.0 {
            // On a uniform disc the square of the radius is uniform; here the radius itself.
            break (x * radius, y * radius, radius * radius);
        }
    };
    let height = (2.0 * rng.random::<f32>() - 1.0) * HALF_THICKNESS;
    let mass = 2.0 * (1.0 - rng.random::<f32>()) / n as f32;
    let circular = radius / (radius * radius + 4.0 * EPSILON_SQUARED).sqrt();
    // Random motion supports a part of the disc against gravity, so the mean speed is lower.
    let mean = circular * (1.0 - DISPERSION * DISPERSION).sqrt();
    // Uniform on [-√3, √3], whose standard deviation is 1.
    let mut random = || DISPERSION * circular * 3.0_f32.sqrt() * (2.0 * rng.random::<f32>() - 1.0);
    let velocity = [random() - mean * y / radius, random() + mean * x / radius, 0.0, 0.0];
    ([x, y, height, mass], velocity)
}

#[cfg(test)]
mod tests;
