//! Calls that must fail or do nothing. Each case creates the objects it needs and returns the status of its last call.

mod destroyed;
mod flags;
mod launches;
mod modules;
mod null;
mod sizes;

use super::driver::{Driver, IMAGE, Number, text, to};

/// The name of a case, and its call.
pub type Case = (&'static str, fn(&Driver) -> u32);

/// An invalid handle.
const INVENTED: Number = 0xDEAD_BEE0;

/// −1 as an `int`.
const MINUS_ONE: Number = 0xFFFF_FFFF;

const HUGE: Number = usize::MAX;

/// Returns all cases.
pub fn all() -> impl Iterator<Item = &'static Case> {
    let families = [null::CASES, destroyed::CASES, sizes::CASES, launches::CASES, modules::CASES, flags::CASES];
    [UNINITIALIZED, NO_CONTEXT].into_iter().chain(families).flatten()
}

const UNINITIALIZED: &[Case] = &[
    ("before cuInit: cuDeviceGetCount", |d| d.call("cuDeviceGetCount", &[to(&mut 0_u64)])),
    ("before cuInit: cuDeviceGet", |d| d.call("cuDeviceGet", &[to(&mut 0_u64), 0])),
    ("before cuInit: cuCtxCreate", |d| d.call("cuCtxCreate_v2", &[to(&mut 0_u64), 0, 0])),
    ("before cuInit: cuCtxGetCurrent", |d| d.call("cuCtxGetCurrent", &[to(&mut 0_u64)])),
    ("before cuInit: cuMemAlloc", |d| d.call("cuMemAlloc_v2", &[to(&mut 0_u64), 64])),
    ("before cuInit: cuDevicePrimaryCtxRetain", |d| d.call("cuDevicePrimaryCtxRetain", &[to(&mut 0_u64), 0])),
    ("before cuInit: cuDriverGetVersion of null", |d| d.call("cuDriverGetVersion", &[0])),
    ("before cuInit: cuModuleLoadData", |d| d.call("cuModuleLoadData", &[to(&mut 0_u64), text(IMAGE)])),
];

/// Calls after `cuInit` without a current context.
const NO_CONTEXT: &[Case] = &[
    ("no context: cuMemAlloc", |d| bare(d, "cuMemAlloc_v2", &[to(&mut 0_u64), 64])),
    ("no context: cuMemFree of null", |d| bare(d, "cuMemFree_v2", &[0])),
    ("no context: cuMemGetInfo", |d| bare(d, "cuMemGetInfo_v2", &[to(&mut 0_u64), to(&mut 0_u64)])),
    ("no context: cuMemcpyHtoD", |d| bare(d, "cuMemcpyHtoD_v2", &[64, to(&mut 0_u64), 8])),
    ("no context: cuMemsetD8", |d| bare(d, "cuMemsetD8_v2", &[64, 0, 8])),
    ("no context: cuModuleLoadData", |d| bare(d, "cuModuleLoadData", &[to(&mut 0_u64), text(IMAGE)])),
    ("no context: cuStreamCreate", |d| bare(d, "cuStreamCreate", &[to(&mut 0_u64), 0])),
    ("no context: cuStreamSynchronize of the default stream", |d| bare(d, "cuStreamSynchronize", &[0])),
    ("no context: cuEventCreate", |d| bare(d, "cuEventCreate", &[to(&mut 0_u64), 0])),
    ("no context: cuCtxSynchronize", |d| bare(d, "cuCtxSynchronize", &[])),
    ("no context: cuCtxPopCurrent", |d| bare(d, "cuCtxPopCurrent_v2", &[to(&mut 0_u64)])),
    ("no context: cuCtxGetDevice", |d| bare(d, "cuCtxGetDevice", &[to(&mut 0_u64)])),
    ("no context: cuCtxGetLimit", |d| bare(d, "cuCtxGetLimit", &[to(&mut 0_u64), 0])),
    ("no context: cuCtxDestroy of null", |d| bare(d, "cuCtxDestroy_v2", &[0])),
    ("no context: cuCtxSetCurrent of null", |d| bare(d, "cuCtxSetCurrent", &[0])),
    ("no context: cuCtxPushCurrent of null", |d| bare(d, "cuCtxPushCurrent_v2", &[0])),
    ("no context: cuMemHostAlloc", |d| bare(d, "cuMemHostAlloc", &[to(&mut 0_u64), 64, 0])),
    ("no context: cuLaunchKernel of null", |d| bare(d, "cuLaunchKernel", &[0, 1, 1, 1, 1, 1, 1])),
    ("no context: cuDevicePrimaryCtxRelease", |d| bare(d, "cuDevicePrimaryCtxRelease_v2", &[0])),
];

fn bare(driver: &Driver, name: &str, arguments: &[Number]) -> u32 {
    driver.done("cuInit", &[0]);
    driver.call(name, arguments)
}

fn with(driver: &Driver, name: &str, arguments: &[Number]) -> u32 {
    driver.context();
    driver.call(name, arguments)
}

fn allocation(driver: &Driver) -> Number {
    driver.context();
    driver.make("cuMemAlloc_v2", &[64])
}

fn recorded(driver: &Driver) -> Number {
    driver.context();
    let event = driver.make("cuEventCreate", &[0]);
    driver.done("cuEventRecord", &[event, 0]);
    driver.done("cuEventSynchronize", &[event]);
    event
}
