//! Tutorial E: the electric potential of atoms at the points of a slice, summed directly.
//!
//! V(x, y) = Σ qₐ / √((x − xₐ)² + (y − yₐ)² + zₐ²) at x = column · spacing, y = row · spacing. An atom is stored as
//! (x, y, z², q), its z² squared beforehand as in the tutorial. At an atom on a point the formula is infinite: here
//! z is at least one spacing, so that none is. Atoms come from a ChaCha8 stream, spread over the slice.
//!
//! A term's error has two parts, both taken at their worst. In units of u: the difference dx is rounded twice at most,
//! which its square doubles; a product and two sums make that 7 in r², which the root halves; the root adds its own
//! 2.15, and the product with the charge 1. The other part does not shrink with the distance: x is column · spacing
//! rounded, or in a coarsened kernel the first column's x plus k · step, so that it errs by up to 2 u x, and y by u y.
//! To first order that moves a term by u |q| (2 x |dx| + y |dy|) / r³.

use super::Size;
use super::baseline::{CpuTimes, time_targets_of};
use super::case::{Case, Cost, CostKind, Launch, LaunchResult, Setup};
use crate::Error;
use crate::verify::{Expected, RSQRT_ROUNDINGS, Report, UNIT_ROUNDOFF, poison_f32};
use cudarc::driver::CudaSlice;
use emulator::Counters;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use std::ops::RangeInclusive;
use std::sync::Arc;

/// Atoms that a chunk of constant memory holds: 64 KB of float4.
pub const CHUNK: usize = 4096;
/// Points along a side of the slice.
pub const SIDES: RangeInclusive<u32> = 1..=1 << 14;
/// Distances of neighbouring points.
pub const SPACINGS: RangeInclusive<f32> = 1e-3..=1e3;

const ROUNDINGS: f64 = 7.0 / 2.0 + RSQRT_ROUNDINGS + 1.0;
/// Heights of atoms above the slice, in spacings. The lowest keep every term finite.
const HEIGHTS: RangeInclusive<f32> = 1.0..=40.0;
/// Magnitudes of charges. None is so small that a missing atom could hide in the tolerance.
const CHARGES: RangeInclusive<f32> = 0.5..=1.0;
/// Terms of the reference: with more, a sample of the points is compared, of at least [`FEWEST_POINTS`].
const REFERENCE_TERMS: usize = 1 << 28;
const FEWEST_POINTS: usize = 4096;

/// A float4 of the kernels: x, y, z², charge.
pub type Atom = [f32; 4];

/// The points at which the potential is wanted.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Slice {
    /// Points of a row, in [`SIDES`].
    pub width: u32,
    /// Rows, in [`SIDES`].
    pub height: u32,
    /// Distance of neighbouring points, in [`SPACINGS`].
    pub spacing: f32,
}

impl Default for Slice {
    /// The published size.
    fn default() -> Self {
        Self { width: 512, height: 512, spacing: 0.1 }
    }
}

impl Slice {
    /// Number of points.
    #[must_use]
    pub fn points(&self) -> usize {
        self.width as usize * self.height as usize
    }

    /// x and y of a point.
    fn place(&self, point: usize) -> [f64; 2] {
        let (column, row) = (point % self.width as usize, point / self.width as usize);
        [column, row].map(|step| step as f64 * f64::from(self.spacing))
    }
}

/// What a kernel makes of atoms and points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// A thread sums the terms of its points, and writes them.
    Gather,
    /// A thread adds the terms of its atom to all points, which are zero before.
    Scatter,
    /// As [`Method::Gather`], a chunk of atoms in constant memory a launch; each launch adds to the points, which are
    /// zero before the first.
    Chunks,
}

/// The arrays on the device.
#[derive(Debug)]
pub struct Buffers {
    /// The n atoms.
    pub atoms: CudaSlice<Atom>,
    /// Output: the potential of each point, row by row.
    pub potential: CudaSlice<f32>,
    /// Number of atoms.
    pub n: i32,
    /// Points of a row.
    pub width: i32,
    /// Rows.
    pub height: i32,
    /// Distance of neighbouring points.
    pub spacing: f32,
}

