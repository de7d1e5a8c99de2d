//! Copies between host and device memory, and inside device memory.

use super::memory::DevicePointer;
use crate::arguments::{HostAddress, HostSource, HostTarget};
use crate::boundary::api;
use crate::result::Outcome;
use crate::state::current::{Current, current};
use crate::state::graph::NodeKind;
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
        place.context.submit(|| Ok(place.driver.memory.write(target, source)?))
    })
}

/// Copies to the host. Waits, also in the asynchronous forms: the host must not read what a faulted kernel left.
fn to_host(place: &Current, target: HostTarget, source: DevicePointer, bytes: usize) -> Outcome {
    if bytes == 0 {
        return if place.capture.is_some() { Ok(()) } else { place.context.synchronize() };
    }
    require_range(place, source, bytes)?;
    target.require()?;
    place.give(NodeKind::Copy, move |place| {
        // SAFETY: the caller says that `bytes` bytes at `target` are its own to be written while the call runs, and while a
        // graph runs that it is captured into.
        let target = unsafe { target.cleared(bytes) }?;
        place.context.submit(|| Ok(place.driver.memory.read(source, target)?))?;
        place.context.synchronize()
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
        place.context.submit(|| Ok(place.driver.memory.copy(target, source, bytes as u64)?))
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

/// Fails unless both contexts exist. They need no more than that: all share the memory of the one device.
pub(super) fn require_peers(place: &Current, target: Handle<Context>, source: Handle<Context>) -> Outcome {
    place.driver.contexts.get(target)?.check()?;
    place.driver.contexts.get(source)?.check()
}

api! {
    /// Copies between host and device memory or inside either; the addresses say which.
    fn cuMemcpy(target: DevicePointer, source: DevicePointer, bytes: usize) {
        let current = current()?;
        current.require_safe()?;
        unified(&current, target, source, bytes)?;
        current.context.synchronize()
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
        current.context.synchronize()
    }

    /// Copies from the host to the device, in the order of the stream; the source may be reused on return.
    fn cuMemcpyHtoDAsync_v2(target: DevicePointer, source: HostSource, bytes: usize, stream: Handle<Stream>) {
        to_device(&current()?.on(stream)?, target, source, bytes)
    }

    /// Copies from the device to the host.
    fn cuMemcpyDtoH_v2(target: HostTarget, source: DevicePointer, bytes: usize) {
        let current = current()?;
        current.require_safe()?;
        to_host(&current, target, source, bytes)
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

    /// Copies from memory of one context to that of another.
    fn cuMemcpyPeer(
        target: DevicePointer,
        target_context: Handle<Context>,
        source: DevicePointer,
        source_context: Handle<Context>,
        bytes: usize,
    ) {
        let current = current()?;
        current.require_safe()?;
        require_peers(&current, target_context, source_context)?;
        on_device(&current, target, source, bytes)
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
        require_peers(&place, target_context, source_context)?;
        on_device(&place, target, source, bytes)
    }
}
