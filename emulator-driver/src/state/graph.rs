//! Graphs: work that was captured from streams, to be launched any number of times.

use super::context::Context;
use super::handle::{Handle, Object, Table};
use super::lock::lock;
use super::stream_order::{Clock, Order, Placement, Queue, StreamKind};
use crate::result::{CUresult, Outcome};
use std::sync::{Arc, Mutex};

/// The work of a node. Its argument is the branch of the launch that it runs in.
type NodeWork = Box<dyn Fn(Branch) -> Outcome + Send + Sync>;

/// The kind of a node, with the values of `CUgraphNodeType`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NodeKind {
    Kernel = 0,
    Copy = 1,
    Fill = 2,
    Host = 3,
    Graph = 4,
    MemoryOperation = 12,
}

/// A node's position in its graph.
pub(crate) struct Position {
    /// The index of its branch, which is one of the captured streams.
    pub(crate) branch: usize,
    /// The node's dependencies: a branch, and how many of that branch's nodes come first.
    pub(crate) after: Vec<(usize, usize)>,
}

/// A branch of a graph that is being launched.
pub(crate) struct Branch {
    pub(crate) queue: Queue,
    /// The name of the stream that the graph was launched on.
    pub(crate) stream: Arc<str>,
}

/// A piece of work, with its arguments as they were when it was captured.
pub struct Node {
    pub(crate) context: Handle<Context>,
    pub(crate) kind: NodeKind,
    pub(crate) work: NodeWork,
    pub(crate) position: Position,
}

impl Object for Node {
    const NOUN: &str = "graph node";
    const UNKNOWN: CUresult = CUresult::INVALID_VALUE;
}

/// The result of a capture: nodes in the order in which they were captured, which is a valid order of execution.
#[derive(Default)]
pub struct Graph {
    pub(crate) nodes: Mutex<Vec<Handle<Node>>>,
}

impl Object for Graph {
    const NOUN: &str = "graph";
    const UNKNOWN: CUresult = CUresult::INVALID_VALUE;
}

/// An executable graph. It keeps its nodes when the graph is destroyed.
pub struct GraphExec {
    pub(crate) nodes: Arc<[Arc<Node>]>,
    /// The work that is complete after the last launch, which the next launch waits for.
    pub(crate) last: Mutex<Clock>,
}

impl Object for GraphExec {
    const NOUN: &str = "executable graph";
    const UNKNOWN: CUresult = CUresult::INVALID_VALUE;
}

/// A launch of an executable graph.
pub(crate) struct Launch<'a> {
    pub(crate) order: &'a Order,
    /// The queue of the stream that the graph is launched on.
    pub(crate) placement: Placement,
    /// The name of that stream.
    pub(crate) stream: Arc<str>,
    pub(crate) executable: Handle<GraphExec>,
}

/// The vector clocks of a launch.
struct Progress {
    /// The work that is complete before the first node.
    start: Clock,
    /// The work that is complete after each node of each branch.
    after: Vec<Vec<Clock>>,
    /// The work that is complete after all nodes so far.
    all: Clock,
}

impl Launch<'_> {
    /// Runs the nodes of `graph` one after the other, with the dependencies of the capture.
    pub(crate) fn run(&self, graph: &GraphExec) -> Outcome {
        self.order.wait(&self.placement, &lock(&graph.last));
        let start = self.order.mark(&self.placement);
        let mut progress = Progress { all: start.clone(), start, after: Vec::new() };
        let outcome = graph.nodes.iter().try_for_each(|node| self.run_node(node, &mut progress));
        self.order.wait(&self.placement, &progress.all);
        *lock(&graph.last) = progress.all;
        outcome
    }

    fn run_node(&self, node: &Node, progress: &mut Progress) -> Outcome {
        let Position { branch, after } = &node.position;
        let mut before = progress.start.clone();
        for &(branch, count) in after {
            let clock = progress.after.get(branch).and_then(|clocks| clocks.get(count.checked_sub(1)?));
            clock.into_iter().for_each(|clock| before.join(clock));
        }
        let queue = Queue::GraphBranch { executable: self.executable.number(), branch: *branch };
        let placement = Placement { queue, kind: StreamKind::GraphBranch, context: node.context.number() };
        self.order.wait(&placement, &before);
        let outcome = (node.work)(Branch { queue, stream: Arc::clone(&self.stream) });
        let clock = self.order.mark(&placement);
        progress.all.join(&clock);
        progress.after.resize_with(progress.after.len().max(branch + 1), Vec::new);
        progress.after[*branch].push(clock);
        outcome
    }
}

/// Removes the nodes of a destroyed graph from their table.
pub(crate) fn forget(table: &Table<Node>, nodes: &[Handle<Node>]) {
    for &node in nodes {
        // Cannot fail: nothing else removes nodes.
        let _node = table.remove(node);
    }
}
