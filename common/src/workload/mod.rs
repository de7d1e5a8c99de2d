//! The tutorials' problems: seeded inputs, references, buffers, and what a run of each costs.
//!
//! A workload owns everything of a problem but the kernel and its launch, which belong to a stage. Adding a tutorial
//! is a module here, a variant of [`Work`], and a line in each `match` on it.

mod baseline;
mod case;
pub mod coulomb;
mod energy;
pub mod forces;
pub mod galaxy;
mod gravity;
pub mod periodic;
pub mod reduction;
mod track;

pub use baseline::CpuTimes;
pub use case::{Case, Cost, CostKind, Launch, LaunchResult, Setup};
pub use energy::Energy;
pub use track::Track;

use crate::Error;
use crate::device::Backend;
use coulomb::{Method, Slice};
use std::ops::RangeInclusive;
use std::sync::Arc;

/// The published tutorial that a kernel comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
pub enum Tutorial {
    /// All-pairs gravitational forces (2014).
    A,
    /// Two-dimensional N-body in a periodic box (2009).
    B,
    /// Sum reduction (2025).
    C,
    /// N-body steps of a galaxy (2011).
    D,
    /// Direct Coulomb summation on a slice of a grid (2014).
    E,
}

impl Tutorial {
    /// What it computes, in a few words.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::A => "all-pairs forces",
            Self::B => "periodic N-body",
            Self::C => "sum reduction",
            Self::D => "galaxy step",
            Self::E => "direct Coulomb summation",
        }
    }

    /// What `--n` counts.
    #[must_use]
    pub fn unit(self) -> &'static str {
        match self {
            Self::C => "integers",
            Self::A | Self::B | Self::D => "bodies",
            Self::E => "atoms",
        }
    }

    /// `4096 bodies`, or `1 body`.
    #[must_use]
    pub fn count(self, n: usize) -> String {
        match (self, n) {
            (Self::C, 1) => "1 integer".into(),
            (Self::A | Self::B | Self::D, 1) => "1 body".into(),
            (Self::E, 1) => "1 atom".into(),
            _ => format!("{n} {}", self.unit()),
        }
    }

    /// The published size.
    #[must_use]
    pub fn default_n(self) -> usize {
        match self {
            Self::A | Self::D => 16384,
            Self::B => 4096,
            Self::C => 1 << 24,
            Self::E => 10_000,
        }
    }

    /// Sizes accepted. The f64 reference of all pairs takes n² steps of about a nanosecond on each run.
    #[must_use]
    pub fn accepted_n(self) -> RangeInclusive<usize> {
        match self {
            Self::A | Self::D | Self::E => 1..=1 << 17,
            Self::B => 1..=1 << 16,
            Self::C => 1..=1 << 30,
        }
    }

    /// Steps of a run where `--steps` does not say; `None` for a workload without steps. The emulator takes fewer
    /// than the tutorial: each step counts the same.
    #[must_use]
    pub fn default_steps(self, backend: Backend) -> Option<u32> {
        match (self, backend) {
            (Self::A | Self::C | Self::E, _) => None,
            (Self::B, Backend::Cuda) => Some(1000),
            (Self::B, Backend::Emulator) => Some(20),
            (Self::D, _) => Some(1),
        }
    }
}

/// How a kernel's launch function is called, one variant a workload.
#[derive(Clone, Copy, Debug)]
pub enum Work {
    /// Tutorial A.
    Forces {
        /// Launches the kernel once.
        launch: fn(&Launch, &mut forces::Buffers) -> LaunchResult,
    },
    /// Tutorial B.
    Periodic {
        /// Launches the kernel that writes the accelerations.
        accelerate: fn(&Launch, &mut periodic::Buffers) -> LaunchResult,
        /// Launches the kernel that moves the bodies.
        integrate: fn(&Launch, &mut periodic::Buffers) -> LaunchResult,
    },
    /// Tutorial C.
    Reduction {
        /// Launches the kernel once.
        launch: fn(&Launch, &mut reduction::Buffers) -> LaunchResult,
    },
    /// Tutorial D.
    Galaxy {
        /// Launches one step.
        launch: fn(&Launch, &mut galaxy::Buffers) -> LaunchResult,
    },
    /// Tutorial E.
    Coulomb {
        /// What the kernel makes of atoms and points.
        method: Method,
        /// Launches the kernel once, or once a chunk of atoms.
        launch: fn(&Launch, &mut coulomb::Buffers) -> LaunchResult,
    },
}

impl Work {
    /// The tutorial that this work is of.
    #[must_use]
    pub fn tutorial(&self) -> Tutorial {
        match self {
            Self::Forces { .. } => Tutorial::A,
            Self::Periodic { .. } => Tutorial::B,
            Self::Reduction { .. } => Tutorial::C,
            Self::Galaxy { .. } => Tutorial::D,
            Self::Coulomb { .. } => Tutorial::E,
        }
    }

    /// n where `--n` does not say: the published size. The emulator takes fewer atoms: each counts the same, and an
    /// atomic addition takes it many times as long as one in a register.
    #[must_use]
    pub fn default_n(&self, backend: Backend) -> usize {
        match (self, backend) {
            (Self::Coulomb { method: Method::Scatter, .. }, Backend::Emulator) => 64,
            (Self::Coulomb { .. }, Backend::Emulator) => 2000,
            _ => self.tutorial().default_n(),
        }
    }
}

/// The size of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Bodies or elements.
    pub n: usize,
    /// Time steps; `None` for a workload without.
    pub steps: Option<u32>,
    /// Seed of the inputs.
    pub seed: u64,
}

