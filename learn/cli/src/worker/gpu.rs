//! Runs a case of an exercise on a CUDA device, through cudarc, with the PTX, inputs and launches that were judged.

use cudarc::driver::sys::CUevent_flags::CU_EVENT_DEFAULT;
use cudarc::driver::{
    CudaContext, CudaFunction, CudaModule, CudaSlice, CudaStream, DriverError, LaunchConfig, PushKernelArg,
};
use cudarc::nvrtc::Ptx;
use judge::Error;
use judge::kernel_file::Argument;
use judge::set::{Case, CaseLaunch, Exercise, LaunchLine};
use judge::{OnGpu, Submission};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The number of timed runs.
const RUNS: usize = 20;

/// The outcome of a case on a device.
#[derive(Debug)]
pub struct Ran {
    /// The name of the device.
    pub device: String,
    /// The median time of the launches, without copies.
    pub milliseconds: f64,
    /// The buffers that the case compares, after the first run.
    pub results: BTreeMap<String, Vec<u8>>,
}

/// Times a kernel that has passed. Returns `None` if there is no NVIDIA GPU; the emulator's driver does not count as one.
pub fn time(exercise: &Exercise, submission: &Submission) -> Result<Option<OnGpu>, Error> {
    // SAFETY: this looks for a library by name, and calls nothing in it.
    if !unsafe { cudarc::driver::sys::is_culib_present() } || CudaContext::device_count().unwrap_or(0) < 1 {
        return Ok(None);
    }
    let ran = run_on_device(exercise, &exercise.card.cases[0], submission, RUNS)?;
    let Ran { device, milliseconds, .. } = ran;
    Ok((!device.contains("emulator")).then_some(OnGpu::Timed { device, milliseconds, runs: RUNS }))
}

/// Runs a case of a kernel that has passed on device 0, once for its results and `runs` times for its time.
///
/// # Errors
/// The driver returned an error.
pub fn run_on_device(exercise: &Exercise, case: &Case, submission: &Submission, runs: usize) -> Result<Ran, Error> {
    let refused = |error: DriverError| Error::System(format!("the driver refused the kernel: {error}"));
    let line = submission.launch_line(exercise, case).map_err(Error::System)?;
    let device = Device::open(case, submission).map_err(refused)?;
    let launches = case.launches.iter().map(|launch| {
        let kernel = device.module.load_function(launch.kernel.as_deref().unwrap_or(&exercise.card.kernel));
        Prepared::new(case, launch, line, kernel.map_err(refused)?)
    });
    let launches = launches.collect::<Result<Vec<_>, _>>()?;
    device.pass(&launches).map_err(refused)?;
    let results =
        case.results.keys().map(|name| Ok((name.clone(), device.stream.clone_dtoh(&device.buffers[name.as_str()])?)));
    let results = results.collect::<Result<_, DriverError>>().map_err(refused)?;
    let mut times = Vec::new();
    for _ in 0..runs {
        times.push(device.pass(&launches).map_err(refused)?);
    }
    times.sort_by(f64::total_cmp);
    let milliseconds = times.get(times.len() / 2).copied().unwrap_or_default();
    Ok(Ran { device: device.context.name().map_err(refused)?, milliseconds, results })
}

/// A device with the inputs of a case and a loaded module.
struct Device<'a> {
    context: Arc<CudaContext>,
    stream: Arc<CudaStream>,
    module: Arc<CudaModule>,
    buffers: BTreeMap<&'a str, CudaSlice<u8>>,
}

/// A launch with its kernel and arguments.
struct Prepared<'a> {
    launch: &'a CaseLaunch,
    kernel: CudaFunction,
    config: LaunchConfig,
    values: Vec<Passed<'a>>,
}

/// An argument: a buffer, or a value of 4 or 8 bytes.
enum Passed<'a> {
    Buffer(&'a str),
    Four(u32),
    Eight(u64),
}

impl<'a> Device<'a> {
    fn open(case: &'a Case, submission: &Submission) -> Result<Self, DriverError> {
        let context = CudaContext::new(0)?;
        let stream = context.default_stream();
        let module = context.load_module(Ptx::from_src(&submission.ptx))?;
        let mut buffers = BTreeMap::new();
        for (name, buffer) in &case.buffers {
            let place = match case.contents(name) {
                Some(contents) => stream.clone_htod(&contents)?,
                None => stream.alloc_zeros(buffer.0.bytes() as usize)?,
            };
            buffers.insert(name.as_str(), place);
        }
        Ok(Self { context, stream, module, buffers })
    }

    /// Runs all launches in order and returns the sum of their times, in milliseconds.
    fn pass(&self, launches: &[Prepared<'_>]) -> Result<f64, DriverError> {
        launches.iter().map(|launch| self.launch(launch)).sum()
    }

    fn launch(&self, prepared: &Prepared<'_>) -> Result<f64, DriverError> {
        for (name, part) in &prepared.launch.constants {
            let buffer = &self.buffers[part.0.buffer.as_str()];
            let bytes = self.stream.clone_dtoh(buffer)?;
            let first = part.0.elements.start * ELEMENT_BYTES;
            let mut constant = self.module.get_global(name, &self.stream)?;
            self.stream.memcpy_htod(&bytes[first..part.0.elements.end * ELEMENT_BYTES], &mut constant)?;
        }
        let before = self.stream.record_event(Some(CU_EVENT_DEFAULT))?;
        let mut arguments = self.stream.launch_builder(&prepared.kernel);
        for value in &prepared.values {
            match value {
                Passed::Buffer(name) => arguments.arg(&self.buffers[name]),
                Passed::Four(value) => arguments.arg(value),
                Passed::Eight(value) => arguments.arg(value),
            };
        }
        // SAFETY: the kernel has passed with these arguments on the emulator, whose checks found no access outside of these
        // buffers and no race. All work is in one stream, so buffers may be written through shared references.
        unsafe { arguments.launch(prepared.config) }?;
        let after = self.stream.record_event(Some(CU_EVENT_DEFAULT))?;
        Ok(f64::from(before.elapsed_ms(&after)?))
    }
}

/// The size of an element of a constant array, which is a part of a buffer of f32.
const ELEMENT_BYTES: usize = 4;

impl<'a> Prepared<'a> {
    fn new(
        case: &'a Case,
        launch: &'a CaseLaunch,
        line: Option<LaunchLine>,
        kernel: CudaFunction,
    ) -> Result<Self, Error> {
        let ([grid, block], shared_mem_bytes) = launch.shape(line);
        let config = LaunchConfig { grid_dim: grid.into(), block_dim: block.into(), shared_mem_bytes };
        let values = launch.arguments.iter().map(|text| Passed::new(case, text)).collect::<Result<_, _>>()?;
        Ok(Self { launch, kernel, config, values })
    }
}

impl<'a> Passed<'a> {
    fn new(case: &'a Case, text: &'a str) -> Result<Self, Error> {
        if case.buffers.contains_key(text) {
            return Ok(Self::Buffer(text));
        }
        let other = || Error::System(format!("`{text}` is neither a buffer nor a value of 4 or 8 bytes"));
        let Ok(Argument::Value { bytes, .. }) = text.parse() else { return Err(other()) };
        match bytes.len() {
            4 => bytes.try_into().map(|bytes| Self::Four(u32::from_le_bytes(bytes))).map_err(|_| other()),
            8 => bytes.try_into().map(|bytes| Self::Eight(u64::from_le_bytes(bytes))).map_err(|_| other()),
            _ => Err(other()),
        }
    }
}
