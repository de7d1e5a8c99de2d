//! A strategy: a way to share the work of a problem among ranks.

use crate::ranks::model::Model;
use crate::ranks::rank::Rank;
use crate::ranks::tape::Tape;
use common::Error;
use common::device::Backend;
use common::kernel::KernelSource;
use common::problem::Size;
use common::verify::Report;

/// A way to share the work of a problem among ranks: a row of the table.
pub trait Strategy: Sync + std::fmt::Debug {
    /// Returns its constant properties.
    fn facts(&self) -> Facts;

    /// Returns its name, by which `--kernel` selects it.
    fn name(&self) -> &'static str {
        self.facts().name
    }

    /// Returns a title such as `all-pairs forces, 1000 bodies`.
    fn describe(&self, n: usize, backend: Backend) -> String;

    /// Returns the files of its kernels.
    fn sources(&self) -> Vec<KernelSource>;

    /// Returns the size without `--n`.
    fn default_n(&self, backend: Backend) -> usize {
        match backend {
            Backend::Cuda => self.facts().default_n,
            Backend::Emulator => self.facts().emulated_n,
        }
    }

    /// Returns the size at which each rank has as much work as one rank at n.
    fn weak(&self, n: usize, ranks: usize) -> usize {
        let growth = (ranks as f64).powf(1.0 / f64::from(self.facts().growth));
        (n as f64 * growth).round() as usize
    }

    /// Returns whether a single process uses all GPUs, instead of one process per GPU.
    fn is_one_process(&self) -> bool {
        false
    }

    /// Returns the maximum number of bytes that a step of an exercise may expose.
    fn max_exposed_bytes(&self) -> Option<f64> {
        None
    }

    /// Returns the reason if it cannot run on these ranks.
    fn obstacle(&self, _rank: &Rank) -> Option<String> {
        None
    }

    /// Copies the data of a step to the device. A collective call: all ranks must make it.
    ///
    /// # Errors
    /// [`Error::Driver`], [`Error::Kernel`].
    fn prepare<'a>(&self, rank: &'a Rank, size: &Size) -> Result<Box<dyn Work + 'a>, Error>;

    /// Returns the predicted time of a step in milliseconds; `None` without a model.
    fn predict(&self, model: &Model) -> Option<f64> {
        Some(model.one_after_the_other())
    }
}

/// The constant properties of a strategy.
#[derive(Clone, Copy, Debug)]
pub struct Facts {
    /// The letter of its problem.
    pub letter: &'static str,
    /// Its name.
    pub name: &'static str,
    /// A short description.
    pub idea: &'static str,
    /// The size without `--n` on GPUs.
    pub default_n: usize,
    /// The size without `--n` on the emulator.
    pub emulated_n: usize,
    /// The largest size.
    pub largest_n: usize,
    /// The power of n with which the work grows.
    pub growth: u32,
    /// The sizes for measuring strong scaling.
    pub scaling: &'static [usize],
}

/// A strategy that is ready on a rank's device.
pub trait Work {
    /// Restores what a step changes; not timed.
    ///
    /// # Errors
    /// [`Error::Driver`].
    fn restore(&mut self) -> Result<(), Error> {
        Ok(())
    }

    /// Enqueues a step of this rank, always from the same state.
    ///
    /// # Errors
    /// [`Error::Driver`].
    fn step(&mut self, tape: &mut Tape) -> Result<(), Error>;

    /// Enqueues the same work for this device only.
    ///
    /// # Errors
    /// [`Error::Driver`].
    fn alone(&mut self, tape: &mut Tape) -> Result<(), Error>;

    /// Compares the results of the last step with the reference, and with the results on one device. A collective call.
    ///
    /// # Errors
    /// [`Error::Driver`].
    fn verify(&mut self) -> Result<Report, Error>;
}
