//! Sparse matrices in compressed rows (CSR), and their products with a vector.
//!
//! The elements of a row are neighbors in two arrays, of columns and of values. A third one has the place where each row begins, and
//! behind the last one their number.
//!
//! Values, and the elements of the vector, are odd sixteenths between −1 and 1. So a product is an odd multiple of 2⁻⁸, and no
//! product is zero: one that is missing or added twice changes the sum. All partial sums of a row are multiples of 2⁻⁸, whose
//! magnitude is at most 225 / 256 times the length of the row. At [`MAX_ROWS`] rows the longest row has fewer than 70,000
//! elements, so this is below 2¹⁶, and a partial sum has at most 24 bits. It is exact in single precision, in any order of the
//! additions, whether they are fused with the products or not. So the tolerance is zero.

use crate::cpu::{CpuTimes, time_both};
use crate::inputs::Inputs;
use crate::parallel;
use crate::size::{Parameters, Size, as_u32};
use crate::verify::{Expected, Report};
use chacha20::ChaCha8Rng;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use std::ops::Range;

/// The option for the kind of matrix, by its number.
pub const MATRIX: &str = "matrix";
/// The most rows.
pub const MAX_ROWS: usize = 1 << 23;
/// The diagonals of a band.
pub const DIAGONALS: usize = 27;
/// The elements of each row of a random matrix.
pub const OF_RANDOM_ROW: usize = 16;

/// The rows of a part, which has random numbers of its own.
const PART: usize = 1 << 12;
/// The most elements of a row of an awkward matrix, for exact sums.
const MAX_AWKWARD: usize = 1 << 16;

/// The kind of a matrix, which has as many columns as rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Lengths by a power law: of n rows, n (4.883 / k)^(5/3) have at least k elements. That is 12 on average, and 20,000 in the
    /// longest of 2²⁰ rows. The rows are in random order, and the columns are random.
    PowerLaw,
    /// [`OF_RANDOM_ROW`] random columns in each row.
    Random,
    /// [`DIAGONALS`] diagonals, that of the matrix in their middle.
    Band,
    /// Rows of up to six elements, some of them empty; a quarter in succession without any and an eighth at the end; and in the middle
    /// two rows of all columns.
    Awkward,
}

impl Kind {
    /// Returns the kind that an option chooses.
    #[must_use]
    pub fn of(parameters: &Parameters) -> Self {
        match parameters.get(MATRIX).unwrap_or(0.0) as u32 {
            0 => Self::PowerLaw,
            1 => Self::Random,
            2 => Self::Band,
            _ => Self::Awkward,
        }
    }

    /// Returns the columns of a row of a band of n rows.
    fn of_band(row: usize, n: usize) -> Range<usize> {
        row.saturating_sub(DIAGONALS / 2)..n.min(row + DIAGONALS / 2 + 1)
    }

    /// Returns the number of elements of each of n rows, in random order if there is one.
    fn lengths(self, n: usize, rng: &mut ChaCha8Rng) -> Vec<usize> {
        if self != Self::PowerLaw {
            return (0..n).map(|row| self.length(row, n)).collect();
        }
        // How many lengths end in a row, the longest first: so many more elements has the row than the next one.
        let mut lengths = vec![0; n];
        at_least(n).for_each(|rows| lengths[rows - 1] += 1);
        for row in (1..n).rev() {
            lengths[row - 1] += lengths[row];
        }
        lengths.shuffle(rng);
        lengths
    }

    /// Returns the number of elements of a row among n, not by a power law.
    fn length(self, row: usize, n: usize) -> usize {
        match self {
            Self::Band => Self::of_band(row, n).len(),
            Self::Awkward if row == n / 2 || row == n / 2 + 1 => n.min(MAX_AWKWARD),
            Self::Awkward if (n / 4..n / 2).contains(&row) || row >= n - n / 8 => 0,
            Self::Awkward => row % 7,
            Self::Random | Self::PowerLaw => OF_RANDOM_ROW,
        }
    }
}

/// Returns how many of n rows have at least one element by the power law, at least two, and so on.
fn at_least(n: usize) -> impl Iterator<Item = usize> {
    let rows = move |length: u32| (n as f64 * (4.883 / f64::from(length)).powf(5.0 / 3.0)) as usize;
    (1..).map(rows).take_while(|&rows| rows > 0).map(move |rows| rows.min(n))
}

