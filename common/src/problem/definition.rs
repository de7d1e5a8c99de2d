//! The definition of a problem, and a kernel that solves it with its data on the device.

use super::cost::{Cost, Written};
use super::facts::Facts;
use super::layout::Layout;
use super::setup::{Launch, LaunchResult, Setup};
use crate::error::Error;
use crate::verify::Report;
use emulator::Sample;
use std::fmt::Debug;
use std::path::Path;
use std::sync::Arc;

/// A problem, by the type that holds the launch functions of one rung. [`Problem`](super::Problem) and [`Case`](super::Case) follow from it.
pub trait Definition: Debug + Send + Sync + Sized + 'static {
    /// The problem's name, sizes, units and options.
    const FACTS: &'static Facts;

    /// Returns the same, with what differs for these launch functions.
    fn facts(&self) -> &'static Facts {
        Self::FACTS
    }

    /// The inputs, the data on the device, and the results.
    type Layout: Layout;

    /// Launches the kernel.
    ///
    /// # Errors
    /// The driver's, which names no kernel.
    fn launch(&self, launch: &Launch, layout: &mut Self::Layout) -> LaunchResult;

    /// Compares the results of the last run with the reference, as far as possible without a run from the start.
    ///
    /// # Errors
    /// [`Error::Driver`].
    fn check(case: &mut Prepared<Self>) -> Result<Report, Error>;

    /// Returns the amount of work of one [`Definition::run`].
    fn cost(case: &Prepared<Self>) -> Cost;

    /// Returns the number of launches of a run, whose times, counts and traffic are summed.
    fn launches(_: &Prepared<Self>) -> usize {
        1
    }

    /// Makes one of them.
    ///
    /// # Errors
    /// [`Error::Driver`].
    fn launch_one(case: &mut Prepared<Self>, _: usize) -> Result<(), Error> {
        case.launch_kernel()
    }

    /// Launches all that a time includes.
    ///
    /// # Errors
    /// [`Error::Driver`].
    fn run(case: &mut Prepared<Self>) -> Result<(), Error> {
        (0..Self::launches(case)).try_for_each(|index| Self::launch_one(case, index))
    }

    /// Poisons the outputs, and restores what a run overwrites. Not timed.
    ///
    /// # Errors
    /// [`Error::Driver`].
    fn restore(case: &mut Prepared<Self>) -> Result<(), Error> {
        case.layout.restore(&case.setup)
    }

    /// Restores, runs once, and compares the results with the reference.
    ///
    /// # Errors
    /// [`Error::Driver`], also if the kernel stops with a fault.
    fn verify(case: &mut Prepared<Self>) -> Result<Report, Error> {
        Self::restore(case)?;
        case.run_and_count()?;
        Self::check(case)
    }

    /// Restores, runs a sample of the blocks on the emulator, and compares what they wrote. Returns `None`, and at most the counts of the
    /// sample, if the values cannot be told from those that are missing, as those that depend on all blocks of another launch.
    ///
    /// # Errors
    /// As [`Definition::verify`].
    fn verify_sample(case: &mut Prepared<Self>) -> Result<Option<Report>, Error> {
        Self::restore(case)?;
        case.run_sample()
    }

    /// Compares the values that a sample of the blocks wrote, all of them. Returns `None` if it is not known how many these must be.
    ///
    /// # Errors
    /// [`Error::Driver`].
    fn check_written(_: &mut Prepared<Self>, _: &Sample) -> Result<Option<Report>, Error> {
        Ok(None)
    }

    /// Writes the file of one of [`Facts::files`]. Not timed.
    ///
    /// # Errors
    /// [`Error::Driver`], [`Error::File`].
    fn write(_: &mut Prepared<Self>, option: &str, _: &Path) -> Result<Written, Error> {
        Err(Error::Usage(format!("--{option}: this problem writes no such file")))
    }
}

/// A problem's kernel with its inputs, and its data on the device.
#[derive(Debug)]
pub struct Prepared<'a, D: Definition> {
    /// The launch functions.
    pub problem: &'a D,
    /// The kernel with its launch shape.
    pub setup: Setup<'a>,
    /// The inputs, and the reference.
    pub inputs: Arc<<D::Layout as Layout>::Inputs>,
    /// The data on the device.
    pub layout: D::Layout,
    /// Time steps; 1 for a problem without.
    pub steps: u32,
}
