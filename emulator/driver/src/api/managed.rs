//! Managed memory, which the host and the kernels of all devices access at the same addresses. The memory of an emulated device
//! is host memory, so that nothing moves.

use super::device::{Device, require_device};
use super::range::{DevicePointer, require_range};
use crate::arguments::Out;
use crate::boundary::api;
use crate::result::{Outcome, invalid, require};
use crate::state::current::{Current, current, on_stream};
use crate::state::{Handle, Stream};
use std::ffi::{c_int, c_uint};

/// `CU_MEM_ATTACH_GLOBAL`, `…_HOST` and `…_SINGLE`, which have no effect: the host may access the memory at any time.
const GLOBAL: c_uint = 1;
const HOST: c_uint = 2;
const SINGLE: c_uint = 4;

/// `CUmemLocation`, which is passed by value.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct MemoryLocation {
    kind: c_int,
    number: c_int,
}

/// `CU_MEM_LOCATION_TYPE_DEVICE`, and the types of the host: the host, a node of it, and the node of the thread.
const DEVICE_LOCATION: c_int = 1;
const HOST_LOCATIONS: std::ops::RangeInclusive<c_int> = 2..=4;

/// `CU_DEVICE_CPU`, which stands for the host.
const CPU: Device = -1;

/// Fails unless the location exists.
fn require_location(MemoryLocation { kind, number }: MemoryLocation) -> Outcome {
    match kind {
        DEVICE_LOCATION => require_device(number).map(drop),
        _ if HOST_LOCATIONS.contains(&kind) => Ok(()),
        _ => Err(invalid(format!("memory location type {kind}"))),
    }
}

/// Returns the location of a device or of the host.
fn location_of(device: Device) -> MemoryLocation {
    let kind = if device == CPU { *HOST_LOCATIONS.start() } else { DEVICE_LOCATION };
    MemoryLocation { kind, number: device }
}

/// Returns address and size of the allocation of managed memory that contains the range. Fails if there is none.
fn find_managed(place: &Current, address: DevicePointer, bytes: usize) -> Outcome<(u64, u64)> {
    let foreign = || invalid(format!("{address:#x} is not in managed memory"));
    let found = place.driver.memory.allocation_of(address).filter(|&(start, _)| place.driver.is_managed(start));
    let allocation = found.ok_or_else(foreign)?;
    require_range(place, address, bytes)?;
    Ok(allocation)
}

fn prefetch(address: DevicePointer, bytes: usize, to: MemoryLocation, stream: Handle<Stream>) -> Outcome {
    let place = on_stream(stream)?;
    place.require_uncaptured()?;
    find_managed(&place, address, bytes)?;
    require_location(to)
}

fn advise(address: DevicePointer, bytes: usize, advice: c_int, location: MemoryLocation) -> Outcome {
    let current = current()?;
    find_managed(&current, address, bytes)?;
    match advice {
        // CU_MEM_ADVISE_SET_READ_MOSTLY and its opposite ignore the location, as does UNSET_PREFERRED_LOCATION.
        1 | 2 | 4 => Ok(()),
        3 | 5 | 6 => require_location(location),
        _ => Err(invalid(format!("advice {advice} about managed memory"))),
    }
}

api! {
    /// Allocates managed memory, zeroed. `flags` must be `CU_MEM_ATTACH_GLOBAL` or `CU_MEM_ATTACH_HOST`.
    fn cuMemAllocManaged(address: Out<DevicePointer>, bytes: usize, flags: c_uint) {
        let current = current()?;
        current.require_safe()?;
        address.require()?;
        require(
            flags == GLOBAL || flags == HOST,
            format_args!("flags {flags:#x} of managed memory: must be CU_MEM_ATTACH_GLOBAL or CU_MEM_ATTACH_HOST"),
        )?;
        address.set(current.context.allocate_managed(bytes)?)
    }

    /// Does nothing with managed memory: it is where all devices and the host are.
    fn cuMemPrefetchAsync(address: DevicePointer, bytes: usize, device: Device, stream: Handle<Stream>) {
        prefetch(address, bytes, location_of(device), stream)
    }

    /// Does nothing with managed memory: it is where all devices and the host are.
    fn cuMemPrefetchAsync_v2(
        address: DevicePointer,
        bytes: usize,
        location: MemoryLocation,
        _flags: c_uint,
        stream: Handle<Stream>,
    ) {
        prefetch(address, bytes, location, stream)
    }

    /// Takes advice about the use of managed memory, which has no effect.
    fn cuMemAdvise(address: DevicePointer, bytes: usize, advice: c_int, device: Device) {
        advise(address, bytes, advice, location_of(device))
    }

    /// Takes advice about the use of managed memory, which has no effect.
    fn cuMemAdvise_v2(address: DevicePointer, bytes: usize, advice: c_int, location: MemoryLocation) {
        advise(address, bytes, advice, location)
    }

    /// Attaches managed memory to a stream, which has no effect. `bytes` must be 0 or the size of the allocation.
    fn cuStreamAttachMemAsync(stream: Handle<Stream>, address: DevicePointer, bytes: usize, flags: c_uint) {
        let place = on_stream(stream)?;
        let (start, length) = find_managed(&place, address, bytes)?;
        let whole = start == address && (bytes == 0 || bytes as u64 == length);
        require(
            whole && matches!(flags, GLOBAL | HOST | SINGLE) && (flags != SINGLE || !stream.is_legacy()),
            format_args!("{bytes} bytes at {address:#x} with flags {flags:#x} cannot be attached to the stream"),
        )?;
        place.require_uncaptured()
    }
}
