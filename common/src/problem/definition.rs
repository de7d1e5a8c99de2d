//! A problem, and a kernel that solves it: its data on the device, its launch, and the comparison of its results.

use super::cost::{Cost, Written};
use super::facts::Facts;
use crate::device::{Backend, Device};
use crate::error::Error;
use crate::kernel::LoadedKernel;
use crate::verify::Report;
use cudarc::driver::{CudaFunction, CudaModule, CudaStream, DriverError, LaunchConfig};
use emulator::Counters;
use reference::cpu::CpuTimes;
use reference::inputs::{InputCache, Inputs};
use reference::size::Size;
use std::cell::Cell;
use std::fmt::Debug;
use std::path::Path;
use std::sync::Arc;

/// A problem, by the type that holds the launch functions of one rung. [`Problem`] and [`Case`] follow from it.
pub trait Definition: Debug + Send + Sync + Sized + 'static {
    /// The problem's name, sizes, units and options.
    const FACTS: &'static Facts;

    /// The inputs, and the reference.
    type Inputs: Inputs;

    /// The data on the device.
    type Layout: 'static;

    /// Copies the inputs to the device, in the rung's layout. Not timed.
    ///
    /// # Errors
    /// [`Error::Driver`], if the device has no room or refuses a copy.
    fn prepare(&self, setup: &Setup, inputs: &Self::Inputs) -> Result<Self::Layout, Error>;

    /// Resets the inputs, and poisons the outputs. Not timed.
    ///
    /// # Errors
    /// [`Error::Driver`].
    fn restore(setup: &Setup, layout: &mut Self::Layout) -> Result<(), Error>;

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

    /// Launches all that a time includes.
    ///
    /// # Errors
    /// [`Error::Driver`].
    fn run(case: &mut Prepared<Self>) -> Result<(), Error> {
        case.launch_kernel()
    }

    /// Restores, runs once, and compares the results with the reference.
    ///
    /// # Errors
    /// [`Error::Driver`], also if the kernel stops with a fault.
    fn verify(case: &mut Prepared<Self>) -> Result<Report, Error> {
        case.restore()?;
        Self::run(case)?;
        case.setup.finish_and_count()?;
        Self::check(case)
    }

    /// Writes the file of one of [`Facts::files`]. Not timed.
    ///
    /// # Errors
    /// [`Error::Driver`], [`Error::File`].
    fn write(_: &mut Prepared<Self>, option: &str, _: &Path) -> Result<Written, Error> {
        Err(Error::Usage(format!("--{option}: this problem writes no such file")))
    }

    /// Returns the default of `--n`: the published size, or fewer elements on the emulator.
    fn default_n(&self, backend: Backend) -> usize {
        match backend {
            Backend::Cuda => Self::FACTS.n,
            Backend::Emulator => Self::FACTS.emulated_n,
        }
    }

    /// Returns the number of launches of the kernel in a run.
    fn launches(&self, size: &Size) -> u32 {
        size.step_count()
    }

    /// Returns the constants of the kernel's code that the launch relies on, by name.
    fn constants(&self) -> &'static [(&'static str, u32)] {
        &[]
    }

    /// Returns a remark about the emulator's counts of a run; empty if there is none.
    fn count_note(&self, _: &Size) -> String {
        String::new()
    }
}

/// Any [`Definition`], as tables of rungs hold it.
pub trait Problem: Debug + Send + Sync {
    /// Returns [`Definition::FACTS`].
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

    /// Returns [`Definition::default_n`].
    fn default_n(&self, backend: Backend) -> usize;

    /// Returns [`Definition::launches`].
    fn launches(&self, size: &Size) -> u32;

    /// Returns [`Definition::constants`].
    fn constants(&self) -> &'static [(&'static str, u32)];

    /// Returns [`Definition::count_note`].
    fn count_note(&self, size: &Size) -> String;
}

impl<D: Definition> Problem for D {
    fn facts(&self) -> &'static Facts {
        D::FACTS
    }

    fn prepare<'a>(
        &'a self,
        inputs: &mut InputCache,
        setup: Setup<'a>,
        size: &Size,
    ) -> Result<Box<dyn Case + 'a>, Error> {
        let inputs = inputs.get::<D::Inputs>(size);
        let layout = Definition::prepare(self, &setup, &inputs)?;
        Ok(Box::new(Prepared { problem: self, setup, inputs, layout, steps: size.step_count() }))
    }

    fn time_on_cpu(&self, inputs: &mut InputCache, size: &Size) -> CpuTimes {
        inputs.get::<D::Inputs>(size).time_on_cpu().times_steps(size.step_count())
    }

    fn default_n(&self, backend: Backend) -> usize {
        Definition::default_n(self, backend)
    }

    fn launches(&self, size: &Size) -> u32 {
        Definition::launches(self, size)
    }

    fn constants(&self) -> &'static [(&'static str, u32)] {
        Definition::constants(self)
    }

    fn count_note(&self, size: &Size) -> String {
        Definition::count_note(self, size)
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

/// A problem's kernel with its inputs, and its data on the device.
#[derive(Debug)]
pub struct Prepared<'a, D: Definition> {
    /// The launch functions.
    pub problem: &'a D,
    /// The kernel with its launch shape.
    pub setup: Setup<'a>,
    /// The inputs, and the reference.
    pub inputs: Arc<D::Inputs>,
    /// The data on the device.
    pub layout: D::Layout,
    /// Time steps; 1 for a problem without.
    pub steps: u32,
}