/// Returns the number of elements of a matrix, which does not depend on the seed.
#[must_use]
pub fn count(size: &Size) -> usize {
    match Kind::of(&size.parameters) {
        Kind::PowerLaw => at_least(size.n).sum(),
        kind => (0..size.n).map(|row| kind.length(row, size.n)).sum(),
    }
}

/// A matrix and a vector.
#[derive(Debug)]
pub struct Matrix {
    /// The place of the first element of each row, and behind them the number of elements.
    pub offsets: Vec<u32>,
    /// The columns of the elements, row by row, in ascending order. Of random ones, a row may have the same several times.
    pub columns: Vec<u32>,
    /// The values of the elements.
    pub values: Vec<f32>,
    /// The vector.
    pub x: Vec<f32>,
}

/// Fills a part with odd sixteenths between −1 and 1.
fn fill_odd(rng: &mut ChaCha8Rng, values: &mut [f32]) {
    values.iter_mut().for_each(|value| *value = (rng.random_range(0..16_u8) as f32 * 2.0 - 15.0) / 16.0);
}

/// Returns this many odd sixteenths, by a generator of each part, which begins with that of number `first`.
fn odd(seed: u64, first: u64, count: usize) -> Vec<f32> {
    let mut values = vec![0.0; count];
    parallel::fill(&mut values, 16 * PART, |part, values| fill_odd(&mut generator(seed, first + part as u64), values));
    values
}

/// Returns the generator of this number.
fn generator(seed: u64, number: u64) -> ChaCha8Rng {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(number);
    rng
}

impl Inputs for Matrix {
    fn new(size: &Size) -> Self {
        let &Size { n, seed, .. } = size;
        let kind = Kind::of(&size.parameters);
        let lengths = kind.lengths(n, &mut generator(seed, 0));
        let mut offsets = vec![0; n + 1];
        for row in 0..n {
            offsets[row + 1] = offsets[row] + as_u32(lengths[row]);
        }
        let columns = parallel::map(n.div_ceil(PART), |part| {
            let mut rng = generator(seed, 1 << 32 | part as u64);
            let rows = part * PART..n.min((part + 1) * PART);
            let mut columns = Vec::with_capacity((offsets[rows.end] - offsets[rows.start]) as usize);
            rows.for_each(|row| add_columns(&mut columns, kind, (row, lengths[row], n), &mut rng));
            columns
        });
        let values = odd(seed, 2 << 32, offsets[n] as usize);
        Self { offsets, columns: columns.concat(), values, x: odd(seed, 3 << 32, n) }
    }

    fn time_on_cpu(&self) -> CpuTimes {
        let rows = self.x.len();
        let product = |rows: Range<usize>| rows.map(|row| self.product(row)).collect::<Vec<f32>>();
        let of_part = |part| product(part * PART..rows.min((part + 1) * PART));
        time_both(|| product(0..rows), || parallel::map(rows.div_ceil(PART), of_part).concat())
    }
}

/// Appends the columns of a row of this length, of n.
fn add_columns(columns: &mut Vec<u32>, kind: Kind, (row, length, n): (usize, usize, usize), rng: &mut ChaCha8Rng) {
    let first = columns.len();
    match kind {
        Kind::Band => columns.extend(Kind::of_band(row, n).map(as_u32)),
        Kind::Awkward => columns.extend((0..length).map(|place| as_u32(place * n / length))),
        Kind::PowerLaw | Kind::Random => {
            columns.extend((0..length).map(|_| rng.random_range(0..as_u32(n))));
            columns[first..].sort_unstable();
        }
    }
}

impl Matrix {
    /// Returns the product of a row with the vector, which is exact.
    fn product(&self, row: usize) -> f32 {
        let places = self.offsets[row] as usize..self.offsets[row + 1] as usize;
        let elements = self.columns[places.clone()].iter().zip(&self.values[places]);
        elements.fold(0.0, |sum, (&column, value)| sum + value * self.x[column as usize])
    }

    /// Compares the products of all rows, which must be equal to those of the reference.
    #[must_use]
    pub fn check(&self, y: &[f32]) -> Report {
        let mut report = Report::default();
        report.compare_exact("y", y, self.x.len(), |row| self.product(row));
        report
    }

