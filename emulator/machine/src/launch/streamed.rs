//! Streams of single blocks of a launch.

use super::block_scheduler::BlockScheduler;
use super::dependence::{Dependence, dependence};
use super::monitor::{Budgets, Monitor};
use super::shape::check_shape;
use super::workers::fault;
use crate::ground::dimensions::Launch;
use crate::ground::fault::Fault;
use crate::machine::bind::Bound;
use crate::machine::block::BlockMachine;
use crate::machine::events::Observer;
use crate::machine::stop::{Leave, Stop};
use crate::memory::device::Memory;
use crate::memory::view::MemoryView;
use crate::module::kernel::Kernel;
use crate::observers::stream::{BlockStream, Streaming};
use crate::vector::simd::Simd;

/// The reason why a block has no stream.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StreamError {
    /// The launch is invalid, with the violated rule.
    #[error("{0}")]
    Invalid(String),
    /// The kernel did something wrong.
    #[error(transparent)]
    Fault(Box<Fault>),
    /// The block waits for another one, which does not run, or stops because others did not run before.
    #[error("block {0} waits for another block")]
    Waits(u64),
}

/// Runs single blocks of a launch, one after the other, and returns the streams of each, with at most `max_events` events.
/// Memory contains the writes of these blocks afterwards. No other blocks run.
///
/// # Errors
/// [`StreamError`].
pub fn stream(
    kernel: &Kernel,
    memory: &Memory,
    launch: &Launch<'_>,
    blocks: &[u64],
    max_events: usize,
) -> Result<Vec<BlockStream>, StreamError> {
    check_shape(kernel, launch).map_err(StreamError::Invalid)?;
    let grid = launch.grid.volume();
    if let Some(block) = blocks.iter().find(|block| **block >= grid) {
        return Err(StreamError::Invalid(format!("there is no block {block} in a grid of {grid}")));
    }
    memory.mark_all_written();
    let simd = Simd::detect();
    let clusters = kernel.clusters(launch).map_err(StreamError::Invalid)?;
    if clusters.blocks() > 1 {
        return Err(StreamError::Waits(blocks.first().copied().unwrap_or(0)));
    }
    // A cooperative launch has no workspace: a block that waits for the grid has no stream.
    let bound = Bound::new(kernel.program(), launch, clusters, simd, 0);
    let instructions: Vec<u32> = kernel.program().steps.iter().map(|step| step.origin).collect();
    let run = |&block: &u64| {
        let monitor = Monitor::new(BlockScheduler::new(grid, 1), Budgets::default());
        let view = MemoryView::new(memory, bound.steps.len());
        let mut machine = BlockMachine::<Streaming>::new(&bound, simd, view, memory, &monitor);
        machine.observer_mut().record(instructions.clone(), max_events);
        machine.start_cluster(block);
        let stopped = run_alone(&mut machine);
        let fault = |stop: Box<Stop>| fault(kernel, launch, launch.grid.at(block), *stop);
        // Without the others, a block that sees what they do may do anything.
        stopped.map_err(|stop| match stop.and_then(fault) {
            Some(fault) if dependence(kernel) != Dependence::Reads => StreamError::Fault(Box::new(fault)),
            _ => StreamError::Waits(block),
        })?;
        Ok(machine.into_observer().stream)
    };
    blocks.iter().map(run).collect()
}

/// Runs a block, or the blocks of a cluster, to the end. Fails without a reason if it waits for a change of memory.
pub(super) fn run_alone<O: Observer>(machine: &mut BlockMachine<'_, O>) -> Result<(), Option<Box<Stop>>> {
    loop {
        match machine.run().map_err(Some)? {
            Leave::Ended => return Ok(()),
            Leave::Spins { .. } | Leave::Waits => return Err(None),
            Leave::Yields => {
                let suspended = machine.suspend();
                machine.resume(suspended);
            }
        }
    }
}
