//! Copies between host and device memory, and within each.

use super::range::{DevicePointer, accesses, read, require_range, write};
use crate::arguments::{HostAddress, HostSource, HostTarget};
use crate::boundary::api;
use crate::result::{Outcome, invalid};
use crate::state::current::{Current, current, on_stream};
use crate::state::stream_order::WorkKind;
use crate::state::{Context, Handle, Stream};

/// One end of a copy.
#[derive(Clone, Copy)]
pub(super) enum End<Host> {
    Host(Host),
    Device(DevicePointer),
}

impl<Host> End<Host> {
    /// Interprets a unified address. It is a device address if device memory was ever allocated there, so that a stale
    /// pointer is detected, and a host address otherwise.
    pub(super) fn from_unified(place: &Current, address: DevicePointer, host: impl Fn(DevicePointer) -> Host) -> Self {
        if place.driver.memory.hands_out(address) { Self::Device(address) } else { Self::Host(host(address)) }
    }
}

impl<Host: HostAddress> End<Host> {
    /// Interprets a pointer to host memory. If it is a device address, the copy is one from or to the device, as with
    /// NVIDIA's drivers.
    pub(super) fn from_host(place: &Current, host: Host) -> Self {
        Self::from_unified(place, host.number(), |_| host)
    }

    /// Returns the end `bytes` bytes further on.
    pub(super) fn at(&self, bytes: usize) -> Self {
        match self {
            Self::Host(host) => Self::Host(host.at(bytes)),
            Self::Device(address) => Self::Device(address.wrapping_add(bytes as u64)),
        }
    }
}

/// Copies from the host to the device, in stream order.
fn to_device(place: &Current, target: DevicePointer, source: HostSource, bytes: usize) -> Outcome {
    if bytes == 0 {
        return Ok(());
    }
    require_range(place, target, bytes)?;
    source.require()?;
    place.submit(move |place| {
        // SAFETY: the caller promises that `source` is valid for reads of `bytes` bytes during the call, or during each
        // launch of the graph that captures it.
        let source_bytes = unsafe { source.bytes(bytes) }?;
        place.perform("copy from the host", WorkKind::Other, || {
            place.driver.memory.write(target, source_bytes)?;
            let from = if is_page_locked(place, source) { bytes } else { 0 };
            Ok(accesses([write(target, bytes), read(source.number(), from)]))
        })
    })
}

/// Returns whether the bytes of a copy at a host address are accessed in the order of its stream. Others are accessed while the call
/// lasts.
fn is_page_locked(place: &Current, host: impl HostAddress) -> bool {
    place.driver.host.holds(host.number() as usize)
}

/// Copies from the device to the host. Waits even in the asynchronous forms, because the host must not read the results of a
/// faulted kernel. A copy to page-locked memory does not order the host after the stream, nor does a copy in a graph.
fn to_host(place: &Current, target: HostTarget, source: DevicePointer, bytes: usize) -> Outcome {
    if bytes == 0 {
        return if place.capture.is_some() { Ok(()) } else { place.wait() };
    }
    require_range(place, source, bytes)?;
    target.require()?;
    place.submit(move |place| {
        // SAFETY: the caller promises that `target` is valid for writes of `bytes` bytes and not accessed otherwise during
        // the call, or during each launch of the graph that captures it.
        let target_bytes = unsafe { target.clear(bytes) }?;
        place.perform("copy to the host", WorkKind::Other, || {
            place.driver.memory.read(source, target_bytes)?;
            let to = if is_page_locked(place, target) { bytes } else { 0 };
            Ok(accesses([read(source, bytes), write(target.number(), to)]))
        })?;
        let asynchronous = place.branch.is_some() || is_page_locked(place, target);
        if asynchronous { place.context.synchronize() } else { place.wait() }
    })
}

/// Copies within device memory, in stream order.
fn on_device(place: &Current, target: DevicePointer, source: DevicePointer, bytes: usize) -> Outcome {
    if bytes == 0 {
        return Ok(());
    }
    if place.capture.is_some() {
        require_range(place, source, bytes)?;
        require_range(place, target, bytes)?;
    }
    place.submit(move |place| {
        let memory = &place.driver.memory;
        let is_local = memory.device_of(target) == memory.device_of(source);
        let what = if is_local { "copy on the device" } else { "copy between devices" };
        place.perform(what, WorkKind::Other, || {
            memory.copy(target, source, bytes as u64)?;
            Ok(accesses([write(target, bytes), read(source, bytes)]))
        })
    })
}

/// Copies within host memory, in stream order.
fn on_host(place: &Current, target: HostTarget, source: HostSource, bytes: usize) -> Outcome {
    if bytes == 0 {
        return Ok(());
    }
    place.submit(move |place| {
        place.perform("copy on the host", WorkKind::Other, || {
            // SAFETY: the caller promises that `source` is valid for reads and `target` for writes of `bytes` bytes during
            // the call, or during each launch of the graph that captures it.
            unsafe { target.copy_from(source, bytes) }?;
            let [from, to] = [is_page_locked(place, source), is_page_locked(place, target)];
            let length = |locked| if locked { bytes } else { 0 };
            Ok(accesses([read(source.number(), length(from)), write(target.number(), length(to))]))
        })
    })
}

