//! Work that CUDA does not order although its calls come one after the other, as raw calls of the driver.

use super::streams::titles;
use crate::support::process::own_process;
use crate::support::{context, set};
use cudarc::driver::CudaContext;
use cudarc::driver::sys::{self, CUlaunchAttribute, CUlaunchAttributeID, CUresult, CUstream};
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::Arc;

/// Kernels that copy a word, without and with a wait for the kernels before. One waits in a function.
const COPIES: &str = "
.version 8.1
.target sm_90
.address_size 64
.func wait() {
    griddepcontrol.wait;
    ret;
}
.visible .entry plain(.param .u64 y, .param .u64 x) {
    .reg .b64 %rd<3>; .reg .b32 %r<2>;
    ld.param.u64 %rd1, [y]; ld.param.u64 %rd2, [x];
    ld.global.u32 %r1, [%rd2]; st.global.u32 [%rd1], %r1;
    ret;
}
.visible .entry waiting(.param .u64 y, .param .u64 x) {
    .reg .b64 %rd<3>; .reg .b32 %r<2>;
    ld.param.u64 %rd1, [y]; ld.param.u64 %rd2, [x];
    griddepcontrol.wait;
    ld.global.u32 %r1, [%rd2]; st.global.u32 [%rd1], %r1;
    ret;
}
.visible .entry calling(.param .u64 y, .param .u64 x) {
    .reg .b64 %rd<3>; .reg .b32 %r<2>;
    ld.param.u64 %rd1, [y]; ld.param.u64 %rd2, [x];
    call.uni wait, ();
    ld.global.u32 %r1, [%rd2]; st.global.u32 [%rd1], %r1;
    ret;
}";

/// Buffers of 256 bytes on the device and on the host, three kernels, a blocking and two non-blocking streams, and checks.
struct Place {
    _context: Arc<CudaContext>,
    x: u64,
    y: u64,
    z: u64,
    pinned: *mut c_void,
    host: [u8; 256],
    kernels: [sys::CUfunction; 3],
    blocking: CUstream,
    a: CUstream,
    b: CUstream,
}

const PLAIN: usize = 0;
const WAITING: usize = 1;
const CALLING: usize = 2;

fn ok(code: CUresult) {
    assert_eq!(code, CUresult::CUDA_SUCCESS, "{}", crate::support::last_error());
}

impl Place {
    fn new() -> Self {
        let context = context();
        set("coalesced_set_checks", 1_u32);
        let [mut x, mut y, mut z] = [0; 3];
        let [mut blocking, mut a, mut b] = [null_mut(); 3];
        let [mut pinned, mut module] = [null_mut(), null_mut()];
        let image = std::ffi::CString::new(COPIES).unwrap();
        // SAFETY: all outputs are valid for writes, and the text ends with a NUL.
        let kernels = unsafe {
            [&mut x, &mut y, &mut z].into_iter().for_each(|buffer| ok(sys::cuMemAlloc_v2(buffer, 256)));
            ok(sys::cuMemHostAlloc(&mut pinned, 256, 0));
            ok(sys::cuStreamCreate(&mut blocking, 0));
            [&mut a, &mut b].into_iter().for_each(|stream| ok(sys::cuStreamCreate(stream, 1)));
            let mut raw = module.cast();
            ok(sys::cuModuleLoadData(&mut raw, image.as_ptr().cast()));
            module = raw.cast::<c_void>();
            [c"plain", c"waiting", c"calling"].map(|name| {
                let mut kernel = null_mut();
                ok(sys::cuModuleGetFunction(&mut kernel, module.cast(), name.as_ptr()));
                kernel
            })
        };
        let place = Self { _context: context, x, y, z, pinned, host: [1; 256], kernels, blocking, a, b };
        // SAFETY: each buffer has 256 bytes.
        unsafe { [x, y, z].into_iter().for_each(|buffer| ok(sys::cuMemsetD8_v2(buffer, 1, 256))) };
        place.settle();
        place
    }

