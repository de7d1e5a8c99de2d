//! One block of a launch, observed instruction by instruction.

use super::overseer::Overseer;
use super::resident::resident_blocks;
use super::roster::{Roster, Task};
use super::shape::check_shape;
use super::stuck;
use super::workers::fault;
use super::workspace::Workspace;
use crate::ground::dimensions::Launch;
use crate::ground::limits::MULTIPROCESSORS;
use crate::ground::refusal::LaunchError;
use crate::machine::bind::Bound;
use crate::machine::block::BlockMachine;
use crate::machine::stop::{Leave, Stop};
use crate::memory::device::Memory;
use crate::memory::view::MemoryView;
use crate::module::kernel::Kernel;
use crate::observers::trace::{Trace, Tracing};
use crate::vector::simd::Simd;

/// Runs block number `block` of a launch, for `most_steps` instructions at most, and returns what it did. Other blocks run
/// as far as it waits for them, and not at all if it does not. Memory holds afterwards what they wrote.
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
    let workspace = Workspace::of(kernel, memory, launch).map_err(|error| invalid(error.to_string()))?;
    let bound = Bound::new(kernel.program(), launch, simd, workspace.address());
    let view = MemoryView::of(memory, bound.steps.len());
    let room = resident_blocks(kernel, launch, &bound, MULTIPROCESSORS);
    let overseer = Overseer::new(Roster::new(blocks, room), None);
    let mut machine = BlockMachine::<Tracing>::new(&bound, simd, view, memory, &overseer);
    machine.observer_mut().watch(block, most_steps);
    let stopped = run_with_company(kernel, &bound, &mut machine, &overseer.roster, block);
    let tracing = machine.into_observer();
    let cut = tracing.full;
    let steps = tracing.steps.into_iter().map(|step| step.finish(kernel)).collect();
    let fault = stopped.and_then(|(number, stop)| fault(kernel, launch, launch.grid.at(number), stop)).map(Box::new);
    Ok(Trace { steps, cut, fault })
}

/// Runs a block to its end, and others as far as it waits for them. Returns which block did something wrong, and what.
fn run_with_company(
    kernel: &Kernel,
    bound: &Bound<'_>,
    machine: &mut BlockMachine<'_, Tracing>,
    roster: &Roster,
    first: u64,
) -> Option<(u64, Stop)> {
    // It begins in the place of the first block, and that in its place.
    let swapped = |number| if number == first { 0 } else { number };
    let number_of = |turn| if turn == 0 { first } else { swapped(turn) };
    loop {
        let number = match roster.next() {
            Task::Start(turn) => {
                machine.start(number_of(turn));
                number_of(turn)
            }
            Task::GoOn(resting) => machine.take_up(*resting),
            Task::Stuck(stuck) => return Some((first, stuck::fault(kernel, bound.launch, bound, &stuck))),
            Task::Nothing => return None,
        };
        match machine.run() {
            Ok(Leave::Ended) if number == first => return None,
            Ok(Leave::Ended) => roster.end(),
            Ok(leave) => roster.put_aside(machine.put_aside(number), leave),
            Err(stop) => return Some((number, *stop)),
        }
    }
}
