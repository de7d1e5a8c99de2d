//! What a problem has to say and to do.

use super::cpu::CpuTimes;
use super::facts::Facts;
use super::inputs::Inputs;
use super::setup::Setup;
use super::size::Size;
use crate::device::Backend;
use crate::error::Error;
use crate::verify::Report;
use std::fmt::Debug;
use std::path::Path;
use std::sync::Arc;

/// A problem with the launch functions of a rung.
pub trait Problem: Debug + Send + Sync + Sized + 'static {
    /// Inputs in their canonical form, with their reference.
    type Inputs: Inputs;
    /// How the rung stores the data on the device.
    type Layout;

    /// What the rest of the program knows of it.
    const FACTS: &'static Facts;

    /// Copies inputs to the device in the rung's layout. Not timed.
    ///
    /// # Errors
    /// [`Error::Driver`], when the device has no room or refuses a copy.
    fn prepare(&self, setup: &Setup, inputs: &Self::Inputs) -> Result<Self::Layout, Error>;

    /// Puts inputs into their first state, and poison into the outputs.
    ///
    /// # Errors
    /// [`Error::Driver`].
    fn restore(&self, run: &mut Run<Self>) -> Result<(), Error>;

    /// Starts everything that a time counts. [`Problem::restore`] comes before it.
    ///
    /// # Errors
    /// [`Error::Driver`].
    fn launch(&self, run: &mut Run<Self>) -> Result<(), Error>;

    /// Compares what the last launch left, as far as that can be done without a second run from the start.
    ///
    /// # Errors
    /// [`Error::Driver`].
    fn recheck(&self, run: &mut Run<Self>) -> Result<Report, Error>;

    /// Restores, runs once, and compares the results with the reference.
    ///
    /// # Errors
    /// [`Error::Driver`], also when the kernel stops with a fault.
    fn verify(&self, run: &mut Run<Self>) -> Result<Report, Error> {
        self.restore(run)?;
        self.launch(run)?;
        run.setup.finish_counted()?;
        self.recheck(run)
    }

    /// What one [`Problem::launch`] does.
    fn cost(&self, run: &Run<Self>) -> Cost;

    /// Times the tutorial's own loop on this CPU, in single precision, on one thread and on all.
    fn time_on_cpu(inputs: &Self::Inputs, steps: u32) -> CpuTimes;

    /// n where `--n` does not say: the published size.
    fn default_n(&self, _: Backend) -> usize {
        Self::FACTS.n
    }

    /// Launches of the kernel in a run.
    fn launches(&self, size: &Size) -> u32 {
        size.step_count()
    }

    /// Constants of the kernel's code that the launch relies on, by name.
    fn constants(&self) -> &'static [(&'static str, u32)] {
        &[]
    }

    /// What a learner should know of the emulator's counts of a run; empty if nothing.
    fn count_note(&self, _: &Size) -> String {
        String::new()
    }

    /// Writes the file of one of [`Facts::files`]. Not timed.
    ///
    /// # Errors
    /// [`Error::Driver`], [`Error::File`].
    fn write(&self, _: &mut Run<Self>, option: &str, _: &Path) -> Result<Written, Error> {
        Err(Error::Usage(format!("--{option}: {} has no such file", Self::FACTS.title)))
    }
}

/// One rung at one size, its data on the device.
#[derive(Debug)]
pub struct Run<'a, P: Problem> {
    /// The kernel and its launch shape.
    pub setup: Setup<'a>,
    /// Inputs in their canonical form.
    pub inputs: Arc<P::Inputs>,
    /// The data on the device.
    pub layout: P::Layout,
    /// Time steps; 1 for a problem without.
    pub steps: u32,
}

/// What one run does, by which its rate is measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cost {
    /// What the [`Rate`](super::Rate) counts, of a whole run.
    pub amount: f64,
    /// Pair interactions of a whole run, a body with itself included; `None` where there are no pairs.
    pub interactions: Option<f64>,
    /// Bytes that one launch of the kernel must move: each input read once, each output written once.
    pub bytes_needed_by_a_launch: f64,
}

/// What became of a file beside the table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Written {
    /// What to say of it below the table.
    pub lines: Vec<String>,
    /// What a check of its contents found.
    pub report: Report,
    /// Numbers for the record, by their names.
    pub measured: Vec<(&'static str, f64)>,
}
