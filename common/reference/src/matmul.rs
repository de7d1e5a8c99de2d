//! Two square matrices, and their product in double precision.
//!
//! Entries are uniform in [−1, 1), as numbers of a [`Precision`]. A term of an element's sum is one product.

use crate::cpu::{CpuTimes, time_targets_of};
use crate::inputs::Inputs;
use crate::parallel;
use crate::sample::sample;
use crate::size::Size;
use crate::verify::{Expected, LAMBDA, LastWritten, Report, UNIT_ROUNDOFF, sum_tolerance};
use chacha20::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use std::array::from_fn;
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::marker::PhantomData;
use std::sync::OnceLock;

/// The most rows of which all are compared: n³ steps in double precision take seconds.
pub const ALL_ROWS: usize = 1 << 10;
/// The number of rows compared beyond that.
const SAMPLED_ROWS: usize = 1 << 8;

/// The columns of the right factor whose sums are formed at once: two vectors of double precision, so that their sums stay in
/// registers.
const COLUMNS: usize = 8;

/// The numbers of the factors, and the sums that their products allow.
pub trait Precision: Debug + Send + Sync + 'static {
    /// Whether the tolerance depends on [`crate::verify::lost_terms`].
    const LOSES_TERMS: bool;

    /// Returns the nearest number of this precision.
    fn round(value: f32) -> f32;

    /// Returns the largest difference from the exact sum that rounding explains.
    fn tolerance(sum: &Sum, terms: usize) -> f64;
}

/// Numbers of single precision. A product is rounded once, or not at all if the addition is fused with it: the bound of
/// [`Expected::sum`] with one rounding per term.
#[derive(Clone, Copy, Debug)]
pub struct Single;

/// Numbers of 8 significant bits in 16 (bf16), whose products are exact in single precision.
///
/// Tensor cores add them *with at least single precision*, in any order and with unspecified rounding (PTX ISA,
/// `mma.m16n8k16`). Recorded ones truncate. So errors are not of mean zero, and each of the n additions of a sum is off by
/// up to 2 u of the partial sum that it yields, with u = 2⁻²⁴. Terms have either sign with the same probability, so
/// by Hoeffding's inequality a partial sum, of any terms, exceeds λ √(Σ term²) with a probability of at most
/// 2 exp(−λ² / 2); and it never exceeds Σ |term|. Together,
///
/// ```text
/// |computed − exact| ≤ 2 n u · min(λ √(Σ term²), Σ |term|)
/// ```
///
/// with λ = [`LAMBDA`], for which one sum in 10¹⁰ of 4096 terms may have a larger partial sum.
#[derive(Clone, Copy, Debug)]
pub struct Bf16;

impl Precision for Single {
    const LOSES_TERMS: bool = true;

    fn round(value: f32) -> f32 {
        value
    }

    fn tolerance(sum: &Sum, terms: usize) -> f64 {
        const ROUNDINGS: f64 = 1.0;
        sum_tolerance(terms, ROUNDINGS, sum.magnitude) + sum.lost
    }
}

/// Returns the high halves of the bits of numbers, which are the bits of those that bf16 represents.
#[must_use]
pub fn bf16_bits(values: &[f32]) -> Vec<u16> {
    values.iter().map(|value| (value.to_bits() >> 16) as u16).collect()
}

impl Precision for Bf16 {
    const LOSES_TERMS: bool = false;

    /// Returns the nearest number, of two the one with an even significand. The value must be finite.
    fn round(value: f32) -> f32 {
        let bits = value.to_bits();
        let is_odd = bits >> 16 & 1;
        f32::from_bits((bits + 0x7FFF + is_odd) & 0xFFFF_0000)
    }

    fn tolerance(sum: &Sum, terms: usize) -> f64 {
        2.0 * terms as f64 * UNIT_ROUNDOFF * sum.magnitude.min(LAMBDA * sum.squares.sqrt())
    }
}

/// What the bounds of an element's sum depend on.
#[derive(Clone, Copy, Debug)]
pub struct Sum {
    /// Σ |term|.
    magnitude: f64,
    /// Σ term².
    squares: f64,
    /// [`crate::verify::lost_terms`], if [`Precision::LOSES_TERMS`].
    lost: f64,
}

