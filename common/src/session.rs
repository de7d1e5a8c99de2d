//! Running plans on an open device: loading, launching, comparing, timing.

mod cpu;
mod shares;
mod shipped;

use crate::ceilings::Ceilings;
use crate::device::{Backend, Device, DeviceChoice};
use crate::error::Error;
use crate::kernel::{KernelLoader, KernelSource, Resources};
use crate::problem::{Case, CpuTimes, InputCache, Setup, Size, Written};
use crate::stage::{Grid, Plan};
use crate::timing;
use crate::verify::Report;
use cuda_cpp::Choice;
use predict::Gpu;
use std::cell::Cell;
use std::path::Path;

pub use crate::outcome::{COMPARED_N, Checked, Outcome, Run, Twin};

/// An open device with the kernels, inputs and references that a run shares.
#[derive(Debug)]
pub struct Session {
    /// The device.
    pub device: Device,
    /// The recorded ceilings of the device, and the recorded demands of kernels.
    pub ceilings: Ceilings,
    /// The GPU whose times [`Session::run`] estimates on the emulator; `None`, initially, for no estimates.
    pub estimated_gpu: Option<&'static Gpu>,
    /// Whether [`Session::run`] also estimates edited kernels as they were shipped, for a comparison with their records.
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
        let (device, ceilings) = (Device::open(choice)?, Ceilings::default());
        let (loader, shipped) = (KernelLoader::new(compiler), KernelLoader::as_shipped());
        let (inputs, cpu_times) = (InputCache::default(), Vec::new());
        let (estimated_gpu, estimates_shipped) = (None, false);
        Ok(Self { device, ceilings, estimated_gpu, estimates_shipped, loader, shipped, inputs, cpu_times })
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

    /// Runs a kernel once under the emulator's checks and compares its results. A fault ends the session's context: use a
    /// new session for each kernel.
    ///
    /// # Errors
    /// [`Error::Kernel`], [`Error::Driver`]. Findings and wrong results are not errors.
    pub fn check(&mut self, plan: &Plan) -> Result<Checked, Error> {
        self.device.set_checks(true);
        let ran = self.verify(plan);
        self.device.set_checks(false);
        let findings = self.device.take_findings()?;
        match ran {
            Ok(report) => Ok(Checked { findings, report: Some(report) }),
            Err(Error::Driver { .. }) if !findings.is_empty() => Ok(Checked { findings, report: None }),
            Err(error) => Err(error),
        }
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

    /// Runs a kernel as [`Session::measure`] does. On a GPU, also times the same work on the CPU; on the emulator, also
    /// estimates the time on [`Session::estimated_gpu`].
    ///
    /// # Errors
    /// As [`Session::verify`].
    pub fn run<'a>(&mut self, plan: &Plan<'a>, runs: usize) -> Result<Outcome<'a>, Error> {
        let cpu = (self.device.backend == Backend::Cuda).then(|| self.time_on_cpu(plan));
        self.device.begin_estimates(self.estimated_gpu);
        let (ran, estimate) = (self.measure(plan, runs), self.device.end_estimates(self.estimated_gpu)?);
        let Run { plan, report, timing, counters, cost, code, is_edited, resources } = ran?;
        let is_compared = self.estimates_shipped && self.device.backend == Backend::Emulator;
        let shipped = if is_edited && is_compared { self.estimate_shipped(&plan)? } else { None };
        let shares = timing.and_then(|timing| self.shares(&plan, &cost, &timing));
        let (written, twin) = (Vec::new(), None);
        Ok(Outcome {
            plan,
            report,
            timing,
            counters,
            cost,
            shares,
            estimate,
            is_edited,
            shipped,
            code,
            resources,
            cpu,
            written,
            twin,
        })
    }

    /// Runs a kernel once and compares its results; on a GPU, also times it `runs` times at most and compares again.
    ///
    /// # Errors
    /// As [`Session::verify`].
    pub fn measure<'a>(&mut self, plan: &Plan<'a>, runs: usize) -> Result<Run<'a>, Error> {
        let setup = setup(&mut self.loader, &self.device, plan, self.estimated_gpu.is_some())?;
        let shared_bytes = setup.config.shared_mem_bytes;
        let resources = Resources::of(&self.device, &setup.kernel, plan.block, shared_bytes);
        let (code, is_edited) = (setup.kernel.code_with(setup.companion.as_ref()), setup.kernel.module.is_edited);
        let mut case = plan.rung.work.prepare(&mut self.inputs, setup, &plan.size)?;
        let mut report = case.verify()?;
        let mut timing = None;
        if self.device.backend == Backend::Cuda && report.passed() {
            timing = Some(timing::measure(&self.device, case.as_mut(), runs)?);
            report.add(case.recheck()?);
        }
        let (plan, counters, cost) = (plan.clone(), case.counters(), case.cost());
        Ok(Run { plan, report, timing, counters, cost, code, is_edited, resources })
    }

    /// Writes the file of one of the problem's own options.
    ///
    /// # Errors
    /// As [`Session::verify`], and [`Error::File`].
    pub fn write(&mut self, plan: &Plan, option: &str, path: &Path) -> Result<Written, Error> {
        self.with_case(plan, |_, case| case.write(option, path))
    }

    /// Returns notices about how kernels were loaded since the last call.
    pub fn take_notices(&mut self) -> Vec<String> {
        self.loader.take_notices()
    }
}

/// Loads the kernels of a plan. If `assembles`, ptxas assembles those that were compiled at run time.
fn setup<'a>(loader: &mut KernelLoader, device: &'a Device, plan: &Plan, assembles: bool) -> Result<Setup<'a>, Error> {
    let (rung, config) = (plan.rung, plan.config());
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
