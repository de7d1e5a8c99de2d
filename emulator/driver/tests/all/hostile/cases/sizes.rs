//! Sizes that are zero, too large, or overflow.

use super::{Case, HUGE, MINUS_ONE, Number, allocation, with};
use crate::hostile::driver::{Driver, to};

/// Copies a rectangle of an allocation onto itself.
fn rectangle(driver: &Driver, memory_type: Number, pitch: Number, width: Number, height: Number) -> u32 {
    let address = allocation(driver);
    // For each side: column, row, memory type, host address, device address, array and pitch. Then width and height.
    let side = [0, 0, memory_type, 0, address, 0, pitch];
    let mut request: Vec<Number> = side.into_iter().chain(side).chain([width, height]).collect();
    driver.call("cuMemcpy2D_v2", &[to(&mut request[..])])
}

pub const CASES: &[Case] = &[
    ("size: cuMemAlloc of 0", |d| with(d, "cuMemAlloc_v2", &[to(&mut 0_u64), 0])),
    ("size: cuMemAlloc of 2^64 - 1", |d| with(d, "cuMemAlloc_v2", &[to(&mut 0_u64), HUGE])),
    ("size: cuMemAlloc of 2^64 - 256", |d| with(d, "cuMemAlloc_v2", &[to(&mut 0_u64), HUGE - 255])),
    ("size: cuMemAlloc of 2^60", |d| with(d, "cuMemAlloc_v2", &[to(&mut 0_u64), 1 << 60])),
    ("size: cuMemAllocPitch of 0 rows", |d| with(d, "cuMemAllocPitch_v2", &[to(&mut 0_u64), to(&mut 0_u64), 64, 0, 4])),
    ("size: cuMemAllocPitch of rows of 0", |d| {
        with(d, "cuMemAllocPitch_v2", &[to(&mut 0_u64), to(&mut 0_u64), 0, 2, 4])
    }),
    ("size: cuMemAllocPitch of elements of 3", |d| {
        with(d, "cuMemAllocPitch_v2", &[to(&mut 0_u64), to(&mut 0_u64), 64, 2, 3])
    }),
    ("size: cuMemAllocPitch that overflows", |d| {
        with(d, "cuMemAllocPitch_v2", &[to(&mut 0_u64), to(&mut 0_u64), 1 << 40, 1 << 40, 4])
    }),
    ("size: cuMemAllocPitch of rows of 2^64 - 1", |d| {
        with(d, "cuMemAllocPitch_v2", &[to(&mut 0_u64), to(&mut 0_u64), HUGE, 1, 4])
    }),
    ("size: cuMemcpyHtoD past the end", |d| {
        let a = allocation(d);
        d.call("cuMemcpyHtoD_v2", &[a, to(&mut vec![0_u8; 4 << 20][..]), 4 << 20])
    }),
    ("size: cuMemcpyHtoD of 2^64 - 1", |d| {
        let a = allocation(d);
        d.call("cuMemcpyHtoD_v2", &[a, to(&mut 0_u64), HUGE])
    }),
    ("size: cuMemcpyDtoH of 2^64 - 1", |d| {
        let a = allocation(d);
        d.call("cuMemcpyDtoH_v2", &[to(&mut 0_u64), a, HUGE])
    }),
    ("size: cuMemcpyDtoH of 2^63", |d| {
        let a = allocation(d);
        d.call("cuMemcpyDtoH_v2", &[to(&mut 0_u64), a, 1 << 63])
    }),
    ("size: cuMemcpyDtoD of 2^64 - 1", |d| {
        let a = allocation(d);
        d.call("cuMemcpyDtoD_v2", &[a, a, HUGE])
    }),
    ("size: cuMemcpyHtoDAsync of 2^64 - 1", |d| {
        let a = allocation(d);
        d.call("cuMemcpyHtoDAsync_v2", &[a, to(&mut 0_u64), HUGE, 0])
    }),
    ("size: cuMemcpyDtoHAsync of 2^64 - 1", |d| {
        let a = allocation(d);
        d.call("cuMemcpyDtoHAsync_v2", &[to(&mut 0_u64), a, HUGE, 0])
    }),
    ("size: cuMemcpyDtoH of 0 from null to null", |d| with(d, "cuMemcpyDtoH_v2", &[0, 0, 0])),
    ("size: cuMemcpyDtoD of 0 from null to null", |d| with(d, "cuMemcpyDtoD_v2", &[0, 0, 0])),
    ("size: cuMemcpy of 2^64 - 1", |d| {
        let a = allocation(d);
        d.call("cuMemcpy", &[a, a, HUGE])
    }),
    ("size: cuMemcpy of 0 from null to null", |d| with(d, "cuMemcpy", &[0, 0, 0])),
    ("size: cuMemcpy2D of 2^64 - 1 rows", |d| rectangle(d, 2, 8, 8, HUGE)),
    ("size: cuMemcpy2D of rows of 2^64 - 1", |d| rectangle(d, 2, 8, HUGE, 2)),
    ("size: cuMemcpy2D with a pitch of 2^64 - 1", |d| rectangle(d, 2, HUGE, 8, 2)),
    ("size: cuMemcpy2D of rows that overlap", |d| rectangle(d, 2, 4, 8, 2)),
    ("size: cuMemcpy2D of memory type 77", |d| rectangle(d, 77, 8, 8, 2)),
    ("size: cuMemsetD8 past the end", |d| {
        let a = allocation(d);
        d.call("cuMemsetD8_v2", &[a, 0, 4 << 20])
    }),
    ("size: cuMemsetD8 of 2^64 - 1", |d| {
        let a = allocation(d);
        d.call("cuMemsetD8_v2", &[a, 0, HUGE])
    }),
    ("size: cuMemsetD32 of 2^62 elements", |d| {
        let a = allocation(d);
        d.call("cuMemsetD32_v2", &[a, 0, 1 << 62])
    }),
    ("size: cuMemsetD32 between elements", |d| {
        let a = allocation(d);
        d.call("cuMemsetD32_v2", &[a + 2, 0, 1])
    }),
    ("size: cuMemsetD16 between elements", |d| {
        let a = allocation(d);
        d.call("cuMemsetD16_v2", &[a + 1, 0, 1])
    }),
    ("size: cuMemsetD32 of nothing between elements", |d| {
        let a = allocation(d);
        d.call("cuMemsetD32_v2", &[a + 2, 0, 0])
    }),
    ("size: cuMemHostAlloc of 0", |d| with(d, "cuMemHostAlloc", &[to(&mut 0_u64), 0, 0])),
    ("size: cuMemHostAlloc of 2^64 - 1", |d| with(d, "cuMemHostAlloc", &[to(&mut 0_u64), HUGE, 0])),
    ("size: cuMemHostRegister of 0", |d| with(d, "cuMemHostRegister_v2", &[to(&mut 0_u64), 0, 0])),
    ("size: cuMemHostRegister of 2^64 - 1", |d| with(d, "cuMemHostRegister_v2", &[to(&mut 0_u64), HUGE, 0])),
    ("size: cuDeviceGetName of 0 bytes", |d| with(d, "cuDeviceGetName", &[to(&mut [0_u8; 64]), 0, 0])),
    ("size: cuDeviceGetName of -1 bytes", |d| with(d, "cuDeviceGetName", &[to(&mut [0_u8; 64]), MINUS_ONE, 0])),
    ("size: cuCtxSetLimit of 2^64 - 1 bytes of stack", |d| with(d, "cuCtxSetLimit", &[0, HUGE])),
];
