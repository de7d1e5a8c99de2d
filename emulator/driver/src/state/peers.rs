//! Peer access: the other contexts whose memory the kernels of a context can reach.

use super::lock;
use crate::result::{CUresult, Outcome};
use emulator::Memory;
use std::sync::{Arc, Mutex};

/// The peers of one context. Peer access covers the whole memory of the peer's device.
pub(crate) struct Peers {
    own: Arc<Memory>,
    /// The number of each peer's handle, and the ordinal of its device.
    enabled: Mutex<Vec<(usize, u32)>>,
}

impl Peers {
    /// Creates the peers of a context whose device has `memory`: none.
    pub(super) fn none(memory: &Arc<Memory>) -> Self {
        Self { own: Arc::clone(memory), enabled: Mutex::default() }
    }

    /// Lets kernels reach the memory of a context of another device. Fails if access is already enabled.
    pub(crate) fn enable(&self, peer: usize, device: u32) -> Outcome {
        let mut enabled = lock(&self.enabled);
        CUresult::PEER_ACCESS_ALREADY_ENABLED.unless(
            !enabled.iter().any(|(known, _)| *known == peer),
            format_args!("to context {peer:#x}, of device {device}"),
        )?;
        enabled.push((peer, device));
        Ok(())
    }

    /// Ends access to a peer. Fails if it is not enabled.
    pub(crate) fn disable(&self, peer: usize) -> Outcome {
        let mut enabled = lock(&self.enabled);
        let index = enabled.iter().position(|(known, _)| *known == peer);
        let unknown = || CUresult::PEER_ACCESS_NOT_ENABLED.because(format!("to context {peer:#x}"));
        enabled.swap_remove(index.ok_or_else(unknown)?);
        Ok(())
    }

    /// Removes a context that is being destroyed.
    pub(crate) fn forget(&self, peer: usize) {
        lock(&self.enabled).retain(|(known, _)| *known != peer);
    }

    /// Returns the memory that kernels can reach.
    pub(crate) fn memory(&self) -> Arc<Memory> {
        let enabled = lock(&self.enabled);
        if enabled.is_empty() {
            return Arc::clone(&self.own);
        }
        Arc::new(self.own.with_peers(enabled.iter().map(|(_, device)| *device)))
    }
}
