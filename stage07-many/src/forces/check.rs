//! Comparison of a rank's forces with double precision, and with those of one GPU.

use super::Problem;
use crate::rank::{Rank, Share, Twice, number_from, require_as_alone};
use common::Error;
use common::problem::forces::Bodies;
use common::problem::sample;
use common::verify::{Expected, Failure, LAMBDA, Report};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// Terms of the reference on a rank, at most: with more, a sample of its bodies is compared, of at least [`FEWEST_BODIES`].
const REFERENCE_TERMS: usize = 1 << 26;
const FEWEST_BODIES: usize = 64;

const COMPONENTS: [&str; 3] = ["fx", "fy", "fz"];

impl Problem {
    /// What is wrong with the forces on the rank's bodies. All ranks call.
    pub(super) fn check(&self, rank: &Rank) -> Result<Report, Error> {
        let (sums, alone) = (rank.download(&self.sums)?, rank.download(&self.alone.sums)?);
        let comparison = Comparison::new(&self.bodies, &self.share, self.seed + self.rank as u64);
        let forces = comparison.rows(&sums);
        let mut report = comparison.report(&forces, &alone);
        if comparison.is_of_all_ranks() {
            require_momentum(&mut report, &rank.sum(&comparison.momentum(&forces))?);
        }
        Ok(report)
    }
}

/// Some of a rank's bodies, with the forces on them in double precision.
pub(super) struct Comparison<'a> {
    n: usize,
    share: &'a Share,
    /// Counted from the rank's first.
    local: Vec<usize>,
    expected: [Vec<Expected>; 3],
}

impl<'a> Comparison<'a> {
    pub(super) fn new(bodies: &Bodies, share: &'a Share, seed: u64) -> Self {
        let (n, count) = (bodies.mass.len(), share.own.len());
        let local = sample(&mut ChaCha8Rng::seed_from_u64(seed), count, compared(n).min(count));
        let global: Vec<usize> = local.iter().map(|body| share.own.start + body).collect();
        Self { n, share, local, expected: bodies.expected_of(&global) }
    }

    /// Whether each rank compares all of its bodies.
    fn is_of_all_ranks(&self) -> bool {
        compared(self.n) >= self.share.room
    }

    /// The rank's own bodies of each row.
    pub(super) fn rows<'b>(&self, sums: &'b [f32]) -> Vec<&'b [f32]> {
        sums.chunks_exact(self.share.room).map(|row| &row[..self.share.own.len()]).collect()
    }

    /// What is wrong with these forces; `alone` are those on all bodies, computed on one GPU.
    pub(super) fn report(&self, forces: &[&[f32]], alone: &[f32]) -> Report {
        let mut report = Report::default();
        for ((name, forces), expected) in COMPONENTS.into_iter().zip(forces).zip(&self.expected) {
            report.compare_sample((name, "bodies"), forces, self.share.own.len(), &self.local, expected);
        }
        // Values are of the rank's own bodies so far; a message names them as all ranks do.
        number_from(&mut report, self.share.own.start);
        self.require_all(&mut report, forces);
        self.compare_with_alone(&mut report, forces, alone);
        report
    }

    /// A sum to which no kernel has added is zero, and no body among others has none at all.
    fn require_all(&self, report: &mut Report, forces: &[&[f32]]) {
        for body in (0..self.share.own.len()).filter(|_| self.n > 1) {
            if forces.iter().all(|row| row[body] == 0.0) {
                let law = format!("no force on body {} was computed", self.share.own.start + body);
                report.fail(Failure::Law { law, found: "all three components are 0".into() });
            }
        }
    }

    /// Both are within a tolerance of the exact force.
    fn compare_with_alone(&self, report: &mut Report, forces: &[&[f32]], alone: &[f32]) {
        let rows = forces.iter().zip(alone.chunks_exact(self.n));
        for ((name, (forces, alone)), expected) in COMPONENTS.into_iter().zip(rows).zip(&self.expected) {
            let twice = |(&local, expected)| {
                let index = self.share.own.start + local;
                Twice { index, got: forces[local], alone: alone[index], expected }
            };
            require_as_alone(report, &format!("{name} of body"), self.local.iter().zip(expected).map(twice));
        }
    }

    /// The sums of the rank's forces, and of the squares of their tolerances.
    fn momentum(&self, forces: &[&[f32]]) -> Vec<f64> {
        let sum = |row: &&[f32]| row.iter().map(|&force| f64::from(force)).sum::<f64>();
        let squares = |row: &Vec<Expected>| row.iter().map(|e| e.tolerance * e.tolerance).sum::<f64>();
        forces.iter().map(sum).chain(self.expected.iter().map(squares)).collect()
    }
}

/// How many bodies of a rank are compared, where there are as many.
fn compared(n: usize) -> usize {
    (REFERENCE_TERMS / n).max(FEWEST_BODIES)
}

/// The forces on the bodies of all ranks add up to nothing, as [`Report::cancels`] has it for one: `all` are their
/// [`Comparison::momentum`], added up.
fn require_momentum(report: &mut Report, all: &[f64]) {
    for (axis, name) in COMPONENTS.into_iter().enumerate() {
        let (sum, bound) = (all[axis], LAMBDA * all[3 + axis].sqrt());
        let within = sum.abs() <= bound;
        if !within {
            let law = format!("momentum: the sum of {name} of all ranks must be 0");
            report.fail(Failure::Law { law, found: format!("the sum is {sum:.3e}, its bound {bound:.3e}") });
        }
    }
}

#[cfg(test)]
mod tests;
