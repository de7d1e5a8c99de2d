//! What goes on at once: a call, or all calls of a group.

use super::request::Request;
use super::transfer::{Place, Transfer};
use super::work::Work;
use crate::call::Operation;
use crate::driver::{Done, Driver, driver};
use crate::network::{Ending, bell};
use crate::result::{Error, NcclResult, Outcome};
use crate::settings;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How often it is looked whether there is any hope.
const LOOK: Duration = Duration::from_millis(250);

/// Calls that go on, and collectives that wait for an earlier one of their communicator.
struct Batch {
    active: Vec<Work>,
    queued: VecDeque<Request>,
    done: Vec<Done>,
    driver: &'static Driver,
}

/// Does what is asked for. A failure of one call ends all communicators among them.
pub(crate) fn run(requests: Vec<Request>) -> Outcome {
    let communicators: Vec<_> = requests.iter().map(|request| Arc::clone(&request.communicator)).collect();
    let Some(first) = communicators.first() else { return Ok(()) };
    let done = driver().and_then(|driver| {
        driver.enter(first.context)?;
        requests.iter().try_for_each(|request| request.check(driver))?;
        let mut done = Vec::new();
        let queued = to_itself(requests, driver, &mut done)?;
        let done = Batch { active: Vec::new(), queued, done, driver }.run()?;
        done.iter().try_for_each(|done| driver.tell(done))
    });
    done.map_err(|error| communicators.iter().fold(error, |error, communicator| communicator.fail(error)))
}

/// Does what ranks send to themselves; returns the other requests.
fn to_itself(requests: Vec<Request>, driver: &Driver, done: &mut Vec<Done>) -> Outcome<VecDeque<Request>> {
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
        done.extend([from.done(0, 0), to.done(0, 0)]);
        let mut copy = Transfer::Copy { from: from.send, to: to.receive, left: one.bytes() };
        while !copy.is_done() {
            copy.advance(&Place { communicator: &one.communicator, driver })?;
        }
    }
    Ok(others)
}

impl Batch {
    /// Goes on to the end; returns what was done.
    fn run(mut self) -> Outcome<Vec<Done>> {
        let limit = settings::timeout()?;
        let mut last = Instant::now();
        loop {
            let seen = bell().rings();
            self.start();
            if self.advance()? {
                last = Instant::now();
                continue;
            }
            if self.active.is_empty() {
                return Ok(self.done);
            }
            if let Some(error) = self.missed() {
                // What came before the end of the connection still counts.
                if self.advance()? {
                    continue;
                }
                return Err(error);
            }
            if last.elapsed() > limit {
                return Err(self.late(limit));
            }
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
                let work = Work::start(request);
                self.done.push(work.done());
                self.active.push(work);
            }
        }
    }

    fn advance(&mut self) -> Outcome<bool> {
        let mut progress = false;
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

    fn late(&self, limit: Duration) -> Error {
        let waits = self.active.iter().map(|work| {
            let ranks: Vec<_> = work.waits().iter().map(ToString::to_string).collect();
            format!("rank {} in {} waits for rank {}", work.request.communicator.rank, work.call, ranks.join(", "))
        });
        let waits: Vec<_> = waits.collect();
        let limit = settings::timeout_text(limit);
        NcclResult::REMOTE_ERROR.because(format!("nothing has moved for {limit}: {}", waits.join("; ")))
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