/// Two n × n matrices, with the expected rows of their product.
#[derive(Debug)]
pub struct Matrices<P = Single> {
    /// The number of rows and of columns.
    pub n: usize,
    /// The left factor, row by row.
    pub a: Vec<f32>,
    /// The right factor, row by row.
    pub b: Vec<f32>,
    /// The factors as bits of bf16, which only a device needs.
    bits: OnceLock<[Vec<u16>; 2]>,
    /// The places of the product that are compared, in ascending order: whole rows.
    sample: Vec<usize>,
    /// Their expected elements, which only a comparison needs.
    expected: OnceLock<Vec<Expected>>,
    /// The expected elements that a sample of the blocks wrote.
    written: LastWritten<Expected>,
    precision: PhantomData<P>,
}

impl<P: Precision> Inputs for Matrices<P> {
    fn new(size: &Size) -> Self {
        let rows = if size.n <= ALL_ROWS { size.n } else { SAMPLED_ROWS };
        Self::with_sample(size, rows)
    }

    fn expect(&self) {
        self.expected();
    }

    fn time_on_cpu(&self) -> CpuTimes {
        time_targets_of(self.n, self.n * self.n, "rows", |row| self.factors().row_f32(row))
    }
}

impl<P: Precision> Matrices<P> {
    /// Returns the matrices of a size, of whose product this many rows are compared.
    #[must_use]
    pub fn with_sample(size: &Size, rows: usize) -> Self {
        let n = size.n;
        let mut rng = ChaCha8Rng::seed_from_u64(size.seed);
        let [a, b] = [(); 2].map(|()| random_entries(&mut rng, n * n, P::round));
        let sample = places_in_rows(&sample(&mut rng, n, rows), n);
        let (bits, expected, written) = Default::default();
        Self { n, a, b, bits, sample, expected, written, precision: PhantomData }
    }

    /// Returns the factors as the bits of bf16.
    pub fn bits(&self) -> &[Vec<u16>; 2] {
        self.bits.get_or_init(|| [&self.a, &self.b].map(|factor| bf16_bits(factor)))
    }

    /// Returns the expected elements at the places that are compared.
    fn expected(&self) -> &[Expected] {
        self.expected.get_or_init(|| self.factors().expected_at(&self.sample))
    }

    fn factors(&self) -> Factors<'_> {
        Factors { n: self.n, a: &self.a, b: &self.b, tolerance: P::tolerance, loses_terms: P::LOSES_TERMS }
    }

    /// Compares a product, row by row without gaps, with the reference; requires the rows that are not compared to be
    /// written and finite.
    pub fn check(&self, product: &[f32]) -> Report {
        let mut report = Report::default();
        report.compare_sample(("product", "elements"), product, self.n * self.n, &self.sample, self.expected());
        report
    }

    /// Compares the elements that a sample of the blocks wrote, of which there must be `count`.
    pub fn check_written(&self, product: &[f32], count: usize) -> Report {
        let mut report = Report::default();
        let expect = |places: &[usize]| self.written.get(places, || self.factors().expected_at(places)).to_vec();
        report.compare_written(("product", "elements"), product, count, expect);
        report
    }
}

/// Two factors, and the tolerance of their precision. Its functions are not generic, so that this crate's optimization applies to them
/// in every program.
#[derive(Clone, Copy)]
struct Factors<'a> {
    n: usize,
    a: &'a [f32],
    b: &'a [f32],
    tolerance: fn(&Sum, usize) -> f64,
    loses_terms: bool,
}

/// Returns the sums of the products of a row and columns, and the fields of [`Sum`]; `lost` is 0 unless `with_lost`.
#[inline(always)]
fn sums(left: &[f32], right: &[[f32; COLUMNS]], with_lost: bool) -> [[f64; COLUMNS]; 4] {
    let terms = |(&a, b): (&f32, &[f32; COLUMNS])| -> [f64; COLUMNS] { b.map(|b| f64::from(a) * f64::from(b)) };
    let [mut value, mut magnitude, mut squares, mut lost] = [[0.0; COLUMNS]; 4];
    for pair in left.iter().zip(right) {
        let term = terms(pair);
        // A loop for each array, because the compiler uses vector instructions for none of one long loop.
        (0..COLUMNS).for_each(|column| value[column] += term[column]);
        (0..COLUMNS).for_each(|column| magnitude[column] += term[column].abs());
        (0..COLUMNS).for_each(|column| squares[column] += term[column] * term[column]);
    }
    if with_lost {
        let unit = magnitude.map(|magnitude| UNIT_ROUNDOFF * magnitude);
        let small = unit.map(|unit| 4.0 * unit);
        for pair in left.iter().zip(right) {
            let term = terms(pair).map(f64::abs);
            let most: [f64; COLUMNS] = from_fn(|i| if term[i] < unit[i] { term[i] } else { unit[i] });
            (0..COLUMNS).for_each(|i| lost[i] += if term[i] < small[i] { most[i] } else { 0.0 });
        }
    }
    [value, magnitude, squares, lost]
}

