//! Atoms, and the potential at the points in double precision.
//!
//! A term's error has two parts, both bounded by their worst case. In units of u: the difference dx is rounded twice at most,
//! which its square doubles; a product and two sums make that 7 in r², which the root halves; the root adds its own
//! 2.15, and the product with the charge 1. The other part does not shrink with the distance: x is column · spacing
//! rounded, or in a coarsened kernel the first column's x plus k · step, so it errs by up to 2 u x, and y by u y.
//! To first order that moves a term by u |q| (2 x |dx| + y |dy|) / r³.

use super::points::Points;
use crate::cpu::{CpuTimes, time_targets_of};
use crate::inputs::Inputs;
use crate::parallel::{self, LANES};
use crate::sample::sample;
use crate::size::Size;
use crate::verify::{Expected, RSQRT_ROUNDINGS, Report, UNIT_ROUNDOFF, poison_f32};
use chacha20::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use std::array::from_fn;
use std::ops::RangeInclusive;
use std::sync::OnceLock;

const ROUNDINGS: f64 = 7.0 / 2.0 + RSQRT_ROUNDINGS + 1.0;
/// Heights of atoms above the points, in spacings. The lower bound keeps every term finite.
const HEIGHTS: RangeInclusive<f32> = 1.0..=40.0;
/// Magnitudes of charges. The lower bound keeps a missing atom from hiding in the tolerance.
const CHARGES: RangeInclusive<f32> = 0.5..=1.0;
/// The most terms of the reference: beyond that, a sample of at least [`MIN_POINTS`] points is compared.
const REFERENCE_TERMS: usize = 1 << 28;
const MIN_POINTS: usize = 4096;

/// The potential at a point before a kernel adds to it. Unlike +0, −0 leaves the bits of whatever is added to it, and marks points to
/// which nothing was added: a sum that begins with +0 cannot be −0.
pub const NO_POTENTIAL: f32 = -0.0;

/// A float4 of the kernels: x, y, z², charge.
pub type Atom = [f32; 4];

/// The atoms of a size, with the potential at the points.
#[derive(Debug)]
pub struct Atoms {
    /// The points.
    pub points: Points,
    /// The atoms.
    pub atoms: Vec<Atom>,
    /// The points that are compared, in ascending order.
    sample: Vec<usize>,
    /// The potential at each of them, which only a comparison needs.
    expected: OnceLock<Vec<Expected>>,
}

impl Inputs for Atoms {
    fn new(size: &Size) -> Self {
        Self::with_sample(size, compared(Points::from_parameters(&size.parameters).count(), size.n))
    }

    fn time_on_cpu(&self) -> CpuTimes {
        time_targets_of(self.points.count(), self.atoms.len(), "points", |point| self.potential_f32(point))
    }
}

impl Atoms {
    /// Returns the atoms of a size, with `compared` of the points to compare.
    #[must_use]
    pub fn with_sample(size: &Size, compared: usize) -> Self {
        let points = Points::from_parameters(&size.parameters);
        let mut rng = ChaCha8Rng::seed_from_u64(size.seed);
        let atoms: Vec<Atom> = (0..size.n).map(|_| random_atom(&mut rng, &points)).collect();
        let sample = sample(&mut rng, points.count(), compared);
        Self { points, atoms, sample, expected: OnceLock::new() }
    }

    /// Returns the potential at these points, in double precision.
    #[must_use]
    pub fn expected_at(&self, points: &[usize]) -> Vec<Expected> {
        reference(&self.atoms, &self.points, points)
    }

    /// Returns the potential at one point as the tutorial's CPU loop computes it.
    fn potential_f32(&self, point: usize) -> f32 {
        let width = self.points.width as usize;
        let x = self.points.spacing * (point % width) as f32;
        let y = self.points.spacing * (point / width) as f32;
        let term = |&[ax, ay, z_squared, charge]: &Atom| {
            let dx = x - ax;
            let dy = y - ay;
            charge / (dx * dx + dy * dy + z_squared).sqrt()
        };
        self.atoms.iter().map(term).sum()
    }

    /// Compares the potential at the points of the sample, with `more_roundings` in its terms, and requires the others to be
    /// finite.
    pub fn check(&self, potential: &[f32], more_roundings: f64) -> Report {
        let mut report = Report::default();
        let expected = self.expected.get_or_init(|| self.expected_at(&self.sample));
        let expected: Vec<_> = expected.iter().map(|point| point.with_roundings(more_roundings)).collect();
        report.compare_sample(("potential", "points"), potential, self.points.count(), &self.sample, &expected);
        report
    }

