//! Copies in two and three dimensions. Rows are one pitch apart, and slices have a given number of rows.

use super::range::{DevicePointer, require_range};
use super::transfer::{End, copy, synchronously};
use crate::arguments::{HostAddress, HostSource, HostTarget, In};
use crate::boundary::api;
use crate::device_properties::MAX_PITCH;
use crate::result::{Outcome, invalid, require};
use crate::state::current::{Current, current, on_stream};
use crate::state::{Array, Handle, Stream};
use std::ffi::c_uint;
use std::mem::offset_of;

/// `CUmemorytype`: the memory of one side of a copy.
const HOST: c_uint = 1;
const DEVICE: c_uint = 2;
const ARRAY: c_uint = 3;
const UNIFIED: c_uint = 4;

/// One side of a `CUDA_MEMCPY2D`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Plane<Host> {
    x_bytes: usize,
    y: usize,
    memory_type: c_uint,
    host: Host,
    device: DevicePointer,
    array: usize,
    pitch: usize,
}

/// `CUDA_MEMCPY2D`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Copy2D {
    source: Plane<HostSource>,
    target: Plane<HostTarget>,
    width_bytes: usize,
    height: usize,
}

/// One side of a `CUDA_MEMCPY3D`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Volume<Host> {
    x_bytes: usize,
    y: usize,
    z: usize,
    level_of_detail: usize,
    memory_type: c_uint,
    host: Host,
    device: DevicePointer,
    array: usize,
    reserved: usize,
    pitch: usize,
    height: usize,
}

/// `CUDA_MEMCPY3D`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Copy3D {
    source: Volume<HostSource>,
    target: Volume<HostTarget>,
    width_bytes: usize,
    height: usize,
    depth: usize,
}

// The layout of the C structures.
const _: () = {
    assert!(size_of::<Copy2D>() == 128 && offset_of!(Copy2D, width_bytes) == 112);
    assert!(size_of::<Copy3D>() == 200 && offset_of!(Copy3D, width_bytes) == 176);
    assert!(offset_of!(Volume<HostSource>, reserved) == 64);
};

impl<Host: Copy> Plane<Host> {
    /// Returns the plane as a volume of one slice.
    fn volume(&self) -> Volume<Host> {
        let &Self { x_bytes, y, memory_type, host, device, array, pitch } = self;
        let z = 0;
        let level_of_detail = 0;
        let reserved = 0;
        let height = 0;
        Volume { x_bytes, y, z, level_of_detail, memory_type, host, device, array, reserved, pitch, height }
    }
}

/// The size of a copy: bytes per row, rows per slice, slices.
#[derive(Clone, Copy)]
struct Extent {
    width_bytes: usize,
    height: usize,
    depth: usize,
}

/// One side of a checked copy: the offset of its first row, and the distances between rows and slices in bytes.
struct Rows<Host> {
    end: End<Host>,
    first: usize,
    pitch: usize,
    slice_bytes: usize,
}

/// The message of a call without a description.
const MISSING: &str = "the description of the copy is null";

/// Fails for a pitch above the device's limit, or below `row_end`, where rows would overlap.
fn require_pitch(pitch: usize, row_end: usize) -> Outcome {
    match pitch {
        _ if pitch > MAX_PITCH as usize => {
            Err(invalid(format!("a pitch of {pitch} bytes: must be at most {MAX_PITCH}")))
        }
        _ if pitch < row_end => Err(invalid(format!("a pitch of {pitch} bytes for rows that end at byte {row_end}"))),
        _ => Ok(()),
    }
}

impl<Host: HostAddress> Volume<Host> {
    /// Checks this side of a copy. The pitch is required if rows beyond the first are involved, the height if slices beyond
    /// the first are. Otherwise a value of 0 means that it is missing.
    fn rows(&self, place: &Current, extent: Extent, host: impl Fn(DevicePointer) -> Host) -> Outcome<Rows<Host>> {
        let end = match self.memory_type {
            HOST => End::from_host(place, self.host),
            DEVICE => End::Device(self.device),
            UNIFIED => End::from_unified(place, self.device, host),
            ARRAY => return self.rows_of_array(place, extent),
            other => return Err(invalid(format!("memory type {other}"))),
        };
        require(self.level_of_detail == 0, format_args!("level of detail {}: must be 0", self.level_of_detail))?;
        let too_large = || invalid("the positions exceed 64 bits".to_owned());
        let row_end = self.x_bytes.checked_add(extent.width_bytes).ok_or_else(too_large)?;
        let last_row = self.y.checked_add(extent.height).ok_or_else(too_large)?;
        let slices = extent.depth > 1 || self.z > 0;
        if slices || last_row > 1 || self.pitch != 0 {
            require_pitch(self.pitch, row_end)?;
        }
        require(
            !slices && self.height == 0 || self.height >= last_row,
            format_args!("slices of {} rows for a copy that ends at row {last_row}", self.height),
        )?;
        let slice_bytes = self.pitch.checked_mul(self.height).ok_or_else(too_large)?;
        let offset = || {
            let slice = self.z.checked_mul(slice_bytes)?;
            self.y.checked_mul(self.pitch)?.checked_add(slice)?.checked_add(self.x_bytes)
        };
        Ok(Rows { end, first: offset().ok_or_else(too_large)?, pitch: self.pitch, slice_bytes })
    }
}

