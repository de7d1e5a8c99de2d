//! What is said about two pieces of work that nothing orders.

use super::shadow::{Conflict, Touch};
use emulator::{Diagnosis, Memory, Side, Tool};

/// Bytes in words: where they lie in their allocation.
fn bytes(conflict: &Conflict, memory: &Memory) -> String {
    let first = &conflict.first;
    let rest = conflict.bytes - (first.end - first.start);
    let more = if rest > 0 { format!(" and {rest} more") } else { String::new() };
    match memory.allocation_of(first.start) {
        Some((base, length)) => {
            let (from, to) = (first.start - base, first.end - base - 1);
            format!("bytes {from} to {to}{more} of the {length} bytes allocated at {base:#x}")
        }
        None => format!("{} bytes{more} at {:#x}", first.end - first.start, first.start),
    }
}

fn side(touch: &Touch) -> Option<Side> {
    let verb = if touch.writes { "write" } else { "read" };
    touch.place.clone().map(|place| Side { verb: verb.to_owned(), place })
}

/// The finding. Its sides are those of kernels whose lines are known.
pub(super) fn diagnosis(conflict: &Conflict, memory: &Memory) -> Diagnosis {
    let Conflict { earlier, later, .. } = conflict;
    let does = if later.writes { "writes" } else { "reads" };
    let still = if earlier.writes { "writing" } else { "reading" };
    let title = format!(
        "race between streams: {} {does} what {} may still be {still}, and nothing orders the two: {}",
        later.told.name,
        earlier.told.name,
        bytes(conflict, memory)
    );
    Diagnosis { tool: Some(Tool::Racecheck), title, sides: side(earlier).into_iter().chain(side(later)).collect() }
}

/// By what findings are told apart: the same two kinds of work again are not told again.
pub(super) fn key(conflict: &Conflict) -> String {
    let Conflict { earlier, later, .. } = conflict;
    format!("{}\n{}", earlier.told.kind, later.told.kind)
}
