//! What a launch says whose resident blocks all wait for ever.

use super::roster::Stuck;
use crate::ground::dimensions::Launch;
use crate::ground::fault::FaultKind;
use crate::machine::bind::Bound;
use crate::machine::stop::Stop;
use crate::machine::waiting::Waiting;
use crate::module::kernel::Kernel;

/// Blocks that a message tells of, and groups of threads of each.
const BLOCKS_TOLD: usize = 3;
const WAITS_TOLD: usize = 4;

/// The fault of the first of the blocks, with what all of them wait for.
pub(super) fn fault(kernel: &Kernel, launch: &Launch<'_>, bound: &Bound<'_>, stuck: &Stuck) -> Stop {
    let Stuck { resident, waiting } = stuck;
    let mut parts: Vec<String> = Vec::new();
    for resting in resident.iter().take(BLOCKS_TOLD) {
        let waits = resting.waits(bound);
        let told: Vec<String> = waits.iter().take(WAITS_TOLD).map(|waiting| told(kernel, waiting)).collect();
        let more = more(waits.len(), WAITS_TOLD);
        parts.push(format!("block {}: {}{more}", launch.grid.at(resting.block), told.join(", ")));
    }
    let others = more(resident.len(), BLOCKS_TOLD);
    let mut detail = format!("no thread can ever go on: {}{others}", parts.join("; "));
    if let Some((first, count)) = waiting {
        let (first, resident) = (launch.grid.at(*first), resident.len());
        let more = if *count > 1 { format!(" and {} more", count - 1) } else { String::new() };
        detail += &format!("; block {first}{more} cannot start before one of the {resident} resident blocks ends");
    }
    let first = resident.first().and_then(|resting| resting.waits(bound).into_iter().find(|waiting| waiting.runs));
    let (warp, lane, position) =
        first.map_or((0, 0, 0), |waiting| (waiting.warp, waiting.mask.trailing_zeros() as usize, waiting.position));
    Stop::Fault { kind: FaultKind::Deadlock, position, warp, lane, detail }
}

fn more(all: usize, told: usize) -> String {
    if all > told { format!(" and {} more", all - told) } else { String::new() }
}

/// Who waits, how, and where.
fn told(kernel: &Kernel, waiting: &Waiting) -> String {
    let line = kernel.origin(waiting.position).line;
    let source = kernel.location(waiting.position).map_or(String::new(), |(file, line)| format!("{file}:{line}, "));
    waiting.text(&format!("{source}PTX line {line}"))
}
