//! The findings about two pieces of work that are not ordered.

use super::shadow::{Access, Conflict};
use emulator::{Diagnosis, Memory, Side, Tool};

/// Describes the bytes of a conflict by their place in the allocation.
fn bytes(conflict: &Conflict, memory: &Memory) -> String {
    let first = &conflict.first;
    let rest = conflict.bytes - (first.end - first.start);
    let more = if rest > 0 { format!(" and {rest} more") } else { String::new() };
    match memory.allocation_of(first.start) {
        Some((base, length)) => {
            let from = first.start - base;
            let to = first.end - base - 1;
            format!("bytes {from} to {to}{more} of the {length} bytes allocated at {base:#x}")
        }
        None => format!("{} bytes{more} of page-locked host memory at {:#x}", first.end - first.start, first.start),
    }
}

fn side(access: &Access) -> Option<Side> {
    let verb = if access.writes { "write" } else { "read" };
    access.place.clone().map(|place| Side { verb: verb.to_owned(), place })
}

/// Returns the finding about a conflict. It has a side for each kernel whose source line is known.
pub(super) fn diagnosis(conflict: &Conflict, memory: &Memory) -> Diagnosis {
    let Conflict { earlier, later, .. } = conflict;
    let does = if later.writes { "writes" } else { "reads" };
    let still = if earlier.writes { "writing" } else { "reading" };
    // On one stream, only a kernel that begins early is not ordered after what comes before.
    let (between, why) = if earlier.epoch.queue == later.epoch.queue {
        let wait = "the later launch is programmatic and its kernel does not wait with griddepcontrol.wait \
             (cudaGridDependencySynchronize)";
        ("launches of a stream", wait)
    } else {
        ("streams", "nothing orders the two")
    };
    let title = format!(
        "race between {between}: {} {does} what {} may still be {still}, and {why}: {}",
        later.name.full,
        earlier.name.full,
        bytes(conflict, memory)
    );
    Diagnosis { tool: Some(Tool::Racecheck), title, sides: side(earlier).into_iter().chain(side(later)).collect() }
}

/// Returns the key by which repeated findings are recognized: the same two kinds of work are reported once for an allocation.
pub(super) fn key(conflict: &Conflict, memory: &Memory) -> String {
    let Conflict { earlier, later, first, .. } = conflict;
    let allocation = memory.allocation_of(first.start).map_or(first.start, |(base, _)| base);
    format!("{}\n{}\n{allocation}", earlier.name.kind, later.name.kind)
}
