//! A call that goes on: first it must fit what the other ranks call, chunk by chunk its bytes move.

use super::plan::Plan;
use super::request::Request;
use super::transfer::{Place, Transfer};
use crate::call::{Call, Operation};
use crate::driver::Driver;
use crate::network::Message;
use crate::result::{Error, NcclResult, Outcome};
use std::collections::VecDeque;

pub(super) struct Work {
    pub(super) request: Request,
    pub(super) call: Call,
    /// Ranks that have not said what they call.
    unheard: Vec<usize>,
    phases: VecDeque<Vec<Transfer>>,
}

impl Work {
    /// Tells the other ranks of the call.
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
            // Before the call: who has heard the call knows the member.
            if let Some(member) = request.member {
                link.say(&Message::Member(member));
            }
            link.say(&message);
        }
        let phases = Plan { request: &request, number }.phases().into();
        Self { call, unheard: peers, phases, request }
    }

    /// Returns whether it is a call of all ranks, which go on in their order.
    pub(super) fn is_collective(&self) -> bool {
        !matches!(self.call.operation, Operation::Send { .. } | Operation::Receive { .. })
    }

    /// Returns whether all has come to its end.
    pub(super) fn is_done(&self) -> bool {
        self.unheard.is_empty() && self.phases.is_empty()
    }

    /// Goes on as far as it can at once; returns whether it did.
    pub(super) fn advance(&mut self, driver: &Driver) -> Outcome<bool> {
        let mut progress = self.hear()?;
        // A sender waits for the receiver, who takes the first bytes at once then.
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

    /// Compares the call with what the other ranks say that they call.
    fn hear(&mut self) -> Outcome<bool> {
        let (own, communicator) = (self.call, &self.request.communicator);
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

    fn mismatch(&self, peer: usize, other: &Call) -> Error {
        let own = (self.request.communicator.rank, &self.call);
        // Both ranks say the same words.
        let ((first, first_call), (second, second_call)) =
            if own.0 < peer { (own, (peer, other)) } else { ((peer, other), own) };
        let text = format!("rank {first} called {first_call}; rank {second} called {second_call}");
        NcclResult::INVALID_USAGE.because(text)
    }

    /// Returns the ranks that it waits for, when it cannot go on.
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

/// Whether two ranks' calls are the two sides of one operation.
fn fits(own: &Call, other: &Call) -> bool {
    let sides = |operation| matches!(operation, Operation::Send { .. } | Operation::Receive { .. });
    if sides(own.operation) { (own.count, own.datatype) == (other.count, other.datatype) } else { own.agrees(other) }
}