    /// Waits for all work.
    fn settle(&self) {
        // SAFETY: the context is current.
        ok(unsafe { sys::cuCtxSynchronize() });
    }

    /// Waits for all work and returns how many findings there were.
    fn found(&self) -> usize {
        self.settle();
        let titles = titles();
        assert!(titles.iter().all(|title| title.starts_with("race between ")), "{titles:?}");
        titles.len()
    }

    /// Launches a kernel that copies a word of `x` to `y`, programmatic or not.
    fn launch(&self, stream: CUstream, kernel: usize, (y, x): (u64, u64), programmatic: bool) {
        let mut attribute = CUlaunchAttribute {
            id: CUlaunchAttributeID::CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION,
            pad: [0; 4],
            value: sys::CUlaunchAttributeValue { programmaticStreamSerializationAllowed: programmatic.into() },
        };
        let config = sys::CUlaunchConfig {
            gridDimX: 1,
            gridDimY: 1,
            gridDimZ: 1,
            blockDimX: 1,
            blockDimY: 1,
            blockDimZ: 1,
            sharedMemBytes: 0,
            hStream: stream,
            attrs: &mut attribute,
            numAttrs: 1,
        };
        let mut arguments = [(&raw const y).cast_mut().cast::<c_void>(), (&raw const x).cast_mut().cast()];
        // SAFETY: the kernel takes two addresses of buffers.
        ok(unsafe { sys::cuLaunchKernelEx(&config, self.kernels[kernel], arguments.as_mut_ptr(), null_mut()) });
    }

    /// Makes stream `b` wait for stream `a`.
    fn join(&self) {
        let mut event = null_mut();
        // SAFETY: the event is created before it is used.
        unsafe {
            ok(sys::cuEventCreate(&mut event, 2));
            ok(sys::cuEventRecord(event, self.a));
            ok(sys::cuStreamWaitEvent(self.b, event, 0));
        }
    }
}

#[test]
fn a_copy_from_pageable_memory_has_not_arrived_when_it_returns() {
    own_process!();
    let place = Place::new();
    let source = place.host.as_ptr().cast();
    let copies: [&dyn Fn(); 3] = [
        // SAFETY: each range has 256 bytes.
        &|| ok(unsafe { sys::cuMemcpyHtoD_v2(place.x, source, 256) }),
        // SAFETY: as above.
        &|| ok(unsafe { sys::cuMemcpy(place.x, source as u64, 256) }),
        // SAFETY: as above.
        &|| ok(unsafe { sys::cuMemcpyDtoD_v2(place.x, place.z, 256) }),
    ];
    for copy in copies {
        copy();
        place.launch(place.a, PLAIN, (place.y, place.x), false);
        assert_eq!(place.found(), 1);
        copy();
        place.settle();
        place.launch(place.a, PLAIN, (place.y, place.x), false);
        assert_eq!(place.found(), 0, "the host has waited");
        for stream in [null_mut(), place.blocking] {
            copy();
            place.launch(stream, PLAIN, (place.y, place.x), false);
            assert_eq!(place.found(), 0, "the stream waits for the default stream");
        }
    }
    // SAFETY: each range has 256 bytes.
    ok(unsafe { sys::cuMemcpyHtoD_v2(place.x, place.pinned, 256) });
    place.launch(place.a, PLAIN, (place.y, place.x), false);
    assert_eq!(place.found(), 0, "a copy from page-locked memory has arrived");
    // SAFETY: as above.
    ok(unsafe { sys::cuMemcpyHtoDAsync_v2(place.x, source, 256, place.a) });
    place.launch(place.a, PLAIN, (place.y, place.x), false);
    assert_eq!(place.found(), 0, "the same stream");
}

