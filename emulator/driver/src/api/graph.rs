//! Graphs. Their nodes run one after the other, each after those it depends on.

use crate::arguments::{In, Out};
use crate::boundary::api;
use crate::result::{CUresult, Outcome};
use crate::state::current::{Current, on_stream};
use crate::state::graph::{Graph, GraphExec, Launch, Member, Node, NodeKind, forget};
use crate::state::{Driver, Handle, Stream, driver, lock, report};
use std::collections::HashMap;
use std::ffi::{c_int, c_uint, c_ulonglong};
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
    let executable = GraphExec::of(&*driver.graphs.get(graph)?, &driver.nodes)?;
    target.set(driver.executables.insert(executable))
}

/// Launches a graph on a stream. In a capture, the launch becomes a single node.
fn launch(executable: Handle<GraphExec>, stream: Handle<Stream>) -> Outcome {
    report::set_last_counters(None);
    let place = on_stream(stream)?;
    let graph = place.driver.executables.get(executable)?;
    if let Some(capture) = &place.capture {
        let why = "a launch of a graph cannot be captured: add the graph as a child node";
        return Err(capture.refuse(CUresult::STREAM_CAPTURE_UNSUPPORTED, why));
    }
    launch_in(&place, executable, graph)
}

/// Submits a launch of a graph, whose handle distinguishes its branches from those of other graphs.
pub(super) fn launch_in(place: &Current, executable: Handle<GraphExec>, graph: Arc<GraphExec>) -> Outcome {
    place.submit(NodeKind::Graph, move |place| {
        let (placement, stream) = (place.placement(), place.stream_name().into());
        Launch { order: &place.driver.order, placement, stream, executable }.run(&graph)
    })
}

/// Returns a graph with copies of all nodes.
fn cloned(driver: &Driver, graph: &Graph) -> Outcome<Graph> {
    let mut copies: HashMap<usize, Handle<Node>> = HashMap::new();
    let members = lock(&graph.members);
    for member in members.iter() {
        let copy = driver.nodes.insert(driver.nodes.get(member.node)?.copy());
        copies.insert(member.node.number(), copy);
    }
    let copy = |node: &Handle<Node>| copies[&node.number()];
    let copied = members
        .iter()
        .map(|Member { node, after }| Member { node: copy(node), after: after.iter().map(copy).collect() });
    Ok(Graph { members: Mutex::new(copied.collect()) })
}

/// Returns the dependencies of the graph that has a node.
fn edges_of(node: Handle<Node>) -> Outcome<Vec<[Handle<Node>; 2]>> {
    let driver = driver()?;
    driver.nodes.get(node)?;
    let has_node = |graph: &Graph| lock(&graph.members).iter().any(|member| member.node == node);
    Ok(driver.graphs.find_first(has_node).map_or_else(Vec::new, |graph| graph.edges()))
}

/// Returns the elements of two arrays with `count` elements each, in pairs.
fn pairs(from: In<Handle<Node>>, to: In<Handle<Node>>, count: usize) -> Outcome<Vec<[Handle<Node>; 2]>> {
    // SAFETY: the caller's arrays have `count` elements.
    let (from, to) = unsafe { (from.list(count)?, to.list(count)?) };
    Ok(from.into_iter().zip(to).map(|(from, to)| [from, to]).collect())
}

/// An array of the caller, and the nodes to write to it.
type List<'a> = (Out<Handle<Node>>, &'a [Handle<Node>]);

