//! Device memory: allocation, deallocation and memset.

use super::device::{Device, require_device};
use super::range::{DevicePointer, accesses, require_range, write};
use crate::arguments::Out;
use crate::boundary::api;
use crate::result::{CUresult, Outcome, invalid, require};
use crate::state::capture::Capture;
use crate::state::current::{self, Current, current, on_stream};
use crate::state::graph::MemoryNode;
use crate::state::stream_order::WorkKind;
use crate::state::{Handle, Pool, Stream, driver};
use std::ffi::{c_uchar, c_uint, c_ushort};
use std::sync::Arc;

/// The pitch of pitched memory is a multiple of this number of bytes, as on devices of compute capability 9.0.
const PITCH_UNIT_BYTES: usize = 512;

/// Allocates memory. Fails in a capture, where only allocations in stream order are nodes.
fn allocate(place: &Current, address: Out<DevicePointer>, bytes: usize) -> Outcome {
    allocate_with(place, address, || place.context.allocate(bytes))
}

/// Allocates memory from a pool of the context's device. Writes null for 0 bytes. In a capture, it becomes a node of the graph.
pub(super) fn allocate_from(place: &Current, address: Out<DevicePointer>, bytes: usize, pool: &Arc<Pool>) -> Outcome {
    if bytes == 0 {
        return address.set(0);
    }
    if place.capture.is_some() {
        return allocate_in_graph(place, address, bytes);
    }
    allocate_with(place, address, || place.context.allocate_from(pool, bytes))
}

fn allocate_with(place: &Current, address: Out<DevicePointer>, allocate: impl FnOnce() -> Outcome<u64>) -> Outcome {
    place.require_uncaptured()?;
    place.require_safe()?;
    address.require()?;
    address.set(allocate()?)
}

/// Captures an allocation. Its address is the same in every launch of the graph.
fn allocate_in_graph(place: &Current, address: Out<DevicePointer>, bytes: usize) -> Outcome {
    address.require()?;
    let start = place.driver.graph_memory.reserve(&place.context.memory, bytes)?;
    let pool = Arc::clone(&require_device(place.context.device as Device)?.of_graphs);
    place.submit_with(Some(MemoryNode::Allocates(start)), move |place| {
        place.perform("cuMemAllocAsync", WorkKind::Other, || {
            place.context.allocate_for_graph(&pool, start, bytes)?;
            Ok(accesses([write(start, bytes)]))
        })
    })?;
    address.set(start)
}

/// Captures the deallocation of memory that a graph allocates. Fails for other memory, and for memory that the capture has freed.
fn free_in_graph(place: &Current, capture: &Capture, address: DevicePointer) -> Outcome {
    let refuse = |why| Err(capture.refuse(CUresult::INVALID_VALUE, why));
    match address {
        _ if !place.driver.graph_memory.starts_at(address) => {
            refuse("a capture frees only memory that a graph allocates: call cuMemAllocAsync in a capture")
        }
        _ if capture.frees(address) => refuse("the capture has freed the memory already"),
        _ => place.submit_with(Some(MemoryNode::Frees(address)), move |place| {
            free_on_stream(place, address)?;
            release(place, address)
        }),
    }
}

/// Frees what a graph allocated in its last launch, before it is launched again. Fails without `automatic`.
pub(super) fn free_before_launch(place: &Current, address: DevicePointer, automatic: bool) -> Outcome {
    if place.driver.memory.allocation_of(address).is_none() {
        return Ok(());
    }
    require(
        automatic,
        format_args!(
            "the graph allocates memory at {address:#x} that has not been freed since its last launch: free it, in the graph \
             or with cuMemFreeAsync, or instantiate the graph with CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH"
        ),
    )?;
    free_on_stream(place, address)?;
    release(place, address)
}

/// Frees memory after calling `wait`. Does not free anything for null.
fn free(place: &Current, address: DevicePointer, wait: impl FnOnce(&Current) -> Outcome) -> Outcome {
    place.require_uncaptured()?;
    place.require_safe()?;
    wait(place)?;
    release(place, address)
}

/// Frees memory of this context or another. Does not free anything for null.
fn release(place: &Current, address: DevicePointer) -> Outcome {
    let bytes = place.driver.memory.allocation_of(address).map_or(0, |(_, bytes)| bytes);
    let elsewhere = || place.driver.contexts.find_first(|context| context.owns(address));
    match address {
        0 => Ok(()),
        _ if place.context.owns(address) => place.context.free(address),
        // As on hardware, the address identifies the context.
        _ => elsewhere().map_or_else(|| place.context.free(address), |owner| owner.free(address)),
    }?;
    place.driver.order.forget(address..address + bytes);
    Ok(())
}

/// Records that a stream frees memory, which conflicts with concurrent accesses just as a write does.
fn free_on_stream(place: &Current, address: DevicePointer) -> Outcome {
    place.context.synchronize()?;
    let bytes = place.driver.memory.allocation_of(address).map_or(0, |(_, bytes)| bytes);
    place.perform("cuMemFreeAsync", WorkKind::Other, || Ok(accesses([write(address, bytes as usize)])))
}

