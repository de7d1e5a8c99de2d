//! Communicators, and their handles.

mod init;
mod table;

pub(crate) use init::{Pending, all, join};
pub(crate) use table::{find, insert, remove};

use crate::call::{Call, Operation};
use crate::network::{Health, Link, Message, bell};
use crate::result::{Error, NcclResult, Outcome};
use std::ffi::c_int;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A rank of a communicator.
pub(crate) struct Communicator {
    pub(crate) rank: usize,
    pub(crate) world: usize,
    /// The device that was current when it was made, and its context.
    pub(crate) device: c_int,
    pub(crate) context: usize,
    /// To every other rank; `None` at the own place.
    pub(crate) links: Vec<Option<Arc<Link>>>,
    pub(crate) health: Arc<Health>,
    counts: Mutex<Counts>,
}

/// How many calls were made.
#[derive(Default)]
struct Counts {
    collectives: u64,
    sends: Vec<u64>,
    receives: Vec<u64>,
    closed: bool,
}

impl Communicator {
    /// Takes the connections of a rank.
    pub(crate) fn new(
        rank: usize,
        (context, device): (usize, c_int),
        links: Vec<Option<Arc<Link>>>,
        health: Arc<Health>,
    ) -> Self {
        let world = links.len();
        let counts = Counts { sends: vec![0; world], receives: vec![0; world], ..Counts::default() };
        Self { rank, world, device, context, links, health, counts: Mutex::new(counts) }
    }

    fn counts(&self) -> MutexGuard<'_, Counts> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the connections to the other ranks, each with its rank.
    pub(crate) fn peers(&self) -> impl Iterator<Item = (usize, &Arc<Link>)> {
        self.links.iter().enumerate().filter_map(|(rank, link)| link.as_ref().map(|link| (rank, link)))
    }

    /// Fails if it has failed, or was finalized or destroyed.
    pub(crate) fn check(&self) -> Outcome {
        if let Some(error) = self.health.failure() {
            return Err(error);
        }
        if self.counts().closed {
            let text = format!("rank {}: the communicator was finalized, destroyed or aborted", self.rank);
            return Err(NcclResult::INVALID_USAGE.because(text));
        }
        Ok(())
    }

    /// Counts a call; returns it with its number among all, and its number among those of its kind.
    pub(crate) fn count(&self, call: Call) -> (Call, u64) {
        let mut counts = self.counts();
        let kind = match call.operation {
            Operation::Send { to } => &mut counts.sends[to],
            Operation::Receive { from } => &mut counts.receives[from],
            _ => &mut counts.collectives,
        };
        let number = *kind;
        *kind += 1;
        drop(counts);
        let mut call = call;
        self.health.update(|activity| {
            activity.calls += 1;
            call.number = activity.calls;
            activity.last = Some(call);
        });
        (call, number)
    }

    /// Ends it with an error on all ranks; returns the error that came first.
    pub(crate) fn fail(&self, error: Error) -> Error {
        if self.health.fail(&error) {
            self.peers().for_each(|(_, link)| link.say(&Message::Failure(error.clone())));
        }
        bell().ring();
        self.health.failure().unwrap_or(error)
    }

    /// Takes no calls from now on.
    pub(crate) fn close(&self) {
        self.counts().closed = true;
        bell().ring();
    }

    /// Tells the other ranks that this one leaves.
    pub(crate) fn leave(&self) {
        self.close();
        let calls = self.health.activity().calls;
        self.peers().for_each(|(_, link)| link.leave(calls));
    }
}
