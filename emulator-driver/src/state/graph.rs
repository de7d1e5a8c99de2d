//! Graphs: work that was captured from streams, to run as often as it is wanted.

use super::context::Context;
use super::current::Current;
use super::handle::{Handle, Object, Table};
use super::{Driver, driver};
use crate::result::{CUresult, Outcome};
use std::sync::{Arc, Mutex};

/// What a node does. It is given a context that nothing is captured from.
pub(crate) type Work = Box<dyn Fn(&Current) -> Outcome + Send + Sync>;

/// What a node is, by the number of its `CUgraphNodeType`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NodeKind {
    Kernel = 0,
    Copy = 1,
    Fill = 2,
    Host = 3,
    Graph = 4,
    MemoryOperation = 12,
}

/// One piece of work, with its arguments as they were when it was captured.
pub struct Node {
    pub(crate) context: Handle<Context>,
    pub(crate) kind: NodeKind,
    pub(crate) work: Work,
}

impl Object for Node {
    const NOUN: &str = "graph node";
    const UNKNOWN: CUresult = CUresult::INVALID_VALUE;
}

/// What a capture has made: nodes in the order in which they were captured, in which they can run.
#[derive(Default)]
pub struct Graph {
    pub(crate) nodes: Mutex<Vec<Handle<Node>>>,
}

impl Object for Graph {
    const NOUN: &str = "graph";
    const UNKNOWN: CUresult = CUresult::INVALID_VALUE;
}

/// A graph that is ready to be launched. It keeps its nodes when the graph is destroyed.
pub struct GraphExec {
    pub(crate) nodes: Arc<[Arc<Node>]>,
}

impl Object for GraphExec {
    const NOUN: &str = "executable graph";
    const UNKNOWN: CUresult = CUresult::INVALID_VALUE;
}

/// Runs nodes one after the other.
pub(crate) fn run(nodes: &[Arc<Node>]) -> Outcome {
    let driver: &Driver = driver()?;
    nodes.iter().try_for_each(|node| (node.work)(&Current::of(driver, node.context)?))
}

/// Forgets the nodes of a graph that is no more.
pub(crate) fn forget(table: &Table<Node>, nodes: &[Handle<Node>]) {
    for &node in nodes {
        // Nobody else takes nodes out.
        let _node = table.remove(node);
    }
}
