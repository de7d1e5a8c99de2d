//! Peer access: which other contexts' memory the kernels of a context reach.

use super::handle::Handle;
use super::{Context, lock};
use crate::result::{CUresult, Outcome};
use emulator::Memory;
use std::sync::{Arc, Mutex};

/// The peers of one context. An emulated device's memory is reached as a whole: what one context of it may, all may.
pub(crate) struct Peers {
    own: Arc<Memory>,
    enabled: Mutex<Vec<(Handle<Context>, u32)>>,
}

impl Peers {
    pub(super) fn of(memory: &Arc<Memory>) -> Self {
        Self { own: Arc::clone(memory), enabled: Mutex::default() }
    }

    /// Lets kernels reach the memory of a context of another device; fails if they do already.
    pub(crate) fn enable(&self, peer: Handle<Context>, device: u32) -> Outcome {
        let mut enabled = lock(&self.enabled);
        if enabled.iter().any(|(known, _)| *known == peer) {
            return Err(
                CUresult::PEER_ACCESS_ALREADY_ENABLED.because(format!("to context {peer:?}, of device {device}"))
            );
        }
        enabled.push((peer, device));
        Ok(())
    }

    /// Takes that back; fails if they do not.
    pub(crate) fn disable(&self, peer: Handle<Context>) -> Outcome {
        let mut enabled = lock(&self.enabled);
        let index = enabled.iter().position(|(known, _)| *known == peer);
        let unknown = || CUresult::PEER_ACCESS_NOT_ENABLED.because(format!("to context {peer:?}"));
        enabled.swap_remove(index.ok_or_else(unknown)?);
        Ok(())
    }

    /// Forgets a context that is destroyed.
    pub(crate) fn forget(&self, peer: Handle<Context>) {
        lock(&self.enabled).retain(|(known, _)| *known != peer);
    }

    /// Memory as kernels reach it.
    pub(crate) fn memory(&self) -> Arc<Memory> {
        let enabled = lock(&self.enabled);
        if enabled.is_empty() {
            return Arc::clone(&self.own);
        }
        Arc::new(self.own.with_peers(enabled.iter().map(|(_, device)| *device)))
    }
}
