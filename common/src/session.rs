//! Running plans on an open device: loading, launching, comparing, timing.

mod kernels;
mod other_times;
mod run;
mod sampled;

pub use run::{Run, Smaller};

use crate::ceilings::Ceilings;
use crate::device::{Backend, Device, DeviceChoice};
use crate::error::Error;
use crate::kernel::{KernelLoader, Resources};
use crate::problem::{Case, CpuTimes, InputCache, Setup, Size, Written};
use crate::recorded::Recorded;
use crate::stage::{Grid, Plan};
use crate::timing;
use crate::verify::Report;
use cuda_cpp::Choice;
use predict::Gpu;
use std::cell::{Cell, RefCell};
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
    /// Whether that estimates kernels whose time is recorded, too, for a comparison with their records.
    pub estimates_all: bool,
    /// The recorded runs of the stage on the other kind of device: on a GPU the emulator's, which have counts, and on the emulator those of
    /// [`Session::estimated_gpu`], which have times.
    pub recorded: Vec<Recorded>,
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
            estimates_all: false,
            recorded: Vec::new(),
            loader: KernelLoader::new(compiler),
            shipped: KernelLoader::as_shipped(),
            inputs: InputCache::default(),
            cpu_times: Vec::new(),
        })
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
        let setup = setup(&mut self.loader, &self.device, plan, false)?;
        let mut case = plan.rung.work.prepare(&mut self.inputs, setup, &plan.size)?;
        act(&self.device, case.as_mut())
    }

    /// Runs a kernel once and compares its results; on a GPU, also times it `runs` times at most and compares again. On the
    /// emulator, [`Plan::sampling`] leaves out parts.
    ///
    /// # Errors
    /// As [`Session::verify`].
    pub fn run<'a>(&mut self, plan: &Plan<'a>, runs: usize) -> Result<Run<'a>, Error> {
        match plan.sampling.filter(|_| self.device.backend == Backend::Emulator) {
            Some(sampling) => self.run_sample(plan, sampling),
            None => self.run_whole(plan, runs),
        }
    }

    fn run_whole<'a>(&mut self, plan: &Plan<'a>, runs: usize) -> Result<Run<'a>, Error> {
        let setup = setup(&mut self.loader, &self.device, plan, false)?;
        let shared_bytes = setup.config.shared_mem_bytes;
        let resources = Resources::new(&self.device, &setup.kernel, plan.block, shared_bytes);
        let code = setup.kernel.code_with(setup.companion.as_ref());
        let is_edited = setup.kernel.module.is_edited;
        let mut case = plan.rung.work.prepare(&mut self.inputs, setup, &plan.size)?;
        let mut report = case.verify()?;
        let mut timing = None;
        if self.device.backend == Backend::Cuda && report.passed() {
            let read_clock = || self.device.read_clock();
            let once = || timing::time_once(&self.device, case.as_mut());
            timing = Some(self.loader.quietly(|| timing::repeat_at_clock(runs, read_clock, once))?);
            report.add(case.recheck()?);
        }
        let plan = plan.clone();
        let counters = case.counters();
        let cost = case.cost();
        Ok(Run { plan, report, timing, counters, cost, code, is_edited, resources, sample: None, smaller: None })
    }

    /// Writes the file of one of the problem's own options.
    ///
    /// # Errors
    /// As [`Session::verify`], and [`Error::File`].
    pub fn write(&mut self, plan: &Plan, option: &str, path: &Path) -> Result<Written, Error> {
        self.with_case(plan, |_, case| case.write(option, path))
    }
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
        sample: RefCell::new(None),
    })
}
