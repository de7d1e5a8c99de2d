//! Traces of one block of a launch, instruction by instruction.

use super::block_scheduler::{BlockScheduler, Task};
use super::deadlock;
use super::monitor::{Budgets, Monitor};
use super::shape::check_shape;
use super::workers::{Workspace, fault, resident_blocks};
use crate::ground::capability::MULTIPROCESSORS;
use crate::ground::dimensions::Launch;
use crate::ground::refusal::LaunchError;
use crate::machine::bind::Bound;
use crate::machine::block::BlockMachine;
use crate::machine::stop::{Leave, Stop};
use crate::memory::device::Memory;
use crate::memory::view::MemoryView;
use crate::module::kernel::Kernel;
use crate::observers::trace::{Trace, Tracing};
use crate::vector::simd::Simd;

/// Runs block `block` of a launch for at most `max_steps` instructions and returns a trace of it. Other blocks run only as
/// far as the block waits for them. Memory contains the writes of all of them afterwards.
///
/// The trace omits instructions that the machine folds into the operands of others.
///
/// # Errors
/// Returns [`LaunchError::Invalid`] if shape or parameters are invalid, or if the grid does not contain the block. A fault is
/// part of the trace.
pub fn trace(
    kernel: &Kernel,
    memory: &Memory,
    launch: &Launch<'_>,
    block: u64,
    max_steps: usize,
) -> Result<Trace, LaunchError> {
    let invalid = |reason| LaunchError::Invalid { kernel: kernel.name().to_owned(), reason };
    check_shape(kernel, launch).map_err(invalid)?;
    let blocks = launch.grid.volume();
    if block >= blocks {
        return Err(invalid(format!("there is no block {block} in a grid of {blocks}")));
    }
    memory.mark_all_written();
    let simd = Simd::detect();
    let workspace = Workspace::new(kernel, memory, launch).map_err(|error| invalid(error.to_string()))?;
    let clusters = kernel.clusters(launch).map_err(invalid)?;
    let bound = Bound::new(kernel.program(), launch, clusters, simd, workspace.address());
    let view = MemoryView::new(memory, bound.steps.len());
    let room = (resident_blocks(kernel, launch, &bound, MULTIPROCESSORS) / clusters.blocks()).max(1);
    let monitor = Monitor::new(BlockScheduler::new(blocks / clusters.blocks(), room), Budgets::default());
    let mut machine = BlockMachine::<Tracing>::new(&bound, simd, view, memory, &monitor);
    machine.observer_mut().watch(block, max_steps);
    let stopped = run_with_other_blocks(kernel, &bound, &mut machine, &monitor.scheduler, clusters.locate(block).0);
    let tracing = machine.into_observer();
    let cut = tracing.full;
    let steps = tracing.steps.into_iter().map(|step| step.finish(kernel)).collect();
    let fault = stopped.and_then(|(number, stop)| fault(kernel, launch, launch.grid.at(number), stop)).map(Box::new);
    Ok(Trace { steps, cut, fault })
}

/// Runs cluster `first`, which is a block without clusters, to its end, and others as far as it waits for them. Returns the
/// block that was stopped, if any, and why.
fn run_with_other_blocks(
    kernel: &Kernel,
    bound: &Bound<'_>,
    machine: &mut BlockMachine<'_, Tracing>,
    scheduler: &BlockScheduler,
    first: u64,
) -> Option<(u64, Stop)> {
    // The cluster swaps places with cluster 0, so that it is the first to start.
    let swapped = |number| if number == first { 0 } else { number };
    let number_of = |turn| if turn == 0 { first } else { swapped(turn) };
    loop {
        match scheduler.next() {
            Task::Start(turn) => machine.start_cluster(number_of(turn)),
            Task::Resume(suspended) => machine.resume(*suspended),
            Task::Deadlock(deadlock) => {
                let first = bound.clusters.block(first, 0);
                return Some((first, deadlock::in_launch(kernel, bound.launch, bound, &deadlock)));
            }
            Task::Exit => return None,
        }
        match machine.run() {
            Ok(Leave::Ended) if machine.cluster_number() == first => return None,
            Ok(Leave::Ended) => scheduler.end(),
            Ok(leave) => scheduler.suspend(machine.suspend(), leave),
            Err(stop) => return Some((machine.place().0, *stop)),
        }
    }
}
