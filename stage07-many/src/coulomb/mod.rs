//! Problem E: the potential of atoms at the points of a plane, with two decompositions. By points, nothing is
//! exchanged: each rank has different rows. By atoms, each rank has all points for a part of the atoms, and all_reduce
//! adds the planes.

mod check;

use crate::ranks::model::Model;
use crate::ranks::rank::{Rank, Share};
use crate::ranks::strategy::{Facts, Strategy, Work};
use crate::ranks::tape::{Bytes, Tape};
use check::Comparison;
use common::device::Backend;
use common::format::thousands;
use common::kernel::KernelSource;
use common::problem::coulomb::{Atoms, Points};
use common::problem::{Size, as_i32};
use common::verify::Report;
use common::{Error, kernel_source};
use cudarc::driver::{CudaFunction, CudaSlice, CudaStream, CudaView, DriverError, LaunchConfig, PushKernelArg};
use cudarc::nccl::ReduceOp;
use std::ops::Range;
use std::sync::Arc;

/// Each rank has different rows of points.
pub static BY_POINTS: Coulomb = Coulomb { split: Split::Points };
/// Each rank has a part of the atoms.
pub static BY_ATOMS: Coulomb = Coulomb { split: Split::Atoms };

/// The kernel's file.
pub const SOURCE: KernelSource = kernel_source!("04_coulomb_part", rust);

/// A strategy for problem E.
#[derive(Debug)]
pub struct Coulomb {
    split: Split,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Split {
    Points,
    Atoms,
}

/// The columns and rows of a block of 128 threads, 16 by 8, with 8 by 4 points each.
const BLOCK_POINTS: [u32; 2] = [128, 32];
/// Several blocks for each multiprocessor of today's largest GPUs.
const ENOUGH_BLOCKS: u32 = 4096;
/// The minimum number of atoms per slice.
const MIN_ATOMS: u32 = 128;

/// The rows of the plane that a launch computes.
#[derive(Clone, Copy, Debug)]
struct Part {
    points: Points,
    first_row: usize,
    rows: usize,
}

struct Run<'a> {
    rank: &'a Rank,
    split: Split,
    kernel: CudaFunction,
    inputs: Atoms,
    atoms: CudaSlice<f32>,
    /// The rank's atoms; `own` has its rows.
    own_atoms: Range<usize>,
    own: Part,
    potential: CudaSlice<f32>,
    alone: CudaSlice<f32>,
    seed: u64,
}

const FLOATS: usize = 4;

/// Adds the potential of the atoms at the points of a part.
fn add(
    kernel: &CudaFunction,
    stream: &Arc<CudaStream>,
    atoms: &CudaView<f32>,
    part: Part,
    potential: &mut CudaSlice<f32>,
) -> Result<(), DriverError> {
    let Part { points, first_row, rows } = part;
    if rows == 0 || atoms.is_empty() {
        return Ok(());
    }
    let [count, height, first_row] = [atoms.len() / FLOATS, rows, first_row].map(as_i32);
    let width = points.width.cast_signed();
    assert_eq!(potential.len(), rows * points.width as usize, "a potential for each point");
    let mut arguments = stream.launch_builder(kernel);
    arguments.arg(atoms).arg(&count).arg(potential).arg(&width).arg(&height).arg(&first_row).arg(&points.spacing);
    // SAFETY: the kernel has these parameters; `count` atoms of four floats and `height` rows of potentials exist, and
    // no thread accesses elements beyond either.
    unsafe { arguments.launch(shape(points.width, rows as u32, count.cast_unsigned())) }.map(drop)
}

/// Returns a grid that covers the points, with layers for slices of the atoms.
fn shape(width: u32, height: u32, atoms: u32) -> LaunchConfig {
    let [across, down] = [width.div_ceil(BLOCK_POINTS[0]), height.div_ceil(BLOCK_POINTS[1])];
    let slices = ENOUGH_BLOCKS.div_ceil(across * down).min(atoms.div_ceil(MIN_ATOMS));
    LaunchConfig { grid_dim: (across, down, slices), block_dim: (128, 1, 1), shared_mem_bytes: 0 }
}

