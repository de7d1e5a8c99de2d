//! The operations: collective ones, and those between two ranks.

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
struct Common {
    /// The buffer that the operation reads, 0 if there is none.
    send: DevicePointer,
    /// The buffer that the operation writes, 0 if there is none.
    receive: DevicePointer,
    count: usize,
    datatype: c_int,
    communicator: CommunicatorHandle,
    stream: Stream,
}

impl Communicator {
    /// Returns the rank with a number. Fails if the communicator has none.
    fn require_rank(&self, rank: c_int) -> Outcome<usize> {
        let world = self.world;
        let known = usize::try_from(rank).ok().filter(|rank| *rank < world);
        known.ok_or_else(|| {
            NcclResult::INVALID_ARGUMENT.because(format!("there is no rank {rank}: must be 0 to {}", world - 1))
        })
    }
}

/// Runs an operation, or adds it to the group. If an argument is invalid, the communicator fails on all ranks, because the
/// others would wait for this one.
fn submit(common: &Common, operation: impl Fn(&Communicator) -> Outcome<Operation>) -> Outcome {
    let communicator = find(common.communicator)?;
    let request = || {
        let datatype = Datatype::from_number(common.datatype)?;
        let operation = operation(&communicator)?;
        let &Common { send, receive, stream, .. } = common;
        let count = common.count as u64;
        let communicator = Arc::clone(&communicator);
        Ok(Request { communicator, stream, operation, count, datatype, send, receive })
    };
    group::submit(request().map_err(|error: Error| {
        communicator.fail(error.code.because(format!("rank {}: {}", communicator.rank, error.text)))
    })?)
}

/// Defines operations by their buffers, their numbers, the buffers that they read and write, and what they do.
macro_rules! operations {
    ($(
        $(#[$attribute:meta])*
        $name:ident($($buffer:ident),+; $($number:ident),*): $send:expr => $receive:expr, |$own:pat_param| $operation:expr;
    )*) => {
        api! {$(
            $(#[$attribute])*
            fn $name(
                $($buffer: DevicePointer,)+
                count: usize,
                datatype: c_int,
                $($number: c_int,)*
                communicator: CommunicatorHandle,
                stream: Stream,
            ) {
                let common = Common { send: $send, receive: $receive, count, datatype, communicator, stream };
                submit(&common, |$own| Ok($operation))
            }
        )*}
    };
}

operations! {
    /// Gathers `count` elements of each rank on all ranks, in the order of ranks.
    ncclAllGather(send, receive;): send => receive, |_| Operation::AllGather;

    /// Reduces `count` elements of each rank, element by element, on all ranks.
    ncclAllReduce(send, receive; reduction): send => receive,
        |_| Operation::AllReduce(Reduction::from_number(reduction)?);

    /// Reduces `count` elements of each rank, element by element, on the root.
    ncclReduce(send, receive; reduction, root): send => receive,
        |own| Operation::Reduce { reduction: Reduction::from_number(reduction)?, root: own.require_rank(root)? };

    /// Reduces elements of each rank, and writes part r of the result, `count` elements, on rank r.
    ncclReduceScatter(send, receive; reduction): send => receive,
        |_| Operation::ReduceScatter(Reduction::from_number(reduction)?);

    /// Copies `count` elements of the root to all ranks.
    ncclBroadcast(send, receive; root): send => receive,
        |own| Operation::Broadcast { root: own.require_rank(root)? };

    /// Copies `count` elements of the root to all ranks, in place.
    ncclBcast(buffer; root): buffer => buffer, |own| Operation::Broadcast { root: own.require_rank(root)? };

    /// Sends a buffer to a rank, which must call `ncclRecv`.
    ncclSend(send; peer): send => 0, |own| Operation::Send { to: own.require_rank(peer)? };

    /// Receives a buffer from a rank, which must call `ncclSend`.
    ncclRecv(receive; peer): 0 => receive, |own| Operation::Receive { from: own.require_rank(peer)? };
}
