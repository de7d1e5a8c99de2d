//! Running plans on an open device: loading, launching, comparing, timing.

use crate::ceilings::Ceilings;
use crate::device::{Backend, Device, DeviceChoice};
use crate::error::Error;
use crate::kernel::{KernelLoader, KernelSource, Resources};
use crate::problem::{Case, Cost, CpuTimes, InputCache, Setup, Size, Written, estimate_launches};
use crate::stage::{Grid, Plan};
use crate::timing::{self, Timing};
use crate::verify::Report;
use cuda_cpp::Choice;
use emulator::Counters;
use predict::{Gpu, RunEstimate};
use std::cell::Cell;
use std::path::Path;

/// An open device with the kernels, inputs and references that a run shares.
#[derive(Debug)]
pub struct Session {
    /// The device.
    pub device: Device,
    /// The recorded ceilings of the device, and the recorded demands of kernels.
    pub ceilings: Ceilings,
    /// The GPU whose times [`Outcome::measure`](crate::outcome::Outcome::measure) estimates on the emulator; `None`, initially, for no estimates.
    pub estimated_gpu: Option<&'static Gpu>,
    /// Whether that also estimates edited kernels as they were shipped, for a comparison with their records.
    pub estimates_shipped: bool,
    loader: KernelLoader,
    /// The kernels without edits.
    shipped: KernelLoader,
    inputs: InputCache,
    cpu_times: Vec<(&'static str, Size, CpuTimes)>,
}

impl Session {
    /// Opens the device. A chosen `compiler` compiles every kernel in CUDA C++ at run time, and rustc every one in Rust.
    ///
    /// # Errors
    /// [`Error::Open`].
    pub fn open(choice: DeviceChoice, compiler: Option<Choice>) -> Result<Self, Error> {
        Ok(Self {
            device: Device::open(choice)?,
            ceilings: Ceilings::default(),
            estimated_gpu: None,
            estimates_shipped: false,
            loader: KernelLoader::new(compiler),
            shipped: KernelLoader::as_shipped(),
            inputs: InputCache::default(),
            cpu_times: Vec::new(),
        })
    }

    /// Replaces the PTX of a kernel file in later runs.
    pub fn replace_ptx(&mut self, source: &KernelSource, ptx: String) {
        self.loader.replace(source, ptx);
    }

    /// Runs a kernel once and compares its results.
    ///
    /// # Errors
    /// [`Error::Kernel`] or [`Error::Driver`]. Wrong results are not an error, but a report that has not passed.
    pub fn verify(&mut self, plan: &Plan) -> Result<Report, Error> {
        self.with_case(plan, |_, case| case.verify())
    }

    /// Prepares a kernel and passes it to `act`.
    ///
    /// # Errors
    /// [`Error::Kernel`] or [`Error::Driver`], and those of `act`.
    pub fn with_case<T>(
        &mut self,
        plan: &Plan,
        act: impl FnOnce(&Device, &mut dyn Case) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let setup = setup(&mut self.loader, &self.device, plan, self.estimated_gpu.is_some())?;
        let mut case = plan.rung.work.prepare(&mut self.inputs, setup, &plan.size)?;
        act(&self.device, case.as_mut())
    }

