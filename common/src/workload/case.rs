//! What the runner asks of a workload that is set up, and what a launch function of a stage is given.

use crate::Error;
use crate::device::Gpu;
use crate::kernel::LoadedKernel;
use crate::verify::Report;
use cudarc::driver::{CudaFunction, CudaModule, CudaSlice, CudaStream, DeviceRepr, DriverError, LaunchConfig};
use emulator::Counters;
use std::sync::Arc;

/// One kernel at one size, its buffers on the device.
pub trait Case {
    /// Puts inputs into their first state, and poison into the outputs.
    ///
    /// # Errors
    /// [`Error::Driver`].
    fn restore(&mut self) -> Result<(), Error>;

    /// Starts everything that a time of this workload counts. Call [`Case::restore`] first.
    ///
    /// # Errors
    /// [`Error::Driver`].
    fn launch(&mut self) -> Result<(), Error>;

    /// Restores, runs once, and compares the results with the reference.
    ///
    /// # Errors
    /// [`Error::Driver`], also when the kernel stops with a fault.
    fn verify(&mut self) -> Result<Report, Error>;

    /// Compares what the last launch left, as far as that can be done without a second run from the start.
    ///
    /// # Errors
    /// [`Error::Driver`].
    fn recheck(&mut self) -> Result<Report, Error>;

    /// The emulator's counts of one launch of the kernel, taken by [`Case::verify`].
    fn counters(&self) -> Option<Counters>;

    /// What one [`Case::launch`] does.
    fn cost(&self) -> Cost;
}

/// What a run does, by which its rate is measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cost {
    /// What the rate counts.
    pub kind: CostKind,
    /// Operations or bytes of a whole run.
    pub amount: f64,
    /// Pair interactions of a whole run, a body with itself included; `None` where there are no pairs.
    pub interactions: Option<f64>,
    /// Bytes that one launch of the kernel must move: each input read once, each output written once.
    pub bytes_needed_by_a_launch: f64,
}

/// What a rate counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CostKind {
    /// Floating-point operations.
    Flops,
    /// Bytes that must move between the chip and its memory.
    Bytes,
    /// Evaluations of one atom's term at one point, each with one reciprocal square root.
    Evaluations,
}

/// What a stage's launch function gets beside its buffers.
#[derive(Debug)]
pub struct Launch<'a> {
    /// Launch on this stream.
    pub stream: &'a Arc<CudaStream>,
    /// Launch this kernel.
    pub kernel: &'a CudaFunction,
    /// The kernel's file, for constants by name.
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
    pub gpu: &'a Gpu,
    /// The kernel of the row.
    pub kernel: LoadedKernel,
    /// A second kernel, for workloads whose step needs one.
    pub companion: Option<LoadedKernel>,
    /// Grid, block and dynamic shared memory.
    pub config: LaunchConfig,
    /// Grid and block for the companion: one thread a body.
    pub companion_config: LaunchConfig,
    /// Name of the kernel, for errors.
    pub name: String,
    /// Elements that one block covers; `None` where the grid does not follow from n.
    pub elements_per_block: Option<usize>,
}

impl Setup<'_> {
    /// Launches the row's kernel through a stage's function.
    pub(super) fn run(&self, launch: impl FnOnce(&Launch) -> LaunchResult) -> Result<(), Error> {
        self.run_kernel(&self.kernel, self.config, launch)
    }

    /// Launches the companion through a stage's function.
    pub(super) fn run_companion(&self, launch: impl FnOnce(&Launch) -> LaunchResult) -> Result<(), Error> {
        let companion = self.companion.as_ref().unwrap_or(&self.kernel);
        self.run_kernel(companion, self.companion_config, launch)
    }

    fn run_kernel(
        &self,
        kernel: &LoadedKernel,
        config: LaunchConfig,
        launch: impl FnOnce(&Launch) -> LaunchResult,
    ) -> Result<(), Error> {
        let (stream, module) = (&self.gpu.stream, &kernel.module.module);
        let result = launch(&Launch { stream, kernel: &kernel.function, module, config });
        result.map_err(|error| self.gpu.explain(&self.doing("launch"), error))
    }

    /// Waits for the kernel's end; the place where its faults come to light.
    pub(super) fn finish(&self) -> Result<(), Error> {
        self.gpu.synchronize(&self.doing("run"))
    }

    /// `cannot run computeForces<<<128, 128>>>`, as CUDA C++ writes a launch.
    fn doing(&self, verb: &str) -> String {
        let (grid, block) = (extent(self.config.grid_dim), extent(self.config.block_dim));
        match self.config.shared_mem_bytes {
            0 => format!("cannot {verb} {}<<<{grid}, {block}>>>", self.name),
            shared => format!("cannot {verb} {}<<<{grid}, {block}, {shared}>>>", self.name),
        }
    }

    pub(super) fn upload<T: DeviceRepr>(&self, values: &[T]) -> Result<CudaSlice<T>, Error> {
        self.gpu.stream.clone_htod(values).map_err(|error| self.gpu.explain(&copying(values.len(), "to"), error))
    }

    pub(super) fn download<T: DeviceRepr>(&self, values: &CudaSlice<T>) -> Result<Vec<T>, Error> {
        self.gpu.stream.clone_dtoh(values).map_err(|error| self.gpu.explain(&copying(values.len(), "from"), error))
    }

    /// Copies the first values.
    pub(super) fn download_part<T: DeviceRepr>(&self, from: &CudaSlice<T>, to: &mut [T]) -> Result<(), Error> {
        let copied = self.gpu.stream.memcpy_dtoh(&from.slice(..to.len()), to);
        copied.map_err(|error| self.gpu.explain(&copying(to.len(), "from"), error))
    }

    pub(super) fn copy<T: DeviceRepr>(&self, from: &CudaSlice<T>, to: &mut CudaSlice<T>) -> Result<(), Error> {
        let copied = self.gpu.stream.memcpy_dtod(from, to);
        copied.map_err(|error| self.gpu.explain(&copying(from.len(), "on"), error))
    }
}

/// `128`, or `(32, 8)` in two dimensions.
fn extent((x, y, _): (u32, u32, u32)) -> String {
    if y == 1 { x.to_string() } else { format!("({x}, {y})") }
}

fn copying(values: usize, preposition: &str) -> String {
    format!("cannot copy {values} values {preposition} the device")
}
