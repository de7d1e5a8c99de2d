//! Groups: the calls of a thread between `ncclGroupStart` and the outermost `ncclGroupEnd`, which run concurrently.

use crate::communicator::{Pending, join};
use crate::engine::{self, Request};
use crate::result::{NcclResult, Outcome};
use std::cell::RefCell;

#[derive(Default)]
struct Group {
    depth: usize,
    pending: Vec<Pending>,
    requests: Vec<Request>,
}

thread_local! {
    static GROUP: RefCell<Group> = RefCell::default();
}

fn with<T>(change: impl FnOnce(&mut Group) -> T) -> Outcome<T> {
    let ended = |_| NcclResult::INTERNAL_ERROR.because("the thread is ending");
    GROUP.try_with(|group| change(&mut group.borrow_mut())).map_err(ended)
}

/// Opens a group.
pub(crate) fn start() -> Outcome {
    with(|group| group.depth += 1)
}

/// Closes a group. The outermost one runs its calls.
pub(crate) fn end() -> Outcome {
    let closed = with(|group| {
        group.depth = group.depth.checked_sub(1)?;
        Some((group.depth == 0).then(|| std::mem::take(group)))
    })?;
    match closed {
        None => Err(NcclResult::INVALID_USAGE.because("ncclGroupEnd without ncclGroupStart")),
        Some(None) => Ok(()),
        Some(Some(group)) => {
            if !group.pending.is_empty() {
                join(group.pending)?;
            }
            engine::run(group.requests)
        }
    }
}

/// Creates a rank, now or at the end of the group.
pub(crate) fn init(pending: Pending) -> Outcome {
    match defer(pending, |group| &mut group.pending)? {
        Some(pending) => join(vec![pending]),
        None => Ok(()),
    }
}

/// Runs a call, now or at the end of the group.
pub(crate) fn submit(request: Request) -> Outcome {
    request.communicator.check()?;
    match defer(request, |group| &mut group.requests)? {
        Some(request) => engine::run(vec![request]),
        None => Ok(()),
    }
}

/// Adds an item to the open group. Returns it if no group is open.
fn defer<T>(item: T, list: impl FnOnce(&mut Group) -> &mut Vec<T>) -> Outcome<Option<T>> {
    with(|group| {
        if group.depth == 0 {
            return Some(item);
        }
        list(group).push(item);
        None
    })
}
