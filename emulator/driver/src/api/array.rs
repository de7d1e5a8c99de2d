//! CUDA arrays.

use super::transfer::{End, copy_now};
use crate::arguments::{HostSource, HostTarget, In, Out};
use crate::boundary::api;
use crate::result::{CUresult, Outcome, invalid, require};
use crate::state::current::{Current, current};
use crate::state::{Array, Handle};
use emulator::{Arrangement, Channel};
use std::ffi::{c_int, c_uint};

/// The maximum number of elements along an axis of devices of compute capability 9.0.
const MAX_ELEMENTS: usize = 131_072;

/// `CUDA_ARRAY_DESCRIPTOR`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ArrayDescriptor {
    width: usize,
    height: usize,
    format: c_int,
    channels: c_uint,
}

/// `CUDA_ARRAY3D_DESCRIPTOR`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Array3DDescriptor {
    width: usize,
    height: usize,
    depth: usize,
    format: c_int,
    channels: c_uint,
    flags: c_uint,
}

/// The numbers of `CUarray_format`.
const FORMATS: [(c_int, Channel); 8] = [
    (1, Channel::Unsigned8),
    (2, Channel::Unsigned16),
    (3, Channel::Unsigned32),
    (8, Channel::Signed8),
    (9, Channel::Signed16),
    (10, Channel::Signed32),
    (16, Channel::Half),
    (32, Channel::Single),
];

/// The message of a call without a description.
const MISSING: &str = "the description of the array is null";

/// Returns the type of the channels of a format, for elements of so many channels.
pub(super) fn channel(format: c_int, channels: c_uint) -> Outcome<Channel> {
    require(matches!(channels, 1 | 2 | 4), format_args!("elements of {channels} channels: they have 1, 2 or 4"))?;
    let known = FORMATS.iter().find(|(number, _)| *number == format);
    known.map(|(_, channel)| *channel).ok_or_else(|| invalid(format!("format {format} is not supported for arrays")))
}

/// Returns the arrangement of the elements of an array.
pub(super) fn arrangement(array: &Array) -> Arrangement {
    match array.sizes {
        [_, 0, 0] => Arrangement::Row,
        [_, _, 0] => Arrangement::Plane,
        _ => Arrangement::Volume,
    }
}

fn format_of(channel: Channel) -> c_int {
    FORMATS.iter().find(|(_, known)| *known == channel).map_or(0, |(number, _)| *number)
}

fn create(handle: Out<Handle<Array>>, description: Array3DDescriptor) -> Outcome {
    let place = current()?;
    place.require_uncaptured()?;
    place.require_safe()?;
    handle.require()?;
    let Array3DDescriptor { width, height, depth, format, channels, flags } = description;
    CUresult::NOT_SUPPORTED.unless(
        flags == 0,
        format_args!("an array with the flags {flags:#x}: the emulator supports no layers, cubes, gathers or surfaces"),
    )?;
    require(
        width != 0 && (height != 0 || depth == 0),
        format_args!("an array of {width} x {height} x {depth} elements"),
    )?;
    if let Some(size) = [width, height, depth].into_iter().find(|&size| size > MAX_ELEMENTS) {
        return Err(invalid(format!("an array with {size} elements along an axis: the maximum is {MAX_ELEMENTS}")));
    }
    let channel = channel(format, channels)?;
    let mut array = Array { context: place.handle, address: 0, channel, channels, sizes: [width, height, depth] };
    array.address = place.context.allocate(array.bytes())?;
    handle.set(place.driver.arrays.insert(array))
}

/// Returns the address at a byte of an array of one dimension, from which `bytes` bytes are copied.
fn part(place: &Current, array: Handle<Array>, offset: usize, bytes: usize) -> Outcome<u64> {
    let array = place.driver.arrays.get(array)?;
    if offset.checked_add(bytes).is_none_or(|end| end > array.bytes()) {
        let size = array.bytes();
        return Err(invalid(format!("{bytes} bytes at byte {offset} of an array of {size} bytes")));
    }
    Ok(array.address + offset as u64)
}

api! {
    /// Creates an array of one or two dimensions.
    fn cuArrayCreate_v2(array: Out<Handle<Array>>, description: In<ArrayDescriptor>) {
        let ArrayDescriptor { width, height, format, channels } = description.require(MISSING)?;
        create(array, Array3DDescriptor { width, height, depth: 0, format, channels, flags: 0 })
    }

    /// Creates an array of up to three dimensions.
    fn cuArray3DCreate_v2(array: Out<Handle<Array>>, description: In<Array3DDescriptor>) {
        create(array, description.require(MISSING)?)
    }

    /// Frees an array.
    fn cuArrayDestroy(array: Handle<Array>) {
        let place = current()?;
        place.require_safe()?;
        let removed = place.driver.arrays.remove(array)?;
        let owner = place.driver.contexts.get(removed.context)?;
        owner.free(removed.address)
    }

    /// Writes the size and the format of an array.
    fn cuArrayGetDescriptor_v2(description: Out<ArrayDescriptor>, array: Handle<Array>) {
        let array = current()?.driver.arrays.get(array)?;
        let [width, height, _] = array.sizes;
        let format = format_of(array.channel);
        description.set(ArrayDescriptor { width, height, format, channels: array.channels })
    }

    /// Writes the size, the format and the flags of an array.
    fn cuArray3DGetDescriptor_v2(description: Out<Array3DDescriptor>, array: Handle<Array>) {
        let array = current()?.driver.arrays.get(array)?;
        let [width, height, depth] = array.sizes;
        let format = format_of(array.channel);
        description.set(Array3DDescriptor { width, height, depth, format, channels: array.channels, flags: 0 })
    }

    /// Copies from the host to an array of one dimension.
    fn cuMemcpyHtoA_v2(target: Handle<Array>, offset: usize, source: HostSource, bytes: usize) {
        let place = current()?;
        let target = part(&place, target, offset, bytes)?;
        copy_now(&place, End::Device(target), End::from_host(&place, source), bytes)
    }

    /// Copies from an array of one dimension to the host.
    fn cuMemcpyAtoH_v2(target: HostTarget, source: Handle<Array>, offset: usize, bytes: usize) {
        let place = current()?;
        let source = part(&place, source, offset, bytes)?;
        copy_now(&place, End::from_host(&place, target), End::Device(source), bytes)
    }
}