/// Waits for all work that may use the memory: work of this context and of the context that owns it.
fn wait_for_users(place: &Current, address: DevicePointer) -> Outcome {
    place.wait_for_all()?;
    let owner = place.driver.contexts.position(|context| context.owns(address));
    owner.into_iter().for_each(|owner| place.driver.order.host_waits_for_context(owner.number()));
    Ok(())
}

/// Fills `count` elements with `pattern`, in stream order.
fn fill(place: &Current, target: DevicePointer, pattern: &[u8], count: usize) -> Outcome {
    if count == 0 {
        return Ok(());
    }
    require(
        target.is_multiple_of(pattern.len() as u64),
        format_args!("{target:#x} is not aligned to elements of {} bytes", pattern.len()),
    )?;
    if place.capture.is_some() {
        require_range(place, target, count.saturating_mul(pattern.len()))?;
    }
    let pattern = pattern.to_vec();
    place.submit(move |place| {
        place.perform("memset", WorkKind::Other, || {
            place.driver.memory.fill(target, &pattern, count as u64)?;
            Ok(accesses([write(target, count.saturating_mul(pattern.len()))]))
        })
    })
}

api! {
    /// Allocates device memory, aligned to 256 bytes. Its content is undefined: here, NaN patterns.
    fn cuMemAlloc_v2(address: Out<DevicePointer>, bytes: usize) {
        allocate(&current()?, address, bytes)
    }

    /// Allocates device memory from the memory pool of the device immediately, regardless of the stream.
    fn cuMemAllocAsync(address: Out<DevicePointer>, bytes: usize, stream: Handle<Stream>) {
        let place = on_stream(stream)?;
        let device = require_device(place.context.device as Device)?;
        let pools = &place.driver.pools;
        // Another thread may just have destroyed the pool that was set.
        let pool = pools.find(device.pool()).map_or_else(|| pools.get(device.default_pool), Ok)?;
        allocate_from(&place, address, bytes, &pool)
    }

    /// Allocates `height` rows of at least `width_bytes` bytes, and writes the distance between rows in bytes.
    fn cuMemAllocPitch_v2(
        address: Out<DevicePointer>,
        pitch: Out<usize>,
        width_bytes: usize,
        height: usize,
        element_bytes: c_uint,
    ) {
        let current = current()?;
        pitch.require()?;
        let allowed = matches!(element_bytes, 4 | 8 | 16);
        require(allowed, format_args!("elements of {element_bytes} bytes: must be 4, 8 or 16"))?;
        let too_large = || invalid(format!("{height} rows of {width_bytes} bytes"));
        let row = width_bytes.checked_next_multiple_of(PITCH_UNIT_BYTES).ok_or_else(too_large)?;
        allocate(&current, address, row.checked_mul(height).ok_or_else(too_large)?)?;
        pitch.set(row)
    }

    /// Waits for all work and frees device memory. Does nothing for null.
    fn cuMemFree_v2(address: DevicePointer) {
        if address == 0 && current::handle()? == Handle::NULL {
            return driver().map(drop);
        }
        free(&current()?, address, |place| wait_for_users(place, address))
    }

    /// Frees device memory immediately: all earlier work has run. In a capture, this becomes a node of the graph.
    fn cuMemFreeAsync(address: DevicePointer, stream: Handle<Stream>) {
        let place = on_stream(stream)?;
        if let Some(capture) = &place.capture {
            return free_in_graph(&place, capture, address);
        }
        free(&place, address, |place| free_on_stream(place, address))
    }

    /// Writes the free and the total device memory in bytes.
    fn cuMemGetInfo_v2(free: Out<usize>, total: Out<usize>) {
        let memory = &current()?.context.memory;
        free.set_if_wanted(memory.available_bytes() as usize)?;
        total.set_if_wanted(memory.capacity_bytes() as usize)
    }

    /// Writes the start address and the size in bytes of the allocation that contains an address.
    fn cuMemGetAddressRange_v2(base: Out<DevicePointer>, bytes: Out<usize>, address: DevicePointer) {
        let unknown = || CUresult::NOT_FOUND.because(format!("{address:#x} is not in an allocation"));
        let (start, length) = current()?.driver.memory.allocation_of(address).ok_or_else(unknown)?;
        base.set_if_wanted(start)?;
        bytes.set_if_wanted(length as usize)
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

    /// Fills `count` bytes, in stream order.
    fn cuMemsetD8Async(target: DevicePointer, value: c_uchar, count: usize, stream: Handle<Stream>) {
        fill(&on_stream(stream)?, target, &[value], count)
    }

    /// Fills `count` elements of 2 bytes, in stream order.
    fn cuMemsetD16Async(target: DevicePointer, value: c_ushort, count: usize, stream: Handle<Stream>) {
        fill(&on_stream(stream)?, target, &value.to_le_bytes(), count)
    }

    /// Fills `count` elements of 4 bytes, in stream order.
    fn cuMemsetD32Async(target: DevicePointer, value: c_uint, count: usize, stream: Handle<Stream>) {
        fill(&on_stream(stream)?, target, &value.to_le_bytes(), count)
    }
}
