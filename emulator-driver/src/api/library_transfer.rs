//! What libraries that move data themselves tell the driver: NCCL's emulation. The emulator's own functions, as those of
//! [`extensions`](super::extensions).

use super::accesses::{accesses, read, write};
use super::memory::DevicePointer;
use super::stream::{HostFunction, call_on};
use super::transfer::require_range;
use crate::arguments::{HostSource, HostTarget, In, Text};
use crate::boundary::api;
use crate::result::Outcome;
use crate::state::current::{Current, current};
use crate::state::graph::NodeKind;
use crate::state::order::Share;
use crate::state::{Handle, Stream, driver};
use std::ffi::{c_ulonglong, c_void};

/// A range of device memory.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Range {
    address: DevicePointer,
    bytes: u64,
}

/// Returns the ranges with something in them; fails for one that is not inside one allocation.
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
    /// Takes a transfer by a library for work on a stream: the library has done it, or will do it in the functions of the
    /// host that it gives to a captured stream. `what` names it in findings.
    fn coalesced_transfer(
        stream: Handle<Stream>,
        what: Text,
        reads: In<Range>,
        read_count: usize,
        writes: In<Range>,
        write_count: usize,
        bytes_sent: c_ulonglong,
        bytes_received: c_ulonglong,
    ) {
        let (place, what) = (current()?.on(stream)?, what.name()?);
        // SAFETY: the caller says how many ranges it reads, and how many it writes.
        let (reads, writes) = unsafe { (ranges(&place, reads, read_count)?, ranges(&place, writes, write_count)?) };
        let reads = reads.iter().map(|range| read(range.address, range.bytes as usize));
        let writes = writes.iter().map(|range| write(range.address, range.bytes as usize));
        let ranges: Vec<_> = writes.chain(reads).collect();
        let share = Share::Library(bytes_sent.saturating_add(bytes_received));
        place.give(NodeKind::Kernel, move |place| place.perform(&what, share, || Ok(accesses(ranges.clone()))))
    }

    /// Calls a function of a library, as `cuLaunchHostFunc` calls one of the program, who does not learn by it that the
    /// work before it is over: the way in which a library moves data where the stream is captured.
    fn coalesced_host_call(stream: Handle<Stream>, function: HostFunction, argument: *mut c_void) {
        call_on(stream, function, argument, false)
    }

    /// Reads device memory as it is: neither work on a stream nor a wait, and without a context.
    fn coalesced_read_memory(target: HostTarget, address: DevicePointer, bytes: usize) {
        if bytes == 0 {
            return Ok(());
        }
        // SAFETY: the caller has `bytes` bytes at `target`.
        Ok(driver()?.memory.read(address, unsafe { target.cleared(bytes) }?)?)
    }

    /// Writes device memory at once: neither work on a stream nor a wait, and without a context.
    fn coalesced_write_memory(address: DevicePointer, source: HostSource, bytes: usize) {
        if bytes == 0 {
            return Ok(());
        }
        // SAFETY: the caller has `bytes` bytes at `source`.
        Ok(driver()?.memory.write(address, unsafe { source.bytes(bytes) }?)?)
    }
}
