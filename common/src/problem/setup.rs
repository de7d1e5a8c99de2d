//! A kernel that is ready to launch, and what a launch function of a stage is given.

use crate::device::Device;
use crate::error::Error;
use crate::kernel::LoadedKernel;
use cudarc::driver::{CudaFunction, CudaModule, CudaSlice, CudaStream, DeviceRepr, DriverError, LaunchConfig};
use emulator::Counters;
use std::cell::Cell;
use std::sync::Arc;

/// What a stage's launch function gets beside its data.
#[derive(Debug)]
pub struct Launch<'a> {
    /// Launch on this stream.
    pub stream: &'a Arc<CudaStream>,
    /// Launch this kernel.
    pub kernel: &'a CudaFunction,
    /// The kernel's file, for its constants and other entry points by name.
    pub module: &'a Arc<CudaModule>,
    /// Grid, block and dynamic shared memory.
    pub config: LaunchConfig,
}

/// What a stage's launch function returns.
pub type LaunchResult = Result<(), DriverError>;

/// A kernel with its launch shape, on an open device.
#[derive(Debug)]
pub struct Setup<'a> {
    /// The device.
    pub device: &'a Device,
    /// The kernel of the rung.
    pub kernel: LoadedKernel,
    /// A second kernel, for problems whose step needs one.
    pub companion: Option<LoadedKernel>,
    /// Grid, block and dynamic shared memory.
    pub config: LaunchConfig,
    /// Grid and block for the companion: one thread a body.
    pub companion_config: LaunchConfig,
    /// Name of the kernel, for errors.
    pub name: String,
    /// Whether it is the twin in Rust of the kernel with this name.
    pub in_rust: bool,
    /// Elements that one block covers; `None` where the grid does not follow from n.
    pub elements_per_block: Option<usize>,
    /// The emulator's counts, see [`Setup::finish_counted`].
    pub counters: Cell<Option<Counters>>,
}

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
        let (stream, module) = (&self.device.stream, &kernel.module.module);
        let result = launch(&Launch { stream, kernel: &kernel.function, module, config });
        result.map_err(|error| self.device.explain(&self.doing("launch"), error))
    }

    /// Waits for the kernel's end; the place where its faults come to light.
    ///
    /// # Errors
    /// [`Error::Driver`], with the fault.
    pub fn finish(&self) -> Result<(), Error> {
        self.device.synchronize(&self.doing("run"))
    }

    /// [`Setup::finish`], and keeps the emulator's counts of the last launch.
    ///
    /// # Errors
    /// As [`Setup::finish`], and [`Error::Counters`].
    pub fn finish_counted(&self) -> Result<(), Error> {
        self.finish()?;
        self.counters.set(self.device.last_counters()?);
        Ok(())
    }

    /// What [`Setup::finish_counted`] kept last; `None` on a GPU.
    #[must_use]
    pub fn counters(&self) -> Option<Counters> {
        self.counters.get()
    }

    /// `cannot run computeForces<<<128, 128>>>`, as CUDA C++ writes a launch.
    fn doing(&self, verb: &str) -> String {
        let (grid, block) = (extent(self.config.grid_dim), extent(self.config.block_dim));
        let language = if self.in_rust { " in Rust" } else { "" };
        match self.config.shared_mem_bytes {
            0 => format!("cannot {verb} {}<<<{grid}, {block}>>>{language}", self.name),
            shared => format!("cannot {verb} {}<<<{grid}, {block}, {shared}>>>{language}", self.name),
        }
    }

    /// Copies values to the device.
    ///
    /// # Errors
    /// [`Error::Driver`], also when there is no room.
    pub fn upload<T: DeviceRepr>(&self, values: &[T]) -> Result<CudaSlice<T>, Error> {
        self.device.stream.clone_htod(values).map_err(|error| self.device.explain(&copying(values.len(), "to"), error))
    }

    /// Copies values back.
    ///
    /// # Errors
    /// [`Error::Driver`], with the fault of a kernel that ran before.
    pub fn download<T: DeviceRepr>(&self, values: &CudaSlice<T>) -> Result<Vec<T>, Error> {
        let copied = self.device.stream.clone_dtoh(values);
        copied.map_err(|error| self.device.explain(&copying(values.len(), "from"), error))
    }

    /// Copies the first values back.
    ///
    /// # Errors
    /// As [`Setup::download`].
    pub fn download_part<T: DeviceRepr>(&self, from: &CudaSlice<T>, to: &mut [T]) -> Result<(), Error> {
        let copied = self.device.stream.memcpy_dtoh(&from.slice(..to.len()), to);
        copied.map_err(|error| self.device.explain(&copying(to.len(), "from"), error))
    }

    /// Copies from one array on the device to another.
    ///
    /// # Errors
    /// [`Error::Driver`].
    pub fn copy<T: DeviceRepr>(&self, from: &CudaSlice<T>, to: &mut CudaSlice<T>) -> Result<(), Error> {
        let copied = self.device.stream.memcpy_dtod(from, to);
        copied.map_err(|error| self.device.explain(&copying(from.len(), "on"), error))
    }
}

/// `128`, or `(32, 8)` in two dimensions, or `(32, 8, 4)` in three.
fn extent(dimensions: (u32, u32, u32)) -> String {
    match dimensions {
        (x, 1, 1) => x.to_string(),
        (x, y, 1) => format!("({x}, {y})"),
        (x, y, z) => format!("({x}, {y}, {z})"),
    }
}

fn copying(values: usize, preposition: &str) -> String {
    format!("cannot copy {values} values {preposition} the device")
}
