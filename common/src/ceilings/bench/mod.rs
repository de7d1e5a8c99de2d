//! Kernels that load one unit of a GPU each: loads them, runs them, checks their results and times them on a GPU.

pub mod launch;
mod measurements;
pub mod quick;

pub use measurements::{Arithmetic, MEASUREMENTS, Measurement, Method};

use super::measured::{Measured, Provenance};
use crate::device::{Backend, Device};
use crate::error::Error;
use crate::format::now;
use crate::kernel::{KernelLoader, KernelSource, LoadedKernel, PREBUILT, version};
use crate::timing::{Timing, between_events, repeat};
use cudarc::driver::sys::CUdevice_attribute as Attribute;
use cudarc::driver::{CudaSlice, DeviceRepr, DriverError, LaunchConfig, ValidAsZeroBits};
use launch::{At, Outputs, row};

const BLOCK: u32 = 256;

/// Threads of a warp.
pub const WARP_SIZE: u32 = emulator::WARP_SIZE as u32;

/// Integers that each thread of `05_memory.cu` reads.
const INTEGERS_EACH: usize = 16;

/// The value of each integer of an array that is read.
pub const FILLED: i32 = 0x0101_0101;

/// A device, and how often each kernel is timed on it.
#[derive(Debug)]
pub struct Bench<'a> {
    /// The device.
    pub device: &'a Device,
    /// The most timed runs of a kernel.
    pub runs: usize,
    loader: KernelLoader,
}

/// The outcome of a measurement.
#[derive(Clone, Copy, Debug)]
pub struct Ran {
    /// The work of one timed run.
    pub amount: f64,
    /// Whether the results were correct.
    pub verified: bool,
    /// The time of a run; `None` on the emulator.
    pub time: Option<Timing>,
}

impl Ran {
    /// Returns the work per second, at the median time.
    #[must_use]
    pub fn rate(&self) -> Option<f64> {
        self.time.map(|time| self.amount / (time.median / 1e3))
    }
}

impl<'a> Bench<'a> {
    /// Returns a bench that times each kernel at most `runs` times.
    #[must_use]
    pub fn new(device: &'a Device, runs: usize) -> Self {
        Self { device, runs, loader: KernelLoader::new(None) }
    }

    /// Returns a bench of the kernels as they were shipped, edited or not.
    #[must_use]
    pub fn as_shipped(device: &'a Device, runs: usize) -> Self {
        Self { device, runs, loader: KernelLoader::as_shipped() }
    }

    /// Loads a kernel.
    ///
    /// # Errors
    /// [`Error::Kernel`] or [`Error::NoCompiler`].
    pub fn load(&mut self, source: &KernelSource, kernel: &str) -> Result<LoadedKernel, Error> {
        self.loader.load(self.device, source, kernel)
    }

    /// Runs one measurement. A wrong result is recorded, not an error.
    ///
    /// # Errors
    /// [`Error::Kernel`] or [`Error::Driver`].
    pub fn measure(&mut self, measurement: &Measurement) -> Result<Measured, Error> {
        let kernel = self.load(&measurement.source, measurement.kernel)?;
        let (ran, clock_hz) = match &measurement.method {
            Method::Arithmetic(arithmetic) => self.arithmetic(&kernel, arithmetic)?,
            Method::Memory => (self.memory(&kernel)?, None),
            Method::Blocks(blocks) => (self.empty(&kernel, *blocks, 1)?, None),
            Method::Empty(launches) => (self.empty(&kernel, 1, *launches)?, None),
        };
        Ok(Measured {
            limit: measurement.limit,
            kernel: measurement.kernel.into(),
            amount: ran.amount,
            unit: measurement.limit.unit().into(),
            time_ms: ran.time,
            rate: ran.rate(),
            clock_hz,
            nominal_clock_hz: self.nominal_clock_hz(),
            multiprocessors: self.device.attributes.multiprocessors,
            made: self.provenance(&kernel, prebuilt_version(&kernel, &measurement.source)),
            verified: ran.verified,
        })
    }

