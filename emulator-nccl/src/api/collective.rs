//! Operations of all ranks.

use crate::arguments::{CommunicatorHandle, DevicePointer, Stream};
use crate::arithmetic::{Datatype, Reduction};
use crate::boundary::api;
use crate::call::Operation;
use crate::communicator::{Communicator, find};
use crate::engine::Request;
use crate::group;
use crate::result::{NcclResult, Outcome};
use std::ffi::c_int;
use std::sync::Arc;

/// The arguments that every operation has.
pub(super) struct Common {
    pub(super) count: usize,
    pub(super) datatype: c_int,
    pub(super) communicator: CommunicatorHandle,
    pub(super) stream: Stream,
}

/// What is read and written; 0 where an operation has none.
pub(super) struct Buffers {
    pub(super) send: DevicePointer,
    pub(super) receive: DevicePointer,
}

/// A communicator, by which numbers among the arguments are understood.
pub(super) struct Known(Arc<Communicator>);

impl Known {
    /// Returns a rank.
    pub(super) fn rank(&self, rank: c_int) -> Outcome<usize> {
        let known = usize::try_from(rank).ok().filter(|rank| *rank < self.0.world);
        let wrong = || NcclResult::INVALID_ARGUMENT.because(format!("rank {rank} of {}", self.0.world));
        known.ok_or_else(wrong)
    }

    /// Returns a reduction.
    fn reduction(&self, number: c_int) -> Outcome<Reduction> {
        let wrong = || NcclResult::INVALID_ARGUMENT.because(format!("reduction {number}"));
        Reduction::from_number(number).ok_or_else(wrong)
    }
}

/// Does an operation, or puts it into the group. Wrong arguments of this rank end the communicator on all: the others would
/// wait for it.
pub(super) fn submit(common: &Common, buffers: Buffers, operation: impl Fn(&Known) -> Outcome<Operation>) -> Outcome {
    let communicator = find(common.communicator)?;
    let known = Known(Arc::clone(&communicator));
    let request = || {
        let (datatype, operation) = (Datatype::from_number(common.datatype)?, operation(&known)?);
        let Buffers { send, receive } = buffers;
        let (count, stream) = (common.count as u64, common.stream);
        Ok(Request {
            communicator: Arc::clone(&communicator),
            stream,
            operation,
            count,
            datatype,
            send,
            receive,
            scale: None,
        })
    };
    group::submit(request().map_err(|error| communicator.fail(error))?)
}

api! {
    /// Gathers `count` elements of each rank on all, in the order of ranks.
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

    /// Combines `count` elements of each rank, element by element, on all ranks.
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

    /// Combines `count` elements of each rank, element by element, on one rank.
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

    /// Combines elements of each rank, and leaves part r of the result, `count` elements, on rank r.
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

    /// Copies `count` elements of one rank to all.
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
}
