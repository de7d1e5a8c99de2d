//! Functions for libraries that move data themselves, such as the emulated NCCL. Like the functions of
//! [`extensions`](super::extensions), they exist only in the emulator.

use super::range::{DevicePointer, accesses, read, require_range, write};
use super::stream::{HostFunction, call_on};
use crate::arguments::{HostSource, HostTarget, In, Text};
use crate::boundary::api;
use crate::result::Outcome;
use crate::state::current::{Current, on_stream};
use crate::state::stream_order::WorkKind;
use crate::state::{Handle, Stream, driver};
use std::ffi::c_void;

/// A range of device memory.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Range {
    address: DevicePointer,
    bytes: u64,
}

/// Returns the ranges that are not empty. Fails for a range that is not inside one allocation.
///
/// # Safety
/// `ranges` is null or points to at least `count` ranges.
unsafe fn ranges(place: &Current, ranges: In<Range>, count: usize) -> Outcome<Vec<Range>> {
    // SAFETY: the caller's promise.
    let mut list = unsafe { ranges.list(count) }?;
    list.retain(|range| range.bytes != 0);
    list.iter().try_for_each(|range| require_range(place, range.address, range.bytes as usize))?;
    Ok(list)
}

api! {
    /// Records a transfer by a library as work of a stream. The library has moved the data, or will do so in the host
    /// functions that it submits to a captured stream. `what` is the name of the transfer in findings.
    fn coalesced_transfer(
        stream: Handle<Stream>,
        what: Text,
        reads: In<Range>,
        read_count: usize,
        writes: In<Range>,
        write_count: usize,
    ) {
        let place = on_stream(stream)?;
        let what = what.name()?;
        // SAFETY: the caller passes the lengths of both lists.
        let (reads, writes) = unsafe { (ranges(&place, reads, read_count)?, ranges(&place, writes, write_count)?) };
        let reads = reads.iter().map(|range| read(range.address, range.bytes as usize));
        let writes = writes.iter().map(|range| write(range.address, range.bytes as usize));
        let ranges: Vec<_> = writes.chain(reads).collect();
        place.submit(move |place| place.perform(&what, WorkKind::Library, || Ok(accesses(ranges.clone()))))
    }

    /// Calls a host function like `cuLaunchHostFunc`, but does not order the host after the work before it. A library moves
    /// the data of a captured stream this way.
    fn coalesced_host_call(stream: Handle<Stream>, function: HostFunction, argument: *mut c_void) {
        call_on(stream, function, argument, false)
    }

    /// Reads device memory immediately. Needs no context, waits for nothing, and is not work of a stream.
    fn coalesced_read_memory(target: HostTarget, address: DevicePointer, bytes: usize) {
        if bytes == 0 {
            return Ok(());
        }
        // SAFETY: the caller promises that `target` is valid for writes of `bytes` bytes.
        Ok(driver()?.memory.read(address, unsafe { target.clear(bytes) }?)?)
    }

    /// Writes device memory immediately. Needs no context, waits for nothing, and is not work of a stream.
    fn coalesced_write_memory(address: DevicePointer, source: HostSource, bytes: usize) {
        if bytes == 0 {
            return Ok(());
        }
        // SAFETY: the caller promises that `source` is valid for reads of `bytes` bytes.
        Ok(driver()?.memory.write(address, unsafe { source.bytes(bytes) }?)?)
    }
}