    /// Runs a loop, and also returns the clock in Hz.
    fn arithmetic(&self, kernel: &LoadedKernel, how: &Arithmetic) -> Result<(Ran, Option<f64>), Error> {
        let turns = if self.is_emulated() { 1 } else { how.turns };
        let at = self.at(kernel, self.covering(kernel));
        let mut outputs = self.outputs(&at)?;
        let time = self.time(|| launch::arithmetic(&at, &mut outputs, i32::try_from(turns).unwrap_or(i32::MAX)))?;
        let values = self.read("run a loop of arithmetic", &outputs.values)?;
        let elapsed = self.read("copy cycles", &outputs.elapsed)?;
        let expected = (how.expected)(turns);
        let ran = Ran {
            amount: f64::from(at.threads() / WARP_SIZE) * f64::from(how.per_turn) * f64::from(turns),
            verified: values.iter().all(|value| (value - expected).abs() <= how.tolerance),
            time,
        };
        Ok((ran, time.map(|_| elapsed[0] as f64 / (elapsed[1] as f64 * 1e-9))))
    }

    fn memory(&self, kernel: &LoadedKernel) -> Result<Ran, Error> {
        let threads = self.integers()? / INTEGERS_EACH;
        let data = self.filled(threads * INTEGERS_EACH)?;
        let mut sums = self.zeros::<i32>(threads / WARP_SIZE as usize)?;
        let at = self.at(kernel, row(u32::try_from(threads).unwrap_or(u32::MAX) / BLOCK, BLOCK));
        let time = self.time(|| launch::reading(&at, &data, &mut sums))?;
        let sums = self.read("read memory", &sums)?;
        // modulo 2^32, as the kernel adds
        let expected = FILLED.wrapping_mul(32 * INTEGERS_EACH as i32);
        let bytes = (threads * INTEGERS_EACH * size_of::<i32>()) as f64;
        Ok(Ran { amount: bytes, verified: sums.iter().all(|sum| *sum == expected), time })
    }

    /// Launches empty blocks of one warp; on the emulator, one block once.
    fn empty(&self, kernel: &LoadedKernel, blocks: u32, launches: u32) -> Result<Ran, Error> {
        let [blocks, launches] = if self.is_emulated() { [1; 2] } else { [blocks, launches] };
        let at = self.at(kernel, row(blocks, WARP_SIZE));
        let time = self.time(|| (0..launches).try_for_each(|_| launch::empty(&at)))?;
        Ok(Ran { amount: (blocks * launches).into(), verified: true, time })
    }

    /// Launches once and waits, then times further launches on a GPU.
    ///
    /// # Errors
    /// [`Error::Driver`].
    pub fn time(&self, mut launch: impl FnMut() -> Result<(), DriverError>) -> Result<Option<Timing>, Error> {
        self.explained("launch", launch())?;
        self.device.synchronize("run a kernel")?;
        if self.is_emulated() {
            return Ok(None);
        }
        let mut once = || between_events(self.device, || self.explained("launch", launch()));
        repeat(self.runs, &mut once).map(Some)
    }

    /// Returns the number of integers to read: 4 GiB on a GPU, or a quarter of the free memory.
    ///
    /// # Errors
    /// [`Error::Driver`].
    pub fn integers(&self) -> Result<usize, Error> {
        const MAX_INTEGERS: usize = 1 << 30;
        const EMULATED: usize = 1 << 14;
        if self.is_emulated() {
            return Ok(EMULATED);
        }
        let (free, _) = self.explained("ask how much memory is free", self.device.context.mem_get_info())?;
        let fitting = (free / 4 / size_of::<i32>()).min(MAX_INTEGERS);
        Ok((fitting / EMULATED).max(1) * EMULATED)
    }

    /// Returns a launch of as many blocks as the GPU holds at a time, or of two on the emulator.
    fn covering(&self, kernel: &LoadedKernel) -> LaunchConfig {
        let each = kernel.function.occupancy_max_active_blocks_per_multiprocessor(BLOCK, 0, None).unwrap_or(1);
        row(if self.is_emulated() { 2 } else { self.multiprocessors() * each.max(1) }, BLOCK)
    }

