//! Graphs. Their nodes run one after the other, each after those it depends on.

use crate::arguments::Out;
use crate::boundary::api;
use crate::result::{CUresult, require};
use crate::state::current::on_stream;
use crate::state::graph::{Graph, GraphExec, Launch};
use crate::state::{Handle, Stream, driver, report};
use std::ffi::c_ulonglong;

/// `CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH` and `…_USE_NODE_PRIORITY`, which have no effect.
const AUTO_FREE: c_ulonglong = 1;
const NODE_PRIORITY: c_ulonglong = 8;

/// `CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH`.
const DEVICE_LAUNCH: c_ulonglong = 4;

api! {
    /// Creates an executable graph. Since CUDA 12, the second name has no arguments besides these.
    fn cuGraphInstantiateWithFlags(
        target: Out<Handle<GraphExec>>,
        graph: Handle<Graph>,
        flags: c_ulonglong,
    ) | cuGraphInstantiate {
        let driver = driver()?;
        target.require()?;
        CUresult::NOT_SUPPORTED.unless(flags != DEVICE_LAUNCH, "device-side graph launch is not supported")?;
        require(flags & !(AUTO_FREE | NODE_PRIORITY) == 0, format_args!("instantiation flags {flags:#x}"))?;
        let executable = GraphExec::from(&*driver.graphs.get(graph)?);
        target.set(driver.executables.insert(executable))
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
