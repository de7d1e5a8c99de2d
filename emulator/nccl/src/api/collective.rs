//! Collective operations.

use crate::arguments::{CommunicatorHandle, DevicePointer, Stream};
use crate::arithmetic::{Datatype, Reduction};
use crate::boundary::api;
use crate::call::Operation;
use crate::communicator::{Communicator, find};
use crate::engine::Request;
use crate::group;
use crate::result::{Error, NcclResult, Outcome};
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

impl Communicator {
    /// Returns the rank with a number. Fails if the communicator has none.
    pub(super) fn require_rank(&self, rank: c_int) -> Outcome<usize> {
        let world = self.world;
        let known = usize::try_from(rank).ok().filter(|rank| *rank < world);
        known.ok_or_else(|| {
            NcclResult::INVALID_ARGUMENT.because(format!("there is no rank {rank}: must be 0 to {}", world - 1))
        })
    }
}

/// Runs an operation, or adds it to the group. If an argument is invalid, the communicator fails on all ranks, because the
/// others would wait for this one.
pub(super) fn submit(
    common: &Common,
    buffers: Buffers,
    operation: impl Fn(&Communicator) -> Outcome<Operation>,
) -> Outcome {
    let communicator = find(common.communicator)?;
    let request = || {
        let datatype = Datatype::from_number(common.datatype)?;
        let operation = operation(&communicator)?;
        let Buffers { send, receive } = buffers;
        let stream = common.stream;
        let count = common.count as u64;
        let communicator = Arc::clone(&communicator);
        Ok(Request { communicator, stream, operation, count, datatype, send, receive })
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
        submit(&common, Buffers { send, receive }, |_| Ok(Operation::AllReduce(Reduction::from_number(reduction)?)))
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
        submit(&Common { count, datatype, communicator, stream }, Buffers { send, receive }, |own| {
            Ok(Operation::Reduce { reduction: Reduction::from_number(reduction)?, root: own.require_rank(root)? })
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
        submit(&common, Buffers { send, receive }, |_| Ok(Operation::ReduceScatter(Reduction::from_number(reduction)?)))
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
        submit(&common, Buffers { send, receive }, |own| Ok(Operation::Broadcast { root: own.require_rank(root)? }))
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
        submit(&common, buffers, |own| Ok(Operation::Broadcast { root: own.require_rank(root)? }))
    }
}
