//! Peer access. Any two devices can access each other's memory once a context enables it.

use super::device::{Device, require_device};
use crate::arguments::Out;
use crate::boundary::api;
use crate::result::{CUresult, Outcome, invalid, require};
use crate::state::current::current;
use crate::state::{Context, Handle};
use std::ffi::{c_int, c_uint};
use std::sync::Arc;

/// Returns the current context and a peer. Fails if the peer does not exist or is the current context.
fn peer(context: Handle<Context>) -> Outcome<(Arc<Context>, Arc<Context>)> {
    let current = current()?;
    let own = || CUresult::INVALID_CONTEXT.because("a context is not its own peer");
    let peer = current.driver.contexts.get(context)?;
    if current.handle == context { Err(own()) } else { Ok((current.context, peer)) }
}

/// Returns an attribute of the link between two devices by its number in CUDA 12.8, `None` for an unknown number.
fn attribute(number: c_int) -> Option<c_int> {
    match number {
        // PERFORMANCE_RANK: all links are equal
        1 => Some(0),
        // ACCESS_SUPPORTED, NATIVE_ATOMIC_SUPPORTED
        2 | 3 => Some(1),
        // CUDA_ARRAY_ACCESS_SUPPORTED
        4 => Some(0),
        _ => None,
    }
}

api! {
    /// Writes whether kernels of `device` can access the memory of `peer`, which is true for any other device.
    fn cuDeviceCanAccessPeer(can: Out<c_int>, device: Device, peer: Device) {
        require_device(device)?;
        require_device(peer)?;
        can.set((device != peer).into())
    }

    /// Writes an attribute of the link from one device to another.
    fn cuDeviceGetP2PAttribute(value: Out<c_int>, number: c_int, source: Device, target: Device) {
        value.require()?;
        require_device(source)?;
        require_device(target)?;
        CUresult::INVALID_DEVICE.unless(source != target, format_args!("device {source} is not its own peer"))?;
        let unknown = || invalid(format!("CUDA 12.8 has no peer-to-peer attribute {number}"));
        value.set(attribute(number).ok_or_else(unknown)?)
    }

    /// Lets kernels of the current context access the memory of another device's context.
    fn cuCtxEnablePeerAccess(peer: Handle<Context>, flags: c_uint) {
        let (own, other) = self::peer(peer)?;
        require(flags == 0, "the flags of cuCtxEnablePeerAccess must be 0")?;
        CUresult::PEER_ACCESS_UNSUPPORTED.unless(own.device != other.device, "both contexts are of the same device")?;
        own.peers.enable(peer.number(), other.device)
    }

    /// Ends the access that `cuCtxEnablePeerAccess` enabled.
    fn cuCtxDisablePeerAccess(peer: Handle<Context>) {
        self::peer(peer)?.0.peers.disable(peer.number())
    }
}