/// Atoms of one number, slice and seed, with the potential in double precision.
#[derive(Debug)]
pub struct Problem {
    seed: u64,
    slice: Slice,
    atoms: Vec<Atom>,
    /// The points that are compared, in ascending order.
    sample: Vec<usize>,
    /// The potential at each of them.
    expected: Vec<Expected>,
}

impl Problem {
    pub(super) fn new(size: &Size, slice: Slice) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(size.seed);
        let atoms: Vec<Atom> = (0..size.n).map(|_| random_atom(&mut rng, &slice)).collect();
        let sample = sample(&mut rng, slice.points(), REFERENCE_TERMS / size.n);
        let expected = reference(&atoms, &slice, &sample);
        Self { seed: size.seed, slice, atoms, sample, expected }
    }

    pub(super) fn is_of(&self, size: &Size, slice: Slice) -> bool {
        (self.atoms.len(), self.seed, self.slice) == (size.n, size.seed, slice)
    }

    /// Times the tutorial's three loops on this CPU.
    pub(super) fn time_on_cpu(&self) -> CpuTimes {
        time_targets_of(self.slice.points(), self.atoms.len(), "points", |point| self.potential_f32(point))
    }

    /// The potential of one point as the tutorial's CPU loop computes it.
    fn potential_f32(&self, point: usize) -> f32 {
        let width = self.slice.width as usize;
        let x = self.slice.spacing * (point % width) as f32;
        let y = self.slice.spacing * (point / width) as f32;
        let term = |&[ax, ay, z_squared, charge]: &Atom| {
            let (dx, dy) = (x - ax, y - ay);
            charge / (dx * dx + dy * dy + z_squared).sqrt()
        };
        self.atoms.iter().map(term).sum()
    }

    fn check(&self, potential: &[f32]) -> Report {
        let mut report = Report::default();
        report.compare_sample("potential", potential, self.slice.points(), &self.sample, &self.expected);
        report
    }
}

/// An atom above the slice, with a charge of either sign.
fn random_atom(rng: &mut ChaCha8Rng, slice: &Slice) -> Atom {
    let spacing = slice.spacing;
    let x = rng.random::<f32>() * slice.width as f32 * spacing;
    let y = rng.random::<f32>() * slice.height as f32 * spacing;
    let z = rng.random_range(HEIGHTS) * spacing;
    let charge = rng.random_range(CHARGES);
    [x, y, z * z, if rng.random() { charge } else { -charge }]
}

/// All points, or one at random of each of `most` equal runs of neighbours, but not fewer than [`FEWEST_POINTS`].
fn sample(rng: &mut ChaCha8Rng, points: usize, most: usize) -> Vec<usize> {
    let runs = most.max(FEWEST_POINTS).min(points);
    (0..runs).map(|run| rng.random_range(run * points / runs..(run + 1) * points / runs)).collect()
}

/// Accumulators beside each other, so that the compiler uses vector instructions without reordering a sum.
const LANES: usize = 4;

/// Atoms in double precision, a group of lanes at a time, filled up with ones without charge.
type Lanes = [[f64; LANES]; 4];

fn reference(atoms: &[Atom], slice: &Slice, sample: &[usize]) -> Vec<Expected> {
    let without_charge = [0.0, 0.0, 1.0, 0.0];
    let lanes = |group: &[Atom]| -> Lanes {
        let field = |field: usize, lane: usize| f64::from(group.get(lane).unwrap_or(&without_charge)[field]);
        std::array::from_fn(|f| std::array::from_fn(|lane| field(f, lane)))
    };
    let groups: Vec<Lanes> = atoms.chunks(LANES).map(lanes).collect();
    let magnitudes = || vec![0.0; groups.len() * LANES];
    let expect =
        |magnitudes: &mut Vec<f32>, &point: &usize| expected(&groups, atoms.len(), slice.place(point), magnitudes);
    sample.par_iter().map_init(magnitudes, expect).collect()
}

