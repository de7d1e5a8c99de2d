//! Problems and cases of any [`Definition`], as tables and sessions hold them.

use super::cost::{Cost, Written};
use super::definition::{Definition, Prepared};
use super::facts::Facts;
use super::layout::Layout;
use super::setup::Setup;
use crate::device::Estimating;
use crate::error::Error;
use crate::verify::Report;
use emulator::Counters;
use predict::Prediction;
use reference::cpu::CpuTimes;
use reference::inputs::{InputCache, Inputs};
use reference::size::Size;
use std::fmt::Debug;
use std::path::Path;

/// Any [`Definition`], as tables of rungs hold it.
pub trait Problem: Debug + Send + Sync {
    /// Returns [`Definition::facts`].
    fn facts(&self) -> &'static Facts;

    /// Copies the inputs of a size to the device. Not timed.
    ///
    /// # Errors
    /// [`Error::Driver`], if the device has no room or refuses a copy.
    fn prepare<'a>(
        &'a self,
        inputs: &mut InputCache,
        setup: Setup<'a>,
        size: &Size,
    ) -> Result<Box<dyn Case + 'a>, Error>;

    /// Times the tutorial's own loop on this CPU in single precision, on one thread and on all.
    fn time_on_cpu(&self, inputs: &mut InputCache, size: &Size) -> CpuTimes;
}

impl<D: Definition> Problem for D {
    fn facts(&self) -> &'static Facts {
        Definition::facts(self)
    }

    fn prepare<'a>(
        &'a self,
        inputs: &mut InputCache,
        setup: Setup<'a>,
        size: &Size,
    ) -> Result<Box<dyn Case + 'a>, Error> {
        let inputs = inputs.get::<<D::Layout as Layout>::Inputs>(size);
        let layout = D::Layout::prepare(&setup, &inputs)?;
        Ok(Box::new(Prepared { problem: self, setup, inputs, layout, steps: size.step_count() }))
    }

    fn time_on_cpu(&self, inputs: &mut InputCache, size: &Size) -> CpuTimes {
        inputs.get::<<D::Layout as Layout>::Inputs>(size).time_on_cpu().times_steps(size.step_count())
    }
}

/// A kernel with its data on the device.
pub trait Case {
    /// Returns the kernel with its launch shape.
    fn setup(&self) -> &Setup<'_>;

    /// Resets the inputs, and poisons the outputs. Not timed.
    ///
    /// # Errors
    /// [`Error::Driver`].
    fn restore(&mut self) -> Result<(), Error>;

    /// Launches all that a time includes. Requires [`Case::restore`] before it.
    ///
    /// # Errors
    /// [`Error::Driver`].
    fn launch(&mut self) -> Result<(), Error>;

    /// Compares the results of the last launch; see [`Definition::check`].
    ///
    /// # Errors
    /// [`Error::Driver`].
    fn recheck(&mut self) -> Result<Report, Error>;

    /// Returns the amount of work of one [`Case::launch`].
    fn cost(&self) -> Cost;

    /// Restores, launches once, and compares the results with the reference.
    ///
    /// # Errors
    /// [`Error::Driver`], also if the kernel stops with a fault.
    fn verify(&mut self) -> Result<Report, Error>;

    /// Runs and compares a sample of the blocks; see [`Definition::verify_sample`].
    ///
    /// # Errors
    /// As [`Case::verify`].
    fn verify_sample(&mut self) -> Result<Option<Report>, Error>;

    /// Returns the emulator's counts of one launch, taken by [`Case::verify`]; `None` on a GPU.
    fn counters(&self) -> Option<Counters> {
        self.setup().counters.get()
    }

    /// Writes the file of one of [`Facts::files`]. Not timed.
    ///
    /// # Errors
    /// [`Error::Driver`], [`Error::File`].
    fn write(&mut self, option: &str, path: &Path) -> Result<Written, Error>;
}

impl<D: Definition> Case for Prepared<'_, D> {
    fn setup(&self) -> &Setup<'_> {
        &self.setup
    }

    fn restore(&mut self) -> Result<(), Error> {
        D::restore(self)
    }

    fn launch(&mut self) -> Result<(), Error> {
        D::run(self)
    }

    fn recheck(&mut self) -> Result<Report, Error> {
        D::check(self)
    }

    fn cost(&self) -> Cost {
        D::cost(self)
    }

    fn verify(&mut self) -> Result<Report, Error> {
        D::verify(self)
    }

    fn verify_sample(&mut self) -> Result<Option<Report>, Error> {
        D::verify_sample(self)
    }

    fn write(&mut self, option: &str, path: &Path) -> Result<Written, Error> {
        D::write(self, option, path)
    }
}

/// Returns the estimates of a case's launches on the emulator, which do not run. None on a GPU, which runs them.
///
/// # Errors
/// [`Error::Driver`] if a launch is invalid, [`Error::Estimates`].
pub fn estimate_launches(case: &mut dyn Case) -> Result<Vec<Prediction>, Error> {
    case.restore()?;
    let device = case.setup().device;
    device.set_estimates(Estimating::Instead);
    let launched = case.launch().and_then(|()| case.setup().finish());
    let device = case.setup().device;
    device.set_estimates(Estimating::Off);
    let launches = device.take_estimates();
    launched.and(launches)
}
