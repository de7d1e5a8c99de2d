//! Ids, and communicators from their making to their end.

use crate::arguments::{CommunicatorHandle, In, Out};
use crate::boundary::api;
use crate::communicator::{Pending, Split, all, find, remove};
use crate::group;
use crate::network::{UniqueId, new_id};
use crate::result::{NcclResult, Outcome};
use std::ffi::{c_int, c_uint};

/// Makes a rank for each device, in this process.
fn init_all(handles: &Out<CommunicatorHandle>, count: c_int, list: &In<c_int>) -> Outcome {
    handles.require()?;
    let devices = usize::try_from(count).ok().filter(|count| *count > 0);
    let devices = devices.ok_or_else(|| NcclResult::INVALID_ARGUMENT.because(format!("{count} devices")))?;
    // SAFETY: the caller gives as many devices, or null for the first ones.
    let list = unsafe { list.list(devices) }.unwrap_or_else(|| (0..count).collect());
    // SAFETY: the caller gives room for as many handles.
    unsafe { handles.set_all(all(&list)?) }
}

/// The first fields of `ncclConfig_t`, which every version has.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Config {
    size: usize,
    magic: c_uint,
    version: c_uint,
}

/// `NCCL_CONFIG_INITIALIZER` writes it.
const MAGIC: c_uint = 0xcafe_beef;

/// Fails for a configuration that was not initialized.
fn require(config: &In<Config>) -> Outcome {
    match config.get() {
        Some(config) if config.magic != MAGIC => {
            Err(NcclResult::INVALID_ARGUMENT.because("the configuration was not made by NCCL_CONFIG_INITIALIZER"))
        }
        _ => Ok(()),
    }
}

api! {
    /// Writes a new id, by which ranks meet.
    fn ncclGetUniqueId(id: Out<UniqueId>) {
        id.set(new_id()?)
    }

    /// Makes a rank of a communicator on the current device; returns when all ranks are there.
    fn ncclCommInitRank(handle: Out<CommunicatorHandle>, world: c_int, id: UniqueId, rank: c_int) {
        group::init(Pending::new(handle, id, rank, world)?)
    }

    /// Makes a rank of a communicator on the current device. Of the settings none has an effect; a communicator that need not
    /// block does.
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

    /// Makes a rank of a communicator that meets at the first of several ids.
    fn ncclCommInitRankScalable(
        handle: Out<CommunicatorHandle>,
        world: c_int,
        rank: c_int,
        count: c_int,
        ids: In<UniqueId>,
        config: In<Config>,
    ) {
        require(&config)?;
        let first = ids.get().filter(|_| count > 0);
        let first = first.ok_or_else(|| NcclResult::INVALID_ARGUMENT.because(format!("{count} ids")))?;
        group::init(Pending::new(handle, first, rank, world)?)
    }

    /// Makes a communicator of the ranks that give the same color, in the order of their keys; null without a color (-1).
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
            let text = format!("rank {}: ncclCommSplit: color {color}: 0 and more, or -1 for none", communicator.rank);
            return Err(communicator.fail(NcclResult::INVALID_ARGUMENT.because(text)));
        }
        group::divide(Split { communicator, color, key, handle })
    }

    /// Makes all ranks of a communicator in this process, one for each device.
    fn ncclCommInitAll(handles: Out<CommunicatorHandle>, count: c_int, devices: In<c_int>) {
        init_all(&handles, count, &devices)
    }

    /// Ends a communicator's rank. Other ranks that wait for it fail.
    fn ncclCommAbort(communicator: CommunicatorHandle) {
        remove(communicator)?.leave();
        Ok(())
    }

    /// Ends a communicator's rank after its calls, which have run.
    fn ncclCommDestroy(communicator: CommunicatorHandle) {
        remove(communicator)?.leave();
        Ok(())
    }

    /// Ends the calls of a communicator's rank, which have run; only destroying it is left.
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
