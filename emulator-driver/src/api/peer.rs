//! Peer access: which devices reach each other's memory. All do, once a context enables it.

use super::device::{Device, require_device};
use crate::arguments::Out;
use crate::boundary::api;
use crate::result::{CUresult, Outcome};
use crate::state::current::current;
use crate::state::{Context, Handle};
use std::ffi::{c_int, c_uint};
use std::sync::Arc;

/// Returns the context of a peer; fails if there is none, or if it is the current one.
fn peer(context: Handle<Context>) -> Outcome<(Arc<Context>, Arc<Context>)> {
    let current = current()?;
    let own = || CUresult::INVALID_CONTEXT.because("a context is no peer of itself");
    let peer = current.driver.contexts.get(context)?;
    if current.handle == context { Err(own()) } else { Ok((current.context, peer)) }
}

/// Returns an attribute of the way between two devices by its number in CUDA 12.8, `None` for a number that is none.
fn attribute(number: c_int) -> Option<c_int> {
    match number {
        // PERFORMANCE_RANK: all ways are alike
        1 => Some(0),
        // ACCESS_SUPPORTED, NATIVE_ATOMIC_SUPPORTED
        2 | 3 => Some(1),
        // CUDA_ARRAY_ACCESS_SUPPORTED: there are no arrays
        4 => Some(0),
        _ => None,
    }
}

api! {
    /// Writes whether kernels of `device` can reach the memory of `peer`: of every device but itself.
    fn cuDeviceCanAccessPeer(can: Out<c_int>, device: Device, peer: Device) {
        require_device(device)?;
        require_device(peer)?;
        can.set((device != peer).into())
    }

    /// Writes an attribute of the way from a device to another one.
    fn cuDeviceGetP2PAttribute(value: Out<c_int>, number: c_int, source: Device, target: Device) {
        value.require()?;
        let unknown = || CUresult::INVALID_VALUE.because(format!("CUDA 12.8 has no attribute {number} of two devices"));
        let attribute = attribute(number).ok_or_else(unknown)?;
        require_device(source)?;
        require_device(target)?;
        if source == target {
            return Err(CUresult::INVALID_DEVICE.because(format!("device {source} is no peer of itself")));
        }
        value.set(attribute)
    }

    /// Lets kernels of the current context reach the memory of another device's.
    fn cuCtxEnablePeerAccess(peer: Handle<Context>, flags: c_uint) {
        let (own, other) = self::peer(peer)?;
        if flags != 0 {
            return Err(CUresult::INVALID_VALUE.because("the flags of cuCtxEnablePeerAccess must be 0"));
        }
        if own.device == other.device {
            return Err(CUresult::PEER_ACCESS_UNSUPPORTED.because("both contexts are of one device"));
        }
        own.peers.enable(peer, other.device)
    }

    /// Takes that back.
    fn cuCtxDisablePeerAccess(peer: Handle<Context>) {
        self::peer(peer)?.0.peers.disable(peer)
    }
}