    /// Compares the products that a sample of the blocks wrote, of which there must be `count`.
    #[must_use]
    pub fn check_written(&self, y: &[f32], count: usize) -> Report {
        let mut report = Report::default();
        let exact = |&row: &usize| Expected::exact(self.product(row).into());
        report.compare_written(("y", "rows"), y, count, |rows| rows.iter().map(exact).collect());
        report
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SIZES_AROUND_WARPS;
    use crate::verify::tests::require_written;

    fn matrix(n: usize, kind: u32) -> Matrix {
        Matrix::new(&sized(n, kind))
    }

    fn sized(n: usize, kind: u32) -> Size {
        Size { parameters: Parameters::default().with(MATRIX, kind), ..Size::new(n) }
    }

    #[test]
    fn rows_are_as_long_as_their_kind_says() {
        let lengths = |n, kind| -> Vec<u32> { matrix(n, kind).offsets.windows(2).map(|two| two[1] - two[0]).collect() };
        assert_eq!(lengths(100, 1), [16; 100]);
        let band = lengths(100, 2);
        assert_eq!((band[0], band[13], band[50], band[99]), (14, 27, 27, 14));
        let awkward = lengths(100, 3);
        assert_eq!((awkward[6], awkward[7], awkward[99]), (6, 0, 0));
        assert_eq!((awkward[50], awkward[51], awkward[52]), (100, 100, 3));
        assert!(awkward[25..50].iter().all(|&length| length == 0));
        let mut lengths = lengths(1 << 14, 0);
        assert!(!lengths.is_sorted() && !lengths.is_sorted_by(|one, next| one >= next));
        lengths.sort_unstable();
        assert_eq!((lengths[0], lengths[(1 << 14) - 1]), (4, 1649));
        assert_eq!(lengths.iter().sum::<u32>() >> 14, 11);
    }

    #[test]
    fn columns_ascend_and_exist_and_the_count_is_known() {
        for (n, kind) in SIZES_AROUND_WARPS.into_iter().flat_map(|n| (0..4).map(move |kind| (n, kind))) {
            let matrix = matrix(n, kind);
            assert_eq!(matrix.columns.len(), count(&sized(n, kind)));
            assert_eq!((matrix.columns.len(), matrix.offsets[n] as usize), (matrix.values.len(), matrix.values.len()));
            for two in matrix.offsets.windows(2) {
                let columns = &matrix.columns[two[0] as usize..two[1] as usize];
                assert!(columns.is_sorted() && columns.iter().all(|&column| (column as usize) < n));
            }
        }
    }

    #[test]
    fn partial_sums_are_exact_in_single_precision() {
        let odd = |value: f32| (value * 16.0).fract() == 0.0 && (value * 16.0) as i32 % 2 != 0 && value.abs() < 1.0;
        let Matrix { values, x, .. } = matrix(1000, 0);
        assert!(values.iter().chain(&x).all(|&value| odd(value)));
        let longest = at_least(MAX_ROWS).count().max(MAX_AWKWARD);
        assert!(longest as f64 * 225.0 / 256.0 < f64::from(1 << 16), "{longest}");
    }

    #[test]
    fn a_missing_a_doubled_and_an_unwritten_product_fail() {
        let matrix = matrix(1000, 3);
        let right: Vec<f32> = (0..1000).map(|row| matrix.product(row)).collect();
        assert!(matrix.check(&right).passed());
        assert_eq!(matrix.check(&right[..999]).failed, 1);
        let place = matrix.offsets[500] as usize + 700;
        let product = matrix.values[place] * matrix.x[700];
        for (row, value) in [(500, right[500] - product), (500, right[500] + product), (999, f32::NAN)] {
            let mut wrong = right.clone();
            wrong[row] = value;
            assert_eq!(matrix.check(&wrong).failed, 1);
        }
    }

    #[test]
    fn a_sample_needs_as_many_products_as_its_blocks_have_rows() {
        let matrix = matrix(1000, 3);
        let honest: Vec<f32> = (0..1000).map(|row| matrix.product(row)).collect();
        let part: Vec<usize> = (96..128).chain(480..512).collect();
        require_written(&honest, &part, |y, count| matrix.check_written(y, count));
    }
}
