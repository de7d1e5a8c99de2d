//! Memory pools.

use super::device::{Device, require_device};
use super::memory::allocate_from;
use super::range::DevicePointer;
use crate::arguments::{In, Out};
use crate::boundary::api;
use crate::result::{CUresult, Outcome, invalid, require};
use crate::state::current::on_stream;
use crate::state::{Handle, Pool, Stream, driver, lock};
use std::ffi::{c_int, c_void};

/// `CU_MEM_ALLOCATION_TYPE_PINNED`, the only kind of memory that pools have.
const PINNED: c_int = 1;

/// `CU_MEM_LOCATION_TYPE_DEVICE`.
const DEVICE: c_int = 1;

/// `CU_MEMPOOL_ATTR_RELEASE_THRESHOLD`. The attributes before it are switches.
const RELEASE_THRESHOLD: c_int = 4;

/// `CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT` and `…_HIGH`, and `CU_MEMPOOL_ATTR_USED_MEM_CURRENT` and `…_HIGH`. A pool reserves
/// what is used.
const CURRENT: [c_int; 2] = [5, 7];
const HIGH: [c_int; 2] = [6, 8];

/// `CU_MEM_ACCESS_FLAGS_PROT_NONE` and `…_READWRITE`.
const NO_ACCESS: c_int = 0;
const READ_WRITE: c_int = 3;

/// `CUmemAccessDesc`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Access {
    location: [c_int; 2],
    flags: c_int,
}

/// `CUmemPoolProps`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct PoolProperties {
    kind: c_int,
    handle_types: c_int,
    location: [c_int; 2],
    security_attributes: *mut c_void,
    most_bytes: usize,
    usage: u16,
    reserved: [u8; 54],
}

/// Returns the pool that is described. Fails if the emulator has none of the kind.
fn pool_of(properties: &PoolProperties) -> Outcome<Pool> {
    let PoolProperties { kind, handle_types, location: [place, number], most_bytes, .. } = *properties;
    require(kind == PINNED, format_args!("a memory pool of kind {kind}: must be 1, pinned"))?;
    CUresult::NOT_SUPPORTED.unless(handle_types == 0, "memory pools cannot be shared with other processes")?;
    CUresult::NOT_SUPPORTED
        .unless(place == DEVICE, format_args!("a memory pool at location type {place}: must be 1, a device"))?;
    Ok(Pool::new(require_device(number)?.ordinal, most_bytes as u64))
}

fn unknown(attribute: c_int) -> crate::result::Error {
    invalid(format!("CUDA 12.8 has no memory pool attribute {attribute} of this kind"))
}

/// Returns the value that a caller passes for an attribute.
fn read_value<T: Copy>(value: Out<c_void>) -> Outcome<T> {
    value.cast::<T>().as_input().require("the value is null")
}

