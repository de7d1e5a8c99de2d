//! Comparison of a rank's forces with double precision and with the results of one GPU.

use super::Problem;
use crate::ranks::rank::{Rank, Sampled, Share};
use common::Error;
use common::problem::forces::Bodies;
use common::verify::{Expected, Failure, Report};

/// The maximum number of terms in a rank's reference. Beyond it, only a sample of at least [`MIN_BODIES`] of its
/// bodies is compared.
const REFERENCE_TERMS: usize = 1 << 26;
const MIN_BODIES: usize = 64;

const COMPONENTS: [&str; 3] = ["fx", "fy", "fz"];

impl Problem {
    /// Returns the differences in the forces on the rank's bodies. A collective call: all ranks must make it.
    pub(super) fn check(&self, rank: &Rank) -> Result<Report, Error> {
        let sums = rank.download(&self.sums)?;
        let alone = rank.download(&self.alone.sums)?;
        let comparison = Comparison::new(&self.bodies, &self.share, self.seed + self.rank as u64);
        let forces = comparison.rows(&sums);
        let mut report = comparison.report(&forces, &alone);
        if comparison.is_of_all_ranks() {
            require_momentum(&mut report, &rank.sum(&comparison.momentum(&forces))?);
        }
        Ok(report)
    }
}

/// A sample of a rank's bodies, with the forces on them in double precision.
pub(super) struct Comparison<'a> {
    n: usize,
    share: &'a Share,
    sampled: Sampled,
    expected: [Vec<Expected>; 3],
}

impl<'a> Comparison<'a> {
    pub(super) fn new(bodies: &Bodies, share: &'a Share, seed: u64) -> Self {
        let n = bodies.mass.len();
        let sampled = Sampled::new(share.own.clone(), bodies_to_compare(n), seed);
        let expected = bodies.expected_of(&sampled.global());
        Self { n, share, sampled, expected }
    }

    /// Returns whether each rank compares all of its bodies.
    fn is_of_all_ranks(&self) -> bool {
        bodies_to_compare(self.n) >= self.share.room
    }

    /// Returns the part of each row that belongs to the rank's bodies.
    pub(super) fn rows<'b>(&self, sums: &'b [f32]) -> Vec<&'b [f32]> {
        sums.chunks_exact(self.share.room).map(|row| &row[..self.share.own.len()]).collect()
    }

    /// Returns the differences of these forces; `alone` are those on all bodies, computed on one GPU.
    pub(super) fn report(&self, forces: &[&[f32]], alone: &[f32]) -> Report {
        let mut report = Report::default();
        for ((name, forces), expected) in COMPONENTS.into_iter().zip(forces).zip(&self.expected) {
            self.sampled.compare(&mut report, (name, "bodies"), forces, expected);
        }
        // Indices are relative to the rank's first body so far; messages use global indices.
        self.sampled.number(&mut report);
        self.require_all(&mut report, forces);
        let rows = forces.iter().zip(alone.chunks_exact(self.n));
        for ((name, (forces, alone)), expected) in COMPONENTS.into_iter().zip(rows).zip(&self.expected) {
            self.sampled.require_as_alone(&mut report, &format!("{name} of body"), forces, alone, expected);
        }
        report
    }

    /// Reports bodies without any force: a sum to which no kernel has added is zero, which the force on a body among
    /// others is not.
    fn require_all(&self, report: &mut Report, forces: &[&[f32]]) {
        for body in (0..self.share.own.len()).filter(|_| self.n > 1) {
            if forces.iter().all(|row| row[body] == 0.0) {
                let law = format!("the force on body {} was not computed", self.share.own.start + body);
                report.fail(Failure::Law { law, found: "all three components are 0".into() });
            }
        }
    }

    /// Returns the sums of the rank's forces, and of the squares of their tolerances.
    fn momentum(&self, forces: &[&[f32]]) -> Vec<f64> {
        let sum = |row: &&[f32]| row.iter().map(|&force| f64::from(force)).sum::<f64>();
        let squares = |row: &Vec<Expected>| row.iter().map(|e| e.tolerance * e.tolerance).sum::<f64>();
        forces.iter().map(sum).chain(self.expected.iter().map(squares)).collect()
    }
}

/// Returns the number of bodies that a rank compares if it has as many.
fn bodies_to_compare(n: usize) -> usize {
    (REFERENCE_TERMS / n).max(MIN_BODIES)
}

/// Requires that the forces on the bodies of all ranks cancel, as [`Report::cancels`] does for one rank: `all` is the
/// sum of their [`Comparison::momentum`].
fn require_momentum(report: &mut Report, all: &[f64]) {
    for (axis, name) in COMPONENTS.into_iter().enumerate() {
        let law = format!("momentum: the sum of {name} of all ranks must be 0");
        report.weighted_cancels(&law, [all[axis]].into_iter(), [all[3 + axis].sqrt()].into_iter());
    }
}

#[cfg(test)]
mod tests;
