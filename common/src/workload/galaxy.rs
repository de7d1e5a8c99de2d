//! Tutorial D: steps of a galaxy, from one pair of buffers to another.
//!
//! aᵢ = Σ mⱼ r⃗ / (|r⃗|² + ε²)^(3/2), x' = x + v dt + ½ a dt², v' = v + a dt. The galaxy is a thin disc of radius 1 and
//! mass about 1 that turns, from a ChaCha8 stream; G is 1. A step is compared with the reference of one
//! step from the state before it, which the kernels leave in the old buffers.

use super::baseline::{CpuTimes, time_targets};
use super::case::{Case, Cost, CostKind, Launch, LaunchResult, Setup};
use super::energy::{Energy, energy};
use super::gravity::{Scratch, Sources, pull_f32};
use super::{OnFrame, Seeded, Size};
use crate::Error;
use crate::verify::{Expected, RSQRT_ROUNDINGS, Report, UNIT_ROUNDOFF, poison_f32};
use cudarc::driver::CudaSlice;
use emulator::Counters;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use std::sync::Arc;

/// Length of a step; an orbit at the rim takes about 2π.
pub const TIME_STEP: f32 = 0.005;
/// ε², the softening.
pub const EPSILON_SQUARED: f32 = 0.0025;
/// Half the thickness of the disc.
const HALF_THICKNESS: f32 = 0.05;
/// Standard deviation of velocities along x and y, in circular speeds.
const DISPERSION: f32 = 0.3;
/// Operations counted for one interaction, as for tutorial A.
pub const FLOPS_PER_INTERACTION: f64 = super::forces::FLOPS_PER_INTERACTION;

/// As for tutorial A, without its factor G mᵢ.
const ROUNDINGS: f64 = 3.0 * (3.0 + RSQRT_ROUNDINGS) + 3.0 + 2.0;

/// A float4 of the kernels.
pub type Float4 = [f32; 4];

/// What a launch function gets. Positions have the mass as their fourth component; both fourth components are copied.
#[derive(Debug)]
pub struct Buffers {
    /// Positions to read.
    pub position: CudaSlice<Float4>,
    /// Velocities to read.
    pub velocity: CudaSlice<Float4>,
    /// Positions to write.
    pub new_position: CudaSlice<Float4>,
    /// Velocities to write.
    pub new_velocity: CudaSlice<Float4>,
    /// Number of bodies.
    pub n: i32,
    /// Length of a step.
    pub dt: f32,
    /// Softening.
    pub epsilon_squared: f32,
}

/// Positions and velocities of all bodies.
#[derive(Clone, Debug)]
struct State {
    position: Vec<Float4>,
    velocity: Vec<Float4>,
}

/// What a step should lead to.
#[derive(Debug)]
struct ExpectedState {
    position: Vec<[Expected; 4]>,
    velocity: Vec<[Expected; 4]>,
}

/// A galaxy of one size and seed, with its first step in double precision.
#[derive(Debug)]
pub struct Problem {
    seed: u64,
    state: State,
    expected: ExpectedState,
}

impl Seeded for Problem {
    fn new(n: usize, seed: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let (position, velocity) = (0..n).map(|_| random_body(&mut rng, n)).unzip();
        let state = State { position, velocity };
        let expected = state.stepped();
        Self { seed, state, expected }
    }

    fn key(&self) -> (usize, u64) {
        (self.state.position.len(), self.seed)
    }
}

/// A body of a disc after Mestel (1963): position with mass, velocity. Rings of the same width have the same mass, so
/// that M(r) / r, the square of the circular speed, is 1 at all radii; the softening lets it fall off at the centre.
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

impl State {
    fn place(&self, body: usize) -> [f32; 3] {
        let [x, y, z, _] = self.position[body];
        [x, y, z]
    }

    fn bodies(&self) -> impl Iterator<Item = ([f32; 3], f32)> {
        self.position.iter().map(|&[x, y, z, mass]| ([x, y, z], mass))
    }

    /// One step in double precision.
    fn stepped(&self) -> ExpectedState {
        let sources = Sources::new(self.bodies());
        let step = |scratch: &mut Scratch, body: usize| {
            let acceleration = sources.pull(self.place(body), EPSILON_SQUARED.into(), ROUNDINGS, scratch);
            moved(self.position[body], self.velocity[body], acceleration)
        };
        let bodies = (0..self.position.len()).into_par_iter();
        let (position, velocity) = bodies.map_init(|| sources.scratch(), step).unzip();
        ExpectedState { position, velocity }
    }
}