impl Size {
    /// Time steps; 1 for a workload without.
    #[must_use]
    pub fn step_count(&self) -> u32 {
        self.steps.unwrap_or(1)
    }

    /// n as kernels take it.
    #[must_use]
    pub fn n_i32(&self) -> i32 {
        i32::try_from(self.n).expect("every accepted n fits 31 bits")
    }
}

/// Inputs and references, kept so that the kernels of one workload and size share them.
#[derive(Debug, Default)]
pub struct Problems {
    forces: Option<Arc<forces::Problem>>,
    periodic: Option<Arc<periodic::Problem>>,
    reduction: Option<Arc<reduction::Problem>>,
    galaxy: Option<Arc<galaxy::Problem>>,
    coulomb: Option<Arc<coulomb::Problem>>,
}

/// The kept problem if it has this n and seed, else a new one.
fn shared<P: Seeded>(kept: &mut Option<Arc<P>>, size: &Size) -> Arc<P> {
    match kept {
        Some(problem) if problem.key() == (size.n, size.seed) => problem.clone(),
        _ => kept.insert(Arc::new(P::new(size.n, size.seed))).clone(),
    }
}

/// [`shared`] for atoms, which depend on the slice too.
fn shared_atoms(kept: &mut Option<Arc<coulomb::Problem>>, size: &Size, slice: Slice) -> Arc<coulomb::Problem> {
    match kept {
        Some(problem) if problem.is_of(size, slice) => problem.clone(),
        _ => kept.insert(Arc::new(coulomb::Problem::new(size, slice))).clone(),
    }
}

/// A problem that its n and seed determine.
trait Seeded {
    fn new(n: usize, seed: u64) -> Self;
    fn key(&self) -> (usize, u64);
}

/// Sets up one kernel at one size: inputs and outputs on the device, the reference beside them. `slice` is for
/// tutorial E.
///
/// # Errors
/// [`Error::Driver`], when the device has no room or refuses a copy.
pub fn prepare<'a>(
    work: &Work,
    problems: &mut Problems,
    setup: Setup<'a>,
    size: &Size,
    slice: Option<Slice>,
) -> Result<Box<dyn Case + 'a>, Error> {
    Ok(match *work {
        Work::Forces { launch } => {
            Box::new(forces::ForcesCase::new(setup, shared(&mut problems.forces, size), launch)?)
        }
        Work::Periodic { accelerate, integrate } => {
            let problem = shared(&mut problems.periodic, size);
            Box::new(periodic::PeriodicCase::new(setup, problem, accelerate, integrate, size.step_count())?)
        }
        Work::Reduction { launch } => {
            Box::new(reduction::ReductionCase::new(setup, shared(&mut problems.reduction, size), launch)?)
        }
        Work::Galaxy { launch } => {
            let problem = shared(&mut problems.galaxy, size);
            Box::new(galaxy::GalaxyCase::new(setup, problem, launch, size.step_count())?)
        }
        Work::Coulomb { method, launch } => {
            let problem = shared_atoms(&mut problems.coulomb, size, slice.unwrap_or_default());
            Box::new(coulomb::CoulombCase::new(setup, problem, method, launch)?)
        }
    })
}

/// Runs a kernel of tutorial B step by step and notes where body 0 is; `None` for other tutorials.
///
/// # Errors
/// [`Error::Driver`].
pub fn track(work: &Work, problems: &mut Problems, setup: Setup<'_>, size: &Size) -> Result<Option<Track>, Error> {
    let Work::Periodic { accelerate, integrate } = *work else { return Ok(None) };
    let problem = shared(&mut problems.periodic, size);
    let mut case = periodic::PeriodicCase::new(setup, problem, accelerate, integrate, size.step_count())?;
    case.track().map(Some)
}

/// What [`film`] hands out: the number of steps done, and the positions after them.
pub type OnFrame<'a> = &'a mut dyn FnMut(u32, &[galaxy::Float4]) -> Result<(), Error>;

/// Runs a kernel of tutorial D and hands out the first state and that after each `steps_between` steps; `None` for
/// other tutorials.
///
/// # Errors
/// [`Error::Driver`], and those of `on_frame`.
pub fn film(
    work: &Work,
    problems: &mut Problems,
    setup: Setup<'_>,
    size: &Size,
    steps_between: u32,
    on_frame: OnFrame,
) -> Result<Option<Energy>, Error> {
    let Work::Galaxy { launch } = *work else { return Ok(None) };
    let problem = shared(&mut problems.galaxy, size);
    galaxy::GalaxyCase::new(setup, problem, launch, size.step_count())?.film(steps_between, on_frame).map(Some)
}

/// Times the tutorial's own loop on this CPU, in single precision, serial and on all cores.
pub fn time_on_cpu(work: &Work, problems: &mut Problems, size: &Size, slice: Option<Slice>) -> CpuTimes {
    match work {
        Work::Forces { .. } => shared(&mut problems.forces, size).time_on_cpu(),
        Work::Periodic { .. } => shared(&mut problems.periodic, size).time_on_cpu(size.step_count()),
        Work::Reduction { .. } => shared(&mut problems.reduction, size).time_on_cpu(),
        Work::Galaxy { .. } => shared(&mut problems.galaxy, size).time_on_cpu(size.step_count()),
        Work::Coulomb { .. } => shared_atoms(&mut problems.coulomb, size, slice.unwrap_or_default()).time_on_cpu(),
    }
}

/// Sizes just below, at and above a warp, and around a block of 1024.
#[cfg(test)]
const SIZES_AROUND_WARPS: [usize; 8] = [1, 31, 32, 33, 1000, 1023, 1024, 1025];
