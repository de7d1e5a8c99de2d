//! The worker threads of a launch, over which its blocks are distributed.

use super::block_scheduler::{BlockScheduler, Task};
use super::deadlock;
use super::monitor::{Budgets, Monitor};
use super::places::kinds_of_place;
use super::shape::check_shape;
use crate::ground::capability::MULTIPROCESSORS;
use crate::ground::dimensions::{Dim3, Launch};
use crate::ground::fault::Fault;
use crate::ground::lanes::WARP_SIZE;
use crate::ground::refusal::{LaunchError, MemoryError};
use crate::lower::special::Special;
use crate::lower::step::{Action, Uniform};
use crate::machine::bind::Bound;
use crate::machine::block::BlockMachine;
use crate::machine::events::{Observer, Unobserved};
use crate::machine::stop::{Leave, Stop};
use crate::memory::device::Memory;
use crate::memory::view::MemoryView;
use crate::module::kernel::Kernel;
use crate::occupancy::Resources;
use crate::vector::simd::Simd;

/// The number of warps up to which a launch runs on one thread, because it is too short for a second one.
const SINGLE_THREADED_WARPS: u64 = 8;

/// The largest number of worker threads, each of which has the registers and the memory of a block.
const MAX_WORKERS: usize = 256;

/// The largest number of clusters that are checked behind the limit of a launch with checks.
const MAX_SAMPLED: u64 = 32;

/// The options of a launch.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Whether to count.
    pub counters: bool,
    /// The number of worker threads, at most 256; 0 means one per core.
    pub threads: usize,
    /// The approximate number of warp instructions after which the launch stops with a fault.
    pub instruction_budget: Option<u64>,
    /// The approximate number of warp instructions of one block after which the launch stops with a fault. It finds an endless
    /// loop without limiting the number of blocks, each of which is progress when it ends.
    pub block_budget: Option<u64>,
    /// Whether to ignore AVX2 and FMA, to test what machines without them execute. The results are the same bits.
    pub baseline_vectors: bool,
    /// The approximate number of warp instructions under checks, after which only a sample of the other blocks is checked, and
    /// the others run without checks and counters. `None` is no limit, and so is any limit of a kernel whose blocks depend on
    /// each other.
    pub check_limit: Option<u64>,
    /// The number of multiprocessors of the device, which determines how many blocks are resident and may wait for each
    /// other; 0 means [`crate::capability::MULTIPROCESSORS`].
    pub multiprocessors: u32,
}

impl Options {
    /// Returns the number of multiprocessors of the device.
    fn multiprocessors(&self) -> u32 {
        if self.multiprocessors == 0 { MULTIPROCESSORS } else { self.multiprocessors }
    }
}

