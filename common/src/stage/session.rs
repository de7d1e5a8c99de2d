//! Running plans on an open device: load, launch, compare, time.

use super::Plan;
use crate::Error;
use crate::device::{Backend, DeviceChoice, Gpu};
use crate::film::{Film, steps_between_frames};
use crate::kernel::{KernelLoader, KernelSource, LoadedKernel};
use crate::progress;
use crate::timing::{self, Timing};
use crate::verify::Report;
use crate::workload::coulomb::Slice;
use crate::workload::{self, Case, Cost, CpuTimes, Energy, Problems, Setup, Size, Track, Tutorial};
use cudarc::driver::sys::CUfunction_attribute;
use emulator::Counters;
use std::path::Path;

/// An open device with the kernels, inputs and references that a run shares.
#[derive(Debug)]
pub struct Session {
    /// The device.
    pub gpu: Gpu,
    loader: KernelLoader,
    problems: Problems,
    cpu_times: Vec<(Tutorial, Size, Option<Slice>, CpuTimes)>,
}

/// What became of a plan.
#[derive(Clone, Debug)]
pub struct Outcome<'a> {
    /// What was run.
    pub plan: Plan<'a>,
    /// What the comparisons found.
    pub report: Report,
    /// Times; `None` on the emulator, and for a kernel with wrong results.
    pub timing: Option<Timing>,
    /// Counts of one launch; `None` on a GPU.
    pub counters: Option<Counters>,
    /// What a run does.
    pub cost: Cost,
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
    /// The energy of a filmed galaxy.
    pub energy: Option<Energy>,
}

impl Session {
    /// Opens the device; `force_nvrtc` compiles every kernel at run time.
    ///
    /// # Errors
    /// [`Error::Open`].
    pub fn open(choice: DeviceChoice, force_nvrtc: bool) -> Result<Self, Error> {
        let gpu = Gpu::open(choice)?;
        let loader = KernelLoader::new(force_nvrtc);
        Ok(Self { gpu, loader, problems: Problems::default(), cpu_times: Vec::new() })
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

    /// Sets a kernel up and hands it over.
    ///
    /// # Errors
    /// [`Error::Kernel`] or [`Error::Driver`], and those of `act`.
    pub fn with_case<T>(
        &mut self,
        plan: &Plan,
        act: impl FnOnce(&Gpu, &mut dyn Case) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let setup = self.loader.setup(&self.gpu, plan)?;
        let mut case = workload::prepare(&plan.row.work, &mut self.problems, setup, &plan.size, plan.slice)?;
        act(&self.gpu, case.as_mut())
    }

    /// Runs a kernel once and compares its results; on a GPU, times it and compares again.
    ///
    /// # Errors
    /// As [`Session::verify`].
    pub fn run<'a>(&mut self, plan: &Plan<'a>, runs: usize) -> Result<Outcome<'a>, Error> {
        let cpu = self.time_on_cpu(plan);
        let setup = self.loader.setup(&self.gpu, plan)?;
        let (registers, shared_bytes, occupancy) = attributes(&self.gpu, &setup.kernel, plan);
        let code = describe_code(&setup);
        let mut case = workload::prepare(&plan.row.work, &mut self.problems, setup, &plan.size, plan.slice)?;
        let mut report = case.verify()?;
        let mut timing = None;
        if self.gpu.backend == Backend::Cuda && report.passed() {
            timing = Some(timing::measure(&self.gpu, case.as_mut(), runs)?);
            report.add(case.recheck()?);
        }
        let (plan, counters, cost) = (*plan, case.counters(), case.cost());
        Ok(Outcome {
            plan,
            report,
            timing,
            counters,
            cost,
            code,
            registers,
            shared_bytes,
            occupancy,
            cpu,
            energy: None,
        })
    }

    /// Body 0's track under a kernel of tutorial B, one copy a step; `None` for other tutorials.
    ///
    /// # Errors
    /// As [`Session::verify`].
    pub fn track(&mut self, plan: &Plan) -> Result<Option<Track>, Error> {
        let setup = self.loader.setup(&self.gpu, plan)?;
        workload::track(&plan.row.work, &mut self.problems, setup, &plan.size)
    }

    /// Films a galaxy under a kernel of tutorial D, and gives its energy; `None` for other tutorials.
    ///
    /// # Errors
    /// As [`Session::verify`], and [`Error::File`].
    pub fn film(&mut self, plan: &Plan, path: &Path) -> Result<Option<Energy>, Error> {
        let setup = self.loader.setup(&self.gpu, plan)?;
        let (mut film, steps) = (Film::create(path)?, plan.size.step_count());
        let bar = progress::counted(format!("{}: {}", plan.row.kernel, path.display()), steps.into());
        let energy = workload::film(
            &plan.row.work,
            &mut self.problems,
            setup,
            &plan.size,
            steps_between_frames(steps),
            &mut |step, bodies| {
                bar.set_position(step.into());
                film.add(bodies.iter().map(|&[x, y, ..]| [x, y]))
            },
        )?;
        bar.finish_and_clear();
        film.finish()?;
        Ok(energy)
    }

    /// The tutorial's loop on this CPU, timed once a workload and size.
    fn time_on_cpu(&mut self, plan: &Plan) -> CpuTimes {
        let (tutorial, size, slice) = (plan.row.work.tutorial(), plan.size, plan.slice);
        let known = self.cpu_times.iter().find(|(t, s, p, _)| (*t, *s, *p) == (tutorial, size, slice));
        if let Some((.., times)) = known {
            return times.clone();
        }
        let times = self.measure_on_cpu(plan);
        self.cpu_times.push((tutorial, size, slice, times.clone()));
        times
    }

    /// Times the tutorial's loop on this CPU anew.
    pub fn measure_on_cpu(&mut self, plan: &Plan) -> CpuTimes {
        workload::time_on_cpu(&plan.row.work, &mut self.problems, &plan.size, plan.slice)
    }

    /// What a learner should know about how kernels were loaded since the last call.
    pub fn take_notices(&mut self) -> Vec<String> {
        self.loader.take_notices()
    }
}

