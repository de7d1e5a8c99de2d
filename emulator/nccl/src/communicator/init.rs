//! Creation of communicators, one rank or several ranks of one thread at a time.

use super::rank::{Communicator, insert};
use crate::arguments::{CommunicatorHandle, Out};
use crate::driver::driver;
use crate::network::{Joining, Streams, UniqueId, new_id};
use crate::result::{NcclResult, Outcome};
use std::ffi::c_int;

/// A rank to be created, and the output for its handle.
pub(crate) struct Pending {
    pub(crate) id: UniqueId,
    pub(crate) rank: usize,
    pub(crate) world: usize,
    /// The context and device.
    pub(crate) place: (usize, c_int),
    pub(crate) handle: Out<CommunicatorHandle>,
}

impl Pending {
    /// Checks the arguments of a rank on the current device.
    pub(crate) fn new(handle: Out<CommunicatorHandle>, id: UniqueId, rank: c_int, world: c_int) -> Outcome<Self> {
        handle.require()?;
        let place = driver()?.place()?;
        match (usize::try_from(rank), usize::try_from(world)) {
            (Ok(rank), Ok(world)) if rank < world => Ok(Self { id, rank, world, place, handle }),
            _ => Err(NcclResult::INVALID_ARGUMENT.because(format!("there is no rank {rank} of {world}"))),
        }
    }
}

/// Creates ranks of one communicator or of several.
pub(crate) fn join(pending: Vec<Pending>) -> Outcome {
    let begin = |one: &Pending| Joining::begin(&one.id, one.rank, one.world, one.place.1);
    let begun = pending.iter().map(begin).collect::<Outcome<Vec<_>>>()?;
    let ranks = connect(begun)?;
    let together = pending.len() > 1;
    for (one, streams) in pending.into_iter().zip(ranks) {
        one.handle.set(insert(Communicator::new(one.rank, one.place, streams, together)?))?;
    }
    Ok(())
}

/// Connects ranks of this process with each other and with the other ranks.
fn connect(begun: Vec<Joining>) -> Outcome<Vec<Streams>> {
    let heard = begun.into_iter().map(|mut joining| joining.receive_mesh().map(|mesh| (joining, mesh)));
    let mut ranks = heard.collect::<Outcome<Vec<_>>>()?;
    ranks.iter_mut().try_for_each(|(joining, mesh)| joining.connect(mesh))?;
    ranks.into_iter().map(|(joining, mesh)| joining.accept(&mesh)).collect()
}

/// Creates the ranks of a communicator in this process, one for each device.
pub(crate) fn all(devices: &[c_int]) -> Outcome<Vec<CommunicatorHandle>> {
    let driver = driver()?;
    let count = driver.devices()?;
    let id = new_id()?;
    let mut begun = Vec::new();
    for (rank, &device) in devices.iter().enumerate() {
        if !(0..count).contains(&device) {
            let text = format!("there is no device {device}: the number of devices is {count} (see COALESCED_DEVICES)");
            return Err(NcclResult::INVALID_ARGUMENT.because(text));
        }
        begun.push(Joining::begin(&id, rank, devices.len(), device)?);
    }
    let ranks = connect(begun)?;
    let mut handles = Vec::new();
    for (rank, (streams, &device)) in ranks.into_iter().zip(devices).enumerate() {
        let place = (driver.primary_context(device)?, device);
        handles.push(insert(Communicator::new(rank, place, streams, devices.len() > 1)?));
    }
    Ok(handles)
}
