//! Texture objects.

use super::array::{arrangement, channel};
use super::range::{DevicePointer, require_range};
use crate::arguments::{In, Out};
use crate::boundary::api;
use crate::result::{Outcome, invalid, require, unsupported};
use crate::state::current::{Current, current};
use crate::state::{Array, Handle};
use emulator::{AddressMode, Arrangement, TextureDescriptor};
use std::ffi::{c_float, c_int, c_uint, c_void};

/// The kinds of `CUresourcetype`.
const ARRAY: c_int = 0;
const MIPMAPPED: c_int = 1;
const LINEAR: c_int = 2;
const PITCHED: c_int = 3;

/// `CU_TRSF_READ_AS_INTEGER` and `CU_TRSF_NORMALIZED_COORDINATES`.
const READ_AS_INTEGER: c_uint = 1;
const NORMALIZED_COORDINATES: c_uint = 2;
/// `CU_TRSF_SRGB`, which is not supported.
const SRGB: c_uint = 0x10;

/// The alignment of memory behind a texture in bytes.
const ALIGNMENT: u64 = 512;

/// The memory of a `CUDA_RESOURCE_DESC`. Arrays have only the first field, and linear memory counts bytes in `width`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ResourceMemory {
    address: DevicePointer,
    format: c_int,
    channels: c_uint,
    width: usize,
    height: usize,
    pitch: usize,
    reserved: [u64; 11],
}

/// `CUDA_RESOURCE_DESC`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Resource {
    kind: c_int,
    memory: ResourceMemory,
    flags: c_uint,
}

/// `CUDA_TEXTURE_DESC`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct TextureDescription {
    modes: [c_int; 3],
    filter: c_int,
    flags: c_uint,
    anisotropy: c_uint,
    mipmap_filter: c_int,
    mipmap_levels: [c_float; 3],
    border: [c_float; 4],
    reserved: [c_int; 12],
}

// The layout of the C structures.
const _: () = assert!(size_of::<Resource>() == 144 && size_of::<TextureDescription>() == 104);

/// The message of a call without a description.
const MISSING: &str = "the description of the object is null";

/// Returns a descriptor of a resource for reads of the nearest element. The coordinates are those of elements.
fn resource(place: &Current, resource: &Resource) -> Outcome<TextureDescriptor> {
    let &ResourceMemory { address, format, channels, width, height, pitch, .. } = &resource.memory;
    let descriptor = |address, channel, channels, arrangement, sizes: [usize; 3], row_bytes: usize| TextureDescriptor {
        address,
        channel,
        channels,
        arrangement,
        sizes: sizes.map(|size| size.max(1) as u32),
        pitches: [row_bytes as u64, (row_bytes * sizes[1].max(1)) as u64],
        modes: [AddressMode::Clamp; 3],
        linear: false,
        normalized_coordinates: false,
        normalized_values: false,
        border: [0.0; 4],
    };
    if resource.kind == ARRAY {
        let array = place.driver.arrays.get(Handle::<Array>::from_number(address as usize))?;
        let Array { address, channel, channels, sizes, .. } = *array;
        return Ok(descriptor(address, channel, channels, arrangement(&array), sizes, array.row_bytes()));
    }
    if !matches!(resource.kind, LINEAR | PITCHED) {
        return Err(match resource.kind {
            MIPMAPPED => unsupported("a mipmapped array"),
            kind => invalid(format!("{kind} is not a CUresourcetype")),
        });
    }
    let channel = channel(format, channels)?;
    let element_bytes = channel.bytes() as usize * channels as usize;
    require(
        address.is_multiple_of(ALIGNMENT.min(256)),
        format_args!("the memory of a texture at {address:#x}: it must be aligned"),
    )?;
    let (arrangement, elements, rows, row_bytes) = match resource.kind {
        LINEAR => (Arrangement::Linear, width / element_bytes, 1, width),
        _ => (Arrangement::Plane, width, height, pitch),
    };
    require(
        elements != 0 && rows != 0 && elements <= u32::MAX as usize && rows <= u32::MAX as usize,
        format_args!("a texture of {elements} x {rows} elements"),
    )?;
    let last = (rows - 1).checked_mul(row_bytes).and_then(|bytes| bytes.checked_add(elements * element_bytes));
    require(
        elements * element_bytes <= row_bytes,
        format_args!("a pitch of {row_bytes} bytes for rows of {elements} elements"),
    )?;
    require_range(place, address, last.ok_or_else(|| invalid("the texture exceeds 64 bits".to_owned()))?)?;
    Ok(descriptor(address, channel, channels, arrangement, [elements, rows, 1], row_bytes))
}

fn mode(number: c_int) -> Outcome<AddressMode> {
    match number {
        0 => Ok(AddressMode::Wrap),
        1 => Ok(AddressMode::Clamp),
        2 => Ok(AddressMode::Mirror),
        3 => Ok(AddressMode::Border),
        _ => Err(invalid(format!("{number} is not a CUaddress_mode"))),
    }
}

/// Adds the properties of a texture to the descriptor of its resource.
fn texture(of_resource: TextureDescriptor, kind: c_int, texture: &TextureDescription) -> Outcome<TextureDescriptor> {
    if texture.flags & SRGB != 0 {
        return Err(unsupported("a texture of colors in sRGB"));
    }
    require(matches!(texture.filter, 0 | 1), format_args!("{} is not a CUfilter_mode", texture.filter))?;
    let [x, y, z] = texture.modes;
    // Linear memory is read by element only. What is outside is zero.
    let (modes, border) = match kind {
        LINEAR => ([AddressMode::Border; 3], [0.0; 4]),
        _ => ([mode(x)?, mode(y)?, mode(z)?], texture.border),
    };
    Ok(TextureDescriptor {
        modes,
        border,
        linear: texture.filter == 1 && kind != LINEAR,
        normalized_coordinates: texture.flags & NORMALIZED_COORDINATES != 0,
        normalized_values: texture.flags & READ_AS_INTEGER == 0,
        ..of_resource
    })
}

/// Places a descriptor in device memory, whose address is the handle.
fn create(place: &Current, handle: Out<u64>, descriptor: &TextureDescriptor) -> Outcome {
    let address = place.context.allocate(TextureDescriptor::BYTES)?;
    place.driver.memory.write(address, &descriptor.encode())?;
    handle.set(address)
}

/// Frees the descriptor of an object.
fn destroy(handle: u64) -> Outcome {
    let place = current()?;
    place.require_safe()?;
    match place.driver.memory.allocation_of(handle) {
        Some((base, bytes)) if base == handle && bytes == TextureDescriptor::BYTES as u64 => place.context.free(handle),
        _ => Err(invalid(format!("{handle:#x} is not the handle of a texture"))),
    }
}

api! {
    /// Creates a texture. A view of a part of an array is not supported.
    fn cuTexObjectCreate(
        object: Out<u64>,
        resource_description: In<Resource>,
        description: In<TextureDescription>,
        view: In<c_void>,
    ) {
        let place = current()?;
        object.require()?;
        if !view.is_null() {
            return Err(unsupported("a view of a texture's resource"));
        }
        let of_resource = resource_description.require(MISSING)?;
        let description = description.require(MISSING)?;
        create(&place, object, &texture(resource(&place, &of_resource)?, of_resource.kind, &description)?)
    }

    /// Destroys a texture.
    fn cuTexObjectDestroy(object: u64) {
        destroy(object)
    }
}
