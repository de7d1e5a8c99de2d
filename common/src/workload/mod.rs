//! The tutorials' problems: seeded inputs, references, buffers, and what a run of each costs.
//!
//! A workload owns everything of a problem but the kernel and its launch, which belong to a stage. Adding a tutorial
//! is a module here, a variant of [`Work`], and a line in each `match` on it.

mod baseline;
mod case;
pub mod forces;
pub mod galaxy;
mod gravity;
pub mod periodic;
pub mod reduction;

pub use baseline::CpuTimes;
pub use case::{Case, Cost, CostKind, Launch, LaunchResult, Setup};

use crate::Error;
use crate::device::Backend;
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
        }
    }

    /// What `--n` counts.
    #[must_use]
    pub fn unit(self) -> &'static str {
        match self {
            Self::C => "integers",
            Self::A | Self::B | Self::D => "bodies",
        }
    }

    /// The published size.
    #[must_use]
    pub fn default_n(self) -> usize {
        match self {
            Self::A | Self::D => 16384,
            Self::B => 4096,
            Self::C => 1 << 24,
        }
    }

    /// Sizes accepted. The f64 reference of all pairs takes n² steps of about a nanosecond on each run.
    #[must_use]
    pub fn accepted_n(self) -> RangeInclusive<usize> {
        match self {
            Self::A | Self::D => 1..=1 << 17,
            Self::B => 1..=1 << 16,
            Self::C => 1..=1 << 30,
        }
    }

    /// Steps of a run where `--steps` does not say; `None` for a workload without steps. The emulator takes fewer
    /// than the tutorial: each step counts the same.
    #[must_use]
    pub fn default_steps(self, backend: Backend) -> Option<u32> {
        match (self, backend) {
            (Self::A | Self::C, _) => None,
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
}

/// The kept problem if it has this n and seed, else a new one.
fn shared<P: Seeded>(kept: &mut Option<Arc<P>>, size: &Size) -> Arc<P> {
    match kept {
        Some(problem) if problem.key() == (size.n, size.seed) => problem.clone(),
        _ => kept.insert(Arc::new(P::new(size.n, size.seed))).clone(),
    }
}

/// A problem that its n and seed determine.
trait Seeded {
    fn new(n: usize, seed: u64) -> Self;
    fn key(&self) -> (usize, u64);
}

/// Sets up one kernel at one size: inputs and outputs on the device, the reference beside them.
///
/// # Errors
/// [`Error::Driver`], when the device has no room or refuses a copy.
pub fn prepare<'a>(
    work: &Work,
    problems: &mut Problems,
    setup: Setup<'a>,
    size: &Size,
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
    })
}

/// Times the tutorial's own loop on this CPU, in single precision, serial and on all cores.
pub fn time_on_cpu(work: &Work, problems: &mut Problems, size: &Size) -> CpuTimes {
    match work {
        Work::Forces { .. } => shared(&mut problems.forces, size).time_on_cpu(),
        Work::Periodic { .. } => shared(&mut problems.periodic, size).time_on_cpu(size.step_count()),
        Work::Reduction { .. } => shared(&mut problems.reduction, size).time_on_cpu(),
        Work::Galaxy { .. } => shared(&mut problems.galaxy, size).time_on_cpu(size.step_count()),
    }
}

/// Sizes just below, at and above a warp, and around a block of 1024.
#[cfg(test)]
const SIZES_AROUND_WARPS: [usize; 8] = [1, 31, 32, 33, 1000, 1023, 1024, 1025];