/// Writes the first elements of lists of one length to the caller's arrays, which have `count` elements, and their number. Writes
/// only the length if the arrays are null.
fn write_list(lists: &[List<'_>], count: Out<usize>) -> Outcome {
    let room = count.as_input().get()?.ok_or_else(|| CUresult::INVALID_VALUE.because("the count is null"))?;
    let mut written = 0;
    for (target, list) in lists {
        written = if target.is_null() { list.len() } else { room.min(list.len()) };
        for (index, &node) in list.iter().enumerate().take(if target.is_null() { 0 } else { room }) {
            // SAFETY: the caller's array has `count` elements.
            unsafe { target.element(index) }.set(node)?;
        }
    }
    count.set(written)
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
        let place = on_stream(stream)?;
        place.require_uncaptured()?;
        place.driver.executables.get(executable).map(drop)
    }

    /// Destroys a graph. Its executable graphs remain.
    fn cuGraphDestroy(graph: Handle<Graph>) {
        let driver = driver()?;
        let graph = driver.graphs.remove(graph)?;
        forget(&driver.nodes, &lock(&graph.members));
        Ok(())
    }

    /// Destroys an executable graph.
    fn cuGraphExecDestroy(executable: Handle<GraphExec>) {
        driver()?.executables.remove(executable).map(drop)
    }

    /// Creates an empty graph.
    fn cuGraphCreate(graph: Out<Handle<Graph>>, flags: c_uint) {
        let driver = driver()?;
        graph.require()?;
        if flags != 0 {
            return Err(CUresult::INVALID_VALUE.because("the flags of cuGraphCreate must be 0"));
        }
        graph.set(driver.graphs.insert(Graph::default()))
    }

    /// Creates a graph with the same nodes.
    fn cuGraphClone(clone: Out<Handle<Graph>>, graph: Handle<Graph>) {
        let driver = driver()?;
        clone.require()?;
        let graph = driver.graphs.get(graph)?;
        clone.set(driver.graphs.insert(cloned(driver, &graph)?))
    }

    /// Writes up to `count` nodes of a graph and their number, or only the number of all nodes if `nodes` is null.
    fn cuGraphGetNodes(graph: Handle<Graph>, nodes: Out<Handle<Node>>, count: Out<usize>) {
        let graph = driver()?.graphs.get(graph)?;
        let all: Vec<_> = lock(&graph.members).iter().map(|member| member.node).collect();
        write_list(&[(nodes, &all)], count)
    }

    /// Writes the nodes of a graph that depend on no others, like [`cuGraphGetNodes`].
    fn cuGraphGetRootNodes(graph: Handle<Graph>, nodes: Out<Handle<Node>>, count: Out<usize>) {
        let graph = driver()?.graphs.get(graph)?;
        let members = lock(&graph.members);
        let roots: Vec<_> = members.iter().filter(|member| member.after.is_empty()).map(|member| member.node).collect();
        write_list(&[(nodes, &roots)], count)
    }

    /// Writes the dependencies of a graph, each a node and one that comes after it, like [`cuGraphGetNodes`].
    fn cuGraphGetEdges(graph: Handle<Graph>, from: Out<Handle<Node>>, to: Out<Handle<Node>>, count: Out<usize>) {
        let edges = driver()?.graphs.get(graph)?.edges();
        let ends = [0, 1].map(|end| edges.iter().map(|edge| edge[end]).collect::<Vec<_>>());
        if from.is_null() != to.is_null() {
            return Err(CUresult::INVALID_VALUE.because("one of the two arrays is null"));
        }
        write_list(&[(from, &ends[0]), (to, &ends[1])], count)
    }

    /// Writes the nodes that a node depends on, like [`cuGraphGetNodes`].
    fn cuGraphNodeGetDependencies(node: Handle<Node>, nodes: Out<Handle<Node>>, count: Out<usize>) {
        let edges = edges_of(node)?;
        let before: Vec<_> = edges.iter().filter(|edge| edge[1] == node).map(|edge| edge[0]).collect();
        write_list(&[(nodes, &before)], count)
    }

    /// Writes the nodes that depend on a node, like [`cuGraphGetNodes`].
    fn cuGraphNodeGetDependentNodes(node: Handle<Node>, nodes: Out<Handle<Node>>, count: Out<usize>) {
        let edges = edges_of(node)?;
        let after: Vec<_> = edges.iter().filter(|edge| edge[0] == node).map(|edge| edge[1]).collect();
        write_list(&[(nodes, &after)], count)
    }

    /// Adds dependencies: each node of `to` comes after the one of `from` in the same place.
    fn cuGraphAddDependencies(graph: Handle<Graph>, from: In<Handle<Node>>, to: In<Handle<Node>>, count: usize) {
        let graph = driver()?.graphs.get(graph)?;
        pairs(from, to, count)?.into_iter().try_for_each(|edge| graph.connect(edge))
    }

    /// Removes dependencies.
    fn cuGraphRemoveDependencies(graph: Handle<Graph>, from: In<Handle<Node>>, to: In<Handle<Node>>, count: usize) {
        let graph = driver()?.graphs.get(graph)?;
        pairs(from, to, count)?.into_iter().try_for_each(|edge| graph.disconnect(edge))
    }

    /// Removes a node and its dependencies from its graph.
    fn cuGraphDestroyNode(node: Handle<Node>) {
        let driver = driver()?;
        driver.nodes.remove(node)?;
        driver.graphs.for_each(|graph| graph.remove(node));
        Ok(())
    }

    /// Writes the type of a node.
    fn cuGraphNodeGetType(node: Handle<Node>, kind: Out<c_int>) {
        kind.set(driver()?.nodes.get(node)?.kind as c_int)
    }
}
