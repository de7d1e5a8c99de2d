//! Nodes that are added to a graph one by one, and new parameters for them.

use super::graph;
use super::launch::{Arguments, Shape, dimensions, launch_in};
use super::pitched::{Copy3D, copy_3d, fill_2d};
use super::range::DevicePointer;
use super::stream::{HostFunction, call_in};
use crate::arguments::{In, KernelParams, LaunchExtra, Out};
use crate::boundary::api;
use crate::result::{CUresult, Outcome};
use crate::state::current::{Current, current};
use crate::state::graph::{Draft, Graph, GraphExec, Node, NodeKind};
use crate::state::{Context, Function, Handle, driver};
use std::ffi::{c_uint, c_void};
use std::sync::Arc;

/// `CUDA_KERNEL_NODE_PARAMS_v1`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct KernelNode {
    function: Handle<Function>,
    grid: [c_uint; 3],
    block: [c_uint; 3],
    dynamic_shared_bytes: c_uint,
    values: KernelParams,
    extra: LaunchExtra,
}

/// `CUDA_KERNEL_NODE_PARAMS`, since CUDA 12.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct KernelNode2 {
    first: KernelNode,
    /// A function that belongs to no context, in place of the other.
    kernel: Handle<Function>,
    context: Handle<Context>,
}

/// `CUDA_MEMSET_NODE_PARAMS`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct FillNode {
    target: DevicePointer,
    pitch: usize,
    value: c_uint,
    element_bytes: c_uint,
    width: usize,
    height: usize,
}

/// `CUDA_HOST_NODE_PARAMS`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct HostNode {
    function: HostFunction,
    argument: *mut c_void,
}

// The layout of the C structures.
const _: () = {
    assert!(size_of::<KernelNode>() == 56);
    assert!(size_of::<KernelNode2>() == 72);
    assert!(size_of::<FillNode>() == 40);
};

/// The nodes that a new node depends on: an array and its length.
type After = (In<Handle<Node>>, usize);

fn required<T: Copy>(parameters: In<T>) -> Outcome<T> {
    parameters.get()?.ok_or_else(|| CUresult::INVALID_VALUE.because("the parameters of the node are null"))
}

/// Returns the node whose work `submit` submits.
fn described(kind: NodeKind, place: Current, submit: impl FnOnce(&Current) -> Outcome) -> Outcome<Node> {
    let draft = Arc::new(Draft::default());
    let place = Current { draft: Some(Arc::clone(&draft)), ..place };
    submit(&place)?;
    Ok(Node::new(place.handle, kind, draft.finish()))
}

/// Returns a context, the current one for null.
fn in_context(context: Handle<Context>) -> Outcome<Current> {
    if context == Handle::NULL { current() } else { Current::of(driver()?, context) }
}

fn kernel(node: KernelNode2) -> Outcome<Node> {
    let KernelNode { function, grid, block, dynamic_shared_bytes, values, extra } = node.first;
    let function = if function == Handle::NULL { node.kernel } else { function };
    let (grid, block) = (dimensions(grid), dimensions(block));
    let shape = Shape { grid, block, dynamic_shared_bytes, cooperative: false, cluster: None };
    described(NodeKind::Kernel, in_context(node.context)?, |place| {
        launch_in(place, function, shape, &Arguments { values, extra })
    })
}

fn first_version(node: In<KernelNode>) -> Outcome<KernelNode2> {
    Ok(KernelNode2 { first: required(node)?, kernel: Handle::NULL, context: Handle::NULL })
}

fn copy(request: In<Copy3D>, context: Handle<Context>) -> Outcome<Node> {
    described(NodeKind::Copy, in_context(context)?, |place| copy_3d(place, request))
}

/// Returns a fill. An H200 requires the context, unlike that of a copy.
fn fill_in(node: In<FillNode>, context: Handle<Context>) -> Outcome<Node> {
    match context == Handle::NULL {
        true => Err(CUresult::INVALID_VALUE.because("the context of the node is null")),
        false => fill(node, context),
    }
}

fn fill(node: In<FillNode>, context: Handle<Context>) -> Outcome<Node> {
    let FillNode { target, pitch, value, element_bytes, width, height } = required(node)?;
    if ![1, 2, 4].contains(&element_bytes) {
        return Err(
            CUresult::INVALID_VALUE.because(format!("elements of {element_bytes} bytes: 1, 2 or 4 are possible"))
        );
    }
    let pattern = &value.to_le_bytes()[..element_bytes as usize];
    described(NodeKind::Fill, in_context(context)?, |place| fill_2d(place, target, pitch, pattern, [width, height]))
}

fn host(node: In<HostNode>) -> Outcome<Node> {
    let HostNode { function, argument } = required(node)?;
    described(NodeKind::Host, current()?, |place| call_in(place, function, argument, true))
}

/// Returns a node that launches a copy of a graph.
fn child(graph: Handle<Graph>) -> Outcome<Node> {
    let driver = driver()?;
    let copy = GraphExec::of(&*driver.graphs.get(graph)?, &driver.nodes)?;
    // The node has the copy, and its handle is only a number that no other object has.
    let executable = driver.executables.insert(copy);
    let copy = driver.executables.remove(executable)?;
    described(NodeKind::Graph, current()?, move |place| graph::launch_in(place, executable, copy))
}

/// Adds a node to a graph.
fn add(
    target: Out<Handle<Node>>,
    graph: Handle<Graph>,
    (after, count): After,
    node: impl FnOnce() -> Outcome<Node>,
) -> Outcome {
    let driver = driver()?;
    target.require()?;
    let graph = driver.graphs.get(graph)?;
    // SAFETY: the caller's array has `count` elements.
    let after = unsafe { after.list(count) }?;
    target.set(graph.add(&driver.nodes, node()?, after)?)
}

