//! What goes on at once: a call, or all calls of a group.

use super::request::Request;
use super::transfer::{Place, Transfer};
use super::watch::{LOOK, Watches};
use super::work::Work;
use crate::call::Operation;
use crate::driver::{Driver, driver};
use crate::network::{Ending, bell};
use crate::result::{Error, NcclResult, Outcome};
use crate::settings;
use std::collections::VecDeque;
use std::sync::Arc;

/// Calls that go on, and collectives that wait for an earlier one of their communicator.
struct Batch {
    active: Vec<Work>,
    queued: VecDeque<Request>,
    driver: &'static Driver,
}

/// Does what is asked for. A failure of one call ends all communicators among them.
pub(crate) fn transfer(requests: Vec<Request>) -> Outcome {
    let communicators: Vec<_> = requests.iter().map(|request| Arc::clone(&request.communicator)).collect();
    communicators.iter().for_each(|communicator| communicator.health.enter());
    let driver = driver()?;
    let queued = to_itself(requests, driver);
    let done = queued.and_then(|queued| Batch { active: Vec::new(), queued, driver }.run());
    communicators.iter().for_each(|communicator| communicator.health.leave());
    done.map_err(|error| communicators.iter().fold(error, |error, communicator| communicator.fail(error)))
}

/// Does what ranks send to themselves; returns the other requests.
fn to_itself(requests: Vec<Request>, driver: &Driver) -> Outcome<VecDeque<Request>> {
    let own = |request: &Request| match request.operation {
        Operation::Send { to: peer } | Operation::Receive { from: peer } => peer == request.communicator.rank,
        _ => false,
    };
    let (mut own, others): (VecDeque<_>, VecDeque<_>) = requests.into_iter().partition(own);
    while let Some(one) = own.pop_front() {
        let sends = |request: &Request| matches!(request.operation, Operation::Send { .. });
        let fits = |other: &Request| Arc::ptr_eq(&one.communicator, &other.communicator) && sends(&one) != sends(other);
        let alone = || one.refuse("it is for the rank itself, whose other side must be called in the same group");
        let other = own.iter().position(fits).and_then(|index| own.remove(index)).ok_or_else(alone)?;
        if (one.count, one.datatype) != (other.count, other.datatype) {
            let (count, datatype) = (other.count, other.datatype);
            return Err(one.refuse(format!("the other side of the rank itself has count {count}, {datatype}")));
        }
        let (from, to) = if sends(&one) { (&one, &other) } else { (&other, &one) };
        let mut copy = Transfer::Copy { from: from.send, to: to.receive, left: one.bytes() };
        while !copy.is_done() {
            copy.advance(&Place { communicator: &one.communicator, driver })?;
        }
    }
    Ok(others)
}

impl Batch {
    /// Goes on to the end.
    fn run(mut self) -> Outcome {
        let limit = settings::timeout()?;
        let mut watches = Watches::new();
        loop {
            let seen = bell().rings();
            self.start();
            if self.advance()? {
                watches.moved();
                continue;
            }
            if self.active.is_empty() {
                return Ok(());
            }
            if let Some(error) = self.missed() {
                // What came before the end of the connection still counts.
                if self.advance()? {
                    continue;
                }
                return Err(error);
            }
            watches.look(&self.active, limit)?;
            bell().wait(seen, LOOK);
        }
    }

    /// Starts what may go on: of each communicator's collectives the first.
    fn start(&mut self) {
        let queued = std::mem::take(&mut self.queued);
        for request in queued {
            let collective = !matches!(request.operation, Operation::Send { .. } | Operation::Receive { .. });
            let before =
                |work: &Work| work.is_collective() && Arc::ptr_eq(&work.request.communicator, &request.communicator);
            let waits = |other: &Request| Arc::ptr_eq(&other.communicator, &request.communicator);
            if collective && (self.active.iter().any(before) || self.queued.iter().any(waits)) {
                self.queued.push_back(request);
            } else {
                self.active.push(Work::start(request));
            }
        }
    }

    fn advance(&mut self) -> Outcome<bool> {
        let mut progress = false;
        self.active.iter().for_each(|work| work.request.communicator.health.note());
        for work in &mut self.active {
            work.request.communicator.check()?;
            progress |= work.advance(self.driver)?;
        }
        self.active.retain(|work| !work.is_done());
        Ok(progress)
    }

    /// Says which rank is gone, of those that are waited for.
    fn missed(&self) -> Option<Error> {
        self.active.iter().find_map(|work| {
            let links = &work.request.communicator.links;
            work.waits().into_iter().find_map(|peer| {
                let ending = links[peer].as_ref()?.inbox().ending.clone()?;
                Some(gone(work, peer, &ending))
            })
        })
    }
}

fn gone(work: &Work, peer: usize, ending: &Ending) -> Error {
    let (rank, call) = (work.request.communicator.rank, &work.call);
    NcclResult::REMOTE_ERROR.because(match ending {
        Ending::Left { calls } => {
            format!("rank {peer} has left the communicator after {calls} calls, and rank {rank} waits for it in {call}")
        }
        Ending::Lost(error) => format!("rank {peer} has died ({error}): rank {rank} misses it in {call}"),
    })
}