/// Returns the places of all elements of these rows.
fn places_in_rows(rows: &[usize], n: usize) -> Vec<usize> {
    rows.iter().flat_map(|row| row * n..(row + 1) * n).collect()
}

/// Returns random entries of factors. Each takes one word of the generator, so that threads can begin at any of them.
fn random_entries(rng: &mut ChaCha8Rng, count: usize, round: fn(f32) -> f32) -> Vec<f32> {
    const PART: usize = 1 << 16;
    let (state, first) = (rng.serialize_state(), rng.get_word_pos());
    let mut entries = vec![0.0; count];
    parallel::fill(&mut entries, PART, |part, entries| {
        let mut rng = ChaCha8Rng::deserialize_state(&state);
        rng.set_word_pos(first + (part * PART) as u128);
        entries.iter_mut().for_each(|entry| *entry = round(2.0 * rng.random::<f32>() - 1.0));
    });
    rng.set_word_pos(first + count as u128);
    entries
}

impl Factors<'_> {
    /// Returns the expected elements at these places, in ascending order.
    fn expected_at(self, places: &[usize]) -> Vec<Expected> {
        let n = self.n;
        let panel_of = |place: usize| [place / n, place % n / COLUMNS];
        let parts: Vec<&[usize]> = places.chunk_by(|one, next| panel_of(*one) == panel_of(*next)).collect();
        // All parts of a panel read the same columns of the right factor, which fit a cache.
        let mut panels = BTreeMap::<usize, Vec<usize>>::new();
        for (index, part) in parts.iter().enumerate() {
            panels.entry(panel_of(part[0])[1]).or_default().push(index);
        }
        let panels: Vec<(usize, Vec<usize>)> = panels.into_iter().collect();
        let of_panel = |index: usize| -> Vec<(usize, [Expected; COLUMNS])> {
            let (panel, parts_of_it) = &panels[index];
            let right = self.panel(*panel);
            let expected = |&part: &usize| (part, self.expected_part(parts[part][0] / n, &right));
            parts_of_it.iter().map(expected).collect()
        };
        let mut found = parallel::map(panels.len(), of_panel).concat();
        found.sort_unstable_by_key(|(part, _)| *part);
        let mut expected = Vec::with_capacity(places.len());
        for (part, row) in &found {
            expected.extend(parts[*part].iter().map(|place| row[place % n % COLUMNS]));
        }
        expected
    }

    /// Returns columns of the right factor from `index * COLUMNS`, row by row, with zeros beyond its last one.
    fn panel(&self, index: usize) -> Vec<[f32; COLUMNS]> {
        let first = index * COLUMNS;
        let width = COLUMNS.min(self.n - first);
        let row = |row: &[f32]| from_fn(|column| if column < width { row[first + column] } else { 0.0 });
        self.b.chunks_exact(self.n).map(row).collect()
    }

    /// Returns the entries of a row of the left factor.
    fn left(&self, row: usize) -> &[f32] {
        &self.a[row * self.n..(row + 1) * self.n]
    }

    /// Returns the elements of a row of the product in the columns of a panel, in double precision, under the bound of the precision.
    fn expected_part(&self, row: usize, right: &[[f32; COLUMNS]]) -> [Expected; COLUMNS] {
        let with_lost = self.loses_terms;
        let [value, magnitude, squares, lost] = simd::vectorize!(sums(self.left(row), right, with_lost));
        from_fn(|i| {
            let sum = Sum { magnitude: magnitude[i], squares: squares[i], lost: lost[i] };
            Expected { value: value[i], magnitude: magnitude[i], tolerance: (self.tolerance)(&sum, self.n) }
        })
    }

    /// Returns a row of the product as a plain CPU loop computes it, in single precision.
    fn row_f32(self, row: usize) -> Vec<f32> {
        let mut sums = vec![0.0; self.n];
        for (a, b) in self.left(row).iter().zip(self.b.chunks_exact(self.n)) {
            sums.iter_mut().zip(b).for_each(|(sum, b)| *sum += a * b);
        }
        sums
    }
}

#[cfg(test)]
mod tests;
