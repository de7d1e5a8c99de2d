//! Point-to-point operations.

use super::collective::{Buffers, Common, submit};
use crate::arguments::{CommunicatorHandle, DevicePointer, Stream};
use crate::boundary::api;
use crate::call::Operation;
use std::ffi::c_int;

api! {
    /// Sends a buffer to a rank, which must call `ncclRecv`.
    fn ncclSend(
        send: DevicePointer,
        count: usize,
        datatype: c_int,
        peer: c_int,
        communicator: CommunicatorHandle,
        stream: Stream,
    ) {
        let common = Common { count, datatype, communicator, stream };
        submit(&common, Buffers { send, receive: 0 }, |own| Ok(Operation::Send { to: own.require_rank(peer)? }))
    }

    /// Receives a buffer from a rank, which must call `ncclSend`.
    fn ncclRecv(
        receive: DevicePointer,
        count: usize,
        datatype: c_int,
        peer: c_int,
        communicator: CommunicatorHandle,
        stream: Stream,
    ) {
        let common = Common { count, datatype, communicator, stream };
        submit(&common, Buffers { send: 0, receive }, |own| Ok(Operation::Receive { from: own.require_rank(peer)? }))
    }
}