/// Velocity: a product and a sum. Position: three products at most in the last term, one in the middle, two sums.
fn moved(position: Float4, velocity: Float4, acceleration: [Expected; 3]) -> ([Expected; 4], [Expected; 4]) {
    let dt = f64::from(TIME_STEP);
    let mut new = [position, velocity].map(|old| old.map(|value| Expected::exact(value.into())));
    for axis in 0..3 {
        let (x, v, a) = (f64::from(position[axis]), f64::from(velocity[axis]), acceleration[axis]);
        let (largest_a, half) = (a.magnitude + a.tolerance, dt * dt / 2.0);
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
    fn check(&self, old: &State, new: &State) -> Report {
        let mut report = Report::default();
        for (field, name) in ["x", "y", "z", "w"].into_iter().enumerate() {
            let compare = |report: &mut Report, name: String, got: &[Float4], expected: &[[Expected; 4]]| {
                let got: Vec<f32> = got.iter().map(|value| value[field]).collect();
                let expected: Vec<Expected> = expected.iter().map(|value| value[field]).collect();
                report.compare(&name, &got, &expected);
            };
            compare(&mut report, format!("new_position.{name}"), &new.position, &self.position);
            compare(&mut report, format!("new_velocity.{name}"), &new.velocity, &self.velocity);
        }
        for axis in 0..3 {
            self.check_momentum(&mut report, axis, old, new);
        }
        report
    }

    /// The forces of a step add up to nothing: Σ m (v' − v) = 0.
    fn check_momentum(&self, report: &mut Report, axis: usize, old: &State, new: &State) {
        let mass = |body: usize| f64::from(old.position[body][3]);
        let bodies = 0..new.velocity.len().min(old.velocity.len());
        let change = |body: usize| f64::from(new.velocity[body][axis]) - f64::from(old.velocity[body][axis]);
        let law = format!("momentum: the sum of m (v' - v) must be 0 along {}", ["x", "y", "z"][axis]);
        let changes = bodies.clone().map(|body| mass(body) * change(body));
        let tolerances = bodies.map(|body| mass(body) * self.velocity[body][axis].tolerance);
        report.weighted_cancels(&law, changes, tolerances);
    }
}

impl Problem {
    /// Times the tutorial's loop over all bodies on this CPU: the accelerations of a step, which are all but a
    /// 1/n part of its work.
    pub(super) fn time_on_cpu(&self, steps: u32) -> CpuTimes {
        let state = &self.state;
        let acceleration = |body| pull_f32(state.place(body), state.bodies(), EPSILON_SQUARED);
        time_targets(state.position.len(), acceleration).of_steps(steps)
    }
}

/// One kernel of tutorial D, set up.
pub(super) struct GalaxyCase<'a> {
    setup: Setup<'a>,
    problem: Arc<Problem>,
    launch: fn(&Launch, &mut Buffers) -> LaunchResult,
    steps: u32,
    buffers: Buffers,
    pristine: [CudaSlice<Float4>; 2],
    poison: CudaSlice<Float4>,
    counters: Option<Counters>,
}

impl<'a> GalaxyCase<'a> {
    pub fn new(
        setup: Setup<'a>,
        problem: Arc<Problem>,
        launch: fn(&Launch, &mut Buffers) -> LaunchResult,
        steps: u32,
    ) -> Result<Self, Error> {
        let State { position, velocity } = &problem.state;
        let size = Size { n: position.len(), steps: Some(steps), seed: problem.seed };
        let poison = vec![[poison_f32(); 4]; size.n];
        let buffers = Buffers {
            position: setup.upload(position)?,
            velocity: setup.upload(velocity)?,
            new_position: setup.upload(&poison)?,
            new_velocity: setup.upload(&poison)?,
            n: size.n_i32(),
            dt: TIME_STEP,
            epsilon_squared: EPSILON_SQUARED,
        };
        let pristine = [setup.upload(position)?, setup.upload(velocity)?];
        let poison = setup.upload(&poison)?;
        Ok(Self { setup, problem, launch, steps, buffers, pristine, poison, counters: None })
    }

    fn state_of(&self, position: &CudaSlice<Float4>, velocity: &CudaSlice<Float4>) -> Result<State, Error> {
        Ok(State { position: self.setup.download(position)?, velocity: self.setup.download(velocity)? })
    }

    /// Makes the outputs of the last step the inputs of the next.
    fn swap(&mut self) {
        std::mem::swap(&mut self.buffers.position, &mut self.buffers.new_position);
        std::mem::swap(&mut self.buffers.velocity, &mut self.buffers.new_velocity);
    }

    fn step(&mut self) -> Result<(), Error> {
        self.setup.run(|launch| (self.launch)(launch, &mut self.buffers))
    }

    fn poison_outputs(&mut self) -> Result<(), Error> {
        self.setup.copy(&self.poison, &mut self.buffers.new_position)?;
        self.setup.copy(&self.poison, &mut self.buffers.new_velocity)
    }