/// Replaces the work of a node, for graphs that are instantiated later.
fn change(node: Handle<Node>, new: &Node) -> Outcome {
    driver()?.nodes.get(node)?.take_work_of(new)
}

/// Replaces the work of a node in an executable graph.
fn change_in(executable: Handle<GraphExec>, node: Handle<Node>, new: &Node) -> Outcome {
    driver()?.executables.get(executable)?.node(node)?.take_work_of(new)
}

api! {
    /// Adds the launch of a kernel.
    fn cuGraphAddKernelNode(
        node: Out<Handle<Node>>,
        graph: Handle<Graph>,
        after: In<Handle<Node>>,
        count: usize,
        parameters: In<KernelNode>,
    ) {
        add(node, graph, (after, count), || kernel(first_version(parameters)?))
    }

    /// Adds the launch of a kernel.
    fn cuGraphAddKernelNode_v2(
        node: Out<Handle<Node>>,
        graph: Handle<Graph>,
        after: In<Handle<Node>>,
        count: usize,
        parameters: In<KernelNode2>,
    ) {
        add(node, graph, (after, count), || kernel(required(parameters)?))
    }

    /// Adds a copy.
    fn cuGraphAddMemcpyNode(
        node: Out<Handle<Node>>,
        graph: Handle<Graph>,
        after: In<Handle<Node>>,
        count: usize,
        request: In<Copy3D>,
        context: Handle<Context>,
    ) {
        add(node, graph, (after, count), || copy(request, context))
    }

    /// Adds a fill of rows.
    fn cuGraphAddMemsetNode(
        node: Out<Handle<Node>>,
        graph: Handle<Graph>,
        after: In<Handle<Node>>,
        count: usize,
        parameters: In<FillNode>,
        context: Handle<Context>,
    ) {
        add(node, graph, (after, count), || fill_in(parameters, context))
    }

    /// Adds a call of a function of the host.
    fn cuGraphAddHostNode(
        node: Out<Handle<Node>>,
        graph: Handle<Graph>,
        after: In<Handle<Node>>,
        count: usize,
        parameters: In<HostNode>,
    ) {
        add(node, graph, (after, count), || host(parameters))
    }

    /// Adds a copy of another graph as a node.
    fn cuGraphAddChildGraphNode(
        node: Out<Handle<Node>>,
        graph: Handle<Graph>,
        after: In<Handle<Node>>,
        count: usize,
        other: Handle<Graph>,
    ) {
        add(node, graph, (after, count), || child(other))
    }

    /// Adds a node without work, which others can depend on.
    fn cuGraphAddEmptyNode(node: Out<Handle<Node>>, graph: Handle<Graph>, after: In<Handle<Node>>, count: usize) {
        add(node, graph, (after, count), || described(NodeKind::Empty, current()?, |_| Ok(())))
    }

    /// Replaces the launch of a node, in graphs that are instantiated later.
    fn cuGraphKernelNodeSetParams(node: Handle<Node>, parameters: In<KernelNode>) {
        change(node, &kernel(first_version(parameters)?)?)
    }

    /// Replaces the launch of a node, in graphs that are instantiated later.
    fn cuGraphKernelNodeSetParams_v2(node: Handle<Node>, parameters: In<KernelNode2>) {
        change(node, &kernel(required(parameters)?)?)
    }

    /// Replaces the fill of a node, in graphs that are instantiated later.
    fn cuGraphMemsetNodeSetParams(node: Handle<Node>, parameters: In<FillNode>) {
        change(node, &fill(parameters, Handle::NULL)?)
    }

    /// Replaces the copy of a node, in graphs that are instantiated later.
    fn cuGraphMemcpyNodeSetParams(node: Handle<Node>, request: In<Copy3D>) {
        change(node, &copy(request, Handle::NULL)?)
    }

    /// Replaces the call of a node, in graphs that are instantiated later.
    fn cuGraphHostNodeSetParams(node: Handle<Node>, parameters: In<HostNode>) {
        change(node, &host(parameters)?)
    }

    /// Replaces the launch of a node of an executable graph.
    fn cuGraphExecKernelNodeSetParams(
        executable: Handle<GraphExec>,
        node: Handle<Node>,
        parameters: In<KernelNode>,
    ) {
        change_in(executable, node, &kernel(first_version(parameters)?)?)
    }

    /// Replaces the launch of a node of an executable graph.
    fn cuGraphExecKernelNodeSetParams_v2(
        executable: Handle<GraphExec>,
        node: Handle<Node>,
        parameters: In<KernelNode2>,
    ) {
        change_in(executable, node, &kernel(required(parameters)?)?)
    }

    /// Replaces the copy of a node of an executable graph.
    fn cuGraphExecMemcpyNodeSetParams(
        executable: Handle<GraphExec>,
        node: Handle<Node>,
        request: In<Copy3D>,
        context: Handle<Context>,
    ) {
        change_in(executable, node, &copy(request, context)?)
    }

    /// Replaces the fill of a node of an executable graph.
    fn cuGraphExecMemsetNodeSetParams(
        executable: Handle<GraphExec>,
        node: Handle<Node>,
        parameters: In<FillNode>,
        context: Handle<Context>,
    ) {
        change_in(executable, node, &fill_in(parameters, context)?)
    }

    /// Replaces the call of a node of an executable graph.
    fn cuGraphExecHostNodeSetParams(
        executable: Handle<GraphExec>,
        node: Handle<Node>,
        parameters: In<HostNode>,
    ) {
        change_in(executable, node, &host(parameters)?)
    }
}
