//! What a rung is: a way to share the work of a problem among ranks.

use crate::model::Model;
use crate::rank::Rank;
use crate::tape::Tape;
use common::Error;
use common::device::Backend;
use common::kernel::KernelSource;
use common::verify::Report;

/// A rung of the table.
pub trait Rung: Sync + std::fmt::Debug {
    /// Letter of its problem.
    fn letter(&self) -> &'static str;

    /// `all-pairs forces, 1000 bodies`.
    fn describe(&self, n: usize, backend: Backend) -> String;

    /// Its name, by which `--rung` chooses it.
    fn name(&self) -> &'static str;

    /// What it does, in a few words.
    fn idea(&self) -> &'static str;

    /// The files of its kernels.
    fn sources(&self) -> Vec<KernelSource>;

    /// The size where `--n` does not say.
    fn default_n(&self, backend: Backend) -> usize;

    /// The largest size.
    fn largest_n(&self) -> usize;

    /// The sizes of a measurement of strong scaling.
    fn scaling(&self) -> &'static [usize];

    /// The size at which each rank has the work that one has at n.
    fn weak(&self, n: usize, ranks: usize) -> usize {
        n * ranks
    }

    /// Whether it is one process with all GPUs, in place of one for each.
    fn is_one_process(&self) -> bool {
        false
    }

    /// Bytes that a step of an exercise may expose at most.
    fn most_exposed(&self) -> Option<f64> {
        None
    }

    /// Why it cannot run on these ranks.
    fn obstacle(&self, rank: &Rank) -> Option<String>;

    /// Copies what a step needs to the device. All ranks call.
    ///
    /// # Errors
    /// [`Error::Driver`], [`Error::Kernel`].
    fn prepare<'a>(&self, rank: &'a Rank, size: Size) -> Result<Box<dyn Work + 'a>, Error>;

    /// The predicted time of a step in milliseconds; `None` where there is no model.
    fn predict(&self, model: &Model) -> Option<f64>;
}

/// How much of a problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Bodies, integers or atoms.
    pub n: usize,
    /// Seed of the inputs.
    pub seed: u64,
}

/// A rung that is ready on a rank's device.
pub trait Work {
    /// Puts back what a step changes; not timed.
    ///
    /// # Errors
    /// [`Error::Driver`].
    fn restore(&mut self) -> Result<(), Error> {
        Ok(())
    }

    /// Enqueues a step of this rank, from the same state each time.
    ///
    /// # Errors
    /// [`Error::Driver`].
    fn step(&mut self, tape: &mut Tape) -> Result<(), Error>;

    /// Enqueues the same work for this device alone.
    ///
    /// # Errors
    /// [`Error::Driver`].
    fn alone(&mut self, tape: &mut Tape) -> Result<(), Error>;

    /// Compares the results of the last step with the reference, and with those of the last work alone. All ranks call.
    ///
    /// # Errors
    /// [`Error::Driver`].
    fn verify(&mut self) -> Result<Report, Error>;
}
