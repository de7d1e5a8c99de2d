//! The distances between the bodies of a run and those of an integration in double precision, step by step.
//!
//! Both start from the same positions and take the same semi-implicit Euler steps. Without softening the motion is chaotic: a
//! rounding error grows with every encounter, first when two bodies come close. A body has *departed* when it is a tenth of
//! the mean spacing, 0.1 / √n of the side, away from its position in double precision. Once half of the bodies have departed,
//! single and double precision describe different systems, and there is nothing left to compare.

use super::inputs::TIME_STEP;
use super::step::Found;
use crate::parallel;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// The distance at which a body has departed, relative to the mean spacing.
const DEPARTED: f64 = 0.1;

/// Bodies in the box, in double precision.
pub struct Exact(Vec<ExactBody>);

#[derive(Clone, Copy)]
struct ExactBody {
    place: [f64; 2],
    velocity: [f64; 2],
}

impl Exact {
    /// Returns the bodies at the start of a run.
    pub fn new(bodies: &[Found]) -> Self {
        Self(bodies.iter().map(|&[x, y, vx, vy, ..]| ExactBody { place: [x, y], velocity: [vx, vy] }).collect())
    }

    /// Takes one step.
    pub fn step(&mut self) {
        let [x, y] = [0, 1].map(|axis| Vec::from_iter(self.0.iter().map(|body| body.place[axis])));
        let dt = f64::from(TIME_STEP);
        self.0 = parallel::map(self.0.len(), |index| {
            let mut body = self.0[index];
            let acceleration = acceleration(body.place, &x, &y);
            for (axis, acceleration) in acceleration.into_iter().enumerate() {
                body.velocity[axis] += acceleration * dt;
                let place = body.place[axis] + body.velocity[axis] * dt;
                body.place[axis] = place - place.floor();
            }
            body
        });
    }

    /// Returns the distance of each body from its position here.
    fn distances(&self, found: &[Found]) -> Vec<f64> {
        let distance = |(body, found): (&ExactBody, &Found)| {
            let [dx, dy] = [0, 1].map(|axis| nearest_image(found[axis] - body.place[axis]));
            libm::hypot(dx, dy)
        };
        self.0.iter().zip(found).map(distance).collect()
    }
}

/// Returns Σ r⃗ / |r⃗|³ over all bodies at another position.
fn acceleration([x, y]: [f64; 2], all_x: &[f64], all_y: &[f64]) -> [f64; 2] {
    let mut sum = [0.0; 2];
    for (other_x, other_y) in all_x.iter().zip(all_y) {
        let dx = nearest_image(other_x - x);
        let dy = nearest_image(other_y - y);
        let squared = dx * dx + dy * dy;
        let weight = if squared == 0.0 { 0.0 } else { 1.0 / (squared * squared.sqrt()) };
        sum[0] += weight * dx;
        sum[1] += weight * dy;
    }
    sum
}

/// Returns the image in [−½, ½] of a displacement in (−1, 1).
fn nearest_image(d: f64) -> f64 {
    if d > 0.5 {
        d - 1.0
    } else if d < -0.5 {
        d + 1.0
    } else {
        d
    }
}

/// The distances of the bodies, one line per step.
#[derive(Debug, Default)]
pub struct Departure(Vec<Line>);

/// Distances after one step.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Line {
    median: f64,
    largest: f64,
    /// The share of bodies that have departed.
    departed: f64,
}

impl Departure {
    /// Adds the state after a step.
    pub fn add(&mut self, exact: &Exact, found: &[Found]) {
        let mut distances = exact.distances(found);
        distances.sort_by(f64::total_cmp);
        let n = distances.len() as f64;
        let limit = DEPARTED / n.sqrt();
        // NaN is not within the limit.
        let within = distances.iter().filter(|&&distance| distance <= limit).count();
        let departed = (distances.len() - within) as f64 / n;
        let largest = distances.last().copied().unwrap_or_default();
        self.0.push(Line { median: distances[distances.len() / 2], largest, departed });
    }

    /// Returns the step, from 1, after which the first body had departed; `None` if none has.
    pub fn first(&self) -> Option<usize> {
        self.after(|departed| departed > 0.0)
    }

    /// Returns the step after which half of the bodies had departed.
    pub fn half(&self) -> Option<usize> {
        self.after(|departed| departed >= 0.5)
    }

    fn after(&self, is_so: impl Fn(f64) -> bool) -> Option<usize> {
        self.0.iter().position(|line| is_so(line.departed)).map(|place| place + 1)
    }

    /// Returns the numbers for the record.
    pub fn measured(&self) -> Vec<(&'static str, f64)> {
        let first = self.first().map(|step| ("first_departure", step as f64));
        let half = self.half().map(|step| ("half_departed", step as f64));
        first.into_iter().chain(half).collect()
    }

    /// Returns the line below the table.
    pub fn describe(&self) -> String {
        let after = |step: Option<usize>| step.map_or("in no step".into(), |step| format!("after step {step}"));
        format!(
            "A tenth of the mean spacing away from double precision: the first body {}, half of them {}.",
            after(self.first()),
            after(self.half())
        )
    }

    /// Writes step, median and largest distance, and the share of the bodies that have departed.
    ///
    /// # Errors
    /// If the file cannot be created or written.
    pub fn write(&self, path: &Path) -> io::Result<()> {
        let mut file = BufWriter::new(File::create(path)?);
        writeln!(file, "step,median,largest,departed")?;
        for (step, Line { median, largest, departed }) in (1..).zip(&self.0) {
            writeln!(file, "{step},{median:e},{largest:e},{departed}")?;
        }
        file.flush()
    }
}

#[cfg(test)]
mod tests;
