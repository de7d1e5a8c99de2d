//! Graphs. Their nodes run one after the other, each after those it depends on.

use super::memory::free_before_launch;
use crate::arguments::Out;
use crate::boundary::api;
use crate::result::{CUresult, Outcome, require};
use crate::state::current::on_stream;
use crate::state::graph::{Graph, GraphExec, Launch};
use crate::state::{Handle, Stream, driver, lock, report};
use std::ffi::{c_char, c_int, c_ulonglong, c_void};

/// `CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH`.
const AUTO_FREE: c_ulonglong = 1;

/// `CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY`, which has no effect.
const NODE_PRIORITY: c_ulonglong = 8;

/// `CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH`.
const DEVICE_LAUNCH: c_ulonglong = 4;

/// `CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD`, which only `cuGraphInstantiateWithParams` takes.
const UPLOAD: c_ulonglong = 2;

/// `CUDA_GRAPH_INSTANTIATE_PARAMS`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct InstantiateParameters {
    flags: c_ulonglong,
    upload_stream: Handle<Stream>,
    error_node: *const c_void,
    result: c_int,
}

fn instantiate(target: Out<Handle<GraphExec>>, graph: Handle<Graph>, flags: c_ulonglong) -> Outcome {
    let driver = driver()?;
    target.require()?;
    CUresult::NOT_SUPPORTED.unless(flags != DEVICE_LAUNCH, "device-side graph launch is not supported")?;
    require(flags & !(AUTO_FREE | NODE_PRIORITY) == 0, format_args!("instantiation flags {flags:#x}"))?;
    let graph = driver.graphs.get(graph)?;
    let mut last = lock(&graph.executable);
    let exists = last.is_some_and(|last| driver.executables.find(last).is_some());
    let detail = "a graph that allocates or frees memory has one executable graph at a time: destroy the other first";
    CUresult::NOT_SUPPORTED.unless(!(exists && graph.has_memory()), detail)?;
    let executable = driver.executables.insert(GraphExec::new(&graph, flags));
    *last = Some(executable);
    target.set(executable)
}

api! {
    /// Creates an executable graph. Since CUDA 12, the second name has no arguments besides these.
    fn cuGraphInstantiateWithFlags(
        target: Out<Handle<GraphExec>>,
        graph: Handle<Graph>,
        flags: c_ulonglong,
    ) | cuGraphInstantiate {
        instantiate(target, graph, flags)
    }

    /// Creates an executable graph. There is no error to log, and no node that causes one.
    fn cuGraphInstantiate_v2(
        target: Out<Handle<GraphExec>>,
        graph: Handle<Graph>,
        node: Out<*const c_void>,
        log: Out<c_char>,
        capacity: usize,
    ) {
        node.set_if_wanted(std::ptr::null())?;
        // SAFETY: the caller passes the length of its buffer.
        unsafe { log.set_text("", capacity) };
        instantiate(target, graph, 0)
    }

    /// Creates an executable graph, and writes that this has succeeded.
    fn cuGraphInstantiateWithParams(
        target: Out<Handle<GraphExec>>,
        graph: Handle<Graph>,
        parameters: Out<InstantiateParameters>,
    ) {
        let given = parameters.as_input().require("the parameters are null")?;
        // An upload has no effect.
        instantiate(target, graph, given.flags & !UPLOAD)?;
        parameters.set(InstantiateParameters { error_node: std::ptr::null(), result: 0, ..given })
    }

    /// Writes the flags with which an executable graph was created.
    fn cuGraphExecGetFlags(executable: Handle<GraphExec>, flags: Out<c_ulonglong>) {
        flags.set(driver()?.executables.get(executable)?.flags)
    }

    /// Runs the nodes of a graph.
    fn cuGraphLaunch(executable: Handle<GraphExec>, stream: Handle<Stream>) {
        report::set_last_counters(None);
        let place = on_stream(stream)?;
        let graph = place.driver.executables.get(executable)?;
        if let Some(capture) = &place.capture {
            return Err(capture.refuse(CUresult::STREAM_CAPTURE_UNSUPPORTED, "a launch of a graph cannot be captured"));
        }
        place.require_explicit()?;
        let automatic = graph.flags & AUTO_FREE != 0;
        graph.allocations().try_for_each(|address| free_before_launch(&place, address, automatic))?;
        let order = &place.driver.order;
        let placement = place.placement();
        let stream = place.stream_name().into();
        // The handle distinguishes the branches of this graph from those of others.
        Launch { order, placement, stream, executable }.run(&graph)
    }

    /// Does nothing: a launch needs no upload to the device.
    fn cuGraphUpload(executable: Handle<GraphExec>, stream: Handle<Stream>) {
        let place = on_stream(stream)?;
        place.require_uncaptured()?;
        place.driver.executables.get(executable).map(drop)
    }

    /// Destroys a graph. Its executable graphs remain.
    fn cuGraphDestroy(graph: Handle<Graph>) {
        driver()?.graphs.remove(graph).map(drop)
    }

    /// Destroys an executable graph.
    fn cuGraphExecDestroy(executable: Handle<GraphExec>) {
        driver()?.executables.remove(executable).map(drop)
    }
}
