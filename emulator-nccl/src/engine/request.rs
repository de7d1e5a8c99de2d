//! What a call asks for.

use crate::arguments::{DevicePointer, Stream};
use crate::arithmetic::{Datatype, Scale};
use crate::call::{Call, Operation};
use crate::communicator::Communicator;
use crate::driver::{Done, Driver, Range};
use crate::network::Member;
use crate::result::{Error, NcclResult, Outcome};
use std::ffi::CString;
use std::sync::Arc;

/// An operation of a rank.
#[derive(Clone)]
pub(crate) struct Request {
    pub(crate) communicator: Arc<Communicator>,
    pub(crate) stream: Stream,
    pub(crate) operation: Operation,
    /// In elements, as the caller gives it.
    pub(crate) count: u64,
    pub(crate) datatype: Datatype,
    pub(crate) send: DevicePointer,
    pub(crate) receive: DevicePointer,
    /// The own values are multiplied by it.
    pub(crate) scale: Option<Scale>,
    /// What the rank says of itself when the communicator is split.
    pub(crate) member: Option<Member>,
}

impl Request {
    /// Returns the bytes of `count` elements; they fit 64 bits on all ranks together, which [`Self::check`] sees to.
    pub(super) fn bytes(&self) -> u64 {
        self.count * self.datatype.bytes()
    }

    fn is_root(&self) -> bool {
        self.operation.named_rank() == Some(self.communicator.rank)
    }

    /// Returns what is read, if anything.
    pub(super) fn reads(&self) -> Option<Range> {
        let (one, all) = (self.bytes(), self.bytes() * self.communicator.world as u64);
        let bytes = match self.operation {
            Operation::Broadcast { .. } if self.is_root() => one,
            Operation::Scatter { .. } if self.is_root() => all,
            Operation::Broadcast { .. } | Operation::Scatter { .. } | Operation::Receive { .. } | Operation::Split => 0,
            Operation::ReduceScatter(_) | Operation::AllToAll => all,
            Operation::AllGather | Operation::AllReduce(_) | Operation::Gather { .. } => one,
            Operation::Reduce { .. } | Operation::Send { .. } => one,
        };
        (bytes > 0).then_some(Range { address: self.send, bytes })
    }

    /// Returns what is written: not the own part of a buffer where it is in its place.
    pub(super) fn writes(&self) -> Vec<Range> {
        let Some(Range { address, bytes }) = self.target() else { return Vec::new() };
        match self.operation {
            _ if !self.is_in_place() => vec![Range { address, bytes }],
            Operation::Broadcast { .. } | Operation::Scatter { .. } if self.is_root() => Vec::new(),
            Operation::AllGather | Operation::Gather { .. } => {
                let before = self.send - address;
                let behind = before + self.bytes();
                let parts =
                    [Range { address, bytes: before }, Range { address: address + behind, bytes: bytes - behind }];
                parts.into_iter().filter(|part| part.bytes > 0).collect()
            }
            _ => vec![Range { address, bytes }],
        }
    }

    /// Returns the buffer that is received into, if there is one.
    fn target(&self) -> Option<Range> {
        let (one, all) = (self.bytes(), self.bytes() * self.communicator.world as u64);
        let bytes = match self.operation {
            Operation::Reduce { .. } if self.is_root() => one,
            Operation::Gather { .. } if self.is_root() => all,
            Operation::Reduce { .. } | Operation::Gather { .. } | Operation::Send { .. } | Operation::Split => 0,
            Operation::AllGather | Operation::AllToAll => all,
            Operation::AllReduce(_) | Operation::ReduceScatter(_) | Operation::Broadcast { .. } => one,
            Operation::Scatter { .. } | Operation::Receive { .. } => one,
        };
        (bytes > 0).then_some(Range { address: self.receive, bytes })
    }

    /// Returns the call as it was written.
    pub(super) fn name(&self) -> String {
        let Self { operation, count, datatype, .. } = *self;
        Call { operation, count, datatype, number: 0 }.name()
    }

    /// Returns what the driver is told of it once it is done.
    pub(super) fn done(&self, sent: u64, received: u64) -> Done {
        let what = format!("{} of rank {}", self.name(), self.communicator.rank);
        // No part of it has a NUL.
        let what = CString::new(what).unwrap_or_default();
        Done { stream: self.stream, what, reads: self.reads(), writes: self.writes(), sent, received }
    }

    /// Returns whether the smaller buffer is the rank's own part of the larger one.
    fn is_in_place(&self) -> bool {
        let (send, receive, own) = (self.send, self.receive, self.communicator.rank as u64 * self.bytes());
        match self.operation {
            Operation::AllGather | Operation::Gather { .. } => send == receive + own,
            Operation::ReduceScatter(_) | Operation::Scatter { .. } => receive == send + own,
            Operation::AllToAll => false,
            _ => send == receive,
        }
    }

    /// Fails if a buffer is not all inside of one allocation of the communicator's device.
    pub(super) fn check(&self, driver: &Driver) -> Outcome {
        let world = self.communicator.world as u64;
        if self.count.checked_mul(self.datatype.bytes()).and_then(|bytes| bytes.checked_mul(world)).is_none() {
            return Err(self.refuse("more bytes than there are addresses"));
        }
        let reads = self.reads().map(|range| ("sends", range));
        let writes = self.target().map(|range| ("receives", range));
        reads.into_iter().chain(writes).try_for_each(|(what, range)| self.check_range(driver, what, range))?;
        self.check_overlap()
    }

    fn check_overlap(&self) -> Outcome {
        if let (Some(reads), Some(writes)) = (self.reads(), self.target())
            && reads.meets(writes)
            && !self.is_in_place()
        {
            return Err(self.refuse("its buffers overlap, and are not in place"));
        }
        Ok(())
    }

    fn check_range(&self, driver: &Driver, what: &str, range: Range) -> Outcome {
        let Range { address, bytes } = range;
        let Some((start, length)) = driver.allocation(address) else {
            return Err(self.refuse(format!("it {what} {bytes} bytes at {address:#x}, which is no device memory")));
        };
        let there = length - (address - start);
        if bytes > there {
            let hint = if bytes / self.datatype.bytes() <= there { ": is the count in bytes?" } else { "" };
            let size = format!("it {what} {bytes} bytes, and the allocation has {there}{hint}");
            return Err(self.refuse(size));
        }
        match driver.device_of(address) {
            Some(device) if device != self.communicator.device => Err(self.refuse(format!(
                "it {what} memory of device {device}, and this rank of the communicator is on device {}",
                self.communicator.device
            ))),
            _ => Ok(()),
        }
    }

    pub(super) fn refuse(&self, text: impl std::fmt::Display) -> Error {
        NcclResult::INVALID_ARGUMENT.because(format!("rank {}: {}: {text}", self.communicator.rank, self.name()))
    }
}
