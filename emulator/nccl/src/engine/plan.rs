//! The plan of an operation: phases of concurrent transfers.

use super::request::Request;
use super::transfer::Incoming;
use super::transfer::{Reduce, Transfer};
use crate::arguments::DevicePointer;
use crate::arithmetic::Reduction;
use crate::call::Operation;
use crate::network::Lane;

/// A request, and the number of its call among calls of the same kind.
pub(super) struct Plan<'a> {
    pub(super) request: &'a Request,
    pub(super) number: u64,
}

impl Plan<'_> {
    /// Returns the phases.
    pub(super) fn phases(&self) -> Vec<Vec<Transfer>> {
        let &Request { send, receive, communicator: ref own, operation, .. } = self.request;
        let bytes = self.request.bytes();
        let rank = own.rank;
        let part = |base: DevicePointer, of: usize| base + of as u64 * bytes;
        let first = match operation {
            Operation::AllReduce(reduction) => return self.all_reduce(reduction),
            Operation::Send { to } => vec![self.send_on(to, Lane::from_send(self.number), send, bytes)],
            Operation::Receive { from } => vec![self.receive_on(from, Lane::from_send(self.number), receive, bytes)],
            Operation::AllGather => {
                let mut transfers = self.send_to_others(|_| (send, bytes));
                transfers.extend(self.receive_from_others(|peer| (part(receive, peer), bytes), 0));
                self.add_own(transfers, send, part(receive, rank))
            }
            Operation::ReduceScatter(reduction) => {
                let mut transfers = self.send_to_others(|peer| (part(send, peer), bytes));
                transfers.push(self.reduce(part(send, rank), receive, bytes, reduction));
                transfers
            }
            Operation::Reduce { reduction, root } if root == rank => vec![self.reduce(send, receive, bytes, reduction)],
            Operation::Reduce { root, .. } => vec![self.send_on(root, self.lane(0), send, bytes)],
            Operation::Broadcast { root } if root == rank => {
                self.add_own(self.send_to_others(|_| (send, bytes)), send, receive)
            }
            Operation::Broadcast { root } => vec![self.receive_on(root, self.lane(0), receive, bytes)],
        };
        vec![first]
    }

    /// Returns the phases of an all-reduce: every rank reduces its segment, then all ranks gather the segments.
    fn all_reduce(&self, reduction: Reduction) -> Vec<Vec<Transfer>> {
        let &Request { send, receive, communicator: ref own, count, datatype, .. } = self.request;
        let start = |rank: usize| (u128::from(count) * rank as u128 / own.world as u128) as u64 * datatype.bytes();
        let bytes = |rank: usize| start(rank + 1) - start(rank);
        let mut first = self.send_to_others(|peer| (send + start(peer), bytes(peer)));
        first.push(self.reduce(send + start(own.rank), receive + start(own.rank), bytes(own.rank), reduction));
        let mut second = self.receive_from_others(|peer| (receive + start(peer), bytes(peer)), 1);
        let from = receive + start(own.rank);
        second.extend(own.peers().map(|(peer, _)| self.send_on(peer, self.lane(1), from, bytes(own.rank))));
        vec![first, second]
    }

    fn lane(&self, phase: u64) -> Lane {
        Lane::from_collective(self.number, phase)
    }

    fn send_on(&self, peer: usize, lane: Lane, from: DevicePointer, bytes: u64) -> Transfer {
        Transfer::Send { peer, lane, from, bytes, sent: 0 }
    }

    fn receive_on(&self, peer: usize, lane: Lane, to: DevicePointer, bytes: u64) -> Transfer {
        Transfer::Receive { incoming: Incoming::new(peer, lane, bytes), to }
    }

    fn send_to_others(&self, from: impl Fn(usize) -> (DevicePointer, u64)) -> Vec<Transfer> {
        let one = |(peer, _)| {
            let (from, bytes) = from(peer);
            self.send_on(peer, self.lane(0), from, bytes)
        };
        self.request.communicator.peers().map(one).collect()
    }

    fn receive_from_others(&self, to: impl Fn(usize) -> (DevicePointer, u64), phase: u64) -> Vec<Transfer> {
        let one = |(peer, _)| {
            let (to, bytes) = to(peer);
            self.receive_on(peer, self.lane(phase), to, bytes)
        };
        self.request.communicator.peers().map(one).collect()
    }

    /// Adds the copy of the rank's own part, unless the operation is in place.
    fn add_own(&self, mut transfers: Vec<Transfer>, from: DevicePointer, to: DevicePointer) -> Vec<Transfer> {
        if from != to {
            transfers.push(Transfer::Copy { from, to, left: self.request.bytes() });
        }
        transfers
    }

    fn reduce(&self, own: DevicePointer, to: DevicePointer, bytes: u64, reduction: Reduction) -> Transfer {
        let others =
            self.request.communicator.peers().map(|(peer, _)| Incoming::new(peer, self.lane(0), bytes)).collect();
        let datatype = self.request.datatype;
        Transfer::Reduce(Reduce { others, own, to, left: bytes, datatype, reduction })
    }
}
