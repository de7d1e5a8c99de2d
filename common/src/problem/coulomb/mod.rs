//! Problem E: the electric potential of atoms at the points of a plane, summed directly.
//!
//! V(x, y) = Σ qₐ / √((x − xₐ)² + (y − yₐ)² + zₐ²) at x = column · spacing, y = row · spacing. An atom is stored as
//! (x, y, z², q), its z² squared beforehand as in the tutorial. At an atom on a point the formula is infinite: here
//! z is at least one spacing, so that none is. Atoms come from a ChaCha8 stream, spread over the plane.

mod atoms;
mod layout;
mod points;

pub use atoms::{Atom, Atoms};
pub use layout::{Buffers, Layout};
pub use points::Points;

use super::{Cost, CpuTimes, Facts, Launch, LaunchResult, Problem, Rate, Roof, Run, Setup, Size};
use crate::device::Backend;
use crate::error::Error;
use crate::verify::Report;

/// Atoms that a chunk of constant memory holds: 64 KB of float4.
pub const CHUNK: usize = 4096;

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

/// The potential, by one launch function on data in the layout `L`.
#[derive(Clone, Copy, Debug)]
pub struct Coulomb<L> {
    /// What the kernel makes of atoms and points.
    pub method: Method,
    /// Launches the kernel once, or once a chunk of atoms: with the copies to constant memory, on the device.
    pub launch: fn(&Launch, &mut L) -> LaunchResult,
}

static FACTS: Facts = Facts {
    letter: "E",
    title: "direct Coulomb summation",
    unit: ["atom", "atoms"],
    n: 10_000,
    accepted: 1..=1 << 17,
    steps: None,
    work: points::evaluations,
    rate: Rate {
        unit: "Gevaluations/s",
        limit: |limits| limits.special_functions_per_second,
        limit_name: "reciprocal square roots, of which a pair of an atom and a point needs one",
        legend: "10^9 evaluations of an atom at a point per second; limit: a reciprocal square root each,\n\
                 from the special-function units. Time of all chunks, with their copies to constant memory on the device.",
    },
    roof: Roof {
        name: "reciprocal square roots",
        unit: "Gevaluations/s",
        operations: None,
        note: "An operation here is the term of an atom at a point, with one reciprocal square root; the flat roof is the \
               rate at which the special-function units compute these.",
    },
    traffic_note: "Atoms in constant memory are in neither number.",
    small: [20, 200],
    parameters: &points::PARAMETERS,
    files: &[],
    extents: points::extents,
    describe: points::describe,
};

impl<L: Layout> Problem for Coulomb<L> {
    type Inputs = Atoms;
    type Layout = L;

    const FACTS: &'static Facts = &FACTS;

    fn prepare(&self, setup: &Setup, atoms: &Atoms) -> Result<L, Error> {
        L::prepare(setup, atoms, self.method != Method::Gather)
    }

    fn restore(&self, run: &mut Run<Self>) -> Result<(), Error> {
        run.layout.restore(&run.setup)
    }

    fn launch(&self, run: &mut Run<Self>) -> Result<(), Error> {
        run.setup.run(|launch| (self.launch)(launch, &mut run.layout))
    }

    fn recheck(&self, run: &mut Run<Self>) -> Result<Report, Error> {
        Ok(run.inputs.check(&run.layout.potential(&run.setup)?, L::MORE_ROUNDINGS))
    }

    /// Constant memory is not among the bytes that a launch must move, as it is not among the emulator's sectors.
    fn cost(&self, run: &Run<Self>) -> Cost {
        let (points, atoms) = (run.inputs.points.count() as f64, run.inputs.atoms.len() as f64);
        let (points_bytes, atoms_bytes) = (4.0 * points, 16.0 * atoms);
        Cost {
            amount: points * atoms,
            interactions: Some(points * atoms),
            bytes_needed_by_a_launch: match self.method {
                Method::Gather | Method::Scatter => atoms_bytes + points_bytes,
                Method::Chunks => 2.0 * points_bytes,
            },
        }
    }

    fn time_on_cpu(atoms: &Atoms, _: u32) -> CpuTimes {
        atoms.time_on_cpu()
    }

    /// The emulator takes fewer atoms: each counts the same, and an atomic addition takes it many times as long as one
    /// in a register.
    fn default_n(&self, backend: Backend) -> usize {
        match (self.method, backend) {
            (_, Backend::Cuda) => FACTS.n,
            (Method::Scatter, Backend::Emulator) => 64,
            (Method::Gather | Method::Chunks, Backend::Emulator) => 2000,
        }
    }

    fn launches(&self, size: &Size) -> u32 {
        match self.method {
            Method::Gather | Method::Scatter => 1,
            Method::Chunks => u32::try_from(size.n.div_ceil(CHUNK)).unwrap_or(u32::MAX),
        }
    }

    fn constants(&self) -> &'static [(&'static str, u32)] {
        if self.method == Method::Chunks { &[("CHUNK", CHUNK as u32)] } else { &[] }
    }

    fn count_note(&self, size: &Size) -> String {
        match Problem::launches(self, size) {
            1 => String::new(),
            _ => format!("constant memory takes a launch for each {CHUNK} atoms; counts are of the last one."),
        }
    }
}
