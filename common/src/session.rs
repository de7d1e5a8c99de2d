//! Running plans on an open device: load, launch, compare, time.

use crate::device::{Backend, Device, DeviceChoice};
use crate::error::Error;
use crate::kernel::{KernelLoader, KernelSource, LoadedKernel};
use crate::limit::{Known, Shares};
use crate::plan::Plan;
use crate::problem::{Case, Cost, CpuTimes, Setup, Shelf, Size, Written};
use crate::timing::{self, Timing};
use crate::verify::Report;
use cudarc::driver::sys::CUfunction_attribute;
use emulator::{Counters, Diagnosis};
use std::cell::Cell;
use std::path::Path;

/// An open device with the kernels, inputs and references that a run shares.
#[derive(Debug)]
pub struct Session {
    /// The device.
    pub device: Device,
    /// What is recorded of the device's limits, and of what kernels ask for.
    pub known: Known,
    loader: KernelLoader,
    shelf: Shelf,
    cpu_times: Vec<(&'static str, Size, CpuTimes)>,
}

/// What became of a plan.
#[derive(Clone, Debug)]
pub struct Outcome<'a> {
    /// What was run.
    pub plan: Plan<'a>,
    /// Whether it ran only so that the table can compare a kernel with its twin in Rust, and is no row of it.
    pub is_beside: bool,
    /// What the comparisons found.
    pub report: Report,
    /// Times; `None` on the emulator, and for a kernel with wrong results.
    pub timing: Option<Timing>,
    /// Counts of one launch; `None` on a GPU.
    pub counters: Option<Counters>,
    /// What a run does.
    pub cost: Cost,
    /// How near the units came to their limits; `None` where limits, counts or times are not there.
    pub shares: Option<Shares>,
    /// `prebuilt PTX`, `NVRTC 12.9` or `NVRTC 13.5, cubin`.
    pub code: String,
    /// Registers of a thread.
    pub registers: Option<u32>,
    /// Static and dynamic shared memory of a block, in bytes.
    pub shared_bytes: Option<u32>,
    /// Threads that a multiprocessor holds, of those that it could hold.
    pub occupancy: Option<f64>,
    /// The tutorial's loop on this CPU.
    pub cpu: CpuTimes,
    /// Files beside the table.
    pub written: Vec<Written>,
}

/// What the checks and the comparison with the reference say of a kernel.
#[derive(Debug)]
pub struct Checked {
    /// What the kernel does wrong, a fault that ended it last; empty for a clean one.
    pub findings: Vec<Diagnosis>,
    /// The comparison of its results; `None` after a fault.
    pub report: Option<Report>,
}

impl Checked {
    /// Whether there is nothing to tell.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.findings.is_empty() && self.report.as_ref().is_some_and(Report::passed)
    }
}

impl Outcome<'_> {
    /// An amount of a run, such as those of its [`Cost`], per second; `None` without a time.
    #[must_use]
    pub fn per_second(&self, amount: Option<f64>) -> Option<f64> {
        Some(amount? / (self.timing?.median / 1e3))
    }

    /// Rate in relation to the device's limit; `None` where either is unknown.
    #[must_use]
    pub fn limit_share(&self, device: &Device) -> Option<f64> {
        let limit = (self.plan.facts().rate.limit)(&device.limits);
        Some(self.per_second(Some(self.cost.amount))? / limit?)
    }
}

impl Session {
    /// Opens the device; `force_compiler` compiles every kernel at run time.
    ///
    /// # Errors
    /// [`Error::Open`].
    pub fn open(choice: DeviceChoice, force_compiler: bool) -> Result<Self, Error> {
        let device = Device::open(choice)?;
        let loader = KernelLoader::new(force_compiler);
        Ok(Self { device, known: Known::default(), loader, shelf: Shelf::default(), cpu_times: Vec::new() })
    }

    /// Runs this PTX from now on in place of that of a kernel file.
    pub fn replace_ptx(&mut self, source: &KernelSource, ptx: String) {
        self.loader.replace(source, ptx);
    }

    /// Runs a kernel once and compares its results.
    ///
    /// # Errors
    /// [`Error::Kernel`] or [`Error::Driver`]; wrong results are no error, but a report that has not passed.
    pub fn verify(&mut self, plan: &Plan) -> Result<Report, Error> {
        self.with_case(plan, |_, case| case.verify())
    }

    /// Runs a kernel once under the emulator's checks and compares its results. A fault ends the session's context:
    /// take a new session for each kernel.
    ///
    /// # Errors
    /// [`Error::Kernel`], [`Error::Driver`]; findings and wrong results are none.
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

    /// Sets a kernel up and hands it over.
    ///
    /// # Errors
    /// [`Error::Kernel`] or [`Error::Driver`], and those of `act`.
    pub fn with_case<T>(
        &mut self,
        plan: &Plan,
        act: impl FnOnce(&Device, &mut dyn Case) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let setup = setup(&mut self.loader, &self.device, plan)?;
        let mut case = plan.rung.work.prepare(&mut self.shelf, setup, &plan.size)?;
        act(&self.device, case.as_mut())
    }

