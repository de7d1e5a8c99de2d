//! Device memory: allocating, freeing, filling.

use super::accesses::{accesses, write};
use super::transfer::require_range;
use crate::arguments::Out;
use crate::boundary::api;
use crate::result::{CUresult, Outcome};
use crate::state::current::{self, Current, current};
use crate::state::graph::NodeKind;
use crate::state::order::Share;
use crate::state::{Handle, Stream, driver};
use std::ffi::{c_uchar, c_uint, c_ushort};

/// An address in device memory.
pub(super) type DevicePointer = u64;

/// Bytes that rows of pitched memory are a multiple of, as on devices of compute capability 9.0.
const PITCH_UNIT_BYTES: usize = 512;

/// Allocations are no nodes of graphs.
fn allocate(place: &Current, address: Out<DevicePointer>, bytes: usize) -> Outcome {
    place.require_uncaptured()?;
    place.require_safe()?;
    address.require()?;
    address.set(place.context.allocate(bytes)?)
}

/// Frees memory, nothing for null; `act` is what comes before that.
fn free(place: &Current, address: DevicePointer, act: impl FnOnce(&Current) -> Outcome) -> Outcome {
    place.require_uncaptured()?;
    place.require_safe()?;
    act(place)?;
    let bytes = place.driver.memory.allocation_of(address).map_or(0, |(_, bytes)| bytes);
    let elsewhere = || place.driver.contexts.find_first(|context| context.owns(address));
    match address {
        0 => Ok(()),
        _ if place.context.owns(address) => place.context.free(address),
        // As hardware does: an address says which context it is of.
        _ => elsewhere().map_or_else(|| place.context.free(address), |owner| owner.free(address)),
    }?;
    place.driver.order.forget(address..address + bytes);
    Ok(())
}

/// What a stream does when it frees memory: nobody may use it any more.
fn give_back(place: &Current, address: DevicePointer) -> Outcome {
    place.context.synchronize()?;
    let bytes = place.driver.memory.allocation_of(address).map_or(0, |(_, bytes)| bytes);
    place.perform("cuMemFreeAsync", Share::Other, || Ok(accesses([write(address, bytes as usize)])))
}

/// Waits for all work that may use memory: that of this context, and that of the one that it belongs to.
fn wait_for_users(place: &Current, address: DevicePointer) -> Outcome {
    place.wait_for_all()?;
    let owner = place.driver.contexts.position(|context| context.owns(address));
    owner.into_iter().for_each(|owner| place.driver.order.host_waits_for_context(owner.number()));
    Ok(())
}

pub(super) fn fill(place: &Current, target: DevicePointer, pattern: &[u8], count: usize) -> Outcome {
    if count == 0 {
        return Ok(());
    }
    if !target.is_multiple_of(pattern.len() as u64) {
        let detail = format!("{target:#x} is not aligned to its elements of {} bytes", pattern.len());
        return Err(CUresult::INVALID_VALUE.because(detail));
    }
    if place.capture.is_some() {
        require_range(place, target, count.saturating_mul(pattern.len()))?;
    }
    let pattern = pattern.to_vec();
    place.give(NodeKind::Fill, move |place| {
        place.perform("memset", Share::Other, || {
            place.driver.memory.fill(target, &pattern, count as u64)?;
            Ok(accesses([write(target, count.saturating_mul(pattern.len()))]))
        })
    })
}

api! {
    /// Allocates device memory, aligned to 256 bytes. It is not cleared: it holds NaN patterns.
    fn cuMemAlloc_v2(address: Out<DevicePointer>, bytes: usize) {
        allocate(&current()?, address, bytes)
    }

    /// Allocates device memory at once, whatever the stream.
    fn cuMemAllocAsync(address: Out<DevicePointer>, bytes: usize, stream: Handle<Stream>) {
        allocate(&current()?.on(stream)?, address, bytes)
    }

    /// Allocates `height` rows of at least `width_bytes` and writes the bytes from row to row.
    fn cuMemAllocPitch_v2(
        address: Out<DevicePointer>,
        pitch: Out<usize>,
        width_bytes: usize,
        height: usize,
        element_bytes: c_uint,
    ) {
        let current = current()?;
        pitch.require()?;
        if !matches!(element_bytes, 4 | 8 | 16) {
            return Err(CUresult::INVALID_VALUE.because(format!("elements of {element_bytes} bytes: 4, 8 or 16")));
        }
        let too_large = || CUresult::INVALID_VALUE.because(format!("{height} rows of {width_bytes} bytes"));
        let row = width_bytes.checked_next_multiple_of(PITCH_UNIT_BYTES).ok_or_else(too_large)?;
        allocate(&current, address, row.checked_mul(height).ok_or_else(too_large)?)?;
        pitch.set(row)
    }

    /// Waits for all work, as drivers do, and frees device memory; null is nothing to free.
    fn cuMemFree_v2(address: DevicePointer) {
        if address == 0 && current::handle()? == Handle::NULL {
            return driver().map(drop);
        }
        free(&current()?, address, |place| wait_for_users(place, address))
    }

    /// Frees device memory at once, whatever the stream: all work before it has run.
    fn cuMemFreeAsync(address: DevicePointer, stream: Handle<Stream>) {
        free(&current()?.on(stream)?, address, |place| give_back(place, address))
    }

    /// Writes the free and the total bytes of device memory.
    fn cuMemGetInfo_v2(free: Out<usize>, total: Out<usize>) {
        let memory = &current()?.context.memory;
        free.set_if_wanted(memory.available_bytes() as usize);
        total.set_if_wanted(memory.capacity_bytes() as usize);
        Ok(())
    }

    /// Writes the first address and the size of the allocation that holds an address.
    fn cuMemGetAddressRange_v2(base: Out<DevicePointer>, bytes: Out<usize>, address: DevicePointer) {
        let unknown = || CUresult::NOT_FOUND.because(format!("{address:#x} is in no allocation"));
        let (start, length) = current()?.driver.memory.allocation_of(address).ok_or_else(unknown)?;
        base.set_if_wanted(start);
        bytes.set_if_wanted(length as usize);
        Ok(())
    }

    /// Fills `count` bytes.
    fn cuMemsetD8_v2(target: DevicePointer, value: c_uchar, count: usize) {
        fill(&current()?, target, &[value], count)
    }

    /// Fills `count` elements of 2 bytes.
    fn cuMemsetD16_v2(target: DevicePointer, value: c_ushort, count: usize) {
        fill(&current()?, target, &value.to_le_bytes(), count)
    }

    /// Fills `count` elements of 4 bytes.
    fn cuMemsetD32_v2(target: DevicePointer, value: c_uint, count: usize) {
        fill(&current()?, target, &value.to_le_bytes(), count)
    }

    /// Fills `count` bytes, in the order of the stream.
    fn cuMemsetD8Async(target: DevicePointer, value: c_uchar, count: usize, stream: Handle<Stream>) {
        fill(&current()?.on(stream)?, target, &[value], count)
    }

    /// Fills `count` elements of 2 bytes, in the order of the stream.
    fn cuMemsetD16Async(target: DevicePointer, value: c_ushort, count: usize, stream: Handle<Stream>) {
        fill(&current()?.on(stream)?, target, &value.to_le_bytes(), count)
    }

    /// Fills `count` elements of 4 bytes, in the order of the stream.
    fn cuMemsetD32Async(target: DevicePointer, value: c_uint, count: usize, stream: Handle<Stream>) {
        fill(&current()?.on(stream)?, target, &value.to_le_bytes(), count)
    }
}