#[test]
fn streams_that_share_a_page_locked_buffer_are_ordered() {
    own_process!();
    let place = Place::new();
    let registered = place.host.as_ptr().cast_mut().cast();
    // SAFETY: the emulator does not access registered memory, and the array outlives the registration.
    ok(unsafe { sys::cuMemHostRegister_v2(registered, 256, 0) });
    for buffer in [place.pinned, registered] {
        for ordered in [false, true] {
            // SAFETY: each range has 256 bytes.
            unsafe {
                ok(sys::cuMemcpyDtoHAsync_v2(buffer, place.x, 256, place.a));
                if ordered {
                    place.join();
                }
                ok(sys::cuMemcpyHtoDAsync_v2(place.y, buffer, 256, place.b));
            }
            assert_eq!(place.found(), usize::from(!ordered));
            // SAFETY: as above.
            unsafe {
                ok(sys::cuMemcpyHtoDAsync_v2(place.y, buffer, 256, place.a));
                ok(sys::cuMemcpyHtoDAsync_v2(place.z, buffer, 256, place.b));
            }
            assert_eq!(place.found(), 0, "two reads");
        }
    }
    // A kernel writes the buffer that a copy reads.
    place.launch(place.a, PLAIN, (place.pinned as u64, place.x), false);
    // SAFETY: as above.
    ok(unsafe { sys::cuMemcpyHtoDAsync_v2(place.y, place.pinned, 256, place.b) });
    assert_eq!(place.found(), 1);
    // SAFETY: as above; the registration ends once.
    unsafe {
        ok(sys::cuMemcpyDtoHAsync_v2(registered, place.x, 256, place.a));
        ok(sys::cuMemHostUnregister(registered));
        ok(sys::cuMemHostRegister_v2(registered, 256, 0));
        ok(sys::cuMemcpyHtoDAsync_v2(place.y, registered, 256, place.b));
    }
    assert_eq!(place.found(), 0, "other memory at the same address");
}

#[test]
fn a_programmatic_launch_waits_in_its_kernel() {
    own_process!();
    let place = Place::new();
    let Place { x, y, z, a, .. } = place;
    for kernel in [PLAIN, WAITING, CALLING] {
        for programmatic in [false, true] {
            place.launch(a, PLAIN, (y, x), false);
            place.launch(a, kernel, (z, y), programmatic);
            assert_eq!(place.found(), usize::from(programmatic && kernel == PLAIN), "{kernel} {programmatic}");
        }
    }
    place.launch(a, PLAIN, (y, x), false);
    place.launch(a, PLAIN, (z, x), true);
    assert_eq!(place.found(), 0, "other memory");
    // SAFETY: the buffer has 256 bytes.
    ok(unsafe { sys::cuMemsetD8Async(y, 1, 256, a) });
    place.launch(a, PLAIN, (z, y), true);
    assert_eq!(place.found(), 0, "what comes before is no kernel");
    place.launch(a, PLAIN, (y, x), false);
    place.launch(a, PLAIN, (z, x), true);
    place.launch(a, PLAIN, (z + 4, y), true);
    assert_eq!(place.found(), 1, "the first kernel may be running when the third begins");
    place.launch(a, PLAIN, (y, x), false);
    place.settle();
    place.launch(a, PLAIN, (z, y), true);
    assert_eq!(place.found(), 0, "the host has waited");
    place.launch(a, PLAIN, (y, x), false);
    place.launch(a, PLAIN, (z, x), true);
    place.launch(a, PLAIN, (z + 4, y), false);
    assert_eq!(place.found(), 0, "a launch that is not programmatic waits for all");
}

#[test]
fn a_race_is_reported_once_a_place_and_again_after_it_was_taken() {
    own_process!();
    let place = Place::new();
    let Place { x, y, z, a, b, .. } = place;
    let race = |buffer| {
        place.launch(a, PLAIN, (buffer, x), false);
        place.launch(b, PLAIN, (buffer, x), false);
        place.settle();
    };
    for _ in 0..2 {
        (0..3).for_each(|_| race(y));
        assert_eq!(place.found(), 1);
    }
    race(y);
    race(z);
    assert_eq!(place.found(), 2, "two buffers");
}