impl Work for Run<'_> {
    fn step(&mut self, tape: &mut Tape) -> Result<(), Error> {
        let Self { rank, split, kernel, atoms, own_atoms, own, potential, .. } = self;
        let world = &rank.world;
        let stream = &rank.transfers;
        tape.fill("zeros", || stream.memset_zeros(potential))?;
        let work = (own_atoms.len() * own.rows * own.points.width as usize) as f64;
        let part = atoms.slice(FLOATS * own_atoms.start..FLOATS * own_atoms.end);
        tape.compute("own part", stream, work, || add(kernel, stream, &part, *own, potential))?;
        if *split == Split::Points {
            return Ok(());
        }
        // each rank sends and receives all but its part of the sums, twice: reduce_scatter, then all_gather
        let ranks = world.world_size();
        let bytes = 4 * potential.len();
        let bytes = Bytes { received: 2 * bytes * (ranks - 1) / ranks, from_machines: 0 };
        tape.exchange("all_reduce", stream, bytes, || world.all_reduce_in_place(potential, &ReduceOp::Sum))
    }

    fn alone(&mut self, tape: &mut Tape) -> Result<(), Error> {
        let Self { rank, kernel, inputs, atoms, alone, .. } = self;
        let stream = &rank.transfers;
        tape.fill("zeros", || stream.memset_zeros(alone))?;
        let points = inputs.points;
        let work = (inputs.atoms.len() * points.count()) as f64;
        let all = Part { points, first_row: 0, rows: points.height as usize };
        let atoms = atoms.as_view();
        tape.compute("all atoms alone", stream, work, || add(kernel, stream, &atoms, all, alone))
    }

    fn verify(&mut self) -> Result<Report, Error> {
        let points = self.inputs.points;
        let own = self.own;
        let width = points.width as usize;
        let comparison = Comparison::new(&self.inputs, own.first_row * width, own.rows * width, self.seed);
        Ok(comparison.report(&self.rank.download(&self.potential)?, &self.rank.download(&self.alone)?))
    }
}

/// Returns the width and height of the plane.
fn plane(backend: Backend) -> (u32, u32) {
    match backend {
        Backend::Cuda => (2048, 2048),
        Backend::Emulator => (64, 61),
    }
}

impl Strategy for Coulomb {
    fn facts(&self) -> Facts {
        let (name, idea) = match self.split {
            Split::Points => ("by_points", "each rank has different rows: nothing to exchange"),
            Split::Atoms => {
                ("by_atoms", "each rank has all points for a part of the atoms; all_reduce adds the planes")
            }
        };
        Facts {
            letter: "E",
            name,
            idea,
            default_n: 10_000,
            emulated_n: 500,
            largest_n: 1 << 17,
            growth: 1,
            scaling: &[10_000],
        }
    }

    fn describe(&self, n: usize, backend: Backend) -> String {
        let (width, height) = plane(backend);
        format!("direct Coulomb summation, {} atoms, {width} x {height} points", thousands(n as u64))
    }

    fn sources(&self) -> Vec<KernelSource> {
        vec![SOURCE]
    }

    fn prepare<'a>(&self, rank: &'a Rank, size: &Size) -> Result<Box<dyn Work + 'a>, Error> {
        let (width, height) = plane(rank.device.backend);
        let parameters = Points::parameters(width, height);
        let inputs = Atoms::with_sample(&Size { parameters, ..size.clone() }, 0);
        let points = inputs.points;
        let place = &rank.place;
        let share = |count: usize| Share::new(count, place.rank, place.world, 1).own;
        let (atoms, rows) = match self.split {
            Split::Points => (0..size.n, share(height as usize)),
            Split::Atoms => (share(size.n), 0..height as usize),
        };
        Ok(Box::new(Run {
            rank,
            split: self.split,
            kernel: rank.kernel(&SOURCE, "coulomb_part")?,
            atoms: rank.upload(inputs.atoms.as_flattened())?,
            own_atoms: atoms,
            own: Part { points, first_row: rows.start, rows: rows.len() },
            // arrays must not be empty
            potential: rank.zeros((rows.len() * width as usize).max(1))?,
            alone: rank.zeros(points.count())?,
            inputs,
            seed: size.seed,
        }))
    }

    fn predict(&self, model: &Model) -> Option<f64> {
        match self.split {
            Split::Points => Some(model.compute()),
            Split::Atoms => Some(model.one_after_the_other()),
        }
    }
}
