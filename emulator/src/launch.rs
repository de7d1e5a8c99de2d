//! Launches: checks the shape, spreads the blocks over the cores, collects counters and faults.

use crate::checks::{self, Checking, Diagnosis, Finding, FindingKind, Sighting};
use crate::counters::{Blind, Counters, Counting, Observer};
use crate::fault::{Fault, FaultKind};
use crate::machine::registers::LANES;
use crate::machine::{BlockMachine, Bound, MemoryView, Simd, Stop, Watch};
use crate::{Kernel, Memory};
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

/// Shared memory of a block in bytes at most, static and dynamic: as on compute capability 9.0.
pub const MAX_SHARED_BYTES: u32 = 227 << 10;

/// Warps of a launch from which on a second thread is worth its start.
const THREADS_FROM_WARPS: u64 = 8;

/// Local memory of all threads of a block in bytes at most: every worker thread has as much, and clears it for each
/// block. A GPU that holds hundreds of such blocks has no room for more either.
const MAX_LOCAL_BYTES: u64 = 128 << 20;

/// Worker threads at most: each has the registers and the memory of a block.
const MAX_WORKERS: usize = 256;

/// Extent of a grid or a block, or a place in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct Dim3 {
    /// The axis that changes fastest.
    pub x: u32,
    /// The second axis.
    pub y: u32,
    /// The slowest axis.
    pub z: u32,
}

impl Dim3 {
    /// Product of the extents, `u64::MAX` if it is larger.
    #[must_use]
    pub fn volume(self) -> u64 {
        (u64::from(self.x) * u64::from(self.y)).saturating_mul(u64::from(self.z))
    }

    pub(crate) fn axis(self, axis: u8) -> u32 {
        [self.x, self.y, self.z][usize::from(axis.min(2))]
    }

    /// The place with number `index`, counted along x first.
    pub(crate) fn at(self, index: u64) -> Self {
        let (x, y) = (u64::from(self.x), u64::from(self.y));
        Self { x: (index % x) as u32, y: (index / x % y) as u32, z: (index / (x * y)) as u32 }
    }
}

impl fmt::Display for Dim3 {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "({}, {}, {})", self.x, self.y, self.z)
    }
}

/// Shape and arguments of a launch.
#[derive(Clone, Copy, Debug)]
pub struct Launch<'a> {
    /// Blocks: 1 to 2^31 - 1 along x, 1 to 65535 along y and z.
    pub grid: Dim3,
    /// Threads of a block: 1 to 1024 along x and y, 1 to 64 along z, 1024 in all.
    pub block: Dim3,
    /// Dynamic shared memory in bytes; at most [`MAX_SHARED_BYTES`] together with the static.
    pub dynamic_shared_bytes: u32,
    /// The parameter block, [`Kernel::parameter_bytes`] long.
    pub parameters: &'a [u8],
}

/// How to run a launch.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Whether counters are taken.
    pub counters: bool,
    /// Worker threads, at most 256 of them; 0 means as many as there are cores.
    pub threads: usize,
    /// Warp instructions, more or less, after which the launch stops with a fault.
    pub instruction_budget: Option<u64>,
    /// Leaves AVX2 and FMA alone where the machine has them: for tests of what other machines run. The results are the
    /// same bits, later.
    pub baseline_vectors: bool,
}

/// Why a launch did not complete.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LaunchError {
    /// The shape or the arguments are not valid; nothing ran.
    #[error("invalid launch of `{kernel}`: {reason}")]
    Invalid {
        /// Kernel name.
        kernel: String,
        /// Which rule is broken, with the values.
        reason: String,
    },
    /// The kernel did something wrong; memory holds what it wrote up to then.
    #[error(transparent)]
    Fault(Box<Fault>),
}

/// Runs a kernel to its end and returns its counters (all zero when they are off).
///
/// Results do not depend on the number of worker threads, except where the order of atomics between blocks
/// shows, as on hardware.
///
/// # Errors
/// [`LaunchError::Invalid`] for a shape that the device does not take, [`LaunchError::Fault`] for a kernel
/// that does something wrong.
pub fn launch(
    kernel: &Kernel,
    memory: &Memory,
    launch: &Launch<'_>,
    options: &Options,
) -> Result<Counters, LaunchError> {
    memory.mark_all_written();
    if !options.counters {
        without_fault(run(kernel, memory, launch, options, |job| job.work::<Blind>())?)?;
        return Ok(Counters::default());
    }
    let blocks = &kernel.program().blocks;
    let counted = run(kernel, memory, launch, options, |job| job.work::<Counting>().finish(blocks))?;
    let parts = without_fault(counted)?;
    Ok(parts.iter().fold(Counters::default(), |mut sum, part| {
        sum.add(part);
        sum
    }))
}

