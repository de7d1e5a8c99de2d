//! One buffer's way: to another rank, from one, inside of this one, or from all into one by a reduction.

use super::intake::Intake;
use crate::arguments::DevicePointer;
use crate::arithmetic::{Datatype, Reduction, Scale, combine, divide, scale};
use crate::communicator::Communicator;
use crate::driver::Driver;
use crate::network::{CHUNK, Lane, WINDOW, empty_frame, payload};
use crate::result::Outcome;

/// Where a transfer goes on.
pub(super) struct Place<'a> {
    pub(super) communicator: &'a Communicator,
    pub(super) driver: &'a Driver,
}

/// How the own values are read.
#[derive(Clone, Copy)]
pub(super) struct Values {
    pub(super) datatype: Datatype,
    pub(super) scale: Option<Scale>,
}

pub(super) enum Transfer {
    /// On the own device.
    Copy { from: DevicePointer, to: DevicePointer, left: u64 },
    /// To another rank.
    Send { peer: usize, lane: Lane, from: DevicePointer, bytes: u64, sent: u64, values: Values },
    /// From another rank.
    Receive { intake: Intake, to: DevicePointer },
    /// From all ranks.
    Reduce(Reduce),
}

/// The values of all ranks, combined in the order of ranks.
pub(super) struct Reduce {
    /// Of the other ranks, ascending.
    pub(super) others: Vec<Intake>,
    pub(super) own: DevicePointer,
    pub(super) to: DevicePointer,
    pub(super) left: u64,
    pub(super) values: Values,
    pub(super) reduction: Reduction,
}

impl Values {
    /// Reads own values.
    fn read(&self, driver: &Driver, from: DevicePointer, into: &mut [u8]) -> Outcome {
        driver.read(from, into)?;
        let factor = match self.scale {
            None => return Ok(()),
            Some(Scale::Bytes(bytes)) => bytes,
            Some(Scale::Device(address)) => {
                let mut bytes = [0; 8];
                driver.read(address, &mut bytes[..self.datatype.bytes() as usize])?;
                bytes
            }
        };
        scale(self.datatype, factor, into);
        Ok(())
    }
}

impl Transfer {
    /// Goes on by a chunk at most; returns whether it did.
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
            Self::Send { peer, lane, from, bytes, sent, values } => {
                let chunk = CHUNK.min(*bytes - *sent);
                let Some(link) = &place.communicator.links[*peer] else { return Ok(false) };
                let granted = link.inbox().granted.get(lane).copied().unwrap_or(0);
                if *sent + chunk > WINDOW + granted {
                    return Ok(false);
                }
                let mut frame = empty_frame(chunk as usize);
                values.read(place.driver, *from + *sent, payload(&mut frame))?;
                link.send(*lane, frame);
                *sent += chunk;
                if sent == bytes {
                    link.inbox().granted.remove(lane);
                }
                Ok(true)
            }
            Self::Receive { intake, to } => {
                let Some(chunk) = intake.take(place.communicator) else { return Ok(false) };
                place.driver.write(*to, &chunk)?;
                *to += chunk.len() as u64;
                Ok(true)
            }
            Self::Reduce(reduce) => reduce.advance(place),
        }
    }

    /// Returns whether it has come to its end.
    pub(super) fn is_done(&self) -> bool {
        match self {
            Self::Copy { left, .. } | Self::Reduce(Reduce { left, .. }) => *left == 0,
            Self::Send { bytes, sent, .. } => sent == bytes,
            Self::Receive { intake, .. } => intake.is_done(),
        }
    }

    /// Returns the bytes to and from other ranks.
    pub(super) fn traffic(&self) -> (u64, u64) {
        match self {
            Self::Copy { .. } => (0, 0),
            Self::Send { bytes, .. } => (*bytes, 0),
            Self::Receive { intake, .. } => (0, intake.bytes),
            Self::Reduce(reduce) => (0, reduce.others.iter().map(|other| other.bytes).sum()),
        }
    }

    /// Returns the ranks that it waits for, when it cannot go on.
    pub(super) fn waits(&self, communicator: &Communicator) -> Vec<usize> {
        match self {
            _ if self.is_done() => Vec::new(),
            Self::Copy { .. } => Vec::new(),
            Self::Send { peer, .. } => vec![*peer],
            Self::Receive { intake, .. } => vec![intake.peer],
            Self::Reduce(reduce) => {
                let missing = reduce.others.iter().filter(|intake| !intake.is_ready(communicator));
                missing.map(|intake| intake.peer).collect()
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
        self.values.read(place.driver, self.own, &mut own)?;
        let mut chunks: Vec<Vec<u8>> = self.others.iter_mut().filter_map(|other| other.take(communicator)).collect();
        chunks.insert(communicator.rank, own);
        let mut result = chunks.remove(0);
        for chunk in &chunks {
            combine(self.values.datatype, self.reduction, &mut result, chunk);
        }
        if self.reduction == Reduction::Average {
            divide(self.values.datatype, &mut result, communicator.world);
        }
        place.driver.write(self.to, &result)?;
        (self.own, self.to, self.left) = (self.own + bytes, self.to + bytes, self.left - bytes);
        Ok(true)
    }
}
