//! Graphs: work that was captured from streams, to be launched any number of times.

use super::context::Context;
use super::handle::{Handle, Object};
use super::lock;
use super::stream_order::{Clock, Order, Placement, Queue, StreamKind};
use crate::result::{CUresult, Outcome};
use std::sync::{Arc, Mutex};

/// The work of a node. Its argument is the branch of the launch that it runs in.
pub(crate) type NodeWork = Arc<dyn Fn(&Branch) -> Outcome + Send + Sync>;

/// A branch of a graph that is being launched.
#[derive(Clone)]
pub(crate) struct Branch {
    pub(crate) queue: Queue,
    /// The name of the stream that the graph was launched on.
    pub(crate) stream: Arc<str>,
}

/// The effect of a node on the memory of graphs, by its address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MemoryNode {
    /// The node allocates it.
    Allocates(u64),
    /// The node frees it.
    Frees(u64),
}

/// A piece of work, with its arguments as they were when it was captured.
#[derive(Clone)]
pub(crate) struct Node {
    pub(crate) context: Handle<Context>,
    pub(crate) work: NodeWork,
    pub(crate) memory: Option<MemoryNode>,
    /// The indices of the nodes that it depends on, which come before it.
    pub(crate) after: Vec<usize>,
}

/// Nodes in the order in which they were captured.
#[derive(Default)]
pub struct Graph {
    /// The nodes, none until the capture ends.
    pub(crate) nodes: Mutex<Vec<Node>>,
    /// The last executable graph. One that allocates or frees memory has only one at a time.
    pub(crate) executable: Mutex<Option<Handle<GraphExec>>>,
}

impl Object for Graph {
    const NOUN: &str = "graph";
    const UNKNOWN: CUresult = CUresult::INVALID_VALUE;
}

impl Graph {
    /// Returns whether the graph allocates or frees memory.
    pub(crate) fn has_memory(&self) -> bool {
        lock(&self.nodes).iter().any(|node| node.memory.is_some())
    }
}

/// An executable graph. It keeps its work when the graph is destroyed.
pub struct GraphExec {
    /// The flags with which it was created.
    pub(crate) flags: u64,
    /// The nodes, each with the index of its branch: nodes of a branch depend on each other, one after the other.
    steps: Vec<(Node, usize)>,
    /// The work that is complete after the last launch, which the next launch waits for.
    last: Mutex<Clock>,
}

impl Object for GraphExec {
    const NOUN: &str = "executable graph";
    const UNKNOWN: CUresult = CUresult::INVALID_VALUE;
}

impl GraphExec {
    /// Returns the addresses of the memory that the graph allocates.
    pub(crate) fn allocations(&self) -> impl Iterator<Item = u64> {
        self.steps.iter().filter_map(|(node, _)| match node.memory {
            Some(MemoryNode::Allocates(address)) => Some(address),
            _ => None,
        })
    }

    pub(crate) fn new(graph: &Graph, flags: u64) -> Self {
        let mut steps: Vec<(Node, usize)> = Vec::new();
        // The last node of each branch.
        let mut ends: Vec<usize> = Vec::new();
        for node in lock(&graph.nodes).iter() {
            // A node continues the branch of one that it depends on, if no other does.
            let mut branches = node.after.iter().map(|&first| steps[first].1);
            let branch = branches.find(|&branch| node.after.contains(&ends[branch])).unwrap_or(ends.len());
            ends.resize(ends.len().max(branch + 1), 0);
            ends[branch] = steps.len();
            steps.push((node.clone(), branch));
        }
        Self { flags, steps, last: Mutex::default() }
    }
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
    /// The work that is complete before the first step.
    start: Clock,
    /// The work that is complete after each step.
    after: Vec<Clock>,
    /// The work that is complete after all steps so far.
    all: Clock,
}

impl Launch<'_> {
    /// Runs the steps of `graph` one after the other, with their dependencies.
    pub(crate) fn run(&self, graph: &GraphExec) -> Outcome {
        self.order.wait(&self.placement, &lock(&graph.last));
        let start = self.order.mark(&self.placement);
        let mut progress = Progress { all: start.clone(), start, after: Vec::new() };
        let outcome = graph.steps.iter().try_for_each(|(node, branch)| self.run_node(node, *branch, &mut progress));
        self.order.wait(&self.placement, &progress.all);
        *lock(&graph.last) = progress.all;
        outcome
    }

    fn run_node(&self, node: &Node, branch: usize, progress: &mut Progress) -> Outcome {
        let mut before = progress.start.clone();
        node.after.iter().filter_map(|&first| progress.after.get(first)).for_each(|clock| before.join(clock));
        let queue = Queue::GraphBranch { executable: self.executable.number(), branch };
        let placement = Placement { queue, kind: StreamKind::GraphBranch, context: node.context.number() };
        self.order.wait(&placement, &before);
        let outcome = (node.work)(&Branch { queue, stream: Arc::clone(&self.stream) });
        let clock = self.order.mark(&placement);
        progress.all.join(&clock);
        progress.after.push(clock);
        outcome
    }
}
