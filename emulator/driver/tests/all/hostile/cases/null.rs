//! Null outputs and inputs.

use super::{Case, allocation, recorded, with};
use crate::hostile::driver::{IMAGE, text, to};

pub const CASES: &[Case] = &[
    ("null: cuDriverGetVersion", |d| with(d, "cuDriverGetVersion", &[0])),
    ("null: cuDeviceGetCount", |d| with(d, "cuDeviceGetCount", &[0])),
    ("null: cuDeviceGet", |d| with(d, "cuDeviceGet", &[0, 0])),
    ("null: cuDeviceGetName", |d| with(d, "cuDeviceGetName", &[0, 64, 0])),
    ("null: cuDeviceGetUuid", |d| with(d, "cuDeviceGetUuid_v2", &[0, 0])),
    ("null: cuDeviceTotalMem", |d| with(d, "cuDeviceTotalMem_v2", &[0, 0])),
    ("null: cuDeviceGetAttribute", |d| with(d, "cuDeviceGetAttribute", &[0, 1, 0])),
    ("null: cuDevicePrimaryCtxRetain", |d| with(d, "cuDevicePrimaryCtxRetain", &[0, 0])),
    ("null: cuDevicePrimaryCtxGetState", |d| with(d, "cuDevicePrimaryCtxGetState", &[0, 0, 0])),
    ("null: cuCtxCreate", |d| with(d, "cuCtxCreate_v2", &[0, 0, 0])),
    ("null: cuCtxGetCurrent", |d| with(d, "cuCtxGetCurrent", &[0])),
    ("null: cuCtxPopCurrent", |d| with(d, "cuCtxPopCurrent_v2", &[0])),
    ("null: cuCtxGetDevice", |d| with(d, "cuCtxGetDevice", &[0])),
    ("null: cuCtxGetFlags", |d| with(d, "cuCtxGetFlags", &[0])),
    ("null: cuCtxGetApiVersion", |d| with(d, "cuCtxGetApiVersion", &[0, 0])),
    ("null: cuCtxGetLimit", |d| with(d, "cuCtxGetLimit", &[0, 0])),
    ("null: cuCtxGetCacheConfig", |d| with(d, "cuCtxGetCacheConfig", &[0])),
    ("null: cuCtxGetStreamPriorityRange", |d| with(d, "cuCtxGetStreamPriorityRange", &[0, 0])),
    ("null: cuModuleLoadData", |d| with(d, "cuModuleLoadData", &[0, text(IMAGE)])),
    ("null: cuModuleLoadData of no image", |d| with(d, "cuModuleLoadData", &[to(&mut 0_u64), 0])),
    ("null: cuModuleLoadDataEx", |d| with(d, "cuModuleLoadDataEx", &[0, text(IMAGE), 0, 0, 0])),
    ("null: cuModuleLoad of no path", |d| with(d, "cuModuleLoad", &[to(&mut 0_u64), 0])),
    ("null: cuModuleGetFunction", |d| {
        let m = d.module();
        d.call("cuModuleGetFunction", &[0, m, text(c"store")])
    }),
    ("null: cuModuleGetFunction of no name", |d| {
        let m = d.module();
        d.call("cuModuleGetFunction", &[to(&mut 0_u64), m, 0])
    }),
    ("null: cuModuleGetFunction of no module", |d| {
        with(d, "cuModuleGetFunction", &[to(&mut 0_u64), 0, text(c"store")])
    }),
    ("null: cuModuleGetGlobal", |d| {
        let m = d.module();
        d.call("cuModuleGetGlobal_v2", &[0, 0, m, text(c"word")])
    }),
    ("null: cuModuleGetGlobal of no name", |d| {
        let m = d.module();
        d.call("cuModuleGetGlobal_v2", &[to(&mut 0_u64), 0, m, 0])
    }),
    ("null: cuModuleUnload", |d| with(d, "cuModuleUnload", &[0])),
    ("null: cuMemAlloc", |d| with(d, "cuMemAlloc_v2", &[0, 64])),
    ("null: cuMemAllocPitch", |d| with(d, "cuMemAllocPitch_v2", &[0, to(&mut 0_u64), 64, 2, 4])),
    ("null: cuMemAllocPitch without pitch", |d| with(d, "cuMemAllocPitch_v2", &[to(&mut 0_u64), 0, 64, 2, 4])),
    ("null: cuMemFree", |d| with(d, "cuMemFree_v2", &[0])),
    ("null: cuMemGetInfo", |d| with(d, "cuMemGetInfo_v2", &[0, 0])),
    ("null: cuMemGetAddressRange", |d| {
        let a = allocation(d);
        d.call("cuMemGetAddressRange_v2", &[0, 0, a])
    }),
    ("null: cuMemGetAddressRange of null", |d| {
        with(d, "cuMemGetAddressRange_v2", &[to(&mut 0_u64), to(&mut 0_u64), 0])
    }),
    ("null: cuMemHostAlloc", |d| with(d, "cuMemHostAlloc", &[0, 64, 0])),
    ("null: cuMemAllocHost", |d| with(d, "cuMemAllocHost_v2", &[0, 64])),
    ("null: cuMemFreeHost", |d| with(d, "cuMemFreeHost", &[0])),
    ("null: cuMemHostRegister", |d| with(d, "cuMemHostRegister_v2", &[0, 64, 0])),
    ("null: cuMemHostUnregister", |d| with(d, "cuMemHostUnregister", &[0])),
    ("null: cuMemcpyHtoD from null", |d| {
        let a = allocation(d);
        d.call("cuMemcpyHtoD_v2", &[a, 0, 8])
    }),
    ("null: cuMemcpyHtoD to null", |d| with(d, "cuMemcpyHtoD_v2", &[0, to(&mut 0_u64), 8])),
    ("null: cuMemcpyDtoH to null", |d| {
        let a = allocation(d);
        d.call("cuMemcpyDtoH_v2", &[0, a, 8])
    }),
    ("null: cuMemcpyDtoH from null", |d| with(d, "cuMemcpyDtoH_v2", &[to(&mut 0_u64), 0, 8])),
    ("null: cuMemcpyDtoD from null", |d| {
        let a = allocation(d);
        d.call("cuMemcpyDtoD_v2", &[a, 0, 8])
    }),
    ("null: cuMemsetD8", |d| with(d, "cuMemsetD8_v2", &[0, 0, 8])),
    ("null: cuMemcpy to null", |d| {
        let a = allocation(d);
        d.call("cuMemcpy", &[0, a, 8])
    }),
    ("null: cuMemcpy from null", |d| {
        let a = allocation(d);
        d.call("cuMemcpy", &[a, 0, 8])
    }),
    ("null: cuMemcpy2D", |d| with(d, "cuMemcpy2D_v2", &[0])),
    ("null: cuMemcpy3D", |d| with(d, "cuMemcpy3D_v2", &[0])),
    ("null: cuDeviceGetPCIBusId", |d| with(d, "cuDeviceGetPCIBusId", &[0, 16, 0])),
    ("null: cuDeviceCanAccessPeer", |d| with(d, "cuDeviceCanAccessPeer", &[0, 0, 0])),
    ("null: cuStreamAddCallback", |d| with(d, "cuStreamAddCallback", &[0, 0, 0, 0])),
    ("null: cuStreamCreate", |d| with(d, "cuStreamCreate", &[0, 0])),
    ("null: cuStreamDestroy", |d| with(d, "cuStreamDestroy_v2", &[0])),
    ("null: cuStreamGetFlags", |d| with(d, "cuStreamGetFlags", &[0, 0])),
    ("null: cuStreamGetPriority", |d| with(d, "cuStreamGetPriority", &[0, 0])),
    ("null: cuStreamGetCtx", |d| with(d, "cuStreamGetCtx", &[0, 0])),
    ("null: cuStreamWaitEvent", |d| with(d, "cuStreamWaitEvent", &[0, 0, 0])),
    ("null: cuLaunchHostFunc", |d| with(d, "cuLaunchHostFunc", &[0, 0, 0])),
    ("null: cuEventCreate", |d| with(d, "cuEventCreate", &[0, 0])),
    ("null: cuEventDestroy", |d| with(d, "cuEventDestroy_v2", &[0])),
    ("null: cuEventRecord", |d| with(d, "cuEventRecord", &[0, 0])),
    ("null: cuEventSynchronize", |d| with(d, "cuEventSynchronize", &[0])),
    ("null: cuEventElapsedTime", |d| {
        let e = recorded(d);
        d.call("cuEventElapsedTime", &[0, e, e])
    }),
    ("null: cuFuncGetAttribute", |d| {
        let k = d.kernel();
        d.call("cuFuncGetAttribute", &[0, 0, k])
    }),
    ("null: cuFuncGetAttribute of no function", |d| with(d, "cuFuncGetAttribute", &[to(&mut 0_u64), 0, 0])),
    ("null: cuFuncSetAttribute of no function", |d| with(d, "cuFuncSetAttribute", &[0, 8, 0])),
    ("null: cuFuncGetName", |d| {
        let k = d.kernel();
        d.call("cuFuncGetName", &[0, k])
    }),
    ("null: cuFuncGetParamInfo", |d| {
        let k = d.kernel();
        d.call("cuFuncGetParamInfo", &[k, 0, 0, 0])
    }),
    ("null: cuOccupancyMaxActiveBlocks", |d| {
        let k = d.kernel();
        d.call("cuOccupancyMaxActiveBlocksPerMultiprocessor", &[0, k, 32, 0])
    }),
    ("null: cuOccupancyMaxPotentialBlockSize", |d| {
        let k = d.kernel();
        d.call("cuOccupancyMaxPotentialBlockSize", &[0, 0, k, 0, 0, 0])
    }),
    ("null: cuGetErrorName", |d| with(d, "cuGetErrorName", &[0, 0])),
    ("null: cuGetErrorString", |d| with(d, "cuGetErrorString", &[0, 0])),
    ("null: cuGetProcAddress of no name", |d| with(d, "cuGetProcAddress_v2", &[0, to(&mut 0_u64), 12080, 0, 0])),
    ("null: cuGetProcAddress", |d| with(d, "cuGetProcAddress_v2", &[text(c"cuInit"), 0, 12080, 0, 0])),
    ("null: cuLaunchKernel", |d| with(d, "cuLaunchKernel", &[0, 1, 1, 1, 1, 1, 1])),
    ("null: cuLaunchKernel without parameters", |d| {
        let k = d.kernel();
        d.call("cuLaunchKernel", &[k, 1, 1, 1, 1, 1, 1])
    }),
    ("null: cuLaunchKernelEx", |d| {
        let k = d.kernel();
        d.call("cuLaunchKernelEx", &[0, k, 0, 0])
    }),
];
