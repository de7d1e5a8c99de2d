//! Comparison of a rank's potentials with double precision and with the results of one GPU.

use crate::ranks::rank::Sampled;
use common::problem::coulomb::Atoms;
use common::verify::{Expected, Report};

/// The number of terms in a rank's reference, and the minimum number of points compared.
const REFERENCE_TERMS: usize = 1 << 26;
const MIN_POINTS: usize = 256;

/// A sample of a rank's points, with the potential there in double precision.
pub struct Comparison {
    count: usize,
    points: Sampled,
    expected: Vec<Expected>,
}

impl Comparison {
    /// Samples `count` points from `first` on.
    pub fn new(atoms: &Atoms, first: usize, count: usize, seed: u64) -> Self {
        let most = (REFERENCE_TERMS / atoms.atoms.len()).max(MIN_POINTS);
        let points = Sampled::new(first..first + count, most, seed + first as u64);
        let expected = atoms.expected_at(&points.global());
        Self { count, points, expected }
    }

    /// Returns the differences of these potentials; `alone` are those at all points, computed on one GPU.
    pub fn report(&self, got: &[f32], alone: &[f32]) -> Report {
        let mut report = Report::default();
        let got = &got[..self.count];
        self.points.compare(&mut report, ("potential", "points"), got, &self.expected);
        self.points.number(&mut report);
        self.points.require_as_alone(&mut report, "the potential at point", got, alone, &self.expected);
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
