//! The error message of a deadlock: one line for each distinct state, with the threads that are in it.

use super::block_scheduler::Deadlock;
use crate::ground::dimensions::{Dim3, Launch};
use crate::ground::fault::{Fault, FaultKind};
use crate::ground::lanes::{WARP_SIZE, active};
use crate::machine::bind::Bound;
use crate::machine::stop::{Reason, Stop, Waiting};
use crate::machine::suspended::SuspendedBlock;
use crate::module::kernel::Kernel;
use std::collections::HashMap;

/// The largest number of distinct blocks in a message.
const MAX_BLOCKS: usize = 2;

/// The largest number of lines for one block.
const MAX_LINES: usize = 3;

/// The largest number of sets of warps in one line.
const MAX_SETS: usize = 4;

/// The largest number of ranges of lanes; more are shown as a mask.
const MAX_RANGES: usize = 4;

/// Returns the fault of a block in which no thread can run.
pub(super) fn in_block(
    kernel: &Kernel,
    launch: &Launch<'_>,
    block: Dim3,
    waits: &[Waiting],
    mbarrier: Option<String>,
) -> Fault {
    let mut detail = "no thread of the block can continue".to_owned();
    for line in lines(kernel, waits).into_iter().chain(mbarrier) {
        detail += &format!("\n    {line}");
    }
    let (warp, lane, position) = waits.first().map_or((0, 0, 0), first_thread);
    let place = kernel.place(launch, block, (warp * WARP_SIZE + lane) as u32, position);
    Fault { kind: FaultKind::Deadlock, kernel: kernel.name().to_owned(), place, detail }
}

/// Returns the fault of a launch whose resident blocks all wait. Its place is a thread of the first of them.
pub(super) fn in_launch(kernel: &Kernel, launch: &Launch<'_>, bound: &Bound<'_>, deadlock: &Deadlock) -> Stop {
    let resident: Vec<&SuspendedBlock> = deadlock.resident.iter().flat_map(SuspendedBlock::each).collect();
    // Many threads are at few positions.
    let mut known = HashMap::new();
    let mut polled = |position| *known.entry(position).or_insert_with(|| bound.polled_step(position));
    let mut polls = false;
    let mut alike: Vec<(Vec<String>, &SuspendedBlock, usize)> = Vec::new();
    for &suspended in &resident {
        let waits = suspended.waits(bound, &mut polled);
        polls |= waits.iter().any(|waiting| waiting.reason == Reason::Memory);
        let phase = waits.iter().find(|waiting| waiting.reason == Reason::Phase);
        let mbarrier = phase.and_then(|waiting| suspended.tested(bound, waiting));
        let lines: Vec<String> = lines(kernel, &waits).into_iter().chain(mbarrier).collect();
        match alike.iter_mut().find(|(others, ..)| *others == lines) {
            Some((.., count)) => *count += 1,
            None => alike.push((lines, suspended, 1)),
        }
    }
    let mut detail = "no thread can continue".to_owned();
    for (lines, first, count) in alike.iter().take(MAX_BLOCKS) {
        detail += &format!("\n    block {}{}:", launch.grid.at(first.block), and_more(count - 1));
        lines.iter().for_each(|line| detail += &format!("\n      {line}"));
    }
    if let Some(others @ 1..) = alike.get(MAX_BLOCKS..).map(|rest| rest.iter().map(|(.., count)| count).sum::<usize>())
    {
        detail += &format!("\n    {others} more in other states");
    }
    if let Some((first, count)) = deadlock.not_started {
        let clusters = bound.clusters;
        let first = launch.grid.at(clusters.block(first, 0));
        let more = and_more((count * clusters.blocks()) as usize - 1);
        let resident = resident.len();
        detail += &format!("\n    block {first}{more} cannot start until one of the {resident} resident blocks ends");
    }
    // What a thread polls may be what a block that has ended should have written, such as its arrival at a barrier of the grid.
    let started = deadlock.not_started.map_or(launch.grid.volume(), |(first, _)| first);
    let ended = started.saturating_sub(resident.len() as u64);
    if polls && ended > 0 && bound.clusters.blocks() == 1 {
        let numbers = resident.iter().map(|suspended| suspended.block);
        let first =
            numbers.zip(0..).find(|(number, index)| number != index).map_or(started - ended, |(_, index)| index);
        let have = if ended == 1 { "has" } else { "have" };
        detail += &format!("\n    block {}{} {have} ended", launch.grid.at(first), and_more(ended as usize - 1));
    }
    let waits = resident.first().map_or(Vec::new(), |suspended| suspended.waits(bound, &mut polled));
    let (warp, lane, position) = waits.iter().find(|waiting| waiting.runs).map_or((0, 0, 0), first_thread);
    Stop::Fault { kind: FaultKind::Deadlock, position, warp, lane, detail }
}