/// Runs `work` on each worker of a launch and returns the results and the first fault.
pub(super) fn run<T: Send>(
    kernel: &Kernel,
    memory: &Memory,
    launch: &Launch<'_>,
    options: &Options,
    work: impl Fn(&Job<'_>) -> T + Sync,
) -> Result<(Vec<T>, Option<Fault>), LaunchError> {
    let invalid = |reason| LaunchError::Invalid { kernel: kernel.name().to_owned(), reason };
    check_shape(kernel, launch).map_err(invalid)?;
    let workspace = Workspace::new(kernel, memory, launch).map_err(|error| invalid(error.to_string()))?;
    let simd = if options.baseline_vectors { Simd::Baseline } else { Simd::detect() };
    let clusters = kernel.clusters(launch).map_err(invalid)?;
    let bound = Bound::new(kernel.program(), launch, clusters, simd, workspace.address());
    let blocks = launch.grid.volume();
    let of_cluster = clusters.blocks();
    let room = (resident_blocks(kernel, launch, &bound, options.multiprocessors()) / of_cluster).max(1);
    let budgets = Budgets { launch: options.instruction_budget, block: options.block_budget };
    let monitor = Monitor::new(BlockScheduler::new(blocks / of_cluster, room), budgets);
    let job = Job { kernel, bound: &bound, memory, monitor: &monitor, simd, counters: options.counters, room };
    let few = blocks.saturating_mul(bound.warps as u64) <= SINGLE_THREADED_WARPS;
    let workers = if few || has_order(kernel) { 1 } else { options.threads.min(MAX_WORKERS) };
    let parts = run_workers(workers, room, || work(&job));
    Ok((parts, monitor.into_fault().and_then(|(block, stop)| fault(kernel, launch, block, stop))))
}

/// Returns whether one worker must run all blocks, so that a kernel prints and allocates in the same order in each run.
pub(super) fn has_order(kernel: &Kernel) -> bool {
    let mut actions = kernel.program().steps.iter().map(|step| step.action);
    actions.any(|action| matches!(action, Action::Print | Action::Allocate | Action::Free))
}

/// Returns the fault of a stopped block, or `None` if it was canceled.
pub(super) fn fault(kernel: &Kernel, launch: &Launch<'_>, block: Dim3, stop: Stop) -> Option<Fault> {
    match stop {
        Stop::Fault { kind, position, warp, lane, detail } => {
            let place = kernel.place(launch, block, (warp * WARP_SIZE + lane) as u32, position);
            Some(Fault { kind, kernel: kernel.name().to_owned(), place, detail })
        }
        Stop::Deadlock { waits, mbarrier } => Some(deadlock::in_block(kernel, launch, block, &waits, mbarrier)),
        Stop::Canceled => None,
    }
}

/// Runs `work` on `workers` threads and returns the results. There are not more threads than resident blocks.
#[cfg(feature = "threads")]
pub(super) fn run_workers<T: Send>(workers: usize, room: u64, work: impl Fn() -> T + Sync) -> Vec<T> {
    use rayon::prelude::*;
    let workers = if workers == 0 { rayon::current_num_threads() } else { workers };
    let workers = workers.min(usize::try_from(room).unwrap_or(usize::MAX));
    if workers == 1 {
        return vec![work()];
    }
    (0..workers).into_par_iter().with_max_len(1).map(|_| work()).collect()
}

#[cfg(not(feature = "threads"))]
pub(super) fn run_workers<T>(_: usize, _: u64, work: impl Fn() -> T) -> Vec<T> {
    vec![work()]
}

/// Runs `work` likewise for a few long tasks, on more threads than there are cores, which share these: three equal tasks on two cores
/// end after 1.5 times the time of one, and not after twice.
#[cfg(feature = "threads")]
pub(super) fn run_sharing<T: Send>(workers: usize, tasks: usize, work: impl Fn() -> T + Sync) -> Vec<T> {
    let workers = if workers == 0 { 2 * rayon::current_num_threads() } else { workers };
    std::thread::scope(|scope| {
        let others: Vec<_> = (1..workers.min(tasks)).map(|_| scope.spawn(&work)).collect();
        let own = work();
        let others =
            others.into_iter().map(|other| other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        std::iter::once(own).chain(others).collect()
    })
}

#[cfg(not(feature = "threads"))]
pub(super) fn run_sharing<T>(_: usize, _: usize, work: impl Fn() -> T) -> Vec<T> {
    vec![work()]
}

/// The data of a launch that its workers share.
pub(super) struct Job<'a> {
    kernel: &'a Kernel,
    bound: &'a Bound<'a>,
    memory: &'a Memory,
    monitor: &'a Monitor,
    simd: Simd,
    counters: bool,
    /// The largest number of resident clusters.
    room: u64,
}

impl<'a> Job<'a> {
    /// Runs blocks until there are none left, and returns the observer.
    pub(super) fn work<O: Observer>(&self) -> O {
        let mut machine = self.machine::<O>();
        self.run_blocks(&mut machine, u64::MAX, &[]);
        machine.into_observer()
    }

    /// Runs all blocks likewise, but only a part of them with the observer: the first ones, until they have executed `limit` warp
    /// instructions, and some of the others, one of each kind of place in the grid. Returns the number of clusters with it.
    pub(super) fn work_partly<O: Observer>(&self, limit: u64) -> (O, u64) {
        let mut machine = self.machine::<O>();
        self.run_blocks(&mut machine, limit, &[]);
        let all = self.bound.clusters.extent().volume();
        let left = self.monitor.scheduler.not_started().filter(|left| !left.is_empty());
        let Some(left) = left else { return (machine.into_observer(), all) };
        let of_one = self.monitor.instructions() / left.start.max(1);
        let many = (limit / of_one.max(1)).clamp(2, MAX_SAMPLED) as usize;
        let mut sampled = kinds_of_place(self.bound.clusters.extent());
        sampled.retain(|number| left.contains(number));
        // The last one is always among them.
        let step = sampled.len().div_ceil(many).max(1);
        let sampled: Vec<u64> = sampled.into_iter().rev().step_by(step).collect();
        for &number in &sampled {
            machine.start_cluster(number);
            // These blocks wait for no others.
            while !self.monitor.scheduler.is_stopped() {
                match machine.run() {
                    Ok(Leave::Ended) => break,
                    Ok(_) => {
                        let suspended = machine.suspend();
                        machine.resume(suspended);
                    }
                    Err(fault) => self.stop(&machine, *fault),
                }
            }
        }
        run_workers(0, self.room, || self.run_blocks(&mut self.machine::<Unobserved>(), u64::MAX, &sampled));
        (machine.into_observer(), left.start + sampled.len() as u64)
    }

    fn machine<O: Observer>(&self) -> BlockMachine<'a, O> {
        let view = MemoryView::new(self.memory, self.bound.steps.len());
        let mut machine = BlockMachine::<O>::new(self.bound, self.simd, view, self.memory, self.monitor);
        if self.counters {
            machine.observer_mut().count(self.kernel.program());
        }
        machine
    }

    /// Stops the launch because of a fault.
    fn stop<O: Observer>(&self, machine: &BlockMachine<'_, O>, fault: Stop) {
        let (number, block) = machine.place();
        self.monitor.stop(number, block, fault);
    }

    /// Runs blocks until there are none left, or the launch has executed `limit` warp instructions and no block is suspended.
    /// Those with the numbers `done` have run.
    fn run_blocks<O: Observer>(&self, machine: &mut BlockMachine<'a, O>, limit: u64, done: &[u64]) {
        let launch = self.bound.launch;
        let scheduler = &self.monitor.scheduler;
        while self.monitor.instructions() <= limit || scheduler.not_started().is_none() {
            match scheduler.next() {
                Task::Start(number) if done.contains(&number) => {
                    scheduler.end();
                    continue;
                }
                Task::Start(number) => machine.start_cluster(number),
                Task::Resume(suspended) => machine.resume(*suspended),
                Task::Deadlock(deadlock) => {
                    let first = deadlock.resident.first().map_or(0, |suspended| suspended.block);
                    let stop = deadlock::in_launch(self.kernel, launch, self.bound, &deadlock);
                    self.monitor.stop(first, launch.grid.at(first), stop);
                    break;
                }
                Task::Exit => break,
            }
            match machine.run() {
                Ok(Leave::Ended) => scheduler.end(),
                Ok(leave) => scheduler.suspend(machine.suspend(), leave),
                Err(fault) => {
                    self.stop(machine, *fault);
                    break;
                }
            }
        }
    }
}