    /// Runs a kernel once and compares its results; on a GPU, times it and compares again.
    ///
    /// # Errors
    /// As [`Session::verify`].
    pub fn run<'a>(&mut self, plan: &Plan<'a>, runs: usize) -> Result<Outcome<'a>, Error> {
        let cpu = self.time_on_cpu(plan);
        self.run_beside(plan, runs, cpu)
    }

    /// [`Session::run`] without timing the CPU, for what runs beside a kernel: with that kernel's CPU times.
    ///
    /// # Errors
    /// As [`Session::verify`].
    pub fn run_beside<'a>(&mut self, plan: &Plan<'a>, runs: usize, cpu: CpuTimes) -> Result<Outcome<'a>, Error> {
        let setup = setup(&mut self.loader, &self.device, plan)?;
        let (registers, shared_bytes, occupancy) = attributes(&self.device, &setup.kernel, plan);
        let code = describe_code(&setup);
        let mut case = plan.rung.work.prepare(&mut self.shelf, setup, &plan.size)?;
        let mut report = case.verify()?;
        let mut timing = None;
        if self.device.backend == Backend::Cuda && report.passed() {
            timing = Some(timing::measure(&self.device, case.as_mut(), runs)?);
            report.add(case.recheck()?);
        }
        let cost = case.cost();
        Ok(Outcome {
            plan: plan.clone(),
            is_beside: false,
            report,
            timing,
            counters: case.counters(),
            cost,
            shares: timing.and_then(|timing| shares(&self.known, plan, &cost, &timing)),
            code,
            registers,
            shared_bytes,
            occupancy,
            cpu,
            written: Vec::new(),
        })
    }

    /// Writes the file of one of the problem's own options.
    ///
    /// # Errors
    /// As [`Session::verify`], and [`Error::File`].
    pub fn write(&mut self, plan: &Plan, option: &str, path: &Path) -> Result<Written, Error> {
        self.with_case(plan, |_, case| case.write(option, path))
    }

    /// The tutorial's loop on this CPU, timed once a problem and size.
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
        plan.rung.work.time_on_cpu(&mut self.shelf, &plan.size)
    }

    /// What a learner should know about how kernels were loaded since the last call.
    pub fn take_notices(&mut self) -> Vec<String> {
        self.loader.take_notices()
    }
}

/// How near the units come to their limits in a timed run. What the twins in Rust need is not recorded.
fn shares(known: &Known, plan: &Plan, cost: &Cost, timing: &Timing) -> Option<Shares> {
    let bytes = cost.bytes_needed_by_a_launch * f64::from(plan.rung.work.launches(&plan.size));
    if plan.in_rust {
        return None;
    }
    known.shares(plan.rung, &plan.size, bytes, timing.median / 1e3)
}

/// Loads the kernels of a plan.
fn setup<'a>(loader: &mut KernelLoader, device: &'a Device, plan: &Plan) -> Result<Setup<'a>, Error> {
    let rung = plan.rung;
    let kernel = loader.load(device, plan.source(), &rung.entry.name(plan.block))?;
    allow_shared_bytes(device, &kernel, plan)?;
    let companion = plan.companion().map(|(source, entry)| loader.load(device, source, entry)).transpose()?;
    Ok(Setup {
        device,
        kernel,
        companion,
        config: plan.config(),
        companion_config: plan.companion_config(),
        name: rung.kernel.into(),
        in_rust: plan.in_rust,
        elements_per_block: plan.elements_per_block(),
        counters: Cell::new(None),
    })
}

/// Above this much, a block's dynamic shared memory must be asked for beforehand.
const SHARED_BYTES_FOR_ALL: u32 = 48 << 10;

/// Asks for more dynamic shared memory than every kernel has.
fn allow_shared_bytes(device: &Device, kernel: &LoadedKernel, plan: &Plan) -> Result<(), Error> {
    let bytes = plan.config().shared_mem_bytes;
    if bytes <= SHARED_BYTES_FOR_ALL {
        return Ok(());
    }
    let attribute = CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
    let allowed = kernel.function.set_attribute(attribute, i32::try_from(bytes).unwrap_or(i32::MAX));
    let doing = || format!("cannot give {} {bytes} bytes of shared memory a block of {}", plan.rung.kernel, plan.block);
    allowed.map_err(|error| device.explain(&doing(), error))
}

/// How the code came about, that of the companion beside it where it differs.
fn describe_code(setup: &Setup) -> String {
    let code = &setup.kernel.module.code;
    match &setup.companion {
        Some(companion) if companion.module.code != *code => format!("{code}; {}", companion.module.code),
        _ => code.clone(),
    }
}

/// Registers, shared bytes and occupancy, each `None` where the driver does not say.
fn attributes(device: &Device, kernel: &LoadedKernel, plan: &Plan) -> (Option<u32>, Option<u32>, Option<f64>) {
    let function = &kernel.function;
    let dynamic = plan.config().shared_mem_bytes;
    let registers = function.num_regs().ok().and_then(|count| u32::try_from(count).ok());
    let fixed = function.shared_size_bytes().ok().and_then(|bytes| u32::try_from(bytes).ok());
    let blocks = function.occupancy_max_active_blocks_per_multiprocessor(plan.block, dynamic as usize, None).ok();
    let occupancy = blocks.zip(device.limits.threads_per_multiprocessor);
    let occupancy = occupancy.map(|(blocks, threads)| f64::from(blocks * plan.block) / f64::from(threads));
    (registers.filter(|&count| count > 0), fixed.map(|fixed| fixed + dynamic), occupancy)
}
