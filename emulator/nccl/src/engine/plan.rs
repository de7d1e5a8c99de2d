//! The plan of an operation: phases of concurrent transfers.

use super::incoming::Incoming;
use super::request::Request;
use super::transfer::{Reduce, Transfer, Values};
use crate::arguments::DevicePointer;
use crate::arithmetic::Reduction;
use crate::call::Operation;
use crate::driver::Done;
use crate::network::Lane;

/// A request, and the number of its call among calls of the same kind.
pub(super) struct Plan<'a> {
    pub(super) request: &'a Request,
    pub(super) number: u64,
}

impl Plan<'_> {
    /// Returns the record of a completed request for the driver.
    pub(super) fn done(request: &Request) -> Done {
        let phases = Plan { request, number: 0 }.phases();
        let traffic = phases.iter().flatten().map(Transfer::traffic);
        let (sent, received) = traffic.fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
        request.done(sent, received)
    }

    /// Returns the phases.
    pub(super) fn phases(&self) -> Vec<Vec<Transfer>> {
        let &Request { send, receive, communicator: ref own, operation, .. } = self.request;
        let (bytes, rank) = (self.request.bytes(), own.rank);
        let part = |base: DevicePointer, of: usize| base + of as u64 * bytes;
        let first = match operation {
            Operation::AllReduce(reduction) => return self.all_reduce(reduction),
            Operation::Split => Vec::new(),
            Operation::Send { to } => vec![self.send_on(to, Lane::of_send(self.number), send, bytes)],
            Operation::Receive { from } => vec![self.receive_on(from, Lane::of_send(self.number), receive, bytes)],
            Operation::AllGather => self.everyone(|_| (send, bytes), |peer| (part(receive, peer), bytes)),
            Operation::AllToAll => self.everyone(|peer| (part(send, peer), bytes), |peer| (part(receive, peer), bytes)),
            Operation::ReduceScatter(reduction) => {
                let mut transfers = self.to_the_others(|peer| (part(send, peer), bytes));
                transfers.push(self.reduce(part(send, rank), receive, bytes, reduction));
                transfers
            }
            Operation::Reduce { reduction, root } if root == rank => vec![self.reduce(send, receive, bytes, reduction)],
            Operation::Reduce { root, .. } | Operation::Gather { root } if root != rank => {
                vec![self.send_on(root, self.lane(0), send, bytes)]
            }
            Operation::Broadcast { root } if root == rank => {
                self.with_own(self.to_the_others(|_| (send, bytes)), send, receive)
            }
            Operation::Scatter { root } if root == rank => {
                self.with_own(self.to_the_others(|peer| (part(send, peer), bytes)), part(send, rank), receive)
            }
            Operation::Broadcast { root } | Operation::Scatter { root } => {
                vec![self.receive_on(root, self.lane(0), receive, bytes)]
            }
            Operation::Gather { .. } | Operation::Reduce { .. } => {
                self.with_own(self.out_of_the_others(|peer| (part(receive, peer), bytes), 0), send, part(receive, rank))
            }
        };
        vec![first]
    }

    /// Returns the phases of an all-reduce: every rank reduces its segment, then all ranks gather the segments.
    fn all_reduce(&self, reduction: Reduction) -> Vec<Vec<Transfer>> {
        let &Request { send, receive, communicator: ref own, count, datatype, .. } = self.request;
        let start = |rank: usize| (u128::from(count) * rank as u128 / own.world as u128) as u64 * datatype.bytes();
        let bytes = |rank: usize| start(rank + 1) - start(rank);
        let mut first = self.to_the_others(|peer| (send + start(peer), bytes(peer)));
        first.push(self.reduce(send + start(own.rank), receive + start(own.rank), bytes(own.rank), reduction));
        let mut second = self.out_of_the_others(|peer| (receive + start(peer), bytes(peer)), 1);
        let values = Values { datatype, scale: None };
        second.extend(own.peers().map(|(peer, _)| Transfer::Send {
            peer,
            lane: self.lane(1),
            from: receive + start(own.rank),
            bytes: bytes(own.rank),
            sent: 0,
            values,
        }));
        vec![first, second]
    }

    fn lane(&self, phase: u64) -> Lane {
        Lane::of_collective(self.number, phase)
    }

    fn send_on(&self, peer: usize, lane: Lane, from: DevicePointer, bytes: u64) -> Transfer {
        let values = Values { datatype: self.request.datatype, scale: self.request.scale };
        Transfer::Send { peer, lane, from, bytes, sent: 0, values }
    }

    fn receive_on(&self, peer: usize, lane: Lane, to: DevicePointer, bytes: u64) -> Transfer {
        Transfer::Receive { incoming: Incoming::new(peer, lane, bytes), to }
    }

    fn to_the_others(&self, from: impl Fn(usize) -> (DevicePointer, u64)) -> Vec<Transfer> {
        let one = |(peer, _)| {
            let (from, bytes) = from(peer);
            self.send_on(peer, self.lane(0), from, bytes)
        };
        self.request.communicator.peers().map(one).collect()
    }

    fn out_of_the_others(&self, to: impl Fn(usize) -> (DevicePointer, u64), phase: u64) -> Vec<Transfer> {
        let one = |(peer, _)| {
            let (to, bytes) = to(peer);
            self.receive_on(peer, self.lane(phase), to, bytes)
        };
        self.request.communicator.peers().map(one).collect()
    }

    /// Returns the transfers of an operation in which every rank sends to every rank.
    fn everyone(
        &self,
        from: impl Fn(usize) -> (DevicePointer, u64),
        to: impl Fn(usize) -> (DevicePointer, u64),
    ) -> Vec<Transfer> {
        let rank = self.request.communicator.rank;
        let (own, place) = (from(rank).0, to(rank).0);
        let mut transfers = self.to_the_others(from);
        transfers.extend(self.out_of_the_others(to, 0));
        self.with_own(transfers, own, place)
    }

    /// Adds the copy of the rank's own part, unless the operation is in place.
    fn with_own(&self, mut transfers: Vec<Transfer>, from: DevicePointer, to: DevicePointer) -> Vec<Transfer> {
        if from != to {
            transfers.push(Transfer::Copy { from, to, left: self.request.bytes() });
        }
        transfers
    }

    fn reduce(&self, own: DevicePointer, to: DevicePointer, bytes: u64, reduction: Reduction) -> Transfer {
        let others =
            self.request.communicator.peers().map(|(peer, _)| Incoming::new(peer, self.lane(0), bytes)).collect();
        let values = Values { datatype: self.request.datatype, scale: self.request.scale };
        Transfer::Reduce(Reduce { others, own, to, left: bytes, values, reduction })
    }
}