    /// Returns the number of multiprocessors to fill; one on the emulator.
    #[must_use]
    pub fn multiprocessors(&self) -> u32 {
        if self.is_emulated() { 1 } else { self.device.attributes.multiprocessors.unwrap_or(1) }
    }

    /// Returns a kernel in a launch shape on the device's stream.
    #[must_use]
    pub fn at<'k>(&'k self, kernel: &'k LoadedKernel, config: LaunchConfig) -> At<'k> {
        At { stream: &self.device.stream, kernel, config }
    }

    /// Returns an array of zeros.
    ///
    /// # Errors
    /// [`Error::Driver`].
    pub fn zeros<T: DeviceRepr + ValidAsZeroBits>(&self, count: usize) -> Result<CudaSlice<T>, Error> {
        self.explained("allocate", self.device.stream.alloc_zeros(count))
    }

    /// Returns integers of the value [`FILLED`].
    ///
    /// # Errors
    /// [`Error::Driver`].
    pub fn filled(&self, count: usize) -> Result<CudaSlice<i32>, Error> {
        let mut data = self.zeros(count)?;
        self.explained("fill memory", fill(self.device, &mut data))?;
        Ok(data)
    }

    /// Returns the outputs of a loop of arithmetic, without a value for any thread.
    ///
    /// # Errors
    /// [`Error::Driver`].
    pub fn outputs(&self, at: &At<'_>) -> Result<Outputs, Error> {
        let values = self.device.stream.clone_htod(&vec![f32::NAN; at.threads() as usize]);
        Ok(Outputs { values: self.explained("allocate", values)?, elapsed: self.zeros(2)? })
    }

    /// Copies an output of a kernel, which was `doing` something.
    ///
    /// # Errors
    /// [`Error::Driver`].
    pub fn read<T: DeviceRepr>(&self, doing: &str, output: &CudaSlice<T>) -> Result<Vec<T>, Error> {
        self.explained(doing, self.device.stream.clone_dtoh(output))
    }

    /// Returns the clock that the driver reports.
    #[must_use]
    pub fn nominal_clock_hz(&self) -> Option<f64> {
        self.device.attribute(Attribute::CU_DEVICE_ATTRIBUTE_CLOCK_RATE).map(|clock| f64::from(clock) * 1e3)
    }

    /// Returns whether the device is the emulator, which has no times.
    #[must_use]
    pub fn is_emulated(&self) -> bool {
        self.device.backend == Backend::Emulator
    }

    /// Adds what was attempted to the error of a driver call.
    ///
    /// # Errors
    /// [`Error::Driver`], if the call failed.
    pub fn explained<T>(&self, doing: &str, result: Result<T, DriverError>) -> Result<T, Error> {
        result.map_err(|error| self.device.explain(&format!("cannot {doing}"), error))
    }

    /// Returns the device, software and date of a measurement that is made now.
    #[must_use]
    pub fn provenance(&self, kernel: &LoadedKernel, kernel_sha256: Option<String>) -> Provenance {
        let device = self.device;
        let (major, minor) = device.compute_capability;
        Provenance {
            device: device.name.clone(),
            compute_capability: format!("{major}.{minor}"),
            driver: device.driver.clone(),
            code: kernel.module.code.clone(),
            kernel_sha256,
            date: now(),
        }
    }
}

/// Returns the version of a kernel; `None` if it was compiled on this machine.
#[must_use]
pub fn prebuilt_version(kernel: &LoadedKernel, source: &KernelSource) -> Option<String> {
    (kernel.module.code == PREBUILT).then(|| version([source]))
}

/// Sets every integer to [`FILLED`]: the first from the host, and then always as many more as there are.
fn fill(device: &Device, data: &mut CudaSlice<i32>) -> Result<(), DriverError> {
    let mut filled = data.len().min(1 << 20);
    device.stream.memcpy_htod(&vec![FILLED; filled], &mut data.slice_mut(..filled))?;
    while filled < data.len() {
        let more = filled.min(data.len() - filled);
        let (from, mut to) = data.split_at_mut(filled);
        device.stream.memcpy_dtod(&from.slice(..more), &mut to.slice_mut(..more))?;
        filled += more;
    }
    Ok(())
}
