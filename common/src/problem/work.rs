//! Problems of any kind behind one type, as the rest of the program holds them.

use super::cpu::CpuTimes;
use super::definition::{Cost, Problem, Run, Written};
use super::facts::Facts;
use super::inputs::Shelf;
use super::setup::Setup;
use super::size::Size;
use crate::device::Backend;
use crate::error::Error;
use crate::verify::Report;
use emulator::Counters;
use std::fmt::Debug;
use std::path::Path;

/// A [`Problem`] of any kind, as a rung holds it.
pub trait Work: Debug + Send + Sync {
    /// What the rest of the program knows of the problem.
    fn facts(&self) -> &'static Facts;

    /// [`Problem::default_n`].
    fn default_n(&self, backend: Backend) -> usize;

    /// [`Problem::launches`].
    fn launches(&self, size: &Size) -> u32;

    /// [`Problem::constants`].
    fn constants(&self) -> &'static [(&'static str, u32)];

    /// [`Problem::count_note`].
    fn count_note(&self, size: &Size) -> String;

    /// Sets one rung up at one size: its data on the device, the reference beside it.
    ///
    /// # Errors
    /// [`Error::Driver`], when the device has no room or refuses a copy.
    fn prepare<'a>(&'a self, shelf: &mut Shelf, setup: Setup<'a>, size: &Size) -> Result<Box<dyn Case + 'a>, Error>;

    /// [`Problem::time_on_cpu`].
    fn time_on_cpu(&self, shelf: &mut Shelf, size: &Size) -> CpuTimes;
}

impl<P: Problem> Work for P {
    fn facts(&self) -> &'static Facts {
        P::FACTS
    }

    fn default_n(&self, backend: Backend) -> usize {
        Problem::default_n(self, backend)
    }

    fn launches(&self, size: &Size) -> u32 {
        Problem::launches(self, size)
    }

    fn constants(&self) -> &'static [(&'static str, u32)] {
        Problem::constants(self)
    }

    fn count_note(&self, size: &Size) -> String {
        Problem::count_note(self, size)
    }

    fn prepare<'a>(&'a self, shelf: &mut Shelf, setup: Setup<'a>, size: &Size) -> Result<Box<dyn Case + 'a>, Error> {
        let inputs = shelf.get::<P::Inputs>(size);
        let layout = Problem::prepare(self, &setup, &inputs)?;
        Ok(Box::new((self, Run { setup, inputs, layout, steps: size.step_count() })))
    }

    fn time_on_cpu(&self, shelf: &mut Shelf, size: &Size) -> CpuTimes {
        P::time_on_cpu(&shelf.get::<P::Inputs>(size), size.step_count())
    }
}

/// A rung that is set up, of any problem. Its functions are those of [`Problem`].
pub trait Case {
    /// [`Problem::restore`].
    ///
    /// # Errors
    /// [`Error::Driver`].
    fn restore(&mut self) -> Result<(), Error>;

    /// [`Problem::launch`].
    ///
    /// # Errors
    /// [`Error::Driver`].
    fn launch(&mut self) -> Result<(), Error>;

    /// [`Problem::verify`].
    ///
    /// # Errors
    /// [`Error::Driver`], also when the kernel stops with a fault.
    fn verify(&mut self) -> Result<Report, Error>;

    /// [`Problem::recheck`].
    ///
    /// # Errors
    /// [`Error::Driver`].
    fn recheck(&mut self) -> Result<Report, Error>;

    /// [`Problem::cost`].
    fn cost(&self) -> Cost;

    /// The emulator's counts of one launch of the kernel, taken by [`Case::verify`]; `None` on a GPU.
    fn counters(&self) -> Option<Counters>;

    /// [`Problem::write`].
    ///
    /// # Errors
    /// [`Error::Driver`], [`Error::File`].
    fn write(&mut self, option: &str, path: &Path) -> Result<Written, Error>;
}

impl<P: Problem> Case for (&P, Run<'_, P>) {
    fn restore(&mut self) -> Result<(), Error> {
        self.0.restore(&mut self.1)
    }

    fn launch(&mut self) -> Result<(), Error> {
        self.0.launch(&mut self.1)
    }

    fn verify(&mut self) -> Result<Report, Error> {
        self.0.verify(&mut self.1)
    }

    fn recheck(&mut self) -> Result<Report, Error> {
        self.0.recheck(&mut self.1)
    }

    fn cost(&self) -> Cost {
        self.0.cost(&self.1)
    }

    fn counters(&self) -> Option<Counters> {
        self.1.setup.counters()
    }

    fn write(&mut self, option: &str, path: &Path) -> Result<Written, Error> {
        self.0.write(&mut self.1, option, path)
    }
}
