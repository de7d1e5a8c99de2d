//! Exposed transfers: bytes whose transfer no kernel of the device could overlap. This is a count, not a time.

use super::clock::{Clock, Epoch};
use serde::Serialize;
use std::collections::HashMap;

/// The transfers of one device, and the kernels that might overlap them.
#[derive(Debug, Default)]
pub(super) struct ExposedTransfers {
    bytes: u64,
    /// The bytes of transfers that no later kernel can overlap either.
    exposed_bytes: u64,
    /// Transfers that no kernel has overlapped so far and that the host has not waited for, with their bytes.
    pending: Vec<(Epoch, u64)>,
    /// The last kernel of each queue.
    kernels: HashMap<usize, Epoch>,
}

/// The bytes transferred from and to a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Transferred {
    /// The ordinal of the device.
    pub(crate) device: u32,
    /// The number of bytes in total.
    pub(crate) bytes: u64,
    /// The number of bytes that no kernel could overlap.
    pub(crate) exposed_bytes: u64,
}

impl ExposedTransfers {
    /// Adds a kernel that begins when the work in `start` is complete.
    pub(super) fn kernel(&mut self, epoch: Epoch, start: &Clock) {
        self.pending.retain(|(transfer, _)| start.covers(*transfer));
        self.kernels.insert(epoch.queue, epoch);
    }

    /// Adds a transfer that begins when the work in `start` is complete.
    pub(super) fn transfer(&mut self, epoch: Epoch, start: &Clock, bytes: u64) {
        self.bytes += bytes;
        // The last kernel of a queue completes last.
        if self.kernels.values().all(|&kernel| start.covers(kernel)) {
            self.pending.push((epoch, bytes));
        }
    }

    /// Records that the host has waited for the work in `host`: no later kernel can overlap it.
    pub(super) fn settle(&mut self, host: &Clock) {
        let settled = self.pending.extract_if(.., |(transfer, _)| host.covers(*transfer));
        self.exposed_bytes += settled.map(|(_, bytes)| bytes).sum::<u64>();
        self.kernels.retain(|_, kernel| !host.covers(*kernel));
    }

    /// Returns the bytes transferred since the last call.
    pub(super) fn take(&mut self, device: u32) -> Transferred {
        let pending: u64 = self.pending.drain(..).map(|(_, bytes)| bytes).sum();
        let taken = Transferred { device, bytes: self.bytes, exposed_bytes: self.exposed_bytes + pending };
        (self.bytes, self.exposed_bytes) = (0, 0);
        taken
    }
}
