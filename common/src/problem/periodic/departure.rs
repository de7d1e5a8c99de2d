//! How far the bodies of a run are from where an integration in double precision has them, step by step.
//!
//! Both begin at the same places and take the same steps, semi-implicit Euler. Without softening the motion is chaotic: a
//! rounding grows with every encounter, first where two bodies come close. A body has *departed* once it is a tenth of the mean
//! spacing, 0.1 / √n of the side, from its place in double precision. When half of the bodies have, single and double
//! precision tell of different systems, and nothing is left to compare.

use super::body::Found;
use super::inputs::TIME_STEP;
use crate::error::Error;
use rayon::prelude::*;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

/// Of the mean spacing, the distance at which a body has departed.
const DEPARTED: f64 = 0.1;

/// Bodies in the box, in double precision.
pub(super) struct Exact(Vec<ExactBody>);

#[derive(Clone, Copy)]
struct ExactBody {
    place: [f64; 2],
    velocity: [f64; 2],
}

impl Exact {
    /// Bodies as a run begins with them.
    pub fn new(bodies: &[Found]) -> Self {
        Self(bodies.iter().map(|&[x, y, vx, vy, ..]| ExactBody { place: [x, y], velocity: [vx, vy] }).collect())
    }

    /// One step.
    pub fn step(&mut self) {
        let [x, y] = [0, 1].map(|axis| Vec::from_iter(self.0.iter().map(|body| body.place[axis])));
        let dt = f64::from(TIME_STEP);
        self.0.par_iter_mut().for_each(|body| {
            let acceleration = acceleration(body.place, &x, &y);
            for (axis, acceleration) in acceleration.into_iter().enumerate() {
                body.velocity[axis] += acceleration * dt;
                let place = body.place[axis] + body.velocity[axis] * dt;
                body.place[axis] = place - place.floor();
            }
        });
    }

    /// The distance of each body from its place here.
    fn distances(&self, found: &[Found]) -> Vec<f64> {
        let distance = |(body, found): (&ExactBody, &Found)| {
            let [dx, dy] = [0, 1].map(|axis| nearest_image(found[axis] - body.place[axis]));
            libm::hypot(dx, dy)
        };
        self.0.iter().zip(found).map(distance).collect()
    }
}

/// Σ r⃗ / |r⃗|³ over all bodies at another place.
fn acceleration([x, y]: [f64; 2], all_x: &[f64], all_y: &[f64]) -> [f64; 2] {
    let mut sum = [0.0; 2];
    for (other_x, other_y) in all_x.iter().zip(all_y) {
        let (dx, dy) = (nearest_image(other_x - x), nearest_image(other_y - y));
        let squared = dx * dx + dy * dy;
        let weight = if squared == 0.0 { 0.0 } else { 1.0 / (squared * squared.sqrt()) };
        sum[0] += weight * dx;
        sum[1] += weight * dy;
    }
    sum
}

/// The image of a displacement in (−1, 1) that lies in [−½, ½].
fn nearest_image(d: f64) -> f64 {
    if d > 0.5 {
        d - 1.0
    } else if d < -0.5 {
        d + 1.0
    } else {
        d
    }
}

/// What became of the bodies' distances, a line for each step.
#[derive(Debug, Default)]
pub(super) struct Departure(Vec<Line>);

/// Distances after one step.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Line {
    median: f64,
    largest: f64,
    /// Of all bodies, the share that has departed.
    departed: f64,
}

impl Departure {
    /// Adds the state after a step.
    pub fn add(&mut self, exact: &Exact, found: &[Found]) {
        let mut distances = exact.distances(found);
        distances.sort_by(f64::total_cmp);
        let n = distances.len() as f64;
        let limit = DEPARTED / n.sqrt();
        // NaN is no distance within the limit
        let within = distances.iter().filter(|&&distance| distance <= limit).count();
        let departed = (distances.len() - within) as f64 / n;
        let largest = distances.last().copied().unwrap_or_default();
        self.0.push(Line { median: distances[distances.len() / 2], largest, departed });
    }

    /// The step, from 1, after which the first body had departed; `None` if all are where they should be.
    pub fn first(&self) -> Option<usize> {
        self.after(|departed| departed > 0.0)
    }

    /// The step after which half of the bodies had.
    pub fn half(&self) -> Option<usize> {
        self.after(|departed| departed >= 0.5)
    }

    fn after(&self, is_so: impl Fn(f64) -> bool) -> Option<usize> {
        self.0.iter().position(|line| is_so(line.departed)).map(|place| place + 1)
    }

    /// The numbers for the record.
    pub fn measured(&self) -> Vec<(&'static str, f64)> {
        let first = self.first().map(|step| ("first_departure", step as f64));
        let half = self.half().map(|step| ("half_departed", step as f64));
        first.into_iter().chain(half).collect()
    }

    /// What to say below the table.
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
    /// [`Error::File`].
    pub fn write(&self, path: &Path) -> Result<(), Error> {
        let write = || {
            let mut file = BufWriter::new(File::create(path)?);
            writeln!(file, "step,median,largest,departed")?;
            for (step, Line { median, largest, departed }) in (1..).zip(&self.0) {
                writeln!(file, "{step},{median:e},{largest:e},{departed}")?;
            }
            file.flush()
        };
        write().map_err(|error: std::io::Error| Error::File { path: path.to_owned(), reason: error.to_string() })
    }
}

#[cfg(test)]
mod tests;
