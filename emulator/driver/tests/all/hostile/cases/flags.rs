//! Unknown flags and numbers.

use super::{Case, MINUS_ONE, recorded, with};
use crate::hostile::driver::{text, to};

pub const CASES: &[Case] = &[
    ("flags: cuInit", |d| d.call("cuInit", &[1])),
    ("flags: cuDeviceGet of device 99", |d| with(d, "cuDeviceGet", &[to(&mut 0_u64), 99])),
    ("flags: cuDeviceGet of device -1", |d| with(d, "cuDeviceGet", &[to(&mut 0_u64), MINUS_ONE])),
    ("flags: cuDeviceGetAttribute 0", |d| with(d, "cuDeviceGetAttribute", &[to(&mut 0_u64), 0, 0])),
    ("flags: cuDeviceGetAttribute 1000", |d| with(d, "cuDeviceGetAttribute", &[to(&mut 0_u64), 1000, 0])),
    ("flags: cuDeviceGetAttribute of device -1", |d| with(d, "cuDeviceGetAttribute", &[to(&mut 0_u64), 1, MINUS_ONE])),
    ("flags: cuDeviceTotalMem of device 99", |d| with(d, "cuDeviceTotalMem_v2", &[to(&mut 0_u64), 99])),
    ("flags: cuCtxCreate", |d| with(d, "cuCtxCreate_v2", &[to(&mut 0_u64), MINUS_ONE, 0])),
    ("flags: cuCtxCreate on device 99", |d| with(d, "cuCtxCreate_v2", &[to(&mut 0_u64), 0, 99])),
    ("flags: cuCtxGetLimit 1000", |d| with(d, "cuCtxGetLimit", &[to(&mut 0_u64), 1000])),
    ("flags: cuCtxSetLimit -1", |d| with(d, "cuCtxSetLimit", &[MINUS_ONE, 0])),
    ("flags: cuCtxSetCacheConfig 99", |d| with(d, "cuCtxSetCacheConfig", &[99])),
    ("flags: cuDevicePrimaryCtxSetFlags", |d| with(d, "cuDevicePrimaryCtxSetFlags_v2", &[0, MINUS_ONE])),
    ("flags: cuDevicePrimaryCtxRetain of device 99", |d| with(d, "cuDevicePrimaryCtxRetain", &[to(&mut 0_u64), 99])),
    ("flags: cuStreamCreate", |d| with(d, "cuStreamCreate", &[to(&mut 0_u64), 0xFF])),
    ("flags: cuStreamWaitEvent", |d| {
        let e = recorded(d);
        d.call("cuStreamWaitEvent", &[0, e, 0xFF])
    }),
    ("flags: cuStreamAddCallback", |d| with(d, "cuStreamAddCallback", &[0, text(c"no code"), 0, 7])),
    ("flags: cuDeviceCanAccessPeer of device 99", |d| with(d, "cuDeviceCanAccessPeer", &[to(&mut 0_u64), 0, 99])),
    ("flags: cuStreamDestroy of stream 1", |d| with(d, "cuStreamDestroy_v2", &[1])),
    ("flags: cuEventCreate", |d| with(d, "cuEventCreate", &[to(&mut 0_u64), 0xFF])),
    ("flags: cuEventCreate between processes with timing", |d| with(d, "cuEventCreate", &[to(&mut 0_u64), 4])),
    ("flags: cuEventRecordWithFlags", |d| {
        let e = recorded(d);
        d.call("cuEventRecordWithFlags", &[e, 0, 0xFF])
    }),
    ("flags: cuEventElapsedTime of events not recorded", |d| {
        d.context();
        let e = d.make("cuEventCreate", &[0]);
        d.call("cuEventElapsedTime", &[to(&mut 0_u64), e, e])
    }),
    ("flags: cuEventElapsedTime of events without timing", |d| {
        d.context();
        let e = d.make("cuEventCreate", &[2]);
        d.done("cuEventRecord", &[e, 0]);
        d.call("cuEventElapsedTime", &[to(&mut 0_u64), e, e])
    }),
    ("flags: cuMemHostAlloc", |d| with(d, "cuMemHostAlloc", &[to(&mut 0_u64), 64, 0xFF])),
    ("flags: cuMemHostRegister", |d| with(d, "cuMemHostRegister_v2", &[to(&mut [0_u64; 8]), 64, 0xFFFF])),
    ("flags: cuFuncSetCacheConfig 99", |d| {
        let k = d.kernel();
        d.call("cuFuncSetCacheConfig", &[k, 99])
    }),
    ("flags: cuOccupancyMaxActiveBlocksWithFlags", |d| {
        let k = d.kernel();
        d.call("cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags", &[to(&mut 0_u64), k, 32, 0, 0xFF])
    }),
    ("flags: cuGetErrorName of 12345", |d| with(d, "cuGetErrorName", &[12345, to(&mut 0_u64)])),
    ("flags: cuGetErrorString of -1", |d| with(d, "cuGetErrorString", &[MINUS_ONE, to(&mut 0_u64)])),
    ("flags: cuGetProcAddress of an unknown name", |d| {
        with(d, "cuGetProcAddress_v2", &[text(c"cuNothing"), to(&mut 0_u64), 12080, 0, 0])
    }),
    ("flags: cuGetProcAddress of an empty name", |d| {
        with(d, "cuGetProcAddress_v2", &[text(c""), to(&mut 0_u64), 12080, 0, 0])
    }),
];
