//! Memory pools.

use crate::support::{context, last_error, on_hardware};
use cudarc::driver::sys::{self, CUmemPool_attribute as Attribute, CUmemoryPool, CUresult};
use std::ptr::null_mut;

const OK: CUresult = CUresult::CUDA_SUCCESS;
const INVALID: CUresult = CUresult::CUDA_ERROR_INVALID_VALUE;

/// Creates a pool of device 0 with at most `most_bytes` bytes, 0 for no limit.
fn create(most_bytes: usize) -> CUmemoryPool {
    let mut pool = null_mut();
    // SAFETY: zeros are valid properties, and the output is valid for a write.
    unsafe {
        let mut properties: sys::CUmemPoolProps = std::mem::zeroed();
        properties.allocType = sys::CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED;
        properties.location.type_ = sys::CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE;
        properties.maxSize = most_bytes;
        assert_eq!(sys::cuMemPoolCreate(&mut pool, &properties), OK);
    }
    pool
}

fn attribute(pool: CUmemoryPool, attribute: Attribute) -> u64 {
    let mut value = 0_u64;
    // SAFETY: the output is valid for a write of 8 bytes, the most that an attribute has.
    assert_eq!(unsafe { sys::cuMemPoolGetAttribute(pool, attribute, (&raw mut value).cast()) }, OK);
    value
}

fn set(pool: CUmemoryPool, attribute: Attribute, mut value: u64) -> CUresult {
    // SAFETY: the value has 8 bytes, the most that an attribute has.
    unsafe { sys::cuMemPoolSetAttribute(pool, attribute, (&raw mut value).cast()) }
}

fn allocate(pool: CUmemoryPool, bytes: usize) -> Result<u64, CUresult> {
    let mut address = 0;
    // SAFETY: the output is valid for a write.
    match unsafe { sys::cuMemAllocFromPoolAsync(&mut address, bytes, pool, null_mut()) } {
        OK => Ok(address),
        error => Err(error),
    }
}

fn used(pool: CUmemoryPool) -> [u64; 2] {
    [Attribute::CU_MEMPOOL_ATTR_USED_MEM_CURRENT, Attribute::CU_MEMPOOL_ATTR_USED_MEM_HIGH]
        .map(|kind| attribute(pool, kind))
}

#[test]
fn a_pool_counts_what_is_allocated_from_it() {
    let _context = context();
    let pool = create(0);
    assert_eq!(used(pool), [0, 0]);
    let first = allocate(pool, 1024).unwrap();
    let second = allocate(pool, 4096).unwrap();
    // SAFETY: the memory is allocated and freed once.
    unsafe {
        assert_eq!(sys::cuMemsetD8_v2(second, 1, 4096), OK);
        assert_eq!(sys::cuMemFreeAsync(first, null_mut()), OK);
        assert_eq!(sys::cuStreamSynchronize(null_mut()), OK);
    }
    assert_eq!(used(pool), [4096, 5120]);
    assert_eq!(set(pool, Attribute::CU_MEMPOOL_ATTR_USED_MEM_HIGH, 5), INVALID);
    assert_eq!(set(pool, Attribute::CU_MEMPOOL_ATTR_USED_MEM_HIGH, 0), OK);
    assert_eq!(used(pool), [4096, 4096]);
    assert_eq!(set(pool, Attribute::CU_MEMPOOL_ATTR_USED_MEM_CURRENT, 0), INVALID);
    // SAFETY: the memory outlives its pool, and is freed once.
    unsafe {
        assert_eq!(sys::cuMemPoolTrimTo(pool, 0), OK);
        assert_eq!(sys::cuMemPoolDestroy(pool), OK);
        assert_eq!(sys::cuMemsetD8_v2(second, 1, 4096), OK);
        assert_eq!(sys::cuMemFree_v2(second), OK);
    }
}

#[test]
fn attributes_have_defaults_and_are_kept() {
    use Attribute::{
        CU_MEMPOOL_ATTR_RELEASE_THRESHOLD as THRESHOLD, CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC as REUSE,
    };
    let _context = context();
    let pool = create(0);
    assert_eq!((attribute(pool, THRESHOLD), attribute(pool, REUSE)), (0, 1));
    assert_eq!((set(pool, THRESHOLD, u64::MAX), set(pool, REUSE, 0)), (OK, OK));
    assert_eq!((attribute(pool, THRESHOLD), attribute(pool, REUSE)), (u64::MAX, 0));
    // SAFETY: the pool is destroyed once.
    assert_eq!(unsafe { sys::cuMemPoolDestroy(pool) }, OK);
}

