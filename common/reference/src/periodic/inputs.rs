//! Bodies in the box, and their first accelerations in double precision.

use super::step::{Body, Found, acceleration_f32, accelerations, axis_of, column, found};
use crate::cpu::{CpuTimes, time_targets};
use crate::inputs::Inputs;
use crate::size::Size;
use crate::verify::{Expected, Report, poison_f32};
use chacha20::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

/// The length of a step.
pub const TIME_STEP: f32 = 1e-4;

/// Bodies of one size and seed, with their first accelerations.
#[derive(Debug)]
pub struct BodiesInABox {
    /// The bodies before the first step.
    pub bodies: Vec<Body>,
    accelerations: Vec<[Expected; 2]>,
}

impl Inputs for BodiesInABox {
    fn new(size: &Size) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(size.seed);
        let bodies: Vec<Body> =
            (0..size.n).map(|_| [rng.random(), rng.random(), 0.0, 0.0, poison_f32(), poison_f32()]).collect();
        let accelerations = accelerations(&found(&bodies));
        Self { bodies, accelerations }
    }

    fn time_on_cpu(&self) -> CpuTimes {
        time_targets(self.bodies.len(), |body| acceleration_f32(&self.bodies, body))
    }
}

impl BodiesInABox {
    /// Returns x and y of a body before the first step.
    pub fn place(&self, body: usize) -> [f32; 2] {
        let [x, y, ..] = self.bodies[body];
        [x, y]
    }

    /// Compares the state after the first launch of the accelerating kernel, which must not change anything else if
    /// `are_still`.
    pub fn check_accelerations(&self, got: &[Found], are_still: bool) -> Report {
        let mut report = Report::default();
        for (axis, name) in ["ax", "ay"].into_iter().enumerate() {
            let values = column(got, 4 + axis);
            let expected = axis_of(&self.accelerations, axis);
            report.compare(name, &values, &expected);
            report.cancels(&format!("momentum: the sum of {name} must be 0"), &values, &expected);
        }
        for (field, name) in ["x", "y", "vx", "vy"].into_iter().enumerate().filter(|_| are_still) {
            let expected: Vec<_> = self.bodies.iter().map(|body| Expected::exact(body[field].into())).collect();
            report.compare(&format!("{name} (which the accelerations leave alone)"), &column(got, field), &expected);
        }
        report
    }
}

#[cfg(test)]
mod tests;
