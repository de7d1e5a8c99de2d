//! Problem E: the electric potential of atoms at the points of a plane, summed directly.
//!
//! V(x, y) = Σ qₐ / √((x − xₐ)² + (y − yₐ)² + zₐ²) at x = column · spacing, y = row · spacing. An atom is stored as
//! (x, y, z², q), with z² computed beforehand as in the tutorial. The formula is infinite for an atom on a point, so z
//! is at least one spacing. Atoms come from a ChaCha8 stream, spread over the plane.

mod layout;

pub use layout::{Buffers, Plane};
pub use reference::coulomb::Points;
pub use reference::coulomb::{Atom, Atoms};

use super::facts::{Accepted, Parameter};
use super::{Cost, Definition, Facts, Launch, LaunchResult, Parameters, Prepared, Rate, Roof, Size, as_u32};
use crate::error::Error;
use crate::verify::Report;
use emulator::Sample;
use reference::coulomb::NO_POTENTIAL;

/// Atoms per chunk of constant memory: 64 KB of float4.
pub const CHUNK: usize = 4096;

/// The way in which a kernel uses atoms and points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// A thread sums the terms of its points and writes the sums.
    Gather,
    /// A thread adds the terms of its atom to all points, which are zero before.
    Scatter,
    /// As [`Method::Gather`], with one launch per chunk of atoms in constant memory; each launch adds to the points, which are
    /// zero before the first.
    Chunks,
}

/// The potential, computed by one launch function on data in the layout `L`.
#[derive(Clone, Copy, Debug)]
pub struct Coulomb<L> {
    /// The way in which the kernel uses atoms and points.
    pub method: Method,
    /// Launches the kernel once, or once per chunk of atoms with its copy to constant memory.
    pub launch: fn(&Launch, &mut L) -> LaunchResult,
}

const PLANE: Facts = Facts {
    emulated_n: 500,
    work: Points::evaluations,
    roof: Roof {
        name: "reciprocal square roots",
        unit: "Gevaluations/s",
        operations: None,
        note: "An operation here is the term of an atom at a point, with one reciprocal square root; the flat roof is the \
               rate at which the special-function units compute these.",
    },
    traffic_note: "Atoms in constant memory are in neither number.",
    small: [20, 200],
    parameters: &PARAMETERS,
    extents,
    describe,
    ..Facts::new("E", "direct Coulomb summation", ["atom", "atoms"], [10_000, 1 << 17], EVALUATIONS)
};

/// Each atom has the same counts, and an atomic addition takes the emulator many times as long as an addition in a register.
static OF_SCATTER: Facts = Facts { emulated_n: 64, ..PLANE };

static OF_CHUNKS: Facts = Facts {
    launches: |size| as_u32(size.n.div_ceil(CHUNK)),
    count_note: "constant memory takes a launch for each 4096 atoms; counts are of the last one.",
    constants: &[("CHUNK", CHUNK as u32)],
    ..PLANE
};

const EVALUATIONS: Rate = Rate {
    unit: "Gevaluations/s",
    limit: |attributes| attributes.special_functions_per_second,
    limit_name: "reciprocal square roots, of which a pair of an atom and a point needs one",
    legend: "10^9 evaluations of an atom at a point per second; limit: a reciprocal square root each,\n\
             from the special-function units. Time of all chunks, with their copies to constant memory on the device.",
};

const PUBLISHED: Points = Points::PUBLISHED;
const NAMES: [&str; 3] = Points::OPTIONS;

/// Points along a side.
const SIDES: Accepted = Accepted::Whole(1, 1 << 14);

const WIDTH: Parameter = Parameter {
    name: NAMES[0],
    value_name: "POINTS",
    help: "Points per row of the plane",
    accepted: SIDES,
    default: PUBLISHED.width as f64,
    // Under --check, no tile divides the sides.
    checked: 100.0,
};

const HEIGHT: Parameter = Parameter {
    name: NAMES[1],
    value_name: "ROWS",
    help: "Rows of the plane",
    default: PUBLISHED.height as f64,
    checked: 50.0,
    ..WIDTH
};

const SPACING: Parameter = Parameter {
    name: NAMES[2],
    value_name: "LENGTH",
    help: "Distance of neighboring points of the plane",
    accepted: Accepted::Real(1e-3, 1e3),
    default: 0.1,
    checked: 0.1,
};

/// The options of problem E.
static PARAMETERS: [Parameter; 3] = [WIDTH, HEIGHT, SPACING];

/// Returns the points along x and y.
fn extents(size: &Size) -> [u32; 2] {
    let Points { width, height, .. } = Points::from_parameters(&size.parameters);
    [width, height]
}

/// Returns `512 x 512 points`.
fn describe(parameters: &Parameters) -> String {
    let Points { width, height, .. } = Points::from_parameters(parameters);
    format!("{width} x {height} points")
}

impl<L: Plane> Definition for Coulomb<L> {
    const FACTS: &'static Facts = &PLANE;

    fn facts(&self) -> &'static Facts {
        match self.method {
            Method::Gather => &PLANE,
            Method::Scatter => &OF_SCATTER,
            Method::Chunks => &OF_CHUNKS,
        }
    }

    type Layout = L;

    fn launch(&self, launch: &Launch, layout: &mut L) -> LaunchResult {
        (self.launch)(launch, layout)
    }

    fn restore(case: &mut Prepared<Self>) -> Result<(), Error> {
        let Prepared { problem, setup, layout, .. } = case;
        match problem.method {
            Method::Gather => layout.restore(setup),
            Method::Scatter | Method::Chunks => setup.clear(layout.potential()),
        }
    }

    fn check(case: &mut Prepared<Self>) -> Result<Report, Error> {
        Ok(case.inputs.check(&case.results()?, L::MORE_ROUNDINGS))
    }

    /// Launches that add find [`NO_POTENTIAL`], which tells the points of blocks that did not run.
    fn verify_sample(case: &mut Prepared<Self>) -> Result<Option<Report>, Error> {
        Self::restore(case)?;
        if case.problem.method == Method::Chunks {
            let none = vec![NO_POTENTIAL; case.inputs.points.count()];
            case.setup.write(&none, case.layout.potential())?;
        }
        case.run_sample()
    }

    fn check_written(case: &mut Prepared<Self>, sample: &Sample) -> Result<Option<Report>, Error> {
        let Some(count) = case.setup.values_of(sample, case.inputs.points.count()) else { return Ok(None) };
        Ok(Some(case.inputs.check_written(&case.results()?, L::MORE_ROUNDINGS, count)))
    }

    /// Constant memory is not among the bytes that a launch must move, as it is not among the emulator's sectors.
    fn cost(case: &Prepared<Self>) -> Cost {
        let points = case.inputs.points.count() as f64;
        let atoms = case.inputs.atoms.len() as f64;
        let points_bytes = 4.0 * points;
        let atoms_bytes = 16.0 * atoms;
        Cost {
            amount: points * atoms,
            interactions: Some(points * atoms),
            bytes_needed_by_a_launch: match case.problem.method {
                Method::Gather | Method::Scatter => atoms_bytes + points_bytes,
                Method::Chunks => 2.0 * points_bytes,
            },
        }
    }
}