impl KernelLoader {
    fn setup<'a>(&mut self, gpu: &'a Gpu, plan: &Plan) -> Result<Setup<'a>, Error> {
        let row = plan.row;
        let kernel = self.load(gpu, &row.source, &row.entry.name(plan.block))?;
        allow_shared_bytes(gpu, &kernel, plan)?;
        let companion = row.companion.map(|(source, entry)| self.load(gpu, &source, entry)).transpose()?;
        Ok(Setup {
            gpu,
            kernel,
            companion,
            config: plan.config(),
            companion_config: plan.companion_config(),
            name: row.kernel.into(),
            elements_per_block: plan.elements_per_block(),
        })
    }
}

/// Above this much, a block's dynamic shared memory must be asked for beforehand.
const SHARED_BYTES_FOR_ALL: u32 = 48 << 10;

/// Asks for more dynamic shared memory than every kernel has.
fn allow_shared_bytes(gpu: &Gpu, kernel: &LoadedKernel, plan: &Plan) -> Result<(), Error> {
    let bytes = plan.config().shared_mem_bytes;
    if bytes <= SHARED_BYTES_FOR_ALL {
        return Ok(());
    }
    let attribute = CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
    let allowed = kernel.function.set_attribute(attribute, i32::try_from(bytes).unwrap_or(i32::MAX));
    let doing = || format!("cannot give {} {bytes} bytes of shared memory a block of {}", plan.row.kernel, plan.block);
    allowed.map_err(|error| gpu.explain(&doing(), error))
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
fn attributes(gpu: &Gpu, kernel: &LoadedKernel, plan: &Plan) -> (Option<u32>, Option<u32>, Option<f64>) {
    let function = &kernel.function;
    let dynamic = plan.config().shared_mem_bytes;
    let registers = function.num_regs().ok().and_then(|count| u32::try_from(count).ok());
    let fixed = function.shared_size_bytes().ok().and_then(|bytes| u32::try_from(bytes).ok());
    let blocks = function.occupancy_max_active_blocks_per_multiprocessor(plan.block, dynamic as usize, None).ok();
    let occupancy = blocks.zip(gpu.limits.threads_per_multiprocessor);
    let occupancy = occupancy.map(|(blocks, threads)| f64::from(blocks * plan.block) / f64::from(threads));
    (registers.filter(|&count| count > 0), fixed.map(|fixed| fixed + dynamic), occupancy)
}
