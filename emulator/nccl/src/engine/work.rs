//! Active calls. A call is compared with the calls of the other ranks, and its bytes are transferred chunk by chunk.

use super::plan::Plan;
use super::request::Request;
use super::transfer::{Place, Transfer};
use crate::call::{Call, Operation};
use crate::driver::Driver;
use crate::network::Message;
use crate::result::{Error, NcclResult, Outcome};
use std::collections::VecDeque;

/// An active call.
pub(super) struct Work {
    pub(super) request: Request,
    pub(super) call: Call,
    /// The ranks that have not announced their call.
    unheard: Vec<usize>,
    phases: VecDeque<Vec<Transfer>>,
}

impl Work {
    /// Starts a call and announces it to the other ranks.
    pub(super) fn start(request: Request) -> Self {
        let communicator = &request.communicator;
        let Request { operation, count, datatype, .. } = request;
        let (call, number) = communicator.count(Call { operation, count, datatype, number: 0 });
        let (peers, message): (Vec<_>, _) = match operation {
            Operation::Send { to } => (vec![to], Message::Send(call)),
            Operation::Receive { from } => (vec![from], Message::Receive(call)),
            _ => (communicator.peers().map(|(peer, _)| peer).collect(), Message::Collective(call)),
        };
        for link in peers.iter().filter_map(|peer| communicator.links[*peer].as_ref()) {
            link.say(&message);
        }
        let phases = Plan { request: &request, number }.phases().into();
        Self { call, unheard: peers, phases, request }
    }

    /// Returns whether this is a collective. The collectives of a communicator run in order.
    pub(super) fn is_collective(&self) -> bool {
        !matches!(self.call.operation, Operation::Send { .. } | Operation::Receive { .. })
    }

    /// Returns whether the call is complete.
    pub(super) fn is_done(&self) -> bool {
        self.unheard.is_empty() && self.phases.is_empty()
    }

    /// Advances as far as currently possible. Returns whether the call made progress.
    pub(super) fn advance(&mut self, driver: &Driver) -> Outcome<bool> {
        let mut progress = self.hear()?;
        // A sender waits for the receiver's call, so that the receiver takes the first bytes immediately.
        if matches!(self.call.operation, Operation::Send { .. }) && !self.unheard.is_empty() {
            return Ok(progress);
        }
        let place = Place { communicator: &self.request.communicator, driver };
        while let Some(phase) = self.phases.front_mut() {
            for transfer in phase.iter_mut().filter(|transfer| !transfer.is_done()) {
                progress |= transfer.advance(&place)?;
            }
            if !phase.iter().all(Transfer::is_done) {
                break;
            }
            self.phases.pop_front();
            progress = true;
        }
        Ok(progress)
    }

    /// Compares the call with the calls that other ranks have announced. Returns whether any were new.
    fn hear(&mut self) -> Outcome<bool> {
        let own = self.call;
        let communicator = &self.request.communicator;
        let before = self.unheard.len();
        let mut wrong = None;
        self.unheard.retain(|&peer| {
            let Some(link) = &communicator.links[peer] else { return false };
            let mut inbox = link.inbox();
            let calls = match own.operation {
                Operation::Send { .. } => &mut inbox.receives,
                Operation::Receive { .. } => &mut inbox.sends,
                _ => &mut inbox.collectives,
            };
            let Some(other) = calls.pop_front() else { return true };
            if !fits(&own, &other) {
                wrong.get_or_insert((peer, other));
            }
            false
        });
        match wrong {
            Some((peer, other)) => Err(self.mismatch(peer, &other)),
            None => Ok(self.unheard.len() < before),
        }
    }

    /// Returns the error for two calls that do not match.
    fn mismatch(&self, peer: usize, other: &Call) -> Error {
        let own = (self.request.communicator.rank, &self.call);
        // In the order of ranks, so that both report the same message.
        let ((first, first_call), (second, second_call)) =
            if own.0 < peer { (own, (peer, other)) } else { ((peer, other), own) };
        let text = format!("rank {first} called {first_call}; rank {second} called {second_call}");
        NcclResult::INVALID_USAGE.because(text)
    }

    /// Returns the ranks that a stalled call waits for.
    pub(super) fn waits(&self) -> Vec<usize> {
        let mut ranks = self.unheard.clone();
        for transfer in self.phases.front().into_iter().flatten() {
            ranks.extend(transfer.waits(&self.request.communicator));
        }
        ranks.sort_unstable();
        ranks.dedup();
        ranks
    }
}

/// Returns whether the calls of two ranks belong to the same operation.
fn fits(own: &Call, other: &Call) -> bool {
    let sides = |operation| matches!(operation, Operation::Send { .. } | Operation::Receive { .. });
    if sides(own.operation) { (own.count, own.datatype) == (other.count, other.datatype) } else { own.agrees(other) }
}
