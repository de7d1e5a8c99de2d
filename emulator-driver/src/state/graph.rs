//! Graphs: work that was captured from streams, to run as often as it is wanted.

use super::context::Context;
use super::current::{Branch, Current};
use super::handle::{Handle, Object, Table};
use super::lock;
use super::order::{Clock, Line};
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

/// Where a node is in its graph.
pub(crate) struct Position {
    /// Which of its branches: the streams that were captured.
    pub(crate) branch: usize,
    /// How many nodes of each branch come before.
    pub(crate) after: Vec<(usize, usize)>,
}

/// One piece of work, with its arguments as they were when it was captured.
pub struct Node {
    pub(crate) context: Handle<Context>,
    pub(crate) kind: NodeKind,
    pub(crate) work: Work,
    pub(crate) position: Position,
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
    /// What is over after its last launch, which the next one waits for.
    pub(crate) last: Mutex<Clock>,
}

impl Object for GraphExec {
    const NOUN: &str = "executable graph";
    const UNKNOWN: CUresult = CUresult::INVALID_VALUE;
}

/// Runs the nodes of a graph one after the other, on a stream. What comes before what is as it was captured.
pub(crate) fn run(place: &Current, handle: Handle<GraphExec>, graph: &GraphExec) -> Outcome {
    let (order, site) = (&place.driver.order, place.site());
    order.wait(&site, &lock(&graph.last));
    let start = order.mark(&site);
    let mut launch = Launch { place, executable: handle.number(), start: &start, over: Vec::new(), all: start.clone() };
    let outcome = graph.nodes.iter().try_for_each(|node| launch.run(node));
    order.wait(&site, &launch.all);
    *lock(&graph.last) = launch.all;
    outcome
}

/// A graph on its way.
struct Launch<'a> {
    place: &'a Current,
    executable: usize,
    /// What is over before its first node.
    start: &'a Clock,
    /// What is over after each node of each branch, and after all of them.
    over: Vec<Vec<Clock>>,
    all: Clock,
}

impl Launch<'_> {
    fn run(&mut self, node: &Node) -> Outcome {
        let (driver, Position { branch, after }) = (self.place.driver, &node.position);
        let mut before = self.start.clone();
        for &(branch, count) in after {
            let over = self.over.get(branch).and_then(|over| over.get(count.checked_sub(1)?));
            over.into_iter().for_each(|over| before.join(over));
        }
        let line = Line::Branch { executable: self.executable, branch: *branch };
        let branch_of = Branch { line, stream: self.place.stream_name().into() };
        let place = Current { branch: Some(branch_of), ..Current::of(driver, node.context)? };
        let site = place.site();
        driver.order.wait(&site, &before);
        let outcome = (node.work)(&place);
        let over = driver.order.mark(&site);
        self.all.join(&over);
        self.over.resize_with(self.over.len().max(branch + 1), Vec::new);
        self.over[*branch].push(over);
        outcome
    }
}

/// Forgets the nodes of a graph that is no more.
pub(crate) fn forget(table: &Table<Node>, nodes: &[Handle<Node>]) {
    for &node in nodes {
        // Nobody else takes nodes out.
        let _node = table.remove(node);
    }
}