#[test]
fn a_refused_allocation_leaves_the_count_of_a_pool_as_it_is() {
    let _context = context();
    let pool = create(0);
    let data = allocate(pool, 4096).unwrap();
    if !on_hardware() {
        assert_eq!(allocate(pool, usize::MAX), Err(CUresult::CUDA_ERROR_OUT_OF_MEMORY));
    }
    assert_eq!(used(pool), [4096, 4096]);
    // SAFETY: the memory is freed once.
    assert_eq!(unsafe { sys::cuMemFree_v2(data) }, OK);
}

#[test]
fn a_pool_has_a_limit() {
    if on_hardware() {
        return; // The driver rounds the limit up.
    }
    let _context = context();
    let pool = create(4096);
    let address = allocate(pool, 4000).unwrap();
    assert_eq!(allocate(pool, 100), Err(CUresult::CUDA_ERROR_OUT_OF_MEMORY));
    assert!(last_error().contains("at most 4096 bytes, 4000 of them used"), "{}", last_error());
    assert_eq!(allocate(pool, 0), Ok(0));
    // SAFETY: the memory is freed once.
    assert_eq!(unsafe { sys::cuMemFree_v2(address) }, OK);
    assert_eq!(used(pool), [0, 4000]);
}

/// The device's pool is shared by all tests of the process, so that another one may allocate from it at the same time.
#[test]
fn the_pool_of_the_device_can_be_replaced() {
    let _context = context();
    let mut default = null_mut();
    let mut pool = null_mut();
    let own = create(0);
    // SAFETY: the outputs are valid for writes, and the memory is freed once.
    unsafe {
        assert_eq!(sys::cuDeviceGetDefaultMemPool(&mut default, 0), OK);
        assert_eq!(sys::cuDeviceSetMemPool(0, own), OK);
        assert_eq!(sys::cuDeviceGetMemPool(&mut pool, 0), OK);
        assert_eq!(pool, own);
        let before = used(own)[0];
        let mut address = 0;
        assert_eq!(sys::cuMemAllocAsync(&mut address, 1 << 20, null_mut()), OK);
        assert!(used(own)[0] >= before + (1 << 20));
        assert_eq!(sys::cuMemPoolDestroy(own), OK);
        assert_eq!(sys::cuDeviceGetMemPool(&mut pool, 0), OK);
        assert_eq!(pool, default, "the default pool takes the place of a destroyed one");
        assert_eq!(sys::cuMemFreeAsync(address, null_mut()), OK);
        assert_eq!(sys::cuMemPoolDestroy(default), INVALID);
        assert_eq!(sys::cuDeviceSetMemPool(0, null_mut()), INVALID);
    }
}

/// A stream has a context, so that what it orders can be freed although the current context has been destroyed.
#[test]
fn memory_is_freed_in_a_stream_while_the_current_context_is_a_destroyed_one() {
    crate::support::install();
    let mut first = null_mut();
    let mut second = null_mut();
    let mut stream = null_mut();
    let mut address = 0;
    // SAFETY: the outputs are valid for writes, and each object is destroyed once.
    unsafe {
        assert_eq!(sys::cuInit(0), OK);
        assert_eq!(sys::cuCtxCreate_v2(&mut second, 0, 0), OK);
        assert_eq!(sys::cuStreamCreate(&mut stream, 0), OK);
        assert_eq!(sys::cuMemAllocAsync(&mut address, 64, stream), OK);
        assert_eq!(sys::cuCtxCreate_v2(&mut first, 0, 0), OK);
        std::thread::scope(|scope| {
            let first = first as usize;
            scope.spawn(move || assert_eq!(sys::cuCtxDestroy_v2(first as sys::CUcontext), OK));
        });
        assert_eq!(sys::cuMemFreeAsync(address, stream), OK, "{}", last_error());
        assert_eq!(sys::cuCtxSetCurrent(second), OK);
        assert_eq!(sys::cuStreamSynchronize(stream), OK);
        assert_eq!(sys::cuCtxDestroy_v2(second), OK);
    }
}
