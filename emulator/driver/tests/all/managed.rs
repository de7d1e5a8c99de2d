//! Managed memory.

use crate::support::{context, module, on_hardware, shape};
use cudarc::driver::PushKernelArg;
use cudarc::driver::sys::{self, CUpointer_attribute as Attribute, CUresult};
use std::ptr::{null_mut, with_exposed_provenance_mut};

const OK: CUresult = CUresult::CUDA_SUCCESS;
const INVALID: CUresult = CUresult::CUDA_ERROR_INVALID_VALUE;

/// Each thread adds one to a word of memory, and to the managed variable.
const COUNT: &str = "
.version 8.1
.target sm_75
.address_size 64
.visible .global .attribute(.managed) .align 4 .u32 total = 7;
.visible .entry count(.param .u64 word)
{
    .reg .b64 %d<2>;
    ld.param.u64 %d0, [word];
    red.global.add.u32 [%d0], 1;
    mov.u64 %d1, total;
    red.global.add.u32 [%d1], 1;
    ret;
}
";

fn allocate(bytes: usize, flags: u32) -> Result<u64, CUresult> {
    let mut address = 0;
    // SAFETY: the output is valid for a write.
    match unsafe { sys::cuMemAllocManaged(&mut address, bytes, flags) } {
        OK => Ok(address),
        error => Err(error),
    }
}

fn attribute(attribute: Attribute, address: u64) -> u64 {
    let mut value = 0_u64;
    // SAFETY: the output is valid for a write of 8 bytes, the most that an attribute has.
    assert_eq!(unsafe { sys::cuPointerGetAttribute((&raw mut value).cast(), attribute, address) }, OK);
    value
}

#[test]
fn host_and_kernels_access_managed_memory_at_the_same_address() {
    let context = context();
    let module = module(&context, COUNT);
    let stream = context.default_stream();
    let count = module.load_function("count").unwrap();
    let address = allocate(64, 1).unwrap();
    let word = with_exposed_provenance_mut::<u32>(address as usize + 8);
    let (mut total, name) = (0, c"total");
    // SAFETY: the memory has 64 bytes, is accessed by the host only while no kernel runs, and is freed once. The module is
    // loaded while its variable is accessed.
    unsafe {
        *word = 5;
        stream.launch_builder(&count).arg(&(address + 8)).launch(shape(4, 32, 0)).unwrap();
        stream.synchronize().unwrap();
        assert_eq!(*word, 5 + 4 * 32);
        assert_eq!(sys::cuMemsetD32_v2(address, 9, 16), OK);
        assert_eq!(*word, 9);
        let mut raw = null_mut();
        assert_eq!(sys::cuModuleLoadData(&mut raw, std::ffi::CString::new(COUNT).unwrap().as_ptr().cast()), OK);
        assert_eq!(sys::cuModuleGetGlobal_v2(&mut total, null_mut(), raw, name.as_ptr()), OK);
        let variable = with_exposed_provenance_mut::<u32>(total as usize);
        assert_eq!(*variable, 7);
        *variable = 100;
        let mut function = null_mut();
        assert_eq!(sys::cuModuleGetFunction(&mut function, raw, c"count".as_ptr()), OK);
        let mut argument = address;
        let mut arguments = [(&raw mut argument).cast()];
        let launched =
            sys::cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, null_mut(), arguments.as_mut_ptr(), null_mut());
        assert_eq!(launched, OK);
        assert_eq!(sys::cuCtxSynchronize(), OK);
        assert_eq!(*variable, 132);
        assert_eq!(sys::cuModuleUnload(raw), OK);
        assert_eq!(sys::cuMemFree_v2(address), OK);
        assert_eq!(sys::cuMemFree_v2(address), INVALID);
    }
}

#[test]
fn attributes_tell_managed_memory_from_other_memory() {
    let _context = context();
    let managed = allocate(64, 1).unwrap();
    let mut device = 0;
    let mut host = null_mut();
    // SAFETY: the outputs are valid for writes.
    unsafe {
        assert_eq!(sys::cuMemAlloc_v2(&mut device, 64), OK);
        assert_eq!(sys::cuMemHostAlloc(&mut host, 64, 0), OK);
    }
    let host = host.expose_provenance() as u64;
    let is_managed =
        [managed + 4, device, host].map(|address| attribute(Attribute::CU_POINTER_ATTRIBUTE_IS_MANAGED, address));
    assert_eq!(is_managed, [1, 0, 0]);
    let kinds = [managed, device, host].map(|address| attribute(Attribute::CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address));
    assert_eq!(kinds, [2, 2, 1]);
    assert_eq!(attribute(Attribute::CU_POINTER_ATTRIBUTE_HOST_POINTER, managed + 4), managed + 4);
    assert_eq!(attribute(Attribute::CU_POINTER_ATTRIBUTE_DEVICE_POINTER, managed + 4), managed + 4);
    // SAFETY: each is freed once.
    unsafe {
        assert_eq!((sys::cuMemFree_v2(managed), sys::cuMemFree_v2(device)), (OK, OK));
        assert_eq!(sys::cuMemFreeHost(with_exposed_provenance_mut(host as usize)), OK);
    }
}

#[test]
fn wrong_calls_are_refused() {
    let _context = context();
    for (bytes, flags) in [(0, 1), (64, 0), (64, 3), (64, 4)] {
        assert_eq!(allocate(bytes, flags), Err(INVALID), "{bytes} bytes, flags {flags}");
    }
    let managed = allocate(64, 1).unwrap();
    let mut device = 0;
    let place = |number| sys::CUmemLocation { type_: sys::CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE, id: number };
    let prefetch = |address, bytes, number| {
        // SAFETY: the driver judges the range.
        unsafe { sys::cuMemPrefetchAsync_v2(address, bytes, place(number), 0, null_mut()) }
    };
    // SAFETY: the output is valid for a write.
    assert_eq!(unsafe { sys::cuMemAlloc_v2(&mut device, 64) }, OK);
    assert_eq!(prefetch(managed, 64, 0), OK);
    if !on_hardware() {
        assert_eq!(prefetch(managed, 65, 0), INVALID);
        assert_eq!(prefetch(managed, 64, 99), CUresult::CUDA_ERROR_INVALID_DEVICE);
    }
    assert_eq!(prefetch(device, 64, 0), INVALID);
    let advise = |address, advice| {
        // SAFETY: the driver judges the range.
        unsafe { sys::cuMemAdvise_v2(address, 64, advice, place(0)) }
    };
    assert_eq!(advise(managed, sys::CUmem_advise::CU_MEM_ADVISE_SET_READ_MOSTLY), OK);
    assert_eq!(advise(device, sys::CUmem_advise::CU_MEM_ADVISE_SET_READ_MOSTLY), INVALID);
    let attach = |bytes, flags| {
        // SAFETY: the driver judges the range.
        unsafe { sys::cuStreamAttachMemAsync(null_mut(), managed, bytes, flags) }
    };
    assert_eq!([attach(0, 1), attach(64, 2), attach(32, 2), attach(0, 4)], [OK, OK, INVALID, INVALID]);
    // SAFETY: each is freed once.
    unsafe { assert_eq!((sys::cuMemFree_v2(managed), sys::cuMemFree_v2(device)), (OK, OK)) };
}
