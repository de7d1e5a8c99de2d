//! Comparison of a rank's forces with double precision, and with those of one GPU.

use super::Problem;
use crate::rank::Rank;
use common::Error;
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
        let sums = rank.download(&self.sums)?;
        let forces: Vec<&[f32]> = sums.chunks_exact(self.share.room).map(|row| &row[..self.share.own.len()]).collect();
        let local = self.sample();
        let bodies: Vec<usize> = local.iter().map(|body| self.share.own.start + body).collect();
        let expected = self.bodies.expected_of(&bodies);
        let mut report = Report::default();
        for ((name, forces), expected) in COMPONENTS.into_iter().zip(&forces).zip(&expected) {
            report.compare_sample((name, "bodies"), forces, self.share.own.len(), &local, expected);
        }
        // Values are of the rank's own bodies so far; a message names them as all ranks do.
        report.examples.iter_mut().for_each(|failure| shift(failure, self.share.own.start));
        self.require_all(&mut report, &forces);
        self.compare_with_alone(rank, &mut report, &forces, &bodies, &expected)?;
        self.require_momentum(rank, &mut report, &forces, &expected)?;
        Ok(report)
    }

    /// The rank's bodies that are compared, counted from its first.
    fn sample(&self) -> Vec<usize> {
        let count = self.share.own.len();
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed + self.rank as u64);
        sample(&mut rng, count, self.compared().min(count))
    }

    /// How many are, where there are as many.
    fn compared(&self) -> usize {
        (REFERENCE_TERMS / self.bodies.mass.len()).max(FEWEST_BODIES)
    }

    /// A sum to which no kernel has added is zero, and no body among others has none at all.
    fn require_all(&self, report: &mut Report, forces: &[&[f32]]) {
        for body in (0..self.share.own.len()).filter(|_| self.bodies.mass.len() > 1) {
            if forces.iter().all(|row| row[body] == 0.0) {
                let law = format!("no force on body {} was computed", self.share.own.start + body);
                report.fail(Failure::Law { law, found: "all three components are 0".into() });
            }
        }
    }

    /// Both are within a tolerance of the exact force.
    fn compare_with_alone(
        &self,
        rank: &Rank,
        report: &mut Report,
        forces: &[&[f32]],
        bodies: &[usize],
        expected: &[Vec<Expected>; 3],
    ) -> Result<(), Error> {
        let alone = rank.download(&self.alone.sums)?;
        let rows: Vec<&[f32]> = alone.chunks_exact(self.bodies.mass.len()).collect();
        for ((name, (forces, alone)), expected) in COMPONENTS.into_iter().zip(forces.iter().zip(rows)).zip(expected) {
            for (&body, expected) in bodies.iter().zip(expected) {
                let (got, alone) = (forces[body - self.share.own.start], alone[body]);
                let within = f64::from((got - alone).abs()) <= 2.0 * expected.tolerance;
                if !within {
                    let law = format!("{name} of body {body} must be as on one GPU");
                    let found = format!(
                        "{got:e}, and {alone:e} there; twice the tolerance is {:.3e}",
                        2.0 * expected.tolerance
                    );
                    report.fail(Failure::Law { law, found });
                }
            }
        }
        Ok(())
    }

    /// The forces on the bodies of all ranks add up to nothing, as [`Report::cancels`] has it; judged where all are compared.
    fn require_momentum(
        &self,
        rank: &Rank,
        report: &mut Report,
        forces: &[&[f32]],
        expected: &[Vec<Expected>; 3],
    ) -> Result<(), Error> {
        if self.compared() < self.share.room {
            return Ok(());
        }
        let sum = |row: &&[f32]| row.iter().map(|&force| f64::from(force)).sum::<f64>();
        let squares = |row: &Vec<Expected>| row.iter().map(|e| e.tolerance * e.tolerance).sum::<f64>();
        let own: Vec<f64> = forces.iter().map(sum).chain(expected.iter().map(squares)).collect();
        let all = rank.sum(&own)?;
        for (axis, name) in COMPONENTS.into_iter().enumerate() {
            let (sum, bound) = (all[axis], LAMBDA * all[3 + axis].sqrt());
            let within = sum.abs() <= bound;
            if !within {
                let law = format!("momentum: the sum of {name} of all ranks must be 0");
                report.fail(Failure::Law { law, found: format!("the sum is {sum:.3e}, its bound {bound:.3e}") });
            }
        }
        Ok(())
    }
}

/// Counts a value from the first of all ranks.
fn shift(failure: &mut Failure, first: usize) {
    match failure {
        Failure::Unwritten { index, .. } | Failure::NotFinite { index, .. } | Failure::TooFar { index, .. } => {
            *index += first;
        }
        Failure::Length { .. } | Failure::Law { .. } => {}
    }
}
