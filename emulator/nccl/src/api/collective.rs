//! Collective operations.

use crate::arguments::{CommunicatorHandle, DevicePointer, Stream};
use crate::arithmetic::{Datatype, Reduction, Scale};
use crate::boundary::api;
use crate::call::Operation;
use crate::communicator::{Communicator, find};
use crate::engine::Request;
use crate::group;
use crate::result::{Error, NcclResult, Outcome};
use std::cell::Cell;
use std::ffi::c_int;
use std::sync::Arc;

/// The arguments of every operation.
pub(super) struct Common {
    pub(super) count: usize,
    pub(super) datatype: c_int,
    pub(super) communicator: CommunicatorHandle,
    pub(super) stream: Stream,
}

/// The buffers that an operation reads and writes, 0 if it has none.
pub(super) struct Buffers {
    pub(super) send: DevicePointer,
    pub(super) receive: DevicePointer,
}

/// The communicator and data type of an operation, for the interpretation of its other arguments.
pub(super) struct Known {
    communicator: Arc<Communicator>,
    datatype: Datatype,
    scale: Cell<Option<Scale>>,
}

impl Known {
    /// Returns the rank with a number. Fails if the communicator has none.
    pub(super) fn rank(&self, rank: c_int) -> Outcome<usize> {
        let world = self.communicator.world;
        let known = usize::try_from(rank).ok().filter(|rank| *rank < world);
        known.ok_or_else(|| {
            NcclResult::INVALID_ARGUMENT.because(format!("there is no rank {rank}: must be 0 to {}", world - 1))
        })
    }

    /// Returns the reduction with a number. Stores the factor of a user-defined one.
    fn reduction(&self, number: c_int) -> Outcome<Reduction> {
        if let Some(reduction) = Reduction::from_number(number) {
            return Ok(reduction);
        }
        self.scale.set(Some(self.communicator.scales.find(number, self.datatype)?));
        Ok(Reduction::ScaledSum)
    }
}

/// Runs an operation, or adds it to the group. If an argument is invalid, the communicator fails on all ranks, because the
/// others would wait for this one.
pub(super) fn submit(common: &Common, buffers: Buffers, operation: impl Fn(&Known) -> Outcome<Operation>) -> Outcome {
    let communicator = find(common.communicator)?;
    let request = || {
        let datatype = Datatype::from_number(common.datatype)?;
        let known = Known { communicator: Arc::clone(&communicator), datatype, scale: Cell::default() };
        let (operation, scale) = (operation(&known)?, known.scale.get());
        let Buffers { send, receive } = buffers;
        let (communicator, stream, count) = (known.communicator, common.stream, common.count as u64);
        Ok(Request { communicator, stream, operation, count, datatype, send, receive, scale, member: None })
    };
    group::submit(request().map_err(|error: Error| {
        communicator.fail(error.code.because(format!("rank {}: {}", communicator.rank, error.text)))
    })?)
}

api! {
    /// Gathers `count` elements of each rank on all ranks, in the order of ranks.
    fn ncclAllGather(
        send: DevicePointer,
        receive: DevicePointer,
        count: usize,
        datatype: c_int,
        communicator: CommunicatorHandle,
        stream: Stream,
    ) {
        submit(&Common { count, datatype, communicator, stream }, Buffers { send, receive }, |_| Ok(Operation::AllGather))
    }

    /// Reduces `count` elements of each rank, element by element, on all ranks.
    fn ncclAllReduce(
        send: DevicePointer,
        receive: DevicePointer,
        count: usize,
        datatype: c_int,
        reduction: c_int,
        communicator: CommunicatorHandle,
        stream: Stream,
    ) {
        let common = Common { count, datatype, communicator, stream };
        submit(&common, Buffers { send, receive }, |known| Ok(Operation::AllReduce(known.reduction(reduction)?)))
    }

    /// Reduces `count` elements of each rank, element by element, on the root.
    fn ncclReduce(
        send: DevicePointer,
        receive: DevicePointer,
        count: usize,
        datatype: c_int,
        reduction: c_int,
        root: c_int,
        communicator: CommunicatorHandle,
        stream: Stream,
    ) {
        submit(&Common { count, datatype, communicator, stream }, Buffers { send, receive }, |known| {
            Ok(Operation::Reduce { reduction: known.reduction(reduction)?, root: known.rank(root)? })
        })
    }

    /// Reduces elements of each rank, and writes part r of the result, `count` elements, on rank r.
    fn ncclReduceScatter(
        send: DevicePointer,
        receive: DevicePointer,
        count: usize,
        datatype: c_int,
        reduction: c_int,
        communicator: CommunicatorHandle,
        stream: Stream,
    ) {
        let common = Common { count, datatype, communicator, stream };
        submit(&common, Buffers { send, receive }, |known| Ok(Operation::ReduceScatter(known.reduction(reduction)?)))
    }

    /// Copies `count` elements of the root to all ranks.
    fn ncclBroadcast(
        send: DevicePointer,
        receive: DevicePointer,
        count: usize,
        datatype: c_int,
        root: c_int,
        communicator: CommunicatorHandle,
        stream: Stream,
    ) {
        let common = Common { count, datatype, communicator, stream };
        submit(&common, Buffers { send, receive }, |known| Ok(Operation::Broadcast { root: known.rank(root)? }))
    }

    /// Copies `count` elements of the root to all ranks, in place.
    fn ncclBcast(
        buffer: DevicePointer,
        count: usize,
        datatype: c_int,
        root: c_int,
        communicator: CommunicatorHandle,
        stream: Stream,
    ) {
        let common = Common { count, datatype, communicator, stream };
        let buffers = Buffers { send: buffer, receive: buffer };
        submit(&common, buffers, |known| Ok(Operation::Broadcast { root: known.rank(root)? }))
    }

    /// Sends part r of each rank's elements, `count` of them, to rank r, which receives the parts in the order of ranks.
    fn ncclAlltoAll(
        send: DevicePointer,
        receive: DevicePointer,
        count: usize,
        datatype: c_int,
        communicator: CommunicatorHandle,
        stream: Stream,
    ) {
        submit(&Common { count, datatype, communicator, stream }, Buffers { send, receive }, |_| Ok(Operation::AllToAll))
    }

    /// Gathers `count` elements of each rank on the root, in the order of ranks.
    fn ncclGather(
        send: DevicePointer,
        receive: DevicePointer,
        count: usize,
        datatype: c_int,
        root: c_int,
        communicator: CommunicatorHandle,
        stream: Stream,
    ) {
        let common = Common { count, datatype, communicator, stream };
        submit(&common, Buffers { send, receive }, |known| Ok(Operation::Gather { root: known.rank(root)? }))
    }

    /// Sends part r of the root's elements, `count` of them, to rank r.
    fn ncclScatter(
        send: DevicePointer,
        receive: DevicePointer,
        count: usize,
        datatype: c_int,
        root: c_int,
        communicator: CommunicatorHandle,
        stream: Stream,
    ) {
        let common = Common { count, datatype, communicator, stream };
        submit(&common, Buffers { send, receive }, |known| Ok(Operation::Scatter { root: known.rank(root)? }))
    }
}
