//! Attributes of addresses.

use super::range::DevicePointer;
use crate::arguments::{In, Out};
use crate::boundary::api;
use crate::result::{Outcome, invalid};
use crate::state::current::{Current, current};
use crate::state::{Context, Handle, lock};
use std::ffi::{c_int, c_uint, c_void};

/// `CU_MEMORYTYPE_HOST`.
const HOST: c_uint = 1;

/// `CU_MEMORYTYPE_DEVICE`.
const DEVICE: c_uint = 2;

fn allocation_of(place: &Current, address: DevicePointer) -> Outcome<(DevicePointer, u64)> {
    let outside = || invalid(format!("{address:#x} is in no memory of cuMemAlloc or cuMemHostAlloc"));
    place.driver.memory.allocation_of(address).ok_or_else(outside)
}

/// Returns the context that owns the allocation at `start`. For variables of a module, which no context owns, this is the
/// current context if it is on the same device, and that device's primary context otherwise.
fn context_of(place: &Current, start: DevicePointer) -> Handle<Context> {
    if let Some(owner) = place.driver.contexts.position(|context| context.owns(start)) {
        return owner;
    }
    match place.driver.memory.device_of(start) {
        Some(device) if device != place.context.device => {
            let device = place.driver.devices.get(device as usize);
            device.and_then(|device| lock(&device.primary).context).unwrap_or(Handle::NULL)
        }
        _ => place.handle,
    }
}

/// Returns the device of the allocation at `start`: that of the context for memory of the host.
fn device_of(place: &Current, start: DevicePointer) -> u32 {
    let owner = || place.driver.contexts.find_first(|context| context.owns(start)).map(|context| context.device);
    place.driver.memory.device_of(start).or_else(owner).unwrap_or(0)
}

/// Writes an attribute of a device address, by its number in CUDA 12.8 and in the type of that attribute.
///
/// # Errors
/// `CUDA_ERROR_INVALID_VALUE` for an address outside all allocations and for an unknown attribute.
fn write(place: &Current, value: Out<c_void>, number: c_int, address: DevicePointer) -> Outcome {
    value.require()?;
    let (start, bytes) = allocation_of(place, address)?;
    match number {
        // CONTEXT
        1 => value.cast().set(context_of(place, start)),
        // MEMORY_TYPE
        2 if place.driver.memory.is_host_allocation(start) && !place.driver.is_managed(start) => value.cast().set(HOST),
        2 => value.cast().set(DEVICE),
        // DEVICE_POINTER, HOST_POINTER, RANGE_START_ADDR
        3 => value.cast().set(address),
        4 if place.driver.memory.is_host_allocation(start) => value.cast().set(address),
        11 => value.cast().set(start),
        // RANGE_SIZE
        12 => value.cast().set(bytes as usize),
        // IS_MANAGED
        8 => value.cast().set(c_int::from(place.driver.is_managed(start))),
        // SYNC_MEMOPS, IS_LEGACY_CUDA_IPC_CAPABLE
        6 | 10 => value.cast().set(0 as c_int),
        // DEVICE_ORDINAL
        9 => value.cast().set(device_of(place, start) as c_int),
        // BUFFER_ID: addresses are never reused
        7 => value.cast().set(start),
        // MAPPED
        13 => value.cast().set(1 as c_int),
        _ => Err(invalid(format!("pointer attribute {number} of device memory"))),
    }
}

api! {
    /// Writes an attribute of a device address.
    fn cuPointerGetAttribute(value: Out<c_void>, number: c_int, address: DevicePointer) {
        write(&current()?, value, number, address)
    }

    /// Writes `count` attributes of a device address, each to its own output.
    fn cuPointerGetAttributes(
        count: c_uint,
        numbers: In<c_int>,
        values: In<Out<c_void>>,
        address: DevicePointer,
    ) {
        let current = current()?;
        // SAFETY: the caller passes `count` numbers and as many outputs.
        let (numbers, values) = unsafe { (numbers.list(count as usize)?, values.list(count as usize)?) };
        numbers.iter().zip(values).try_for_each(|(&number, value)| write(&current, value, number, address))
    }
}