/// Copies from one end to the other, in stream order.
pub(super) fn copy(place: &Current, target: End<HostTarget>, source: End<HostSource>, bytes: usize) -> Outcome {
    match (target, source) {
        (End::Device(target), End::Host(source)) => to_device(place, target, source, bytes),
        (End::Host(target), End::Device(source)) => to_host(place, target, source, bytes),
        (End::Device(target), End::Device(source)) => on_device(place, target, source, bytes),
        (End::Host(target), End::Host(source)) => on_host(place, target, source, bytes),
    }
}

/// Runs a copy as the calls without a stream do, and waits for it as far as these do. From pageable memory, they return when the
/// bytes have been read and before they have arrived, and on the device, they do not wait at all: a non-blocking stream that
/// accesses the target must wait for it ("API synchronization behavior" in NVIDIA's documentation of the driver API).
pub(super) fn synchronously(
    place: &Current,
    target: &End<HostTarget>,
    source: &End<HostSource>,
    run: impl FnOnce() -> Outcome,
) -> Outcome {
    let waits = match (target, source) {
        (End::Device(_), End::Host(source)) if !is_page_locked(place, *source) => {
            place.wait()?;
            false
        }
        (End::Device(_), End::Device(_)) => false,
        _ => true,
    };
    run()?;
    if waits { place.wait() } else { place.context.synchronize() }
}

/// Copies from one end to the other as the calls without a stream do.
pub(super) fn copy_now(place: &Current, target: End<HostTarget>, source: End<HostSource>, bytes: usize) -> Outcome {
    synchronously(place, &target, &source, || copy(place, target, source, bytes))
}

/// Returns the ends of a copy between unified addresses.
fn unified(place: &Current, target: DevicePointer, source: DevicePointer) -> (End<HostTarget>, End<HostSource>) {
    let target = End::from_unified(place, target, HostTarget::from_address);
    (target, End::from_unified(place, source, HostSource::from_address))
}

/// Copies between unified addresses, in stream order.
fn copy_unified(place: &Current, target: DevicePointer, source: DevicePointer, bytes: usize) -> Outcome {
    let (target, source) = unified(place, target, source);
    copy(place, target, source, bytes)
}

/// One end of a copy between contexts: its context and address.
type PeerEnd = (Handle<Context>, DevicePointer);

/// Fails unless both contexts exist and each end is in memory of its context's device.
fn require_peers(place: &Current, ends: [PeerEnd; 2]) -> Outcome {
    for (context, address) in ends {
        let context = place.driver.contexts.get(context)?;
        context.check()?;
        let device = place.driver.memory.device_of(address);
        if let Some(device) = device.filter(|&device| device != context.device) {
            let owner = context.device;
            let detail = format!("{address:#x} is in memory of device {device}; its context is of device {owner}");
            return Err(invalid(detail));
        }
    }
    Ok(())
}

api! {
    /// Copies between unified addresses.
    fn cuMemcpy(target: DevicePointer, source: DevicePointer, bytes: usize) {
        let current = current()?;
        current.require_safe()?;
        let (target, source) = unified(&current, target, source);
        copy_now(&current, target, source, bytes)
    }

    /// Copies between unified addresses, in stream order.
    fn cuMemcpyAsync(target: DevicePointer, source: DevicePointer, bytes: usize, stream: Handle<Stream>) {
        copy_unified(&on_stream(stream)?, target, source, bytes)
    }

    /// Copies from the host to the device. The source may be reused on return.
    fn cuMemcpyHtoD_v2(target: DevicePointer, source: HostSource, bytes: usize) {
        let current = current()?;
        current.require_safe()?;
        copy_now(&current, End::Device(target), End::from_host(&current, source), bytes)
    }

    /// Copies from the host to the device, in stream order. The source may be reused on return.
    fn cuMemcpyHtoDAsync_v2(target: DevicePointer, source: HostSource, bytes: usize, stream: Handle<Stream>) {
        let place = on_stream(stream)?;
        copy(&place, End::Device(target), End::from_host(&place, source), bytes)
    }

    /// Copies from the device to the host. An H200 permits it while another stream is being captured.
    fn cuMemcpyDtoH_v2(target: HostTarget, source: DevicePointer, bytes: usize) {
        let current = current()?;
        copy_now(&current, End::from_host(&current, target), End::Device(source), bytes)
    }

    /// Copies from the device to the host, in stream order. The target has been written on return.
    fn cuMemcpyDtoHAsync_v2(target: HostTarget, source: DevicePointer, bytes: usize, stream: Handle<Stream>) {
        let place = on_stream(stream)?;
        copy(&place, End::from_host(&place, target), End::Device(source), bytes)
    }

    /// Copies within device memory. The ranges may overlap.
    fn cuMemcpyDtoD_v2(target: DevicePointer, source: DevicePointer, bytes: usize) {
        let current = current()?;
        current.require_safe()?;
        on_device(&current, target, source, bytes)
    }

    /// Copies within device memory, in stream order. The ranges may overlap.
    fn cuMemcpyDtoDAsync_v2(target: DevicePointer, source: DevicePointer, bytes: usize, stream: Handle<Stream>) {
        on_device(&on_stream(stream)?, target, source, bytes)
    }

    /// Copies from one context's memory to another's, in stream order.
    fn cuMemcpyPeerAsync(
        target: DevicePointer,
        target_context: Handle<Context>,
        source: DevicePointer,
        source_context: Handle<Context>,
        bytes: usize,
        stream: Handle<Stream>,
    ) {
        let place = on_stream(stream)?;
        require_peers(&place, [(target_context, target), (source_context, source)])?;
        on_device(&place, target, source, bytes)
    }
}