    /// Compares the potential at the points that a sample of the blocks wrote, or added to where it was [`NO_POTENTIAL`]. There must
    /// be `count`.
    pub fn check_written(&self, potential: &[f32], more_roundings: f64, count: usize) -> Report {
        let mut report = Report::default();
        let has_none = |value: f32| value.to_bits() == NO_POTENTIAL.to_bits();
        let known = |&value: &f32| if has_none(value) { poison_f32() } else { value };
        let potential: Vec<f32> = potential.iter().map(known).collect();
        report.compare_written(("potential", "points"), &potential, count, |points| {
            self.expected_at(points).into_iter().map(|point| point.with_roundings(more_roundings)).collect()
        });
        report
    }
}

/// Returns an atom above the points, with a charge of either sign.
fn random_atom(rng: &mut ChaCha8Rng, points: &Points) -> Atom {
    let spacing = points.spacing;
    let x = rng.random::<f32>() * points.width as f32 * spacing;
    let y = rng.random::<f32>() * points.height as f32 * spacing;
    let z = rng.random_range(HEIGHTS) * spacing;
    let charge = rng.random_range(CHARGES);
    [x, y, z * z, if rng.random() { charge } else { -charge }]
}

/// Returns how many of the points are compared.
fn compared(points: usize, atoms: usize) -> usize {
    (REFERENCE_TERMS / atoms).max(MIN_POINTS).min(points)
}

/// Atoms in double precision, in groups of lanes, padded with ones without charge.
type Lanes = [Lane; 4];

/// One field of a group of atoms.
type Lane = [f64; LANES];

fn reference(atoms: &[Atom], points: &Points, sample: &[usize]) -> Vec<Expected> {
    let without_charge = [0.0, 0.0, 1.0, 0.0];
    let lanes = |group: &[Atom]| -> Lanes {
        let field = |field: usize, lane: usize| f64::from(group.get(lane).unwrap_or(&without_charge)[field]);
        from_fn(|f| from_fn(|lane| field(f, lane)))
    };
    let groups: Vec<Lanes> = atoms.chunks(LANES).map(lanes).collect();
    let magnitudes = || vec![0.0; groups.len() * LANES];
    parallel::map_with(sample.len(), magnitudes, |magnitudes, index| {
        simd::vectorize!(expected(&groups, atoms.len(), points.place(sample[index]), magnitudes))
    })
}

/// Returns the potential at a point, and writes the magnitudes of its terms to `magnitudes`.
#[inline(always)]
fn expected(groups: &[Lanes], atoms: usize, [x, y]: [f64; 2], magnitudes: &mut [f32]) -> Expected {
    let mut sum = [0.0; LANES];
    let mut magnitude = [0.0; LANES];
    let mut misplaced = [0.0; LANES];
    for ([ax, ay, z_squared, charge], out) in groups.iter().zip(magnitudes.chunks_exact_mut(LANES)) {
        // A loop for each of these arrays, because the compiler uses vector instructions for none of one long loop.
        let dx = ax.map(|ax| x - ax);
        let dy = ay.map(|ay| y - ay);
        let squared: Lane = from_fn(|lane| dx[lane] * dx[lane] + dy[lane] * dy[lane] + z_squared[lane]);
        let inverse = squared.map(|squared| 1.0 / squared.sqrt());
        let term: Lane = from_fn(|lane| charge[lane] * inverse[lane]);
        let moved: Lane = from_fn(|lane| 2.0 * x * dx[lane].abs() + y * dy[lane].abs());
        for lane in 0..LANES {
            sum[lane] += term[lane];
            magnitude[lane] += term[lane].abs();
            misplaced[lane] += term[lane].abs() * inverse[lane] * inverse[lane] * moved[lane];
            out[lane] = term[lane].abs() as f32;
        }
    }
    let [value, magnitude, misplaced] = [sum, magnitude, misplaced].map(|lanes| lanes.iter().sum::<f64>());
    let expected = Expected::sum(value, magnitude, &magnitudes[..atoms], ROUNDINGS);
    Expected { tolerance: expected.tolerance + UNIT_ROUNDOFF * misplaced, ..expected }
}

#[cfg(test)]
mod tests;