impl<D: Definition> Prepared<'_, D> {
    /// Resets the inputs, and poisons the outputs. Not timed.
    ///
    /// # Errors
    /// [`Error::Driver`].
    pub fn restore(&mut self) -> Result<(), Error> {
        D::restore(&self.setup, &mut self.layout)
    }

    /// Launches the kernel once.
    ///
    /// # Errors
    /// [`Error::Driver`].
    pub fn launch_kernel(&mut self) -> Result<(), Error> {
        let Self { problem, setup, layout, .. } = self;
        setup.run(|launch| problem.launch(launch, layout))
    }
}

impl<D: Definition> Case for Prepared<'_, D> {
    fn setup(&self) -> &Setup<'_> {
        &self.setup
    }

    fn restore(&mut self) -> Result<(), Error> {
        self.restore()
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

    fn write(&mut self, option: &str, path: &Path) -> Result<Written, Error> {
        D::write(self, option, path)
    }
}

/// A kernel with its launch shape, on an open device. [`Setup::upload`] and its neighbors copy data.
#[derive(Debug)]
pub struct Setup<'a> {
    /// The device.
    pub device: &'a Device,
    /// The rung's kernel.
    pub kernel: LoadedKernel,
    /// The second kernel of a step, for problems that need one.
    pub companion: Option<LoadedKernel>,
    /// Grid, block and dynamic shared memory.
    pub config: LaunchConfig,
    /// Grid and block of the companion: one thread per body.
    pub companion_config: LaunchConfig,
    /// The kernel's name, for errors.
    pub name: String,
    /// Whether it is the kernel's Rust version.
    pub in_rust: bool,
    /// Elements that one block covers; `None` if the grid does not follow from n.
    pub elements_per_block: Option<usize>,
    /// The emulator's counts, see [`Setup::finish_and_count`].
    pub counters: Cell<Option<Counters>>,
}

/// The arguments of a stage's launch function apart from its data.
#[derive(Debug)]
pub struct Launch<'a> {
    /// The stream to launch on.
    pub stream: &'a Arc<CudaStream>,
    /// The kernel to launch.
    pub kernel: &'a CudaFunction,
    /// The kernel's file, for its constants and other entry points by name.
    pub module: &'a Arc<CudaModule>,
    /// Grid, block and dynamic shared memory.
    pub config: LaunchConfig,
}

/// The result of a stage's launch function.
pub type LaunchResult = Result<(), DriverError>;

impl Setup<'_> {
    /// Launches the rung's kernel through a stage's function.
    ///
    /// # Errors
    /// [`Error::Driver`], naming the kernel and its launch.
    pub fn run(&self, launch: impl FnOnce(&Launch) -> LaunchResult) -> Result<(), Error> {
        self.run_kernel(&self.kernel, self.config, launch)
    }

    /// Launches the companion through a stage's function.
    ///
    /// # Errors
    /// As [`Setup::run`].
    pub fn run_companion(&self, launch: impl FnOnce(&Launch) -> LaunchResult) -> Result<(), Error> {
        let companion = self.companion.as_ref().unwrap_or(&self.kernel);
        self.run_kernel(companion, self.companion_config, launch)
    }

    fn run_kernel(
        &self,
        kernel: &LoadedKernel,
        config: LaunchConfig,
        launch: impl FnOnce(&Launch) -> LaunchResult,
    ) -> Result<(), Error> {
        let stream = &self.device.stream;
        let module = &kernel.module.module;
        let result = launch(&Launch { stream, kernel: &kernel.function, module, config });
        result.map_err(|error| self.device.explain(&self.doing("launch"), error))
    }

    /// Waits until the kernel has ended, which is when its faults are reported.
    ///
    /// # Errors
    /// [`Error::Driver`], with the fault.
    pub fn finish(&self) -> Result<(), Error> {
        self.device.synchronize(&self.doing("run"))
    }

    /// Waits as [`Setup::finish`] does, and keeps the emulator's counts of the last launch.
    ///
    /// # Errors
    /// As [`Setup::finish`], and [`Error::Counters`].
    pub fn finish_and_count(&self) -> Result<(), Error> {
        self.finish()?;
        self.counters.set(self.device.last_counters()?);
        Ok(())
    }
}
