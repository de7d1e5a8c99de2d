//! Batches: calls that run concurrently, either a single call or all calls of a group.

use super::deadlock::{Monitors, POLL_INTERVAL};
use super::request::Request;
use super::transfer::{Place, Transfer};
use super::work::Work;
use crate::call::Operation;
use crate::driver::{Driver, driver};
use crate::network::{Ending, notifier};
use crate::result::{Error, NcclResult, Outcome};
use crate::settings;
use std::collections::VecDeque;
use std::sync::Arc;

/// The active calls, and the collectives that wait for an earlier one of their communicator.
struct Batch {
    active: Vec<Work>,
    queued: VecDeque<Request>,
    driver: &'static Driver,
}

/// Runs calls. If one fails, all their communicators fail.
pub(super) fn transfer(requests: Vec<Request>) -> Outcome {
    let communicators: Vec<_> = requests.iter().map(|request| Arc::clone(&request.communicator)).collect();
    communicators.iter().for_each(|communicator| communicator.health.enter());
    let driver = driver()?;
    let queued = to_itself(requests, driver);
    let done = queued.and_then(|queued| Batch { active: Vec::new(), queued, driver }.run());
    communicators.iter().for_each(|communicator| communicator.health.leave());
    done.map_err(|error| communicators.iter().fold(error, |error, communicator| communicator.fail(error)))
}

/// Runs the transfers of ranks to themselves, and returns the other requests.
fn to_itself(requests: Vec<Request>, driver: &Driver) -> Outcome<VecDeque<Request>> {
    let own = |request: &Request| match request.operation {
        Operation::Send { to: peer } | Operation::Receive { from: peer } => peer == request.communicator.rank,
        _ => false,
    };
    let (mut own, others): (VecDeque<_>, VecDeque<_>) = requests.into_iter().partition(own);
    while let Some(one) = own.pop_front() {
        let sends = |request: &Request| matches!(request.operation, Operation::Send { .. });
        let fits = |other: &Request| Arc::ptr_eq(&one.communicator, &other.communicator) && sends(&one) != sends(other);
        let unmatched = || one.refuse("a transfer of a rank to itself needs a send and a receive in the same group");
        let other = own.iter().position(fits).and_then(|index| own.remove(index)).ok_or_else(unmatched)?;
        if (one.count, one.datatype) != (other.count, other.datatype) {
            let count = other.count;
            let datatype = other.datatype;
            return Err(one.refuse(format!("the matching call of the same rank has count {count}, {datatype}")));
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
    /// Runs the batch to its end.
    fn run(mut self) -> Outcome {
        let limit = settings::timeout()?;
        let mut monitors = Monitors::new();
        loop {
            let seen = notifier().count();
            self.start();
            if self.advance()? {
                monitors.record_progress();
                continue;
            }
            if self.active.is_empty() {
                return Ok(());
            }
            if let Some(error) = self.find_gone_rank() {
                // Data that arrived before the connection ended is still valid.
                if self.advance()? {
                    continue;
                }
                return Err(error);
            }
            monitors.poll(&self.active, limit)?;
            notifier().wait(seen, POLL_INTERVAL);
        }
    }

    /// Starts the requests that may run: point-to-point calls, and the first collective of each communicator.
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

    /// Advances the active calls. Returns whether any made progress.
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

    /// Returns the error for an awaited rank that has gone away, if there is one.
    fn find_gone_rank(&self) -> Option<Error> {
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
    let rank = work.request.communicator.rank;
    let call = &work.call;
    NcclResult::REMOTE_ERROR.because(match ending {
        Ending::Left { calls } => {
            format!("rank {peer} has left the communicator after {calls} calls, and rank {rank} waits for it in {call}")
        }
        Ending::Lost(error) => format!("rank {peer} has died ({error}), and rank {rank} waits for it in {call}"),
    })
}