/// The largest size of the state of all resident blocks together, in bytes. Threads with so much local memory do not fit
/// hardware, either.
const MAX_RESIDENT_BYTES: u64 = 4 << 30;

/// Returns the number of resident blocks on `multiprocessors`, as limited by threads, shared memory and block slots.
/// Registers are not taken into account, because PTX does not specify their number. So the result may be larger than on
/// hardware, and is never smaller.
pub(super) fn resident_blocks(kernel: &Kernel, launch: &Launch<'_>, bound: &Bound<'_>, multiprocessors: u32) -> u64 {
    let resources = Resources {
        registers: 0,
        static_shared_bytes: kernel.static_shared_bytes(),
        max_threads: kernel.max_threads_per_block(),
        max_dynamic_shared_bytes: u32::MAX,
    };
    let threads = launch.block.volume() as u32;
    let on_each = resources.blocks_per_multiprocessor(threads, launch.dynamic_shared_bytes as usize).max(1);
    let fit = MAX_RESIDENT_BYTES / bound.bytes_of_block().max(1);
    (u64::from(on_each) * u64::from(multiprocessors)).min(fit).max(1)
}

/// The size in bytes of the two words with which the blocks of a cooperative launch synchronize, as `grid.sync()` of CUDA's
/// cooperative groups expects them (`cooperative_groups/details/driver_abi.h`): their size, and the barrier.
const WORKSPACE_BYTES: u32 = 8;

/// The workspace of one launch, which is freed at its end.
pub(super) struct Workspace<'a> {
    memory: &'a Memory,
    address: Option<u64>,
}

impl<'a> Workspace<'a> {
    /// Allocates the workspace of a launch if it is cooperative and the kernel uses it.
    pub(super) fn new(kernel: &Kernel, memory: &'a Memory, launch: &Launch<'_>) -> Result<Self, MemoryError> {
        let is_workspace = |uniform: &Uniform| matches!(uniform, Uniform::Special(Special::WorkspaceLow));
        if !launch.cooperative || !kernel.program().uniforms.narrow.iter().any(is_workspace) {
            return Ok(Self { memory, address: None });
        }
        let address = memory.allocate(WORKSPACE_BYTES.into())?;
        memory.write(address, &WORKSPACE_BYTES.to_le_bytes())?;
        memory.write(address + 4, &[0; 4])?;
        Ok(Self { memory, address: Some(address) })
    }

    /// Returns the address of the workspace, 0 if there is none.
    pub(super) fn address(&self) -> u64 {
        self.address.unwrap_or(0)
    }
}

impl Drop for Workspace<'_> {
    fn drop(&mut self) {
        // The address is not used elsewhere, so `free` cannot fail.
        let _freed = self.address.map(|address| self.memory.free(address));
    }
}
