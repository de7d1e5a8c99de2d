//! Running plans on an open device: loading, launching, comparing, timing.

use crate::ceilings::{Ceilings, Shares, TimedRun};
use crate::device::{Backend, Device, DeviceChoice, Estimating};
use crate::error::Error;
use crate::kernel::{KernelLoader, KernelSource, Resources};
use crate::problem::{Case, Cost, CpuTimes, InputCache, Setup, Size, Written};
use crate::stage::{Grid, Plan};
use crate::timing::{self, Timing};
use crate::verify::Report;
use cuda_cpp::Choice;
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
    /// Whether [`Session::run`] estimates times on the emulator. It does not initially.
    pub estimates: bool,
    loader: KernelLoader,
    inputs: InputCache,
    cpu_times: Vec<(&'static str, Size, CpuTimes)>,
}

impl Session {
    /// Opens the device. A chosen `compiler` compiles every kernel in CUDA C++ at run time, and rustc every one in Rust.
    ///
    /// # Errors
    /// [`Error::Open`].
    pub fn open(choice: DeviceChoice, compiler: Option<Choice>) -> Result<Self, Error> {
        let (device, loader) = (Device::open(choice)?, KernelLoader::new(compiler));
        let (ceilings, inputs, cpu_times) = (Ceilings::default(), InputCache::default(), Vec::new());
        Ok(Self { device, ceilings, estimates: false, loader, inputs, cpu_times })
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
        let setup = setup(&mut self.loader, &self.device, plan)?;
        let mut case = plan.rung.work.prepare(&mut self.inputs, setup, &plan.size)?;
        act(&self.device, case.as_mut())
    }

    /// Runs a kernel as [`Session::measure`] does. On a GPU, also times the same work on the CPU; on the emulator, also
    /// estimates the time on a GPU if [`Session::estimates`] is set.
    ///
    /// # Errors
    /// As [`Session::verify`].
    pub fn run<'a>(&mut self, plan: &Plan<'a>, runs: usize) -> Result<Outcome<'a>, Error> {
        let cpu = (self.device.backend == Backend::Cuda).then(|| self.time_on_cpu(plan));
        self.device.set_estimates(if self.estimates { Estimating::Beside } else { Estimating::Off });
        let (ran, estimate) = (self.measure(plan, runs), self.device.end_estimates()?);
        let Run { plan, report, timing, counters, cost, code, resources } = ran?;
        let shares = timing.and_then(|timing| shares(&self.ceilings, &plan, &cost, &timing));
        let (written, twin) = (Vec::new(), None);
        Ok(Outcome { plan, report, timing, counters, cost, shares, estimate, code, resources, cpu, written, twin })
    }

    /// Runs a kernel once and compares its results; on a GPU, also times it `runs` times at most and compares again.
    ///
    /// # Errors
    /// As [`Session::verify`].
    pub fn measure<'a>(&mut self, plan: &Plan<'a>, runs: usize) -> Result<Run<'a>, Error> {
        let setup = setup(&mut self.loader, &self.device, plan)?;
        let shared_bytes = setup.config.shared_mem_bytes;
        let resources = Resources::of(&self.device, &setup.kernel, plan.block, shared_bytes);
        let code = setup.kernel.code_with(setup.companion.as_ref());
        let mut case = plan.rung.work.prepare(&mut self.inputs, setup, &plan.size)?;
        let mut report = case.verify()?;
        let mut timing = None;
        if self.device.backend == Backend::Cuda && report.passed() {
            timing = Some(timing::measure(&self.device, case.as_mut(), runs)?);
            report.add(case.recheck()?);
        }
        let (plan, counters, cost) = (plan.clone(), case.counters(), case.cost());
        Ok(Run { plan, report, timing, counters, cost, code, resources })
    }

    /// Writes the file of one of the problem's own options.
    ///
    /// # Errors
    /// As [`Session::verify`], and [`Error::File`].
    pub fn write(&mut self, plan: &Plan, option: &str, path: &Path) -> Result<Written, Error> {
        self.with_case(plan, |_, case| case.write(option, path))
    }

    /// Returns the time of the tutorial's loop on this CPU, measured once per problem and size.
    fn time_on_cpu(&mut self, plan: &Plan) -> CpuTimes {
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

    /// Returns notices about how kernels were loaded since the last call.
    pub fn take_notices(&mut self) -> Vec<String> {
        self.loader.take_notices()
    }
}

/// Returns the shares of the units in a timed run; `None` for kernels in Rust, whose machine code is not recorded.
fn shares(ceilings: &Ceilings, plan: &Plan, cost: &Cost, timing: &Timing) -> Option<Shares> {
    if plan.in_rust {
        return None;
    }
    let launches = f64::from(plan.rung.work.launches(&plan.size));
    let (bytes, blocks) = (cost.bytes_needed_by_a_launch * launches, f64::from(plan.grid) * launches);
    ceilings.shares(plan.rung, &plan.size, &TimedRun { bytes, blocks, seconds: timing.median / 1e3 })
}

/// Loads the kernels of a plan.
fn setup<'a>(loader: &mut KernelLoader, device: &'a Device, plan: &Plan) -> Result<Setup<'a>, Error> {
    let (rung, config) = (plan.rung, plan.config());
    let kernel = loader.load(device, plan.source(), &rung.entry.name_for(&plan.size, plan.block))?;
    kernel.allow_shared_bytes(device, rung.kernel, config.shared_mem_bytes)?;
    let companion = plan.companion().map(|(source, entry)| loader.load(device, source, entry)).transpose()?;
    device.set_machine_code(kernel.machine_code_with(companion.as_ref()).as_deref());
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