impl<Host> Volume<Host> {
    /// Checks this side of a copy if it is an array, whose rows and slices follow each other.
    fn rows_of_array(&self, place: &Current, extent: Extent) -> Outcome<Rows<Host>> {
        let array = place.driver.arrays.get(Handle::<Array>::from_number(self.array))?;
        let pitch = array.row_bytes();
        let height = array.rows();
        let ends = [(self.x_bytes, extent.width_bytes), (self.y, extent.height), (self.z, extent.depth)];
        let is_inside =
            |((first, count), size): ((usize, usize), usize)| first.checked_add(count).is_some_and(|end| end <= size);
        if !ends.into_iter().zip([pitch, height, array.sizes[2].max(1)]).all(is_inside) {
            let [width, rows, slices] = array.sizes;
            return Err(invalid(format!("a copy beyond the end of an array of {width} x {rows} x {slices} elements")));
        }
        let slice_bytes = pitch * height;
        let first = self.z * slice_bytes + self.y * pitch + self.x_bytes;
        Ok(Rows { end: End::Device(array.address), first, pitch, slice_bytes })
    }
}

impl<Host> Rows<Host> {
    /// Fails if this side is device memory and the bytes from the first row to the last are not inside one allocation.
    fn require_inside(&self, place: &Current, extent: Extent) -> Outcome {
        let End::Device(base) = self.end else { return Ok(()) };
        let span = || {
            let slices = (extent.depth - 1).checked_mul(self.slice_bytes)?;
            let rows = (extent.height - 1).checked_mul(self.pitch)?;
            slices.checked_add(rows)?.checked_add(extent.width_bytes)
        };
        let first = base.checked_add(self.first as u64);
        let (Some(first), Some(bytes)) = (first, span()) else {
            return Err(invalid(format!("the rows that begin at {base:#x} exceed 64 bits")));
        };
        require_range(place, first, bytes)
    }

    /// Returns the offset of a row from the base of the memory.
    fn row(&self, y: usize, z: usize) -> usize {
        // For device memory, `require_inside` rules out an overflow; for host memory, the caller does.
        self.first.wrapping_add(z.wrapping_mul(self.slice_bytes)).wrapping_add(y.wrapping_mul(self.pitch))
    }
}

fn copy_volume(place: &Current, request: &Copy3D, waits: bool) -> Outcome {
    let &Copy3D { source, target, width_bytes, height, depth } = request;
    let extent = Extent { width_bytes, height, depth };
    let source = source.rows(place, extent, HostSource::from_address)?;
    let target = target.rows(place, extent, HostTarget::from_address)?;
    if width_bytes == 0 || height == 0 || depth == 0 {
        return if waits { place.wait() } else { Ok(()) };
    }
    source.require_inside(place, extent)?;
    target.require_inside(place, extent)?;
    let copy_rows = || {
        let mut rows = (0..depth).flat_map(|z| (0..height).map(move |y| (y, z)));
        rows.try_for_each(|(y, z)| {
            copy(place, target.end.at(target.row(y, z)), source.end.at(source.row(y, z)), width_bytes)
        })
    };
    if waits { synchronously(place, &target.end, &source.end, copy_rows) } else { copy_rows() }
}

fn copy_2d(place: &Current, request: In<Copy2D>, waits: bool) -> Outcome {
    let Copy2D { source, target, width_bytes, height } = request.require(MISSING)?;
    let request = Copy3D { source: source.volume(), target: target.volume(), width_bytes, height, depth: 1 };
    copy_volume(place, &request, waits)
}

fn copy_3d(place: &Current, request: In<Copy3D>, waits: bool) -> Outcome {
    copy_volume(place, &request.require(MISSING)?, waits)
}

api! {
    /// Copies a rectangle within or between host and device memory. Accepts every pitch.
    fn cuMemcpy2D_v2(request: In<Copy2D>) | cuMemcpy2DUnaligned_v2 {
        let current = current()?;
        copy_2d(&current, request, true)
    }

    /// Copies a rectangle, in stream order.
    fn cuMemcpy2DAsync_v2(request: In<Copy2D>, stream: Handle<Stream>) {
        copy_2d(&on_stream(stream)?, request, false)
    }

    /// Copies a box within or between host and device memory.
    fn cuMemcpy3D_v2(request: In<Copy3D>) {
        let current = current()?;
        copy_3d(&current, request, true)
    }

    /// Copies a box, in stream order.
    fn cuMemcpy3DAsync_v2(request: In<Copy3D>, stream: Handle<Stream>) {
        copy_3d(&on_stream(stream)?, request, false)
    }
}
