//! Handles that were destroyed, belong to other objects, or never existed.

use super::{Case, INVENTED, allocation, with};
use crate::hostile::driver::{Driver, IMAGE, Number, text, to};

/// Returns a destroyed object of a new context.
fn gone(driver: &Driver, make: &str, destroy: &str) -> Number {
    driver.context();
    let handle = driver.make(make, &[0]);
    driver.done(destroy, &[handle]);
    handle
}

fn stream_gone(driver: &Driver) -> Number {
    gone(driver, "cuStreamCreate", "cuStreamDestroy_v2")
}

fn event_gone(driver: &Driver) -> Number {
    gone(driver, "cuEventCreate", "cuEventDestroy_v2")
}

fn module_gone(driver: &Driver) -> (Number, Number) {
    let module = driver.module();
    let kernel = driver.make("cuModuleGetFunction", &[module, text(c"store")]);
    driver.done("cuModuleUnload", &[module]);
    (module, kernel)
}

fn context_gone(driver: &Driver) -> Number {
    let context = driver.context();
    driver.done("cuCtxDestroy_v2", &[context]);
    context
}

pub const CASES: &[Case] = &[
    ("destroyed: cuMemFree twice", |d| {
        let a = allocation(d);
        d.done("cuMemFree_v2", &[a]);
        d.call("cuMemFree_v2", &[a])
    }),
    ("destroyed: cuMemFree of the inside", |d| {
        let a = allocation(d);
        d.call("cuMemFree_v2", &[a + 8])
    }),
    ("destroyed: cuMemFree of an invented address", |d| with(d, "cuMemFree_v2", &[INVENTED])),
    ("destroyed: cuMemFree of another context's", |d| {
        let a = allocation(d);
        d.context();
        d.call("cuMemFree_v2", &[a])
    }),
    ("destroyed: cuMemFree of a variable", |d| {
        let m = d.module();
        let a = d.make("cuModuleGetGlobal_v2", &[0, m, text(c"word")]);
        d.call("cuMemFree_v2", &[a])
    }),
    ("destroyed: cuMemcpyDtoH from freed memory", |d| {
        let a = allocation(d);
        d.done("cuMemFree_v2", &[a]);
        d.call("cuMemcpyDtoH_v2", &[to(&mut 0_u64), a, 8])
    }),
    ("destroyed: cuMemGetAddressRange of freed memory", |d| {
        let a = allocation(d);
        d.done("cuMemFree_v2", &[a]);
        d.call("cuMemGetAddressRange_v2", &[to(&mut 0_u64), 0, a])
    }),
    ("destroyed: cuMemFreeHost twice", |d| {
        d.context();
        let a = d.make("cuMemHostAlloc", &[64, 0]);
        d.done("cuMemFreeHost", &[a]);
        d.call("cuMemFreeHost", &[a])
    }),
    ("destroyed: cuMemFreeHost of the stack", |d| with(d, "cuMemFreeHost", &[to(&mut 0_u64)])),
    ("destroyed: cuMemFreeHost of device memory", |d| {
        let a = allocation(d);
        d.call("cuMemFreeHost", &[a])
    }),
    ("destroyed: cuMemFree of host memory", |d| {
        d.context();
        let a = d.make("cuMemHostAlloc", &[64, 0]);
        d.call("cuMemFree_v2", &[a])
    }),
    ("destroyed: cuMemHostRegister twice", |d| {
        d.context();
        let mut a = [0_u64; 8];
        let a = to(&mut a);
        d.done("cuMemHostRegister_v2", &[a, 64, 0]);
        d.call("cuMemHostRegister_v2", &[a, 64, 0])
    }),
    ("destroyed: cuMemHostUnregister twice", |d| {
        d.context();
        let mut a = [0_u64; 8];
        let a = to(&mut a);
        d.done("cuMemHostRegister_v2", &[a, 64, 0]);
        d.done("cuMemHostUnregister", &[a]);
        d.call("cuMemHostUnregister", &[a])
    }),
    ("destroyed: cuMemHostUnregister of the stack", |d| with(d, "cuMemHostUnregister", &[to(&mut 0_u64)])),
    ("destroyed: cuModuleUnload twice", |d| {
        let (m, _) = module_gone(d);
        d.call("cuModuleUnload", &[m])
    }),
    ("destroyed: cuModuleGetFunction after unload", |d| {
        let (m, _) = module_gone(d);
        d.call("cuModuleGetFunction", &[to(&mut 0_u64), m, text(c"store")])
    }),
    ("destroyed: cuModuleGetGlobal after unload", |d| {
        let (m, _) = module_gone(d);
        d.call("cuModuleGetGlobal_v2", &[to(&mut 0_u64), 0, m, text(c"word")])
    }),
    ("destroyed: cuLaunchKernel after unload", |d| {
        let (_, k) = module_gone(d);
        d.launch(k, [1; 3], [1; 3], 0, 0)
    }),
    ("destroyed: cuFuncGetAttribute after unload", |d| {
        let (_, k) = module_gone(d);
        d.call("cuFuncGetAttribute", &[to(&mut 0_u64), 0, k])
    }),
    ("destroyed: cuMemcpyDtoH of a variable after unload", |d| {
        let m = d.module();
        let a = d.make("cuModuleGetGlobal_v2", &[0, m, text(c"word")]);
        d.done("cuModuleUnload", &[m]);
        d.call("cuMemcpyDtoH_v2", &[to(&mut 0_u64), a, 8])
    }),
    ("destroyed: cuStreamDestroy twice", |d| {
        let s = stream_gone(d);
        d.call("cuStreamDestroy_v2", &[s])
    }),
    ("destroyed: cuStreamSynchronize", |d| {
        let s = stream_gone(d);
        d.call("cuStreamSynchronize", &[s])
    }),
    ("destroyed: cuStreamQuery", |d| {
        let s = stream_gone(d);
        d.call("cuStreamQuery", &[s])
    }),
    ("destroyed: cuMemsetD8Async on a stream", |d| {
        let s = stream_gone(d);
        let a = d.make("cuMemAlloc_v2", &[64]);
        d.call("cuMemsetD8Async", &[a, 0, 8, s])
    }),
    ("destroyed: cuLaunchKernel on a stream", |d| {
        let s = stream_gone(d);
        let m = d.make("cuModuleLoadData", &[text(IMAGE)]);
        let k = d.make("cuModuleGetFunction", &[m, text(c"store")]);
        d.launch(k, [1; 3], [1; 3], 0, s)
    }),
    ("destroyed: cuEventDestroy twice", |d| {
        let e = event_gone(d);
        d.call("cuEventDestroy_v2", &[e])
    }),
    ("destroyed: cuEventRecord", |d| {
        let e = event_gone(d);
        d.call("cuEventRecord", &[e, 0])
    }),
    ("destroyed: cuEventSynchronize", |d| {
        let e = event_gone(d);
        d.call("cuEventSynchronize", &[e])
    }),
    ("destroyed: cuEventQuery", |d| {
        let e = event_gone(d);
        d.call("cuEventQuery", &[e])
    }),
    ("destroyed: cuStreamWaitEvent", |d| {
        let e = event_gone(d);
        d.call("cuStreamWaitEvent", &[0, e, 0])
    }),
    ("destroyed: cuEventElapsedTime", |d| {
        let e = event_gone(d);
        d.call("cuEventElapsedTime", &[to(&mut 0_u64), e, e])
    }),
    ("destroyed: cuCtxDestroy twice", |d| {
        let c = context_gone(d);
        d.call("cuCtxDestroy_v2", &[c])
    }),
    ("destroyed: cuCtxSetCurrent", |d| {
        let c = context_gone(d);
        d.call("cuCtxSetCurrent", &[c])
    }),
    ("destroyed: cuCtxPushCurrent", |d| {
        let c = context_gone(d);
        d.call("cuCtxPushCurrent_v2", &[c])
    }),
    ("destroyed: cuCtxGetApiVersion", |d| {
        let c = context_gone(d);
        d.call("cuCtxGetApiVersion", &[c, to(&mut 0_u64)])
    }),
    ("destroyed: cuCtxSynchronize after the only context", |d| {
        context_gone(d);
        d.call("cuCtxSynchronize", &[])
    }),
    ("destroyed: cuMemAlloc after the only context", |d| {
        context_gone(d);
        d.call("cuMemAlloc_v2", &[to(&mut 0_u64), 64])
    }),
    ("destroyed: cuCtxGetCurrent after the only context", |d| {
        context_gone(d);
        d.call("cuCtxGetCurrent", &[to(&mut 0_u64)])
    }),
    ("destroyed: cuMemAlloc in a context destroyed below", |d| {
        let c = d.context();
        let e = d.context();
        d.done("cuCtxDestroy_v2", &[c]);
        d.done("cuCtxDestroy_v2", &[e]);
        d.call("cuMemAlloc_v2", &[to(&mut 0_u64), 64])
    }),
    ("destroyed: cuMemAlloc in a context destroyed by another thread", |d| {
        let c = d.context();
        std::thread::scope(|scope| scope.spawn(|| d.done("cuCtxDestroy_v2", &[c])).join()).unwrap();
        d.call("cuMemAlloc_v2", &[to(&mut 0_u64), 64])
    }),
    ("destroyed: cuMemAlloc in a released primary context", |d| {
        d.done("cuInit", &[0]);
        let c = d.make("cuDevicePrimaryCtxRetain", &[0]);
        d.done("cuCtxSetCurrent", &[c]);
        d.done("cuDevicePrimaryCtxRelease_v2", &[0]);
        d.call("cuMemAlloc_v2", &[to(&mut 0_u64), 64])
    }),
    ("destroyed: cuDevicePrimaryCtxRelease twice", |d| {
        d.done("cuInit", &[0]);
        d.make("cuDevicePrimaryCtxRetain", &[0]);
        d.done("cuDevicePrimaryCtxRelease_v2", &[0]);
        d.call("cuDevicePrimaryCtxRelease_v2", &[0])
    }),
    ("destroyed: cuCtxDestroy of the primary context", |d| {
        d.done("cuInit", &[0]);
        let c = d.make("cuDevicePrimaryCtxRetain", &[0]);
        d.call("cuCtxDestroy_v2", &[c])
    }),
    ("destroyed: cuStreamSynchronize of a destroyed context's", |d| {
        let c = d.context();
        let s = d.make("cuStreamCreate", &[0]);
        d.done("cuCtxDestroy_v2", &[c]);
        d.context();
        d.call("cuStreamSynchronize", &[s])
    }),
    ("destroyed: cuModuleUnload of another context's", |d| {
        let m = d.module();
        d.context();
        d.call("cuModuleUnload", &[m])
    }),
    ("destroyed: cuEventRecord of another context's", |d| {
        d.context();
        let e = d.make("cuEventCreate", &[0]);
        d.context();
        d.call("cuEventRecord", &[e, 0])
    }),
    ("destroyed: cuLaunchKernel of another context's", |d| {
        let k = d.kernel();
        d.context();
        d.launch(k, [1; 3], [1; 3], 0, 0)
    }),
    ("destroyed: cuStreamSynchronize of an invented stream", |d| with(d, "cuStreamSynchronize", &[INVENTED])),
    ("destroyed: cuEventSynchronize of an invented event", |d| with(d, "cuEventSynchronize", &[INVENTED])),
    ("destroyed: cuModuleUnload of an invented module", |d| with(d, "cuModuleUnload", &[INVENTED])),
    ("destroyed: cuCtxSetCurrent of an invented context", |d| with(d, "cuCtxSetCurrent", &[INVENTED])),
    ("destroyed: cuLaunchKernel of an invented function", |d| with(d, "cuLaunchKernel", &[INVENTED, 1, 1, 1, 1, 1, 1])),
    ("destroyed: a stream taken for an event", |d| {
        d.context();
        let s = d.make("cuStreamCreate", &[0]);
        d.call("cuEventSynchronize", &[s])
    }),
];
