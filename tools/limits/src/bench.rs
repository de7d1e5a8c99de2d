//! Loads a kernel, runs it, checks its results and times it on a GPU.

use crate::launch::{self, At, Outputs, row};
use crate::{Arithmetic, Measurement, Method};
use common::ceilings::{Measured, Provenance};
use common::device::{Backend, Device};
use common::error::Error;
use common::kernel::{KernelLoader, KernelSource, LoadedKernel, PREBUILT, version};
use common::timing::{Timing, between_events, repeat};
use cudarc::driver::sys::CUdevice_attribute as Attribute;
use cudarc::driver::{CudaSlice, DeviceRepr, DriverError, LaunchConfig, ValidAsZeroBits};

const BLOCK: u32 = 256;
pub(crate) const WARP_SIZE: u32 = 32;

/// Integers that each thread of `05_memory.cu` reads.
const INTEGERS_EACH: usize = 16;

/// The value of each byte of the array that is read, and of each integer.
const BYTE: u8 = 1;
pub(crate) const FILLED: i32 = i32::from_ne_bytes([BYTE; 4]);

/// An open device and the number of timed runs.
#[derive(Debug)]
pub struct Bench {
    /// The device.
    pub device: Device,
    pub(crate) loader: KernelLoader,
    runs: usize,
}

/// The outcome of a measurement.
pub(crate) struct Ran {
    /// The work of one timed run.
    pub(crate) amount: f64,
    pub(crate) verified: bool,
    pub(crate) time: Option<Timing>,
}

impl Ran {
    /// Returns the work per second, at the median time.
    pub(crate) fn rate(&self) -> Option<f64> {
        self.time.map(|time| self.amount / (time.median / 1e3))
    }
}

impl Bench {
    /// Returns a bench that times each kernel at most `runs` times.
    #[must_use]
    pub fn new(device: Device, runs: usize) -> Self {
        Self { device, loader: KernelLoader::new(None), runs }
    }

    /// Runs one measurement. A wrong result is recorded, not an error.
    ///
    /// # Errors
    /// [`Error::Kernel`] or [`Error::Driver`].
    pub fn measure(&mut self, measurement: &Measurement) -> Result<Measured, Error> {
        let kernel = self.loader.load(&self.device, &measurement.source, measurement.kernel)?;
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
    pub(crate) fn time(&self, mut launch: impl FnMut() -> Result<(), DriverError>) -> Result<Option<Timing>, Error> {
        self.explained("launch", launch())?;
        self.device.synchronize("run a kernel")?;
        if self.is_emulated() {
            return Ok(None);
        }
        let mut once = || between_events(&self.device, || self.explained("launch", launch()));
        repeat(self.runs, &mut once).map(Some)
    }

    /// Returns the number of integers to read: 4 GiB on a GPU, or a quarter of the free memory.
    pub(crate) fn integers(&self) -> Result<usize, Error> {
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
    pub(crate) fn multiprocessors(&self) -> u32 {
        if self.is_emulated() { 1 } else { self.device.attributes.multiprocessors.unwrap_or(1) }
    }

    /// Returns a kernel in a launch shape on the device's stream.
    pub(crate) fn at<'a>(&'a self, kernel: &'a LoadedKernel, config: LaunchConfig) -> At<'a> {
        At { stream: &self.device.stream, kernel, config }
    }

    pub(crate) fn zeros<T: DeviceRepr + ValidAsZeroBits>(&self, count: usize) -> Result<CudaSlice<T>, Error> {
        self.explained("allocate", self.device.stream.alloc_zeros(count))
    }

    /// Returns integers of which every byte is [`BYTE`].
    pub(crate) fn filled(&self, count: usize) -> Result<CudaSlice<i32>, Error> {
        let mut data = self.zeros(count)?;
        self.explained("fill memory", fill(&self.device, &mut data))?;
        Ok(data)
    }

    /// Returns the outputs of a loop of arithmetic, without a value for any thread.
    pub(crate) fn outputs(&self, at: &At<'_>) -> Result<Outputs, Error> {
        let values = self.device.stream.clone_htod(&vec![f32::NAN; at.threads() as usize]);
        Ok(Outputs { values: self.explained("allocate", values)?, elapsed: self.zeros(2)? })
    }

    /// Copies an output of a kernel, which was `doing` something.
    pub(crate) fn read<T: DeviceRepr>(&self, doing: &str, output: &CudaSlice<T>) -> Result<Vec<T>, Error> {
        self.explained(doing, self.device.stream.clone_dtoh(output))
    }

    /// Returns the clock that the driver reports.
    pub(crate) fn nominal_clock_hz(&self) -> Option<f64> {
        self.device.attribute(Attribute::CU_DEVICE_ATTRIBUTE_CLOCK_RATE).map(|clock| f64::from(clock) * 1e3)
    }

    pub(crate) fn is_emulated(&self) -> bool {
        self.device.backend == Backend::Emulator
    }

    pub(crate) fn explained<T>(&self, doing: &str, result: Result<T, DriverError>) -> Result<T, Error> {
        result.map_err(|error| self.device.explain(&format!("cannot {doing}"), error))
    }

    pub(crate) fn provenance(&self, kernel: &LoadedKernel, kernel_sha256: Option<String>) -> Provenance {
        let device = &self.device;
        let (major, minor) = device.compute_capability;
        Provenance {
            device: device.name.clone(),
            compute_capability: format!("{major}.{minor}"),
            driver: device.driver.clone(),
            code: kernel.module.code.clone(),
            kernel_sha256,
            date: common::report::now(),
        }
    }
}

/// Returns the version of a kernel; `None` if it was compiled on this machine.
pub(crate) fn prebuilt_version(kernel: &LoadedKernel, source: &KernelSource) -> Option<String> {
    (kernel.module.code == PREBUILT).then(|| version([source]))
}

/// Sets every byte to [`BYTE`].
fn fill(device: &Device, data: &mut CudaSlice<i32>) -> Result<(), DriverError> {
    let pattern = vec![FILLED; data.len().min(1 << 24)];
    for first in (0..data.len()).step_by(pattern.len()) {
        let last = data.len().min(first + pattern.len());
        device.stream.memcpy_htod(&pattern[..last - first], &mut data.slice_mut(first..last))?;
    }
    Ok(())
}
