//! Spreads the blocks of a launch over the cores, and collects what was observed and the first fault.

use super::overseer::Overseer;
use super::shape::check_shape;
use crate::ground::dimensions::{Dim3, Launch};
use crate::ground::fault::Fault;
use crate::ground::lanes::LANES;
use crate::ground::refusal::LaunchError;
use crate::machine::bind::Bound;
use crate::machine::block::BlockMachine;
use crate::machine::events::Observer;
use crate::machine::stop::Stop;
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
}

/// Runs `work` on every worker of a launch and returns what each returns, and the first fault.
pub(super) fn run<T: Send>(
    kernel: &Kernel,
    memory: &Memory,
    launch: &Launch<'_>,
    options: &Options,
    work: impl Fn(&Job<'_>) -> T + Sync,
) -> Result<(Vec<T>, Option<Fault>), LaunchError> {
    check_shape(kernel, launch).map_err(|reason| LaunchError::Invalid { kernel: kernel.name().to_owned(), reason })?;
    let simd = if options.baseline_vectors { Simd::Baseline } else { Simd::detect() };
    let bound = Bound::new(kernel.program(), launch, simd);
    let overseer = Overseer::new(options.instruction_budget);
    let job = Job { bound: &bound, memory, overseer: &overseer, simd, blocks: launch.grid.volume() };
    let few = job.blocks.saturating_mul(bound.warps as u64) <= THREADS_FROM_WARPS;
    let workers = if few { 1 } else { options.threads.min(MAX_WORKERS) };
    let parts = run_workers(workers, || work(&job));
    Ok((parts, overseer.into_fault().and_then(|(block, stop)| fault(kernel, launch, block, stop))))
}

/// What a kernel did wrong in a block; `None` where the block was stopped for another reason.
pub(super) fn fault(kernel: &Kernel, launch: &Launch<'_>, block: Dim3, stop: Stop) -> Option<Fault> {
    let Stop::Fault { kind, position, warp, lane, detail } = stop else { return None };
    let place = kernel.place(launch, block, (warp * LANES + lane) as u32, position);
    Some(Fault { kind, kernel: kernel.name().to_owned(), place, detail })
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
pub(super) struct Job<'a> {
    bound: &'a Bound<'a>,
    memory: &'a Memory,
    overseer: &'a Overseer,
    simd: Simd,
    blocks: u64,
}

impl Job<'_> {
    /// Runs blocks until there are none left, and returns what was observed.
    pub(super) fn work<O: Observer>(&self) -> O {
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
