//! Transfers of one buffer: to another rank, from another rank, within this rank, or from all ranks by a reduction.

use crate::arguments::DevicePointer;
use crate::arithmetic::{Datatype, Reduction};
use crate::communicator::Communicator;
use crate::driver::Driver;
use crate::network::{CHUNK, Lane, Message, WINDOW, empty_frame, payload};
use crate::result::Outcome;

/// The communicator and driver of a transfer.
pub(super) struct Place<'a> {
    pub(super) communicator: &'a Communicator,
    pub(super) driver: &'a Driver,
}

/// A transfer in progress.
pub(super) enum Transfer {
    /// On the rank's own device.
    Copy { from: DevicePointer, to: DevicePointer, left: u64 },
    /// To another rank.
    Send { peer: usize, lane: Lane, from: DevicePointer, bytes: u64, sent: u64 },
    /// From another rank.
    Receive { incoming: Incoming, to: DevicePointer },
    /// From all ranks.
    Reduce(Reduce),
}

/// A reduction of the values of all ranks, combined in the order of ranks.
pub(super) struct Reduce {
    /// The values of the other ranks, in ascending order of ranks.
    pub(super) others: Vec<Incoming>,
    pub(super) own: DevicePointer,
    pub(super) to: DevicePointer,
    pub(super) left: u64,
    pub(super) datatype: Datatype,
    pub(super) reduction: Reduction,
}

impl Transfer {
    /// Advances by at most one chunk. Returns whether it made progress.
    pub(super) fn advance(&mut self, place: &Place) -> Outcome<bool> {
        match self {
            Self::Copy { from, to, left } => {
                let bytes = CHUNK.min(*left);
                let mut chunk = vec![0; bytes as usize];
                place.driver.read(*from, &mut chunk)?;
                place.driver.write(*to, &chunk)?;
                (*from, *to, *left) = (*from + bytes, *to + bytes, *left - bytes);
                Ok(true)
            }
            Self::Send { peer, lane, from, bytes, sent } => {
                let chunk = CHUNK.min(*bytes - *sent);
                let Some(link) = &place.communicator.links[*peer] else { return Ok(false) };
                let granted = link.inbox().granted.get(lane).copied().unwrap_or(0);
                if *sent + chunk > WINDOW + granted {
                    return Ok(false);
                }
                let mut frame = empty_frame(chunk as usize);
                place.driver.read(*from + *sent, payload(&mut frame))?;
                link.send(*lane, frame);
                *sent += chunk;
                if sent == bytes {
                    link.inbox().granted.remove(lane);
                }
                Ok(true)
            }
            Self::Receive { incoming, to } => {
                let Some(chunk) = incoming.take(place.communicator) else { return Ok(false) };
                place.driver.write(*to, &chunk)?;
                *to += chunk.len() as u64;
                Ok(true)
            }
            Self::Reduce(reduce) => reduce.advance(place),
        }
    }

    /// Returns whether the transfer is complete.
    pub(super) fn is_done(&self) -> bool {
        match self {
            Self::Copy { left, .. } | Self::Reduce(Reduce { left, .. }) => *left == 0,
            Self::Send { bytes, sent, .. } => sent == bytes,
            Self::Receive { incoming, .. } => incoming.is_done(),
        }
    }

    /// Returns the ranks that a stalled transfer waits for.
    pub(super) fn waits(&self, communicator: &Communicator) -> Vec<usize> {
        match self {
            _ if self.is_done() => Vec::new(),
            Self::Copy { .. } => Vec::new(),
            Self::Send { peer, .. } => vec![*peer],
            Self::Receive { incoming, .. } => vec![incoming.peer],
            Self::Reduce(reduce) => {
                let missing = reduce.others.iter().filter(|incoming| !incoming.is_ready(communicator));
                missing.map(|incoming| incoming.peer).collect()
            }
        }
    }
}

impl Reduce {
    fn advance(&mut self, place: &Place) -> Outcome<bool> {
        let communicator = place.communicator;
        if self.left == 0 || !self.others.iter().all(|other| other.is_ready(communicator)) {
            return Ok(false);
        }
        let bytes = CHUNK.min(self.left);
        let mut own = vec![0; bytes as usize];
        place.driver.read(self.own, &mut own)?;
        let mut chunks: Vec<Vec<u8>> = self.others.iter_mut().filter_map(|other| other.take(communicator)).collect();
        chunks.insert(communicator.rank, own);
        let mut result = chunks.remove(0);
        for chunk in &chunks {
            self.datatype.combine(self.reduction, &mut result, chunk);
        }
        if self.reduction == Reduction::Average {
            self.datatype.divide(&mut result, communicator.world);
        }
        place.driver.write(self.to, &result)?;
        (self.own, self.to, self.left) = (self.own + bytes, self.to + bytes, self.left - bytes);
        Ok(true)
    }
}

/// An incoming buffer. The sender may be [`WINDOW`] bytes ahead of what has been taken.
pub(super) struct Incoming {
    pub(super) peer: usize,
    lane: Lane,
    pub(super) bytes: u64,
    taken: u64,
    granted: u64,
}

impl Incoming {
    pub(super) fn new(peer: usize, lane: Lane, bytes: u64) -> Self {
        Self { peer, lane, bytes, taken: 0, granted: 0 }
    }

    /// Returns whether the whole buffer has been taken.
    pub(super) fn is_done(&self) -> bool {
        self.taken == self.bytes
    }

    /// Returns whether a chunk has arrived and not been taken.
    pub(super) fn is_ready(&self, communicator: &Communicator) -> bool {
        let Some(link) = &communicator.links[self.peer] else { return false };
        link.inbox().data.get(&self.lane).is_some_and(|chunks| !chunks.is_empty())
    }

    /// Takes the next chunk, `None` if it has not arrived.
    pub(super) fn take(&mut self, communicator: &Communicator) -> Option<Vec<u8>> {
        let link = communicator.links[self.peer].as_ref()?;
        let mut inbox = link.inbox();
        let chunk = inbox.data.get_mut(&self.lane)?.pop_front()?;
        self.taken += chunk.len() as u64;
        if self.is_done() {
            inbox.data.remove(&self.lane);
        }
        drop(inbox);
        // The initial window needs no grant.
        let left = self.bytes.saturating_sub(WINDOW + self.granted);
        let grant = left.min(chunk.len() as u64);
        if grant > 0 {
            self.granted += grant;
            link.say(&Message::Grant { lane: self.lane, bytes: grant });
        }
        Some(chunk)
    }
}
