//! Graphs created by stream capture. Their nodes run one after the other, in program order.

use crate::arguments::Out;
use crate::boundary::api;
use crate::result::{CUresult, Outcome};
use crate::state::current::current;
use crate::state::graph::{Graph, GraphExec, Launch, Node, NodeKind, forget};
use crate::state::{Handle, Stream, driver, lock, report};
use std::ffi::{c_int, c_ulonglong};
use std::sync::{Arc, Mutex};

/// `CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH` and `…_USE_NODE_PRIORITY`, which have no effect.
const AUTO_FREE: c_ulonglong = 1;
const NODE_PRIORITY: c_ulonglong = 8;

/// `CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH`.
const DEVICE_LAUNCH: c_ulonglong = 4;

fn instantiate(target: Out<Handle<GraphExec>>, graph: Handle<Graph>, flags: c_ulonglong) -> Outcome {
    let driver = driver()?;
    target.require()?;
    if flags == DEVICE_LAUNCH {
        return Err(CUresult::NOT_SUPPORTED.because("device-side graph launch is not supported"));
    }
    if flags & !(AUTO_FREE | NODE_PRIORITY) != 0 {
        return Err(CUresult::INVALID_VALUE.because(format!("instantiation flags {flags:#x}")));
    }
    let graph = driver.graphs.get(graph)?;
    let nodes = lock(&graph.nodes).iter().map(|&node| driver.nodes.get(node)).collect::<Outcome<Arc<[_]>>>()?;
    target.set(driver.executables.insert(GraphExec { nodes, last: Mutex::default() }))
}

/// Launches a graph on a stream. In a capture, the launch becomes a single node.
fn launch(executable: Handle<GraphExec>, stream: Handle<Stream>) -> Outcome {
    report::set_last_counters(None);
    let place = current()?.on(stream)?;
    let graph = place.driver.executables.get(executable)?;
    place.submit(NodeKind::Graph, move |place| {
        let (placement, stream) = (place.placement(), place.stream_name().into());
        Launch { order: &place.driver.order, placement, stream, executable }.run(&graph)
    })
}

api! {
    /// Creates an executable graph.
    fn cuGraphInstantiateWithFlags(executable: Out<Handle<GraphExec>>, graph: Handle<Graph>, flags: c_ulonglong) {
        instantiate(executable, graph, flags)
    }

    /// Creates an executable graph. The name since CUDA 12.
    fn cuGraphInstantiate(executable: Out<Handle<GraphExec>>, graph: Handle<Graph>, flags: c_ulonglong) {
        instantiate(executable, graph, flags)
    }

    /// Runs the nodes of a graph.
    fn cuGraphLaunch(executable: Handle<GraphExec>, stream: Handle<Stream>) {
        launch(executable, stream)
    }

    /// Does nothing: a launch needs no upload to the device.
    fn cuGraphUpload(executable: Handle<GraphExec>, stream: Handle<Stream>) {
        let place = current()?.on(stream)?;
        place.require_uncaptured()?;
        place.driver.executables.get(executable).map(drop)
    }

    /// Destroys a graph. Its executable graphs remain.
    fn cuGraphDestroy(graph: Handle<Graph>) {
        let driver = driver()?;
        let graph = driver.graphs.remove(graph)?;
        forget(&driver.nodes, &lock(&graph.nodes));
        Ok(())
    }

    /// Destroys an executable graph.
    fn cuGraphExecDestroy(executable: Handle<GraphExec>) {
        driver()?.executables.remove(executable).map(drop)
    }

    /// Writes up to `count` nodes of a graph and their number, or only the number of all nodes if `nodes` is null.
    fn cuGraphGetNodes(graph: Handle<Graph>, nodes: Out<Handle<Node>>, count: Out<usize>) {
        let graph = driver()?.graphs.get(graph)?;
        let all = lock(&graph.nodes);
        let room = count.as_input().get()?.ok_or_else(|| CUresult::INVALID_VALUE.because("the count is null"))?;
        if nodes.is_null() {
            return count.set(all.len());
        }
        for (index, &node) in all.iter().take(room).enumerate() {
            // SAFETY: the caller's array has `count` elements.
            unsafe { nodes.element(index) }.set(node)?;
        }
        count.set(room.min(all.len()))
    }

    /// Writes the type of a node.
    fn cuGraphNodeGetType(node: Handle<Node>, kind: Out<c_int>) {
        kind.set(driver()?.nodes.get(node)?.kind as c_int)
    }
}
