//! The requests of calls.

use crate::arguments::{DevicePointer, Stream};
use crate::arithmetic::Datatype;
use crate::call::{Call, Operation};
use crate::communicator::Communicator;
use crate::driver::{Done, Driver, Range};
use crate::result::{Error, NcclResult, Outcome};
use std::ffi::CString;
use std::sync::Arc;

/// An operation of one rank.
#[derive(Clone)]
pub(crate) struct Request {
    pub(crate) communicator: Arc<Communicator>,
    pub(crate) stream: Stream,
    pub(crate) operation: Operation,
    /// The count argument, in elements.
    pub(crate) count: u64,
    pub(crate) datatype: Datatype,
    pub(crate) send: DevicePointer,
    pub(crate) receive: DevicePointer,
}

impl Request {
    /// Returns the size of `count` elements in bytes. [`Self::check`] ensures that the size for all ranks fits 64 bits.
    pub(super) fn bytes(&self) -> u64 {
        self.count * self.datatype.bytes()
    }

    fn is_root(&self) -> bool {
        self.operation.named_rank() == Some(self.communicator.rank)
    }

    /// Returns the memory that is read, `None` if there is none.
    pub(super) fn reads(&self) -> Option<Range> {
        let one = self.bytes();
        let all = self.bytes() * self.communicator.world as u64;
        let bytes = match self.operation {
            Operation::Broadcast { .. } if self.is_root() => one,
            Operation::Broadcast { .. } | Operation::Receive { .. } => 0,
            Operation::ReduceScatter(_) => all,
            Operation::AllGather | Operation::AllReduce(_) | Operation::Reduce { .. } | Operation::Send { .. } => one,
        };
        (bytes > 0).then_some(Range { address: self.send, bytes })
    }

    /// Returns the memory that is written, which excludes the rank's own part if the operation is in place.
    pub(super) fn writes(&self) -> Vec<Range> {
        let Some(Range { address, bytes }) = self.target() else { return Vec::new() };
        match self.operation {
            _ if !self.is_in_place() => vec![Range { address, bytes }],
            Operation::Broadcast { .. } if self.is_root() => Vec::new(),
            Operation::AllGather => {
                let before = self.send - address;
                let behind = before + self.bytes();
                let parts =
                    [Range { address, bytes: before }, Range { address: address + behind, bytes: bytes - behind }];
                parts.into_iter().filter(|part| part.bytes > 0).collect()
            }
            _ => vec![Range { address, bytes }],
        }
    }

    /// Returns the receive buffer, `None` if there is none.
    fn target(&self) -> Option<Range> {
        let one = self.bytes();
        let all = self.bytes() * self.communicator.world as u64;
        let bytes = match self.operation {
            Operation::Reduce { .. } if self.is_root() => one,
            Operation::Reduce { .. } | Operation::Send { .. } => 0,
            Operation::AllGather => all,
            Operation::AllReduce(_) | Operation::ReduceScatter(_) | Operation::Broadcast { .. } => one,
            Operation::Receive { .. } => one,
        };
        (bytes > 0).then_some(Range { address: self.receive, bytes })
    }

    /// Returns the call in messages, such as `ncclSend(count 4, f32, to rank 1)`.
    pub(super) fn name(&self) -> String {
        let Self { operation, count, datatype, .. } = *self;
        Call { operation, count, datatype, number: 0 }.name()
    }

    /// Returns the record of the completed request for the driver.
    pub(super) fn done(&self) -> Done {
        let what = format!("{} of rank {}", self.name(), self.communicator.rank);
        // The text contains no NUL.
        let what = CString::new(what).unwrap_or_default();
        Done { stream: self.stream, what, reads: self.reads(), writes: self.writes() }
    }

    /// Returns whether the operation is in place: the smaller buffer is the rank's own part of the larger one.
    fn is_in_place(&self) -> bool {
        let send = self.send;
        let receive = self.receive;
        let own = self.communicator.rank as u64 * self.bytes();
        match self.operation {
            Operation::AllGather => send == receive + own,
            Operation::ReduceScatter(_) => receive == send + own,
            _ => send == receive,
        }
    }

    /// Fails unless each buffer is inside one allocation of the communicator's device, and they do not overlap except in place.
    pub(super) fn check(&self, driver: &Driver) -> Outcome {
        let world = self.communicator.world as u64;
        if self.count.checked_mul(self.datatype.bytes()).and_then(|bytes| bytes.checked_mul(world)).is_none() {
            return Err(self.refuse("the buffers exceed 64-bit addresses"));
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
            return Err(self.refuse("its buffers overlap and are not in place"));
        }
        Ok(())
    }

    fn check_range(&self, driver: &Driver, what: &str, range: Range) -> Outcome {
        let Range { address, bytes } = range;
        let Some((start, length)) = driver.allocation(address) else {
            return Err(self.refuse(format!("it {what} {bytes} bytes at {address:#x}, which is not device memory")));
        };
        let there = length - (address - start);
        if bytes > there {
            let hint = if bytes / self.datatype.bytes() <= there { ": is the count in bytes?" } else { "" };
            let size = format!("it {what} {bytes} bytes, and the allocation has {there}{hint}");
            return Err(self.refuse(size));
        }
        match driver.device_of(address) {
            Some(device) if device != self.communicator.device => Err(self.refuse(format!(
                "it {what} memory of device {device}, and the communicator's rank is on device {}",
                self.communicator.device
            ))),
            _ => Ok(()),
        }
    }

    /// Returns the error for a wrong argument of this call.
    pub(super) fn refuse(&self, text: impl std::fmt::Display) -> Error {
        NcclResult::INVALID_ARGUMENT.because(format!("rank {}: {}: {text}", self.communicator.rank, self.name()))
    }
}
