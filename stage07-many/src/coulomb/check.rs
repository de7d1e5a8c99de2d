//! Comparison of a rank's potentials with double precision and with the results of one GPU.

use crate::ranks::rank::{Twice, number_from, require_as_alone};
use chacha20::ChaCha8Rng;
use common::problem::coulomb::Atoms;
use common::problem::sample;
use common::verify::{Expected, Report};
use rand::SeedableRng;

/// The number of terms in a rank's reference, and the minimum number of points compared.
const REFERENCE_TERMS: usize = 1 << 26;
const MIN_POINTS: usize = 256;

/// A sample of a rank's points, with the potential there in double precision.
pub struct Comparison {
    /// The rank's first point among all points, and the number of its points.
    first: usize,
    count: usize,
    /// The sampled points, relative to the rank's first.
    local: Vec<usize>,
    expected: Vec<Expected>,
}

impl Comparison {
    /// Samples `count` points from `first` on.
    pub fn new(atoms: &Atoms, first: usize, count: usize, seed: u64) -> Self {
        let compared = (REFERENCE_TERMS / atoms.atoms.len()).max(MIN_POINTS).min(count);
        let local = sample(&mut ChaCha8Rng::seed_from_u64(seed + first as u64), count, compared);
        let chosen: Vec<usize> = local.iter().map(|point| first + point).collect();
        Self { first, count, local, expected: atoms.expected_at(&chosen) }
    }

    /// Returns the differences of these potentials; `alone` are those at all points, computed on one GPU.
    pub fn report(&self, got: &[f32], alone: &[f32]) -> Report {
        let mut report = Report::default();
        let got = &got[..self.count];
        report.compare_sample(("potential", "points"), got, self.count, &self.local, &self.expected);
        number_from(&mut report, self.first);
        let twice = |(&local, expected)| {
            let index = self.first + local;
            Twice { index, got: got[local], alone: alone[index], expected }
        };
        require_as_alone(&mut report, "the potential at point", self.local.iter().zip(&self.expected).map(twice));
        report
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use common::problem::Size;
    use common::problem::coulomb::Points;

    const POINTS: usize = 20 * 10;
    /// The rows of a rank in the middle.
    const OWN: std::ops::Range<usize> = 60..120;

    /// Returns the report on correct potentials modified by `change`, and by `alone` on one GPU.
    fn report_of(change: impl FnOnce(&mut [f32]), alone: impl FnOnce(&mut [f32])) -> (usize, String) {
        let atoms = Atoms::with_sample(&Size { parameters: Points::parameters(20, 10), ..Size::new(50) }, 0);
        let right = atoms.expected_at(&(0..POINTS).collect::<Vec<_>>());
        let mut all: Vec<f32> = right.iter().map(|point| point.value as f32).collect();
        let mut own = all[OWN].to_vec();
        change(&mut own);
        alone(&mut all);
        let report = Comparison::new(&atoms, OWN.start, OWN.len(), 1).report(&own, &all);
        assert_eq!(report.compared, OWN.len());
        (report.failed, report.examples.iter().map(|failure| format!("{failure}\n")).collect())
    }

    #[test]
    fn right_potentials_pass() {
        assert_eq!(report_of(|_| (), |_| ()), (0, String::new()));
    }

    #[test]
    fn a_wrong_potential_is_named_by_its_point_among_all() {
        let (failed, text) = report_of(|own| own[5] += 0.1, |_| ());
        assert!(failed == 2 && text.contains("potential[65] is ") && text.contains("at point 65 must be"), "{text}");
    }

    #[test]
    fn a_point_that_no_atom_reached_and_one_that_one_gpu_has_otherwise_are_noticed() {
        let (failed, text) = report_of(|own| own[7] = f32::NAN, |_| ());
        assert!(failed == 2 && text.contains("potential[67] is NaN"), "{text}");
        let (failed, text) = report_of(|_| (), |all| all[61] += 0.1);
        assert!(failed == 1 && text.contains("at point 61 must be as on one GPU"), "{text}");
    }
}