    /// Runs a kernel once and compares its results; on a GPU, also times it `runs` times at most and compares again.
    ///
    /// # Errors
    /// As [`Session::verify`].
    pub fn run<'a>(&mut self, plan: &Plan<'a>, runs: usize) -> Result<Run<'a>, Error> {
        let setup = setup(&mut self.loader, &self.device, plan, self.estimated_gpu.is_some())?;
        let shared_bytes = setup.config.shared_mem_bytes;
        let resources = Resources::new(&self.device, &setup.kernel, plan.block, shared_bytes);
        let code = setup.kernel.code_with(setup.companion.as_ref());
        let is_edited = setup.kernel.module.is_edited;
        let mut case = plan.rung.work.prepare(&mut self.inputs, setup, &plan.size)?;
        let mut report = case.verify()?;
        let mut timing = None;
        if self.device.backend == Backend::Cuda && report.passed() {
            timing = Some(timing::repeat(runs, || timing::time_once(&self.device, case.as_mut()))?);
            report.add(case.recheck()?);
        }
        let plan = plan.clone();
        let counters = case.counters();
        let cost = case.cost();
        Ok(Run { plan, report, timing, counters, cost, code, is_edited, resources })
    }

    /// Writes the file of one of the problem's own options.
    ///
    /// # Errors
    /// As [`Session::verify`], and [`Error::File`].
    pub fn write(&mut self, plan: &Plan, option: &str, path: &Path) -> Result<Written, Error> {
        self.with_case(plan, |_, case| case.write(option, path))
    }

    /// Returns the time of the tutorial's loop on this CPU, measured once per problem and size.
    pub(crate) fn time_on_cpu(&mut self, plan: &Plan) -> CpuTimes {
        let key = (plan.facts().letter, &plan.size);
        if let Some((.., times)) = self.cpu_times.iter().find(|(letter, size, _)| (*letter, size) == key) {
            return times.clone();
        }
        let times = self.measure_on_cpu(plan);
        self.cpu_times.push((plan.facts().letter, plan.size.clone(), times.clone()));
        times
    }

    /// Times the tutorial's loop on this CPU again.
    pub fn measure_on_cpu(&mut self, plan: &Plan) -> CpuTimes {
        plan.rung.work.time_on_cpu(&mut self.inputs, &plan.size)
    }

    /// Estimates a kernel as it was shipped, on [`Session::estimated_gpu`].
    pub(crate) fn estimate_shipped(&mut self, plan: &Plan) -> Result<Option<Result<RunEstimate, String>>, Error> {
        let Some(gpu) = self.estimated_gpu else { return Ok(None) };
        let setup = setup(&mut self.shipped, &self.device, plan, false)?;
        let mut case = plan.rung.work.prepare(&mut self.inputs, setup, &plan.size)?;
        Ok(Some(predict::run(gpu, estimate_launches(case.as_mut())?)))
    }

    /// Returns notices about how kernels were loaded since the last call.
    pub fn take_notices(&mut self) -> Vec<String> {
        self.loader.take_notices()
    }
}

/// One run of a kernel: its results, its time and its counters.
#[derive(Clone, Debug)]
pub struct Run<'a> {
    /// The kernel, its size and its launch.
    pub plan: Plan<'a>,
    /// The comparison with the reference.
    pub report: Report,
    /// Times; `None` on the emulator, and for a kernel with wrong results.
    pub timing: Option<Timing>,
    /// Counts of one launch; `None` on a GPU.
    pub counters: Option<Counters>,
    /// The amount of work.
    pub cost: Cost,
    /// How the code was made: `prebuilt PTX`, `NVRTC 12.9`, `NVRTC 13.5, cubin` or `clang 22.1.8`.
    pub code: String,
    /// Whether the kernel's file differs from the one that the prebuilt PTX was made from.
    pub is_edited: bool,
    /// The resources of a multiprocessor that the launch takes.
    pub resources: Resources,
}

/// Loads the kernels of a plan. If `assembles`, ptxas assembles those that were compiled at run time.
fn setup<'a>(loader: &mut KernelLoader, device: &'a Device, plan: &Plan, assembles: bool) -> Result<Setup<'a>, Error> {
    let rung = plan.rung;
    let config = plan.config();
    let kernel = loader.load(device, plan.source(), &rung.entry.name_for(&plan.size, plan.block))?;
    kernel.allow_shared_bytes(device, rung.kernel, config.shared_mem_bytes)?;
    let companion = plan.companion().map(|(source, entry)| loader.load(device, source, entry)).transpose()?;
    device.set_machine_code(kernel.machine_code_with(companion.as_ref(), assembles).as_deref());
    Ok(Setup {
        device,
        kernel,
        companion,
        config,
        companion_config: plan.companion_config(),
        name: rung.kernel.into(),
        in_rust: plan.in_rust,
        elements_per_block: match rung.grid {
            Grid::Covering(elements) => Some(plan.block as usize * elements as usize),
            Grid::Tiles { .. } | Grid::Stride(_) | Grid::Computed(_) => None,
        },
        counters: Cell::new(None),
    })
}