/// The potential at a place; the magnitudes of its terms go to `magnitudes`.
fn expected(groups: &[Lanes], atoms: usize, [x, y]: [f64; 2], magnitudes: &mut [f32]) -> Expected {
    let (mut sum, mut magnitude, mut misplaced) = ([0.0; LANES], [0.0; LANES], [0.0; LANES]);
    for ([ax, ay, z_squared, charge], out) in groups.iter().zip(magnitudes.chunks_exact_mut(LANES)) {
        for lane in 0..LANES {
            let (dx, dy) = (x - ax[lane], y - ay[lane]);
            let inverse = 1.0 / (dx * dx + dy * dy + z_squared[lane]).sqrt();
            let term = charge[lane] * inverse;
            sum[lane] += term;
            magnitude[lane] += term.abs();
            misplaced[lane] += term.abs() * inverse * inverse * (2.0 * x * dx.abs() + y * dy.abs());
            out[lane] = term.abs() as f32;
        }
    }
    let [value, magnitude, misplaced] = [sum, magnitude, misplaced].map(|lanes| lanes.iter().sum::<f64>());
    let expected = Expected::sum(value, magnitude, &magnitudes[..atoms], ROUNDINGS);
    Expected { tolerance: expected.tolerance + UNIT_ROUNDOFF * misplaced, ..expected }
}

/// One kernel of tutorial E, set up.
pub(super) struct CoulombCase<'a> {
    setup: Setup<'a>,
    problem: Arc<Problem>,
    method: Method,
    launch: fn(&Launch, &mut Buffers) -> LaunchResult,
    buffers: Buffers,
    /// What the points hold before a run: poison, or zero where the kernel adds to them.
    before: CudaSlice<f32>,
    counters: Option<Counters>,
}

impl<'a> CoulombCase<'a> {
    pub fn new(
        setup: Setup<'a>,
        problem: Arc<Problem>,
        method: Method,
        launch: fn(&Launch, &mut Buffers) -> LaunchResult,
    ) -> Result<Self, Error> {
        let Slice { width, height, spacing } = problem.slice;
        let before = if method == Method::Gather { poison_f32() } else { 0.0 };
        let before = vec![before; problem.slice.points()];
        let as_i32 = |value: usize| i32::try_from(value).expect("every accepted size fits 31 bits");
        let buffers = Buffers {
            atoms: setup.upload(&problem.atoms)?,
            potential: setup.upload(&before)?,
            n: as_i32(problem.atoms.len()),
            width: as_i32(width as usize),
            height: as_i32(height as usize),
            spacing,
        };
        let before = setup.upload(&before)?;
        Ok(Self { setup, problem, method, launch, buffers, before, counters: None })
    }
}

