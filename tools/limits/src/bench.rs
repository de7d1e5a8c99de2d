//! Loads a kernel, runs it, checks its results and times it on a GPU.

use crate::launch::{self, Outputs};
use crate::{Arithmetic, Measurement, Method};
use common::ceilings::{Measured, Provenance};
use common::device::{Backend, Device};
use common::error::Error;
use common::kernel::{KernelLoader, KernelSource, LoadedKernel, PREBUILT, version};
use common::timing::{Timing, between_events, repeat};
use cudarc::driver::sys::CUdevice_attribute as Attribute;
use cudarc::driver::{DriverError, LaunchConfig};

const BLOCK: u32 = 256;
pub(crate) const WARP_SIZE: u32 = 32;

/// Integers that each thread of `05_memory.cu` reads.
const INTEGERS_EACH: usize = 16;

/// The value of each byte of the array that is read.
pub(crate) const BYTE: u8 = 1;

/// An open device and the number of timed runs.
#[derive(Debug)]
pub struct Bench {
    /// The device.
    pub device: Device,
    pub(crate) loader: KernelLoader,
    runs: usize,
}

/// The outcome of a measurement.
struct Ran {
    amount: f64,
    verified: bool,
    time: Option<Timing>,
    clock_hz: Option<f64>,
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
        let ran = match &measurement.method {
            Method::Arithmetic(arithmetic) => self.arithmetic(&kernel, arithmetic)?,
            Method::Memory => self.memory(&kernel)?,
            Method::Blocks(blocks) => self.blocks(&kernel, *blocks)?,
            Method::Empty(launches) => self.empty(&kernel, *launches)?,
        };
        Ok(self.record(measurement, &kernel, &ran))
    }

    fn arithmetic(&self, kernel: &LoadedKernel, how: &Arithmetic) -> Result<Ran, Error> {
        let turns = if self.is_emulated() { 1 } else { how.turns };
        let config = self.covering(kernel);
        let threads = config.grid_dim.0 * BLOCK;
        let stream = &self.device.stream;
        let allocate = || {
            let values = stream.clone_htod(&vec![f32::NAN; threads as usize])?;
            let elapsed = stream.alloc_zeros(2)?;
            Ok(Outputs { values, elapsed })
        };
        let mut outputs = self.explained("allocate", allocate())?;
        let time = self.time(|| {
            launch::arithmetic(stream, kernel, config, &mut outputs, i32::try_from(turns).unwrap_or(i32::MAX))
        })?;
        let values = self.explained("run a loop of arithmetic", stream.clone_dtoh(&outputs.values))?;
        let elapsed = self.explained("copy cycles", stream.clone_dtoh(&outputs.elapsed))?;
        let expected = (how.expected)(turns);
        Ok(Ran {
            amount: f64::from(threads / WARP_SIZE) * f64::from(how.per_turn) * f64::from(turns),
            verified: values.iter().all(|value| (value - expected).abs() <= how.tolerance),
            time,
            clock_hz: time.map(|_| elapsed[0] as f64 / (elapsed[1] as f64 * 1e-9)),
        })
    }

    fn memory(&self, kernel: &LoadedKernel) -> Result<Ran, Error> {
        let stream = &self.device.stream;
        let threads = self.integers()? / INTEGERS_EACH;
        let allocate = || {
            let data = stream.alloc_zeros::<i32>(threads * INTEGERS_EACH)?;
            Ok((data, stream.alloc_zeros::<i32>(threads / WARP_SIZE as usize)?))
        };
        let (mut data, mut sums) = self.explained("allocate", allocate())?;
        self.explained("fill memory", fill(&self.device, &mut data))?;
        let config = self.row(u32::try_from(threads).unwrap_or(u32::MAX) / BLOCK);
        let time = self.time(|| launch::memory(stream, kernel, config, &data, &mut sums))?;
        let sums = self.explained("read memory", stream.clone_dtoh(&sums))?;
        // modulo 2^32, as the kernel adds
        let expected = i32::from_ne_bytes([BYTE; 4]).wrapping_mul(32 * INTEGERS_EACH as i32);
        let bytes = (threads * INTEGERS_EACH * size_of::<i32>()) as f64;
        Ok(Ran { amount: bytes, verified: sums.iter().all(|sum| *sum == expected), time, clock_hz: None })
    }

    fn blocks(&self, kernel: &LoadedKernel, blocks: u32) -> Result<Ran, Error> {
        let blocks = if self.is_emulated() { 1 } else { blocks };
        let time = self.time(|| launch::empty(&self.device.stream, kernel, blocks))?;
        Ok(Ran { amount: blocks.into(), verified: true, time, clock_hz: None })
    }

    fn empty(&self, kernel: &LoadedKernel, launches: u32) -> Result<Ran, Error> {
        let launches = if self.is_emulated() { 1 } else { launches };
        let time = self.time(|| (0..launches).try_for_each(|_| launch::empty(&self.device.stream, kernel, 1)))?;
        Ok(Ran { amount: launches.into(), verified: true, time, clock_hz: None })
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
        let blocks = self.device.attributes.multiprocessors.unwrap_or(1) * each.max(1);
        self.row(if self.is_emulated() { 2 } else { blocks })
    }

    fn row(&self, blocks: u32) -> LaunchConfig {
        LaunchConfig { grid_dim: (blocks, 1, 1), block_dim: (BLOCK, 1, 1), shared_mem_bytes: 0 }
    }

    pub(crate) fn is_emulated(&self) -> bool {
        self.device.backend == Backend::Emulator
    }

    pub(crate) fn explained<T>(&self, doing: &str, result: Result<T, DriverError>) -> Result<T, Error> {
        result.map_err(|error| self.device.explain(&format!("cannot {doing}"), error))
    }

    fn record(&self, measurement: &Measurement, kernel: &LoadedKernel, ran: &Ran) -> Measured {
        let seconds = ran.time.map(|time| time.median / 1e3);
        let clock_khz = self.device.attribute(Attribute::CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
        Measured {
            limit: measurement.limit,
            kernel: measurement.kernel.into(),
            amount: ran.amount,
            unit: measurement.limit.unit().into(),
            time_ms: ran.time,
            rate: seconds.map(|seconds| ran.amount / seconds),
            clock_hz: ran.clock_hz,
            nominal_clock_hz: clock_khz.map(|clock| f64::from(clock) * 1e3),
            multiprocessors: self.device.attributes.multiprocessors,
            made: self.provenance(kernel, prebuilt_version(kernel, &measurement.source)),
            verified: ran.verified,
        }
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
pub(crate) fn fill(device: &Device, data: &mut cudarc::driver::CudaSlice<i32>) -> Result<(), DriverError> {
    let pattern = vec![i32::from_ne_bytes([BYTE; 4]); data.len().min(1 << 24)];
    for first in (0..data.len()).step_by(pattern.len()) {
        let last = data.len().min(first + pattern.len());
        device.stream.memcpy_htod(&pattern[..last - first], &mut data.slice_mut(first..last))?;
    }
    Ok(())
}