/// Returns warp, lane and position of the first of the waiting threads.
fn first_thread(waiting: &Waiting) -> (usize, usize, u32) {
    (waiting.warp, waiting.mask.trailing_zeros() as usize, waiting.position)
}

fn and_more(count: usize) -> String {
    if count == 0 { String::new() } else { format!(" and {count} more") }
}

/// Returns a line for each distinct state of the waiting threads of a block.
fn lines(kernel: &Kernel, waits: &[Waiting]) -> Vec<String> {
    let mut states: Vec<Vec<&Waiting>> = Vec::new();
    for waiting in waits {
        let same =
            |state: &&mut Vec<&Waiting>| (state[0].position, state[0].reason) == (waiting.position, waiting.reason);
        match states.iter_mut().find(same) {
            Some(state) => state.push(waiting),
            None => states.push(vec![waiting]),
        }
    }
    let line = |state: &Vec<&Waiting>| {
        format!("{}: {} ({})", threads(state), reason(state[0].reason), location(kernel, state[0].position))
    };
    let mut lines: Vec<String> = states.iter().take(MAX_LINES).map(line).collect();
    if let Some(more @ 1..) = states.len().checked_sub(MAX_LINES) {
        lines.push(format!("and threads in {more} more states"));
    }
    lines
}

/// Returns the threads in one state: `lane 0 of warp 0, warps 1-3`.
fn threads(state: &[&Waiting]) -> String {
    let mut sets: Vec<(&Waiting, Vec<usize>)> = Vec::new();
    for waiting in state {
        let same = |(first, _): &&mut (&Waiting, Vec<usize>)| {
            (first.whole_warp && waiting.whole_warp) || first.mask == waiting.mask
        };
        match sets.iter_mut().find(same) {
            Some((_, warps)) => warps.push(waiting.warp),
            None => sets.push((waiting, vec![waiting.warp])),
        }
    }
    let set = |(first, warps): &(&Waiting, Vec<usize>)| {
        let warps = format!("{} {}", if warps.len() == 1 { "warp" } else { "warps" }, ranges(warps).join(", "));
        if first.whole_warp { warps } else { format!("{} of {warps}", lanes(first.mask)) }
    };
    let mut text = sets.iter().take(MAX_SETS).map(set).collect::<Vec<_>>().join(", ");
    if let Some(more @ 1..) = sets.get(MAX_SETS..).map(|rest| rest.iter().map(|(_, warps)| warps.len()).sum::<usize>())
    {
        text += &format!(", and lanes of {more} more warps");
    }
    text
}

/// Returns lanes as text: `lanes 0-15`.
fn lanes(mask: u32) -> String {
    let ranges = ranges(&active(mask).collect::<Vec<_>>());
    let noun = if mask.is_power_of_two() { "lane" } else { "lanes" };
    if ranges.len() > MAX_RANGES { format!("{noun} {mask:#010x}") } else { format!("{noun} {}", ranges.join(", ")) }
}

/// Returns ascending numbers as ranges: `0-3`, `7`.
fn ranges(numbers: &[usize]) -> Vec<String> {
    let runs = numbers.chunk_by(|a, b| a + 1 == *b);
    runs.map(|run| match run {
        [first, .., last] => format!("{first}-{last}"),
        _ => run[0].to_string(),
    })
    .collect()
}

fn reason(reason: Reason) -> String {
    match reason {
        Reason::Barrier { number } => format!("at barrier {number}"),
        Reason::Lanes { missing } => format!("waiting for {}", lanes(missing)),
        Reason::Phase => "waiting for an mbarrier phase".to_owned(),
        Reason::Warpgroup => "waiting for the other warps of the warpgroup".to_owned(),
        Reason::Cluster => "at the barrier of the cluster".to_owned(),
        Reason::Registers { wanted, left } => {
            format!("waiting for {wanted} more registers per thread, of which the block has {left} left")
        }
        Reason::Memory => "polling memory".to_owned(),
        Reason::Loop => "in an infinite loop".to_owned(),
    }
}

/// Returns the source line, if known, and the PTX line of a step.
fn location(kernel: &Kernel, position: u32) -> String {
    let source = kernel.location(position).map_or(String::new(), |(file, line)| format!("{file}:{line}, "));
    format!("{source}PTX line {}", kernel.origin(position).line)
}
