//! Ids, and the creation and destruction of communicators.

use crate::arguments::{CommunicatorHandle, In, Out};
use crate::boundary::api;
use crate::communicator::{Pending, all, find, remove};
use crate::group;
use crate::network::{UniqueId, new_id};
use crate::result::{NcclResult, Outcome};
use crate::split::Split;
use std::ffi::{c_int, c_uint};

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

/// The first fields of `ncclConfig_t`, which are the same in every version.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Config {
    size: usize,
    magic: c_uint,
    version: c_uint,
}

/// The value of `magic` in `NCCL_CONFIG_INITIALIZER`.
const MAGIC: c_uint = 0xcafe_beef;

/// Fails for an uninitialized configuration.
fn require(config: &In<Config>) -> Outcome {
    match config.get() {
        Some(config) if config.magic != MAGIC => {
            Err(NcclResult::INVALID_ARGUMENT
                .because("the configuration is not initialized: use NCCL_CONFIG_INITIALIZER"))
        }
        _ => Ok(()),
    }
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

    /// Creates a rank of a communicator on the current device. The settings have no effect; the call always blocks.
    fn ncclCommInitRankConfig(
        handle: Out<CommunicatorHandle>,
        world: c_int,
        id: UniqueId,
        rank: c_int,
        config: In<Config>,
    ) {
        require(&config)?;
        group::init(Pending::new(handle, id, rank, world)?)
    }

    /// Creates a communicator of the ranks with the same color, in the order of their keys. Writes null for the color -1.
    fn ncclCommSplit(
        communicator: CommunicatorHandle,
        color: c_int,
        key: c_int,
        handle: Out<CommunicatorHandle>,
        config: In<Config>,
    ) {
        require(&config)?;
        handle.require()?;
        let communicator = find(communicator)?;
        if color < -1 {
            let rank = communicator.rank;
            let text = format!("rank {rank}: ncclCommSplit: color {color}: must not be negative, except -1 for none");
            return Err(communicator.fail(NcclResult::INVALID_ARGUMENT.because(text)));
        }
        group::divide(Split { communicator, color, key, handle })
    }

    /// Creates all ranks of a communicator in this process, one for each device.
    fn ncclCommInitAll(handles: Out<CommunicatorHandle>, count: c_int, devices: In<c_int>) {
        init_all(&handles, count, &devices)
    }

    /// Aborts a communicator's rank. Other ranks that wait for it fail.
    fn ncclCommAbort(communicator: CommunicatorHandle) {
        remove(communicator)?.leave();
        Ok(())
    }

    /// Destroys a communicator's rank. Its calls have completed.
    fn ncclCommDestroy(communicator: CommunicatorHandle) {
        remove(communicator)?.leave();
        Ok(())
    }

    /// Finalizes a communicator's rank, which can only be destroyed afterwards. Its calls have completed.
    fn ncclCommFinalize(communicator: CommunicatorHandle) {
        find(communicator)?.close();
        Ok(())
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
