//! Copies between host and device memory, and inside device memory.

use super::accesses::{accesses, read, write};
use super::memory::DevicePointer;
use crate::arguments::{HostAddress, HostSource, HostTarget};
use crate::boundary::api;
use crate::result::{CUresult, Outcome};
use crate::state::current::{Current, current};
use crate::state::graph::NodeKind;
use crate::state::order::Share;
use crate::state::{Context, Handle, Stream};
use emulator::MemoryError;

/// One end of a copy.
#[derive(Clone, Copy)]
pub(super) enum End<Host> {
    Host(Host),
    Device(DevicePointer),
}

impl<Host> End<Host> {
    /// Takes an address for one of device memory if device memory was ever allocated there, so that a stale pointer is
    /// found; for one of the host else.
    pub(super) fn unified(place: &Current, address: DevicePointer, host: impl Fn(DevicePointer) -> Host) -> Self {
        if place.driver.memory.hands_out(address) { Self::Device(address) } else { Self::Host(host(address)) }
    }
}

impl<Host: HostAddress> End<Host> {
    /// Returns the end that lies `bytes` bytes further.
    pub(super) fn at(&self, bytes: usize) -> Self {
        match self {
            Self::Host(host) => Self::Host(host.at(bytes)),
            Self::Device(address) => Self::Device(address.wrapping_add(bytes as u64)),
        }
    }
}

/// Fails unless the range is inside one allocation. Before the host's memory is touched: a wrong size goes past its end
/// too.
pub(super) fn require_range(place: &Current, address: DevicePointer, bytes: usize) -> Outcome {
    let inside = |(base, length): (u64, u64)| bytes as u64 <= length - (address - base);
    if place.driver.memory.allocation_of(address).is_some_and(inside) {
        return Ok(());
    }
    Err(MemoryError::InvalidRange { address, bytes: bytes as u64 }.into())
}

/// Copies to the device, in the order of the stream.
fn to_device(place: &Current, target: DevicePointer, source: HostSource, bytes: usize) -> Outcome {
    if bytes == 0 {
        return Ok(());
    }
    require_range(place, target, bytes)?;
    source.require()?;
    place.give(NodeKind::Copy, move |place| {
        // SAFETY: the caller says that `bytes` bytes can be read at `source` while the call runs, and while a graph runs
        // that it is captured into.
        let source = unsafe { source.bytes(bytes) }?;
        place.perform("copy from the host", Share::Transfer(bytes as u64), || {
            place.driver.memory.write(target, source)?;
            Ok(accesses([write(target, bytes)]))
        })
    })
}

/// Copies to the host. Waits, also in the asynchronous forms: the host must not read what a faulted kernel left. A copy to
/// page-locked memory does not order the host after the stream, nor does one in a graph.
fn to_host(place: &Current, target: HostTarget, source: DevicePointer, bytes: usize) -> Outcome {
    if bytes == 0 {
        return if place.capture.is_some() { Ok(()) } else { place.wait() };
    }
    require_range(place, source, bytes)?;
    target.require()?;
    place.give(NodeKind::Copy, move |place| {
        // SAFETY: the caller says that `bytes` bytes at `target` are its own to be written while the call runs, and while a
        // graph runs that it is captured into.
        let bytes_there = unsafe { target.cleared(bytes) }?;
        place.perform("copy to the host", Share::Transfer(bytes as u64), || {
            place.driver.memory.read(source, bytes_there)?;
            Ok(accesses([read(source, bytes)]))
        })?;
        let asynchronous = place.branch.is_some() || place.driver.host.holds(target.address());
        if asynchronous { place.context.synchronize() } else { place.wait() }
    })
}

/// Copies inside device memory, in the order of the stream.
fn on_device(place: &Current, target: DevicePointer, source: DevicePointer, bytes: usize) -> Outcome {
    if bytes == 0 {
        return Ok(());
    }
    if place.capture.is_some() {
        require_range(place, source, bytes)?;
        require_range(place, target, bytes)?;
    }
    place.give(NodeKind::Copy, move |place| {
        let memory = &place.driver.memory;
        let (what, share) = match memory.device_of(target) == memory.device_of(source) {
            true => ("copy on the device", Share::Other),
            false => ("copy between devices", Share::Transfer(bytes as u64)),
        };
        place.perform(what, share, || {
            memory.copy(target, source, bytes as u64)?;
            Ok(accesses([write(target, bytes), read(source, bytes)]))
        })
    })
}

/// Copies on the host, in the order of the stream.
fn on_host(place: &Current, target: HostTarget, source: HostSource, bytes: usize) -> Outcome {
    if bytes == 0 {
        return Ok(());
    }
    place.give(NodeKind::Copy, move |place| {
        // SAFETY: the caller says that `bytes` bytes can be read at `source` and written at `target` while the call runs,
        // and while a graph runs that it is captured into.
        place.context.submit(|| unsafe { target.copy_from(source, bytes) })
    })
}

