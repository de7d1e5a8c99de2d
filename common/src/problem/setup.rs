//! A kernel with its launch shape on an open device: launches, and copies to and from the device.

use crate::device::Device;
use crate::error::Error;
use crate::kernel::LoadedKernel;
use crate::verify::POISON_BITS;
use cudarc::driver::{CudaFunction, CudaModule, CudaSlice, CudaStream, DevicePtrMut, DeviceRepr, DriverError};
use cudarc::driver::{LaunchConfig, ValidAsZeroBits, sys};
use emulator::{Counters, Sample};
use std::cell::{Cell, RefCell};
use std::sync::Arc;

thread_local! {
    /// The memory of the last results, whose pages the operating system need not clear again for the next ones.
    static LAST_RESULTS: Cell<Vec<f32>> = const { Cell::new(Vec::new()) };
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
    /// Grid and block of the companion.
    pub companion_config: LaunchConfig,
    /// The kernel's name, for errors.
    pub name: String,
    /// Whether it is the kernel's Rust version.
    pub in_rust: bool,
    /// Elements that one block covers; `None` if the grid does not follow from n.
    pub elements_per_block: Option<usize>,
    /// The emulator's counts, see [`Setup::finish_and_count`].
    pub counters: Cell<Option<Counters>>,
    /// The part of the launch that was counted, if the emulator ran a sample of the blocks.
    pub sample: RefCell<Option<Sample>>,
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

    /// Waits as [`Setup::finish`] does, and adds the emulator's counts of the last launch to those kept: for a run that has several.
    ///
    /// # Errors
    /// As [`Setup::finish_and_count`].
    pub fn finish_and_add_counts(&self) -> Result<(), Error> {
        let before = self.counters.take();
        self.finish_and_count()?;
        let last = self.counters.take();
        let sum = last.map(|mut sum| {
            before.iter().for_each(|before| sum.add(before, 1));
            sum
        });
        self.counters.set(sum);
        Ok(())
    }

    /// Copies values to the device.
    ///
    /// # Errors
    /// [`Error::Driver`], also if there is no room.
    pub fn upload<T: DeviceRepr>(&self, values: &[T]) -> Result<CudaSlice<T>, Error> {
        self.device.stream.clone_htod(values).map_err(|error| self.device.explain(&copying(values.len(), "to"), error))
    }

    /// Copies values to an array on the device that has room for them.
    ///
    /// # Errors
    /// [`Error::Driver`].
    pub fn write<T: DeviceRepr>(&self, values: &[T], to: &mut CudaSlice<T>) -> Result<(), Error> {
        let copied = self.device.stream.memcpy_htod(values, to);
        copied.map_err(|error| self.device.explain(&copying(values.len(), "to"), error))
    }

    /// Allocates room for values that kernels write. [`Layout::restore`](super::Layout::restore) poisons outputs.
    ///
    /// # Errors
    /// [`Error::Driver`], if there is no room.
    pub fn room<T: DeviceRepr>(&self, values: usize) -> Result<CudaSlice<T>, Error> {
        // SAFETY: the values are numbers, or arrays of numbers, for which any bits are valid.
        let room = unsafe { self.device.stream.alloc(values) };
        room.map_err(|error| self.device.explain(&format!("cannot allocate {values} values on the device"), error))
    }

    /// Fills an output with [`POISON_BITS`], which mark the words that a kernel leaves unwritten.
    ///
    /// # Errors
    /// [`Error::Driver`].
    pub fn poison<T: DeviceRepr>(&self, output: &mut CudaSlice<T>) -> Result<(), Error> {
        let words = output.num_bytes() / size_of::<u32>();
        let stream = &self.device.stream;
        let (address, _written) = output.device_ptr_mut(stream);
        // SAFETY: the output has so many words, and the stream orders this before its kernels. cudarc has no function for words.
        let filled = unsafe { sys::cuMemsetD32Async(address, POISON_BITS, words, stream.cu_stream()) }.result();
        filled.map_err(|error| self.device.explain("cannot fill values on the device", error))
    }

    /// Copies values back.
    ///
    /// # Errors
    /// [`Error::Driver`], with the fault of a kernel that ran before.
    pub fn download<T: DeviceRepr>(&self, values: &CudaSlice<T>) -> Result<Vec<T>, Error> {
        let copied = self.device.stream.clone_dtoh(values);
        copied.map_err(|error| self.device.explain(&copying(values.len(), "from"), error))
    }

    /// Copies results back, into the memory of those that were last passed to [`Setup::discard`].
    ///
    /// # Errors
    /// As [`Setup::download`].
    pub fn download_results(&self, values: &CudaSlice<f32>) -> Result<Vec<f32>, Error> {
        let mut results = LAST_RESULTS.take();
        if results.len() != values.len() {
            results = vec![0.0; values.len()];
        }
        let copied = self.device.stream.memcpy_dtoh(values, &mut results);
        copied.map_err(|error| self.device.explain(&copying(values.len(), "from"), error))?;
        Ok(results)
    }

    /// Takes results that nobody needs any more.
    pub fn discard(&self, results: Vec<f32>) {
        LAST_RESULTS.set(results);
    }

    /// Sets values on the device to zero.
    ///
    /// # Errors
    /// [`Error::Driver`].
    pub fn clear<T: DeviceRepr + ValidAsZeroBits>(&self, values: &mut CudaSlice<T>) -> Result<(), Error> {
        let cleared = self.device.stream.memset_zeros(values);
        cleared.map_err(|error| self.device.explain("cannot clear values on the device", error))
    }

    /// Copies from one array on the device to another.
    ///
    /// # Errors
    /// [`Error::Driver`].
    pub fn copy<T: DeviceRepr>(&self, from: &CudaSlice<T>, to: &mut CudaSlice<T>) -> Result<(), Error> {
        let copied = self.device.stream.memcpy_dtod(from, to);
        copied.map_err(|error| self.device.explain(&copying(from.len(), "on"), error))
    }

    /// Returns `cannot run computeForces<<<128, 128>>>`, as CUDA C++ writes a launch.
    fn doing(&self, verb: &str) -> String {
        let grid = extent(self.config.grid_dim);
        let block = extent(self.config.block_dim);
        let language = if self.in_rust { " in Rust" } else { "" };
        match self.config.shared_mem_bytes {
            0 => format!("cannot {verb} {}<<<{grid}, {block}>>>{language}", self.name),
            shared => format!("cannot {verb} {}<<<{grid}, {block}, {shared}>>>{language}", self.name),
        }
    }
}

/// Returns `128`, or `(32, 8)` in two dimensions, or `(32, 8, 4)` in three.
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