/// What [`check`] says of a launch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// What the kernel did wrong and went on, in the order of its lines.
    pub findings: Vec<Finding>,
    /// What ended it.
    pub fault: Option<Box<Fault>>,
}

impl Verdict {
    /// All of it in one form, the fault last.
    #[must_use]
    pub fn diagnoses(&self) -> Vec<Diagnosis> {
        let fault = self.fault.as_deref().map(Diagnosis::from);
        self.findings.iter().map(Diagnosis::from).chain(fault).collect()
    }
}

/// Runs a kernel as [`launch`] does and returns what it does wrong with memory and barriers; nothing for a clean
/// kernel. What the launch computes is the same; counters are not taken, and the blocks run one after the other, so that
/// the findings are the same each time. One finding stands for all of the same lines of source. Reads of global memory
/// that nobody wrote are found in allocations made under [`Memory::track_writes`].
///
/// # Errors
/// [`LaunchError::Invalid`], as [`launch`].
pub fn check(kernel: &Kernel, memory: &Memory, launch: &Launch<'_>, options: &Options) -> Result<Verdict, LaunchError> {
    let options = Options { threads: 1, ..*options };
    let (parts, fault) = run(kernel, memory, launch, &options, |job| job.work::<Checking>().into_findings())?;
    let sightings = checks::merged(parts.into_iter().flatten(), |position| kernel.source_line(position));
    let finding = |(kind, earlier, position): checks::Key, sighting: Sighting| {
        let place = |block, thread, position| kernel.place(launch, launch.grid.at(block), thread, position);
        let earlier = || place(sighting.earlier_block, sighting.earlier_thread, earlier);
        Finding {
            kind,
            kernel: kernel.name().to_owned(),
            address: sighting.address,
            access: place(sighting.block, sighting.thread, position),
            earlier: matches!(kind, FindingKind::Race { .. }).then(earlier),
            count: sighting.count,
        }
    };
    let mut findings: Vec<Finding> = sightings.into_iter().map(|(key, sighting)| finding(key, sighting)).collect();
    findings.sort_by_key(|finding| (finding.access.line, finding.earlier.as_ref().map(|place| place.line)));
    Ok(Verdict { findings, fault: fault.map(Box::new) })
}

/// Runs `work` on every worker of a launch and returns what each returns, and the first fault.
fn run<T: Send>(
    kernel: &Kernel,
    memory: &Memory,
    launch: &Launch<'_>,
    options: &Options,
    work: impl Fn(&Job<'_>) -> T + Sync,
) -> Result<(Vec<T>, Option<Fault>), LaunchError> {
    check_shape(kernel, launch).map_err(|reason| LaunchError::Invalid { kernel: kernel.name().to_owned(), reason })?;
    let bound = Bound::new(kernel.program(), launch);
    let overseer = Overseer::new(options.instruction_budget);
    let simd = if options.baseline_vectors { Simd::Baseline } else { Simd::detect() };
    let job = Job { bound: &bound, memory, overseer: &overseer, simd, blocks: launch.grid.volume() };
    let few = job.blocks.saturating_mul(bound.warps as u64) <= THREADS_FROM_WARPS;
    let workers = if few { 1 } else { options.threads.min(MAX_WORKERS) };
    let parts = run_workers(workers, || work(&job));
    Ok((parts, overseer.into_fault().and_then(|(block, stop)| fault(kernel, launch, block, stop))))
}

/// What a kernel did wrong in a block; `None` where the block was stopped for another reason.
pub(crate) fn fault(kernel: &Kernel, launch: &Launch<'_>, block: Dim3, stop: Stop) -> Option<Fault> {
    let Stop::Fault { kind, position, warp, lane, detail } = stop else { return None };
    let place = kernel.place(launch, block, (warp * LANES + lane) as u32, position);
    Some(Fault { kind, kernel: kernel.name().to_owned(), place, detail })
}

/// A fault ends a launch that is not checked.
fn without_fault<T>((parts, fault): (Vec<T>, Option<Fault>)) -> Result<Vec<T>, LaunchError> {
    fault.map_or(Ok(parts), |fault| Err(LaunchError::Fault(Box::new(fault))))
}

pub(crate) fn check_shape(kernel: &Kernel, launch: &Launch<'_>) -> Result<(), String> {
    let Launch { grid, block, dynamic_shared_bytes, parameters } = launch;
    if grid.volume() == 0 || grid.x > i32::MAX as u32 || grid.y > 65535 || grid.z > 65535 {
        return Err(format!("a grid of {grid} blocks; each axis takes 1 to (2147483647, 65535, 65535)"));
    }
    if block.volume() == 0 || block.x > 1024 || block.y > 1024 || block.z > 64 {
        return Err(format!("a block of {block} threads; each axis takes 1 to (1024, 1024, 64)"));
    }
    let most = u64::from(kernel.max_threads_per_block());
    if block.volume() > most {
        return Err(format!("a block of {} threads; this kernel takes at most {most}", block.volume()));
    }
    let shared = u64::from(kernel.static_shared_bytes()) + u64::from(*dynamic_shared_bytes);
    if shared > u64::from(MAX_SHARED_BYTES) {
        return Err(format!("{shared} bytes of shared memory; a block has at most {MAX_SHARED_BYTES}"));
    }
    let local = block.volume() * u64::from(kernel.local_bytes());
    if local > MAX_LOCAL_BYTES {
        return Err(format!("{local} bytes of local memory; the threads of a block have at most {MAX_LOCAL_BYTES}"));
    }
    if parameters.len() != kernel.parameter_bytes() {
        return Err(format!(
            "{} bytes of parameters where {} are expected",
            parameters.len(),
            kernel.parameter_bytes()
        ));
    }
    Ok(())
}

/// Runs `work` on each of `workers` threads and returns what they return.
#[cfg(feature = "threads")]
fn run_workers<T: Send>(workers: usize, work: impl Fn() -> T + Sync) -> Vec<T> {
    use rayon::prelude::*;
    let workers = if workers == 0 { rayon::current_num_threads() } else { workers };
    if workers == 1 {
        return vec![work()];
    }
    (0..workers).into_par_iter().with_max_len(1).map(|_| work()).collect()
}

#[cfg(not(feature = "threads"))]
fn run_workers<T>(_: usize, work: impl Fn() -> T) -> Vec<T> {
    vec![work()]
}

/// A launch as its workers see it.
struct Job<'a> {
    bound: &'a Bound<'a>,
    memory: &'a Memory,
    overseer: &'a Overseer,
    simd: Simd,
    blocks: u64,
}