impl Case for CoulombCase<'_> {
    fn restore(&mut self) -> Result<(), Error> {
        self.setup.copy(&self.before, &mut self.buffers.potential)
    }

    /// For [`Method::Chunks`], all chunks: their copies to constant memory, on the device, and their launches.
    fn launch(&mut self) -> Result<(), Error> {
        self.setup.run(|launch| (self.launch)(launch, &mut self.buffers))
    }

    fn verify(&mut self) -> Result<Report, Error> {
        self.restore()?;
        self.launch()?;
        self.setup.finish()?;
        self.counters = self.setup.gpu.last_counters()?;
        self.recheck()
    }

    fn recheck(&mut self) -> Result<Report, Error> {
        Ok(self.problem.check(&self.setup.download(&self.buffers.potential)?))
    }

    fn counters(&self) -> Option<Counters> {
        self.counters
    }

    /// Constant memory is not among the bytes that a launch must move, as it is not among the emulator's sectors.
    fn cost(&self) -> Cost {
        let (points, atoms) = (self.problem.slice.points() as f64, self.problem.atoms.len() as f64);
        let (points_bytes, atoms_bytes) = (4.0 * points, 16.0 * atoms);
        Cost {
            kind: CostKind::Evaluations,
            amount: points * atoms,
            interactions: Some(points * atoms),
            bytes_needed_by_a_launch: match self.method {
                Method::Gather | Method::Scatter => atoms_bytes + points_bytes,
                Method::Chunks => 2.0 * points_bytes,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SLICE: Slice = Slice { width: 33, height: 7, spacing: 0.1 };
    const COUNTS: [usize; 6] = [1, 31, 33, 1000, 4096, 4097];

    fn problem(n: usize, slice: Slice) -> Problem {
        Problem::new(&Size { n, steps: None, seed: 7 }, slice)
    }

    fn potential(problem: &Problem) -> Vec<f32> {
        (0..problem.slice.points()).map(|point| problem.potential_f32(point)).collect()
    }

    #[test]
    fn an_honest_single_precision_result_passes_at_every_number_of_atoms_and_spacing() {
        for n in COUNTS {
            for spacing in [1e-3, 0.1, 1e3] {
                let problem = problem(n, Slice { spacing, ..SLICE });
                let report = problem.check(&potential(&problem));
                assert!(report.passed(), "n = {n}, spacing {spacing}: {report:?}");
                assert_eq!(report.compared, 33 * 7);
            }
        }
    }

    #[test]
    fn an_honest_result_far_from_the_origin_passes() {
        let problem = problem(100, Slice { width: 16384, height: 2, spacing: 0.3 });
        let report = problem.check(&potential(&problem));
        assert!(report.passed(), "{report:?}");
    }

    #[test]
    fn a_unit_charge_at_distance_two_gives_a_half() {
        let mut problem = problem(1, Slice { width: 3, height: 5, spacing: 1.0 });
        problem.atoms = vec![[2.0, 4.0, 4.0, -1.0]];
        let values = reference(&problem.atoms, &problem.slice, &[14, 0]);
        assert_eq!(values[0].value, -0.5);
        assert_eq!(values[1].value, -1.0 / 24.0_f64.sqrt());
    }

    #[test]
    fn a_result_with_one_atom_missing_fails_at_every_number_of_atoms() {
        for n in COUNTS.into_iter().filter(|&n| n > 1) {
            let right = problem(n, SLICE);
            let mut short = problem(n, SLICE);
            short.atoms.pop();
            assert!(!right.check(&potential(&short)).passed(), "n = {n}");
        }
    }

    #[test]
    fn another_spacing_shifted_zero_and_unwritten_results_fail() {
        let right = problem(1000, SLICE);
        let mut wider = problem(1000, SLICE);
        wider.slice.spacing *= 1.01;
        assert!(!right.check(&potential(&wider)).passed());
        let mut shifted = potential(&right);
        shifted.rotate_left(1);
        assert!(!right.check(&shifted).passed());
        assert!(!right.check(&[0.0; 33 * 7]).passed());
        assert_eq!(right.check(&[poison_f32(); 33 * 7]).failed, 33 * 7);
        assert!(!right.check(&potential(&right)[1..]).passed());
    }

    #[test]
    fn a_sample_has_a_point_of_each_run_and_no_fewer_than_the_fewest() {
        let mut rng = ChaCha8Rng::seed_from_u64(7);
        assert_eq!(sample(&mut rng, 100, 1), (0..100).collect::<Vec<_>>());
        let points = sample(&mut rng, 1 << 18, 1);
        assert_eq!(points.len(), FEWEST_POINTS);
        assert!(points.iter().enumerate().all(|(run, point)| point / 64 == run));
        assert_eq!(sample(&mut rng, 1 << 18, 5000).len(), 5000);
    }

    #[test]
    fn seeds_give_the_same_atoms_on_every_machine() {
        let problem = Problem::new(&Size { n: 2, steps: None, seed: 1687 }, Slice::default());
        assert_eq!(problem.atoms[0][0], 42.294_78);
        let charges: Vec<f32> = self::problem(1000, SLICE).atoms.iter().map(|atom| atom[3]).collect();
        assert!(charges.iter().any(|&charge| charge > 0.5) && charges.iter().any(|&charge| charge < -0.5));
    }
}
