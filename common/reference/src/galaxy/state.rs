//! The state of a galaxy, and one step of it in double precision.

use crate::gravity::{Scratch, Sources};
use crate::parallel;
use crate::verify::{Expected, POISON_BITS, RSQRT_ROUNDINGS, Report, UNIT_ROUNDOFF};

/// The length of a step; an orbit at the rim takes about 2π.
pub const TIME_STEP: f32 = 0.005;
/// ε², the softening.
pub const EPSILON_SQUARED: f32 = 0.0025;

/// As for problem A, without its factor G mᵢ.
const ROUNDINGS: f64 = 3.0 * (3.0 + RSQRT_ROUNDINGS) + 3.0 + 2.0;

/// A float4 of the kernels.
pub type Float4 = [f32; 4];

/// Positions and velocities of all bodies. Positions have the mass as their fourth component.
#[derive(Clone, Debug)]
pub struct State {
    /// x, y, z and mass.
    pub position: Vec<Float4>,
    /// vx, vy, vz, and a component that the kernels copy.
    pub velocity: Vec<Float4>,
}

/// The expected state after a step, from the accelerations in it.
#[derive(Debug)]
pub struct ExpectedState {
    /// The bodies that are compared, in ascending order.
    sample: Vec<usize>,
    /// Their accelerations.
    accelerations: Vec<[Expected; 3]>,
}

impl State {
    pub(super) fn place(&self, body: usize) -> [f32; 3] {
        let [x, y, z, _] = self.position[body];
        [x, y, z]
    }

    pub(super) fn bodies(&self) -> impl Iterator<Item = ([f32; 3], f32)> {
        self.position.iter().map(|&[x, y, z, mass]| ([x, y, z], mass))
    }

    /// Returns x and y of all bodies.
    pub fn seen_from_above(&self) -> impl ExactSizeIterator<Item = [f32; 2]> {
        self.position.iter().map(|&[x, y, ..]| [x, y])
    }

    /// Returns the bodies of which a kernel wrote any component, in ascending order.
    pub(super) fn written(&self) -> Vec<usize> {
        let is_written = |value: &Float4| value.iter().any(|component| component.to_bits() != POISON_BITS);
        let of_body = |&body: &usize| is_written(&self.position[body]) || is_written(&self.velocity[body]);
        (0..self.position.len()).filter(of_body).collect()
    }

    /// Computes one step of these bodies in double precision.
    #[must_use]
    pub fn stepped(&self, sample: &[usize]) -> ExpectedState {
        let sources = Sources::new(self.bodies());
        let acceleration = |scratch: &mut Scratch, index: usize| {
            sources.pull(self.place(sample[index]), EPSILON_SQUARED.into(), ROUNDINGS, scratch)
        };
        let accelerations = parallel::map_with(sample.len(), || sources.scratch(), acceleration);
        ExpectedState { sample: sample.to_vec(), accelerations }
    }
}

/// Velocity: a product and a sum. Position: three products at most in the last term, one in the middle, two sums.
fn moved(position: Float4, velocity: Float4, acceleration: [Expected; 3]) -> ([Expected; 4], [Expected; 4]) {
    let dt = f64::from(TIME_STEP);
    let mut new = [position, velocity].map(|old| old.map(|value| Expected::exact(value.into())));
    for axis in 0..3 {
        let x = f64::from(position[axis]);
        let v = f64::from(velocity[axis]);
        let a = acceleration[axis];
        let largest_a = a.magnitude + a.tolerance;
        let half = dt * dt / 2.0;
        let magnitude = x.abs() + v.abs() * dt + largest_a * half;
        let tolerance = a.tolerance * half + 5.0 * UNIT_ROUNDOFF * magnitude;
        new[0][axis] = Expected { value: x + v * dt + a.value * half, magnitude, tolerance };
        let magnitude = v.abs() + largest_a * dt;
        let tolerance = a.tolerance * dt + 2.0 * UNIT_ROUNDOFF * magnitude;
        new[1][axis] = Expected { value: v + a.value * dt, magnitude, tolerance };
    }
    (new[0], new[1])
}

impl ExpectedState {
    /// Compares the bodies of the sample after a step, with `more_roundings` in the terms of an acceleration, and requires
    /// the others to be finite. The bound of the change of momentum follows from the tolerances of all bodies, so it is
    /// checked only if all are compared.
    #[must_use]
    pub fn check(&self, old: &State, new: &State, more_roundings: f64) -> Report {
        let mut report = Report::default();
        let n = old.position.len();
        let expected = self.moved(old, more_roundings);
        each_component(new, &expected, |name, got, expected| {
            report.compare_sample((name, "bodies"), got, n, &self.sample, &expected);
        });
        for axis in (0..3).filter(|_| self.sample.len() == n) {
            check_momentum(&mut report, axis, [old, new], &expected[1]);
        }
        report
    }

    /// Compares the bodies that a sample of the blocks wrote, of which there must be `count`. They are among those of the step.
    pub(super) fn check_written(&self, old: &State, new: &State, more_roundings: f64, count: usize) -> Report {
        let mut report = Report::default();
        each_component(new, &self.moved(old, more_roundings), |name, got, expected| {
            let of_body = |body: &usize| expected[self.sample.partition_point(|stepped| stepped < body)];
            report.compare_written((name, "bodies"), got, count, |bodies| bodies.iter().map(of_body).collect());
        });
        report
    }

    /// Returns the positions and velocities of the bodies after a step.
    fn moved(&self, old: &State, more_roundings: f64) -> [Vec<[Expected; 4]>; 2] {
        let step = |(&body, acceleration): (&usize, &[Expected; 3])| {
            let acceleration = acceleration.map(|a| a.with_roundings(more_roundings));
            moved(old.position[body], old.velocity[body], acceleration)
        };
        let (position, velocity) = self.sample.iter().zip(&self.accelerations).map(step).unzip();
        [position, velocity]
    }
}

/// Passes each component of a new state to `compare`, with its name and its expectations.
fn each_component(
    new: &State,
    [position, velocity]: &[Vec<[Expected; 4]>; 2],
    mut compare: impl FnMut(&str, &[f32], Vec<Expected>),
) {
    for (field, name) in ["x", "y", "z", "w"].into_iter().enumerate() {
        let mut of_field = |of: &str, got: &[Float4], expected: &[[Expected; 4]]| {
            let got: Vec<f32> = got.iter().map(|value| value[field]).collect();
            let expected = expected.iter().map(|value| value[field]).collect();
            compare(&format!("new_{of}.{name}"), &got, expected);
        };
        of_field("position", &new.position, position);
        of_field("velocity", &new.velocity, velocity);
    }
}

/// Requires that momentum is conserved: Σ m (v' − v) = 0.
fn check_momentum(report: &mut Report, axis: usize, [old, new]: [&State; 2], expected: &[[Expected; 4]]) {
    let mass = |body: usize| f64::from(old.position[body][3]);
    let bodies = 0..new.velocity.len().min(old.velocity.len());
    let change = |body: usize| f64::from(new.velocity[body][axis]) - f64::from(old.velocity[body][axis]);
    let law = format!("momentum: the sum of m (v' - v) must be 0 along {}", ["x", "y", "z"][axis]);
    let changes = bodies.clone().map(|body| mass(body) * change(body));
    let tolerances = bodies.map(|body| mass(body) * expected[body][axis].tolerance);
    report.weighted_cancels(&law, changes, tolerances);
}