impl Job<'_> {
    /// Runs blocks until there are none left, and returns what was observed.
    fn work<O: Observer>(&self) -> O {
        let view = MemoryView::new(self.memory.regions(), self.bound.steps.len());
        let mut machine = BlockMachine::<O>::new(self.bound, self.simd, view, self.memory, self.overseer);
        while let Some(number) = self.overseer.next_block(self.blocks) {
            let block = self.bound.launch.grid.at(number);
            if let Err(stop) = machine.run(number) {
                self.overseer.stop(number, block, *stop);
                break;
            }
        }
        machine.into_observer()
    }
}

/// Hands out blocks, keeps the budget, and remembers the first fault.
struct Overseer {
    next: AtomicU64,
    stopped: AtomicBool,
    instructions: AtomicU64,
    budget: Option<u64>,
    /// Number and place of the block, and what happened there.
    fault: Mutex<Option<(u64, Dim3, Stop)>>,
}

impl Overseer {
    fn new(budget: Option<u64>) -> Self {
        Self {
            next: AtomicU64::new(0),
            stopped: AtomicBool::new(false),
            instructions: AtomicU64::new(0),
            budget,
            fault: Mutex::new(None),
        }
    }

    fn next_block(&self, blocks: u64) -> Option<u64> {
        let number = self.next.fetch_add(1, Relaxed);
        (number < blocks && !self.stopped.load(Relaxed)).then_some(number)
    }

    /// Keeps the fault of the lowest block among those that ran.
    fn stop(&self, number: u64, block: Dim3, stop: Stop) {
        self.stopped.store(true, Relaxed);
        if stop == Stop::Elsewhere {
            return;
        }
        let mut fault = self.fault.lock().unwrap_or_else(PoisonError::into_inner);
        if fault.as_ref().is_none_or(|(first, ..)| number < *first) {
            *fault = Some((number, block, stop));
        }
    }

    fn into_fault(self) -> Option<(Dim3, Stop)> {
        let fault = self.fault.into_inner().unwrap_or_else(PoisonError::into_inner);
        fault.map(|(_, block, stop)| (block, stop))
    }
}

impl Watch for Overseer {
    fn pass(&self, instructions: u64) -> Result<(), Stop> {
        let total = self.instructions.fetch_add(instructions, Relaxed) + instructions;
        if self.budget.is_some_and(|budget| total > budget) {
            let detail =
                format!("{total} warp instructions executed; the launch may execute {}", self.budget.unwrap_or(0));
            return Err(Stop::Fault { kind: FaultKind::Budget, position: 0, warp: 0, lane: 0, detail });
        }
        if self.stopped.load(Relaxed) { Err(Stop::Elsewhere) } else { Ok(()) }
    }
}
