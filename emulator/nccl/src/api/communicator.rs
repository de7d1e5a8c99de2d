//! Ids, and the creation and destruction of communicators.

use crate::arguments::{CommunicatorHandle, In, Out};
use crate::boundary::api;
use crate::communicator::{Pending, all, find, remove};
use crate::group;
use crate::network::{UniqueId, new_id};
use crate::result::{NcclResult, Outcome};
use std::ffi::c_int;

/// Creates a rank for each device in this process.
fn init_all(handles: &Out<CommunicatorHandle>, count: c_int, list: &In<c_int>) -> Outcome {
    handles.require()?;
    let devices = usize::try_from(count).ok().filter(|count| *count > 0);
    let devices = devices.ok_or_else(|| NcclResult::INVALID_ARGUMENT.because(format!("{count} devices")))?;
    // SAFETY: the caller passes `count` devices, or null for the first ones.
    let list = unsafe { list.list(devices) }.unwrap_or_else(|| (0..count).collect());
    // SAFETY: the caller passes an array of `count` handles.
    unsafe { handles.set_all(all(&list)?) }
}

api! {
    /// Writes a new id, with which ranks join a communicator.
    fn ncclGetUniqueId(id: Out<UniqueId>) {
        id.set(new_id()?)
    }

    /// Creates a rank of a communicator on the current device. Returns when all ranks have joined.
    fn ncclCommInitRank(handle: Out<CommunicatorHandle>, world: c_int, id: UniqueId, rank: c_int) {
        group::init(Pending::new(handle, id, rank, world)?)
    }

    /// Creates all ranks of a communicator in this process, one for each device.
    fn ncclCommInitAll(handles: Out<CommunicatorHandle>, count: c_int, devices: In<c_int>) {
        init_all(&handles, count, &devices)
    }

    /// Aborts a communicator's rank. Other ranks that wait for it fail.
    fn ncclCommAbort(communicator: CommunicatorHandle) {
        remove(communicator).map(|rank| rank.leave())
    }

    /// Destroys a communicator's rank. Its calls have completed.
    fn ncclCommDestroy(communicator: CommunicatorHandle) {
        remove(communicator).map(|rank| rank.leave())
    }

    /// Finalizes a communicator's rank, which can only be destroyed afterwards. Its calls have completed.
    fn ncclCommFinalize(communicator: CommunicatorHandle) {
        find(communicator).map(|rank| rank.close())
    }

    /// Writes the number of ranks.
    fn ncclCommCount(communicator: CommunicatorHandle, count: Out<c_int>) {
        count.set(find(communicator)?.world as c_int)
    }

    /// Writes the device.
    fn ncclCommCuDevice(communicator: CommunicatorHandle, device: Out<c_int>) {
        device.set(find(communicator)?.device)
    }

    /// Writes the rank.
    fn ncclCommUserRank(communicator: CommunicatorHandle, rank: Out<c_int>) {
        rank.set(find(communicator)?.rank as c_int)
    }
}
