//! Spreads the blocks of a launch over the cores, and collects what was observed and the first fault.

use super::overseer::Overseer;
use super::resident::resident_blocks;
use super::roster::{Roster, Task};
use super::shape::check_shape;
use super::stuck;
use super::workspace::Workspace;
use crate::ground::dimensions::{Dim3, Launch};
use crate::ground::fault::Fault;
use crate::ground::lanes::LANES;
use crate::ground::limits::MULTIPROCESSORS;
use crate::ground::refusal::LaunchError;
use crate::machine::bind::Bound;
use crate::machine::block::BlockMachine;
use crate::machine::events::Observer;
use crate::machine::stop::{Leave, Stop};
use crate::memory::device::Memory;
use crate::memory::view::MemoryView;
use crate::module::kernel::Kernel;
use crate::vector::simd::Simd;

/// Warps of a launch from which on a second thread is worth its start.
const THREADS_FROM_WARPS: u64 = 8;

/// Worker threads at most: each has the registers and the memory of a block.
const MAX_WORKERS: usize = 256;

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
    /// Multiprocessors of the device, which say how many blocks are resident at once and may wait for each other; 0
    /// means [`crate::limits::MULTIPROCESSORS`].
    pub multiprocessors: u32,
}

impl Options {
    /// Multiprocessors of the device.
    fn multiprocessors(&self) -> u32 {
        if self.multiprocessors == 0 { MULTIPROCESSORS } else { self.multiprocessors }
    }
}

/// Runs `work` on every worker of a launch and returns what each returns, and the first fault.
pub(super) fn run<T: Send>(
    kernel: &Kernel,
    memory: &Memory,
    launch: &Launch<'_>,
    options: &Options,
    work: impl Fn(&Job<'_>) -> T + Sync,
) -> Result<(Vec<T>, Option<Fault>), LaunchError> {
    let invalid = |reason| LaunchError::Invalid { kernel: kernel.name().to_owned(), reason };
    check_shape(kernel, launch).map_err(invalid)?;
    let workspace = Workspace::of(kernel, memory, launch).map_err(|error| invalid(error.to_string()))?;
    let simd = if options.baseline_vectors { Simd::Baseline } else { Simd::detect() };
    let bound = Bound::new(kernel.program(), launch, simd, workspace.address());
    let (blocks, room) = (launch.grid.volume(), resident_blocks(kernel, launch, &bound, options.multiprocessors()));
    let overseer = Overseer::new(Roster::new(blocks, room), options.instruction_budget);
    let job = Job { kernel, bound: &bound, memory, overseer: &overseer, simd };
    let few = blocks.saturating_mul(bound.warps as u64) <= THREADS_FROM_WARPS;
    let workers = if few { 1 } else { options.threads.min(MAX_WORKERS) };
    let parts = run_workers(workers, room, || work(&job));
    Ok((parts, overseer.into_fault().and_then(|(block, stop)| fault(kernel, launch, block, stop))))
}

/// What a kernel did wrong in a block; `None` where the block was stopped for another reason.
pub(super) fn fault(kernel: &Kernel, launch: &Launch<'_>, block: Dim3, stop: Stop) -> Option<Fault> {
    let Stop::Fault { kind, position, warp, lane, detail } = stop else { return None };
    let place = kernel.place(launch, block, (warp * LANES + lane) as u32, position);
    Some(Fault { kind, kernel: kernel.name().to_owned(), place, detail })
}

/// Runs `work` on each of `workers` threads, of which each has a resident block, and returns what they return.
#[cfg(feature = "threads")]
fn run_workers<T: Send>(workers: usize, room: u64, work: impl Fn() -> T + Sync) -> Vec<T> {
    use rayon::prelude::*;
    let workers = if workers == 0 { rayon::current_num_threads() } else { workers };
    let workers = workers.min(usize::try_from(room).unwrap_or(usize::MAX));
    if workers == 1 {
        return vec![work()];
    }
    (0..workers).into_par_iter().with_max_len(1).map(|_| work()).collect()
}

#[cfg(not(feature = "threads"))]
fn run_workers<T>(_: usize, _: u64, work: impl Fn() -> T) -> Vec<T> {
    vec![work()]
}

/// A launch as its workers see it.
pub(super) struct Job<'a> {
    kernel: &'a Kernel,
    bound: &'a Bound<'a>,
    memory: &'a Memory,
    overseer: &'a Overseer,
    simd: Simd,
}

impl Job<'_> {
    /// Runs blocks until there are none left, and returns what was observed.
    pub(super) fn work<O: Observer>(&self) -> O {
        let view = MemoryView::of(self.memory, self.bound.steps.len());
        let mut machine = BlockMachine::<O>::new(self.bound, self.simd, view, self.memory, self.overseer);
        let (launch, roster) = (self.bound.launch, &self.overseer.roster);
        let stop = |number, stop| self.overseer.stop(number, launch.grid.at(number), stop);
        loop {
            let number = match roster.next() {
                Task::Start(number) => {
                    machine.start(number);
                    number
                }
                Task::GoOn(resting) => machine.take_up(*resting),
                Task::Stuck(stuck) => {
                    let first = stuck.resident.first().map_or(0, |resting| resting.block);
                    stop(first, stuck::fault(self.kernel, launch, self.bound, &stuck));
                    break;
                }
                Task::Nothing => break,
            };
            match machine.run() {
                Ok(Leave::Ended) => roster.end(),
                Ok(leave) => roster.put_aside(machine.put_aside(number), leave),
                Err(fault) => {
                    stop(number, *fault);
                    break;
                }
            }
        }
        machine.into_observer()
    }
}
