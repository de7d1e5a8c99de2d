//! Bytes of transfers beside which no kernel of their device could run: exposed bytes. A count, and no time.

use super::clock::{Clock, Epoch};
use serde::Serialize;
use std::collections::HashMap;

/// Transfers of one device, and the kernels that might have run beside them.
#[derive(Debug, Default)]
pub(super) struct Company {
    bytes: u64,
    exposed_bytes: u64,
    /// Transfers that are ordered against every kernel so far, and that the host has not waited for.
    alone: Vec<(Epoch, u64)>,
    /// The last kernel of each line.
    kernels: HashMap<usize, Epoch>,
}

/// What was transferred from and to a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Transferred {
    /// Ordinal of the device.
    pub(crate) device: u32,
    /// Bytes in all.
    pub(crate) bytes: u64,
    /// Those beside which no kernel could run.
    pub(crate) exposed_bytes: u64,
}

impl Company {
    pub(super) fn kernel(&mut self, epoch: Epoch, start: &Clock) {
        self.alone.retain(|(transfer, _)| start.covers(*transfer));
        self.kernels.insert(epoch.line, epoch);
    }

    pub(super) fn transfer(&mut self, epoch: Epoch, start: &Clock, bytes: u64) {
        self.bytes += bytes;
        // Of the kernels of a line, the last one is over last.
        if self.kernels.values().all(|&kernel| start.covers(kernel)) {
            self.alone.push((epoch, bytes));
        }
    }

    /// The host has waited: no later kernel can run beside what is over.
    pub(super) fn settle(&mut self, host: &Clock) {
        let over: u64 = self.alone.extract_if(.., |(transfer, _)| host.covers(*transfer)).map(|(_, bytes)| bytes).sum();
        self.exposed_bytes += over;
        self.kernels.retain(|_, kernel| !host.covers(*kernel));
    }

    /// What was transferred since the last call.
    pub(super) fn take(&mut self, device: u32) -> Transferred {
        let alone: u64 = self.alone.drain(..).map(|(_, bytes)| bytes).sum();
        let taken = Transferred { device, bytes: self.bytes, exposed_bytes: self.exposed_bytes + alone };
        (self.bytes, self.exposed_bytes) = (0, 0);
        taken
    }
}
