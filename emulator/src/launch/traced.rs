//! One block of a launch, observed instruction by instruction.

use super::shape::check_shape;
use super::workers::fault;
use crate::ground::dimensions::Launch;
use crate::ground::refusal::LaunchError;
use crate::machine::bind::Bound;
use crate::machine::block::BlockMachine;
use crate::machine::stop::{Leave, Stop, Watch};
use crate::memory::device::Memory;
use crate::memory::view::MemoryView;
use crate::module::kernel::Kernel;
use crate::observers::trace::{Trace, Tracing};
use crate::vector::simd::Simd;

/// Runs block number `block` of a launch alone, for `most_steps` instructions at most, and returns what it did. Memory
/// holds afterwards what it wrote.
///
/// Instructions that the machine folds into the operands of others do not appear.
///
/// # Errors
/// [`LaunchError::Invalid`] for a shape that the device does not take, or a block that the grid does not have. A fault
/// is part of the trace.
pub fn trace(
    kernel: &Kernel,
    memory: &Memory,
    launch: &Launch<'_>,
    block: u64,
    most_steps: usize,
) -> Result<Trace, LaunchError> {
    let invalid = |reason| LaunchError::Invalid { kernel: kernel.name().to_owned(), reason };
    check_shape(kernel, launch).map_err(invalid)?;
    let blocks = launch.grid.volume();
    if block >= blocks {
        return Err(invalid(format!("there is no block {block} in a grid of {blocks}")));
    }
    memory.mark_all_written();
    let simd = Simd::detect();
    let bound = Bound::new(kernel.program(), launch, simd);
    let view = MemoryView::new(memory.regions(), bound.steps.len());
    let mut machine = BlockMachine::<Tracing>::new(&bound, simd, view, memory, &Unwatched);
    machine.observer_mut().most_steps = most_steps;
    machine.start(block);
    // Alone: who waits for another block waits until there are enough steps.
    let ended = loop {
        match machine.run() {
            Ok(Leave::Ended) => break Ok(()),
            Ok(_) => machine.let_lanes_part(),
            Err(stop) => break Err(stop),
        }
    };
    let tracing = machine.into_observer();
    let cut = tracing.full;
    let steps = tracing.steps.into_iter().map(|step| step.finish(kernel)).collect();
    let stop = ended.err();
    let fault = stop.and_then(|stop| fault(kernel, launch, launch.grid.at(block), *stop)).map(Box::new);
    Ok(Trace { steps, cut, fault })
}

/// Nobody looks after the block: the number of its steps is limited.
struct Unwatched;

impl Watch for Unwatched {
    fn pass(&self, _: u64, _: bool) -> Result<(), Stop> {
        Ok(())
    }

    fn changes(&self) -> u64 {
        0
    }
}
