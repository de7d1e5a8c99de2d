//! Making communicators: alone, or several of one thread at once, step by step.

use super::{Communicator, insert};
use crate::arguments::{CommunicatorHandle, Out};
use crate::driver::driver;
use crate::network::{Health, Joining, Link, Mesh, UniqueId, new_id};
use crate::result::{NcclResult, Outcome};
use crate::settings;
use std::ffi::c_int;
use std::net::TcpStream;
use std::sync::Arc;

/// A rank that is to be made, and where its handle goes.
pub(crate) struct Pending {
    pub(crate) id: UniqueId,
    pub(crate) rank: usize,
    pub(crate) world: usize,
    /// Context and device.
    pub(crate) place: (usize, c_int),
    pub(crate) handle: Out<CommunicatorHandle>,
}

impl Pending {
    /// Checks the arguments of a rank that is made on the current device.
    pub(crate) fn new(handle: Out<CommunicatorHandle>, id: UniqueId, rank: c_int, world: c_int) -> Outcome<Self> {
        handle.require()?;
        let place = driver()?.place()?;
        match (usize::try_from(rank), usize::try_from(world)) {
            (Ok(rank), Ok(world)) if rank < world => Ok(Self { id, rank, world, place, handle }),
            _ => Err(NcclResult::INVALID_ARGUMENT.because(format!("rank {rank} of {world}"))),
        }
    }
}

/// Makes ranks, of one communicator or of several.
pub(crate) fn join(pending: Vec<Pending>) -> Outcome {
    let begun: Vec<_> =
        pending.iter().map(|one| Joining::begin(&one.id, one.rank, one.world)).collect::<Outcome<_>>()?;
    let heard = begun.into_iter().map(|mut joining| joining.hear().map(|mesh| (joining, mesh)));
    let heard: Vec<_> = heard.collect::<Outcome<_>>()?;
    let ranks = connect(heard)?;
    for (one, streams) in pending.into_iter().zip(ranks) {
        one.handle.set(insert(open(one.rank, one.place, streams)?))?;
    }
    Ok(())
}

/// Connects ranks that know of each other.
fn connect(mut ranks: Vec<(Joining, Mesh)>) -> Outcome<Vec<Vec<Option<TcpStream>>>> {
    ranks.iter_mut().try_for_each(|(joining, mesh)| joining.connect(mesh))?;
    ranks.into_iter().map(|(joining, mesh)| joining.accept(&mesh)).collect()
}

/// Makes a communicator of connections.
fn open(rank: usize, place: (usize, c_int), streams: Vec<Option<TcpStream>>) -> Outcome<Communicator> {
    let (health, limit) = (Arc::<Health>::default(), settings::timeout()?);
    let open =
        |stream: Option<TcpStream>| stream.map(|stream| Link::open(stream, Arc::clone(&health), limit)).transpose();
    let links = streams.into_iter().map(open).collect::<std::io::Result<Vec<_>>>();
    let links =
        links.map_err(|error| NcclResult::SYSTEM_ERROR.because(format!("rank {rank}: a connection: {error}")))?;
    Ok(Communicator::new(rank, place, links, health))
}

/// Makes the ranks of a communicator in this process, one for each device.
pub(crate) fn all(devices: &[c_int]) -> Outcome<Vec<CommunicatorHandle>> {
    let driver = driver()?;
    let (count, id) = (driver.devices()?, new_id()?);
    let mut begun = Vec::new();
    for (rank, &device) in devices.iter().enumerate() {
        if !(0..count).contains(&device) {
            let text =
                format!("there is no device {device}: {count} devices (COALESCED_DEVICES=N gives a process several)");
            return Err(NcclResult::INVALID_ARGUMENT.because(text));
        }
        if devices[..rank].contains(&device) {
            let text = format!("device {device} twice: a communicator has one rank a device (COALESCED_DEVICES=N)");
            return Err(NcclResult::INVALID_USAGE.because(text));
        }
        begun.push(Joining::begin(&id, rank, devices.len())?);
    }
    let heard = begun.into_iter().map(|mut joining| joining.hear().map(|mesh| (joining, mesh)));
    let ranks = connect(heard.collect::<Outcome<_>>()?)?;
    let mut handles = Vec::new();
    for (rank, (streams, &device)) in ranks.into_iter().zip(devices).enumerate() {
        handles.push(insert(open(rank, (driver.primary_context(device)?, device), streams)?));
    }
    Ok(handles)
}