/// Copies from end to end, in the order of the stream.
pub(super) fn copy(place: &Current, target: End<HostTarget>, source: End<HostSource>, bytes: usize) -> Outcome {
    match (target, source) {
        (End::Device(target), End::Host(source)) => to_device(place, target, source, bytes),
        (End::Host(target), End::Device(source)) => to_host(place, target, source, bytes),
        (End::Device(target), End::Device(source)) => on_device(place, target, source, bytes),
        (End::Host(target), End::Host(source)) => on_host(place, target, source, bytes),
    }
}

/// Copies between unified addresses, in the order of the stream.
fn unified(place: &Current, target: DevicePointer, source: DevicePointer, bytes: usize) -> Outcome {
    let target = End::unified(place, target, HostTarget::of_address);
    copy(place, target, End::unified(place, source, HostSource::of_address), bytes)
}

/// One end of a copy between contexts.
pub(super) type PeerEnd = (Handle<Context>, DevicePointer);

/// Fails unless both contexts exist, and each end is in the memory of its context's device.
pub(super) fn require_peers(place: &Current, ends: [PeerEnd; 2]) -> Outcome {
    for (context, address) in ends {
        let context = place.driver.contexts.get(context)?;
        context.check()?;
        let device = place.driver.memory.device_of(address);
        if let Some(device) = device.filter(|&device| device != context.device) {
            let detail = format!("{address:#x} is in memory of device {device}; the context is of {}", context.device);
            return Err(CUresult::INVALID_VALUE.because(detail));
        }
    }
    Ok(())
}

api! {
    /// Copies between host and device memory or inside either; the addresses say which.
    fn cuMemcpy(target: DevicePointer, source: DevicePointer, bytes: usize) {
        let current = current()?;
        current.require_safe()?;
        unified(&current, target, source, bytes)?;
        current.wait()
    }

    /// Copies between host and device memory or inside either, in the order of the stream.
    fn cuMemcpyAsync(target: DevicePointer, source: DevicePointer, bytes: usize, stream: Handle<Stream>) {
        unified(&current()?.on(stream)?, target, source, bytes)
    }

    /// Copies from the host to the device.
    fn cuMemcpyHtoD_v2(target: DevicePointer, source: HostSource, bytes: usize) {
        let current = current()?;
        current.require_safe()?;
        to_device(&current, target, source, bytes)?;
        current.wait()
    }

    /// Copies from the host to the device, in the order of the stream; the source may be reused on return.
    fn cuMemcpyHtoDAsync_v2(target: DevicePointer, source: HostSource, bytes: usize, stream: Handle<Stream>) {
        to_device(&current()?.on(stream)?, target, source, bytes)
    }

    /// Copies from the device to the host.
    fn cuMemcpyDtoH_v2(target: HostTarget, source: DevicePointer, bytes: usize) {
        let current = current()?;
        current.require_safe()?;
        to_host(&current, target, source, bytes)?;
        current.wait()
    }

    /// Copies from the device to the host, in the order of the stream; the target is written on return.
    fn cuMemcpyDtoHAsync_v2(target: HostTarget, source: DevicePointer, bytes: usize, stream: Handle<Stream>) {
        to_host(&current()?.on(stream)?, target, source, bytes)
    }

    /// Copies inside device memory; the ranges may overlap.
    fn cuMemcpyDtoD_v2(target: DevicePointer, source: DevicePointer, bytes: usize) {
        let current = current()?;
        current.require_safe()?;
        on_device(&current, target, source, bytes)
    }

    /// Copies inside device memory, in the order of the stream; the ranges may overlap.
    fn cuMemcpyDtoDAsync_v2(target: DevicePointer, source: DevicePointer, bytes: usize, stream: Handle<Stream>) {
        on_device(&current()?.on(stream)?, target, source, bytes)
    }

    /// Copies from memory of one context to that of another, after all work of both and before what they are given later.
    fn cuMemcpyPeer(
        target: DevicePointer,
        target_context: Handle<Context>,
        source: DevicePointer,
        source_context: Handle<Context>,
        bytes: usize,
    ) {
        let current = current()?;
        current.require_safe()?;
        require_peers(&current, [(target_context, target), (source_context, source)])?;
        let contexts = [current.handle, target_context, source_context].map(Handle::number);
        let copy = || on_device(&current, target, source, bytes);
        current.driver.order.between_contexts(&current.site(), &contexts, copy)
    }

    /// Copies from memory of one context to that of another, in the order of the stream.
    fn cuMemcpyPeerAsync(
        target: DevicePointer,
        target_context: Handle<Context>,
        source: DevicePointer,
        source_context: Handle<Context>,
        bytes: usize,
        stream: Handle<Stream>,
    ) {
        let place = current()?.on(stream)?;
        require_peers(&place, [(target_context, target), (source_context, source)])?;
        on_device(&place, target, source, bytes)
    }
}