    /// Runs from the start and hands out the first state and that after each `steps_between` steps.
    pub fn film(&mut self, steps_between: u32, on_frame: OnFrame) -> Result<Energy, Error> {
        self.restore()?;
        self.setup.gpu.set_counters(false);
        let State { position, velocity } = &self.problem.state;
        on_frame(0, position)?;
        let first = energy(position, velocity);
        for step in 1..=self.steps {
            self.step()?;
            self.swap();
            if step % steps_between == 0 {
                self.setup.finish()?;
                on_frame(step, &self.setup.download(&self.buffers.position)?)?;
            }
        }
        self.setup.finish()?;
        self.setup.gpu.set_counters(true);
        let last = self.state_of(&self.buffers.position, &self.buffers.velocity)?;
        Ok(Energy { first, last: energy(&last.position, &last.velocity) })
    }
}

impl Case for GalaxyCase<'_> {
    fn restore(&mut self) -> Result<(), Error> {
        let Buffers { position, velocity, .. } = &mut self.buffers;
        self.setup.copy(&self.pristine[0], position)?;
        self.setup.copy(&self.pristine[1], velocity)?;
        self.poison_outputs()
    }

    fn launch(&mut self) -> Result<(), Error> {
        for step in 0..self.steps {
            if step > 0 {
                self.swap();
            }
            self.step()?;
        }
        Ok(())
    }

    fn verify(&mut self) -> Result<Report, Error> {
        self.restore()?;
        // Each step counts the same, and counting takes time.
        self.setup.gpu.set_counters(false);
        for _ in 1..self.steps {
            self.step()?;
            self.swap();
        }
        // What the step before last wrote must not stand in for values of the last.
        self.poison_outputs()?;
        self.setup.gpu.set_counters(true);
        self.step()?;
        self.setup.finish()?;
        self.counters = self.setup.gpu.last_counters()?;
        self.recheck()
    }

    fn recheck(&mut self) -> Result<Report, Error> {
        let Buffers { position, velocity, new_position, new_velocity, .. } = &self.buffers;
        let new = self.state_of(new_position, new_velocity)?;
        if self.steps == 1 {
            return Ok(self.problem.expected.check(&self.problem.state, &new));
        }
        let old = self.state_of(position, velocity)?;
        Ok(old.stepped().check(&old, &new))
    }

    fn counters(&self) -> Option<Counters> {
        self.counters
    }

    fn cost(&self) -> Cost {
        let n = self.problem.state.position.len() as f64;
        let interactions = n * n * f64::from(self.steps);
        Cost {
            kind: CostKind::Flops,
            amount: interactions * FLOPS_PER_INTERACTION,
            interactions: Some(interactions),
            bytes_needed_by_a_launch: n * 4.0 * 16.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::SIZES_AROUND_WARPS;

    /// One step in single precision, from the first `sources` bodies.
    fn stepped_f32(state: &State, sources: usize) -> State {
        let dt = TIME_STEP;
        let mut new = state.clone();
        for body in 0..state.position.len() {
            let a = pull_f32(state.place(body), state.bodies().take(sources), EPSILON_SQUARED);
            for (axis, a) in a.into_iter().enumerate() {
                let (x, v) = (state.position[body][axis], state.velocity[body][axis]);
                new.position[body][axis] = x + v * dt + 0.5 * a * dt * dt;
                new.velocity[body][axis] = v + a * dt;
            }
        }
        new
    }

    #[test]
    fn an_honest_step_passes_at_every_size() {
        for n in SIZES_AROUND_WARPS {
            let Problem { state, expected, .. } = Problem::new(n, 7);
            let report = expected.check(&state, &stepped_f32(&state, n));
            assert!(report.passed(), "n = {n}: {report:?}");
        }
    }

    #[test]
    fn a_step_with_one_body_missing_fails_at_every_size() {
        for n in SIZES_AROUND_WARPS.into_iter().filter(|&n| n > 1) {
            let Problem { state, expected, .. } = Problem::new(n, 7);
            assert!(!expected.check(&state, &stepped_f32(&state, n - 1)).passed(), "n = {n}");
        }
    }

    #[test]
    fn a_step_that_changes_a_mass_or_nothing_at_all_fails() {
        let Problem { state, expected, .. } = Problem::new(33, 7);
        let mut heavier = stepped_f32(&state, 33);
        heavier.position[5][3] *= 1.001;
        assert_eq!(expected.check(&state, &heavier).failed, 1);
        assert!(!expected.check(&state, &state).passed());
        let mut shifted = stepped_f32(&state, 33);
        shifted.position.rotate_left(1);
        assert!(!expected.check(&state, &shifted).passed());
    }

    #[test]
    fn speeds_of_the_disc_are_bounded() {
        let state = Problem::new(1000, 7).state;
        assert!(state.velocity.iter().all(|v| v[0].hypot(v[1]) <= 1.0 + DISPERSION * 6.0_f32.sqrt()));
        let turning = state.position.iter().zip(&state.velocity).filter(|(p, v)| p[0] * v[1] > p[1] * v[0]).count();
        assert!(turning > 950, "{turning}");
        let mass: f32 = state.position.iter().map(|p| p[3]).sum();
        assert!((0.9..1.1).contains(&mass), "{mass}");
    }
}