api! {
    /// Writes the default memory pool of a device.
    fn cuDeviceGetDefaultMemPool(pool: Out<Handle<Pool>>, device: Device) {
        pool.set(require_device(device)?.default_pool)
    }

    /// Writes the memory pool of a device from which `cuMemAllocAsync` allocates.
    fn cuDeviceGetMemPool(pool: Out<Handle<Pool>>, device: Device) {
        pool.set(require_device(device)?.pool())
    }

    /// Sets the memory pool of a device from which `cuMemAllocAsync` allocates.
    fn cuDeviceSetMemPool(device: Device, pool: Handle<Pool>) {
        let device = require_device(device)?;
        let of_pool = driver()?.pools.get(pool)?.device;
        require(
            of_pool == device.ordinal,
            format_args!("a memory pool of device {of_pool} cannot be that of device {}", device.ordinal),
        )?;
        *lock(&device.pool) = pool;
        Ok(())
    }

    /// Creates a memory pool of a device.
    fn cuMemPoolCreate(pool: Out<Handle<Pool>>, properties: In<PoolProperties>) {
        let driver = driver()?;
        pool.require()?;
        let made = pool_of(&properties.require("the properties are null")?)?;
        pool.set(driver.pools.insert(made))
    }

    /// Destroys a memory pool. Its allocations remain until they are freed.
    fn cuMemPoolDestroy(pool: Handle<Pool>) {
        let driver = driver()?;
        let is_default = driver.devices.iter().any(|device| device.default_pool == pool);
        require(!is_default, "the default memory pool of a device cannot be destroyed")?;
        driver.pools.remove(pool)?;
        for device in &driver.devices {
            let mut chosen = lock(&device.pool);
            if *chosen == pool {
                *chosen = device.default_pool;
            }
        }
        Ok(())
    }

    /// Writes an attribute of a memory pool. It reserves what is used.
    fn cuMemPoolGetAttribute(pool: Handle<Pool>, attribute: c_int, value: Out<c_void>) {
        let pool = driver()?.pools.get(pool)?;
        let settings = *lock(&pool.settings);
        let used = pool.usage();
        match attribute {
            1..RELEASE_THRESHOLD => value.cast().set(settings.reuse[attribute as usize - 1]),
            RELEASE_THRESHOLD => value.cast().set(settings.release_threshold),
            _ if CURRENT.contains(&attribute) => value.cast().set(used.bytes),
            _ if HIGH.contains(&attribute) => value.cast().set(used.most_bytes),
            _ => Err(unknown(attribute)),
        }
    }

    /// Sets an attribute of a memory pool. The most bytes so far can only be set to 0, and become those that are used now.
    fn cuMemPoolSetAttribute(pool: Handle<Pool>, attribute: c_int, value: Out<c_void>) {
        let pool = driver()?.pools.get(pool)?;
        match attribute {
            1..RELEASE_THRESHOLD => lock(&pool.settings).reuse[attribute as usize - 1] = read_value(value)?,
            RELEASE_THRESHOLD => lock(&pool.settings).release_threshold = read_value(value)?,
            _ if HIGH.contains(&attribute) => match read_value::<u64>(value)? {
                0 => pool.reset_most(),
                bytes => return Err(invalid(format!("{bytes} bytes at most: must be 0"))),
            },
            _ => return Err(unknown(attribute)),
        }
        Ok(())
    }

    /// Sets which devices access the memory of a pool. Its own always does, and another one needs peer access to the context.
    fn cuMemPoolSetAccess(pool: Handle<Pool>, accesses: In<Access>, count: usize) {
        let pool = driver()?.pools.get(pool)?;
        // SAFETY: the caller passes `count` descriptions.
        for Access { location: [kind, number], flags } in unsafe { accesses.list(count) }? {
            require(kind == DEVICE, format_args!("location type {kind}: must be 1, a device"))?;
            let own = require_device(number)?.ordinal == pool.device;
            require(matches!(flags, NO_ACCESS | READ_WRITE), format_args!("access flags {flags}: must be 0 or 3"))?;
            require(!own || flags == READ_WRITE, "a device always accesses its own memory pools")?;
            let detail = "memory pools have no accesses of their own: call cuCtxEnablePeerAccess";
            CUresult::NOT_SUPPORTED.unless(own || flags == NO_ACCESS, detail)?;
        }
        Ok(())
    }

    /// Writes whether a device accesses the memory of a pool: its own.
    fn cuMemPoolGetAccess(flags: Out<c_int>, pool: Handle<Pool>, location: In<[c_int; 2]>) {
        let pool = driver()?.pools.get(pool)?;
        let [kind, number] = location.require("the location is null")?;
        require(kind == DEVICE, format_args!("location type {kind}: must be 1, a device"))?;
        flags.set(if require_device(number)?.ordinal == pool.device { READ_WRITE } else { NO_ACCESS })
    }

    /// Does nothing: a memory pool keeps no freed memory.
    fn cuMemPoolTrimTo(pool: Handle<Pool>, _kept_bytes: usize) {
        driver()?.pools.get(pool).map(drop)
    }

    /// Allocates device memory from a memory pool immediately, regardless of the stream.
    fn cuMemAllocFromPoolAsync(
        address: Out<DevicePointer>,
        bytes: usize,
        pool: Handle<Pool>,
        stream: Handle<Stream>,
    ) {
        let place = on_stream(stream)?;
        let pool = place.driver.pools.get(pool)?;
        CUresult::NOT_SUPPORTED.unless(
            pool.device == place.context.device,
            format_args!("a memory pool of device {}, and the context is of another device", pool.device),
        )?;
        allocate_from(&place, address, bytes, &pool)
    }
}
