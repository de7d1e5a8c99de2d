//! Graphs: work that was captured from streams or added node by node, to be launched any number of times.

use super::context::Context;
use super::handle::{Handle, Object, Table};
use super::lock::lock;
use super::stream_order::{Clock, Order, Placement, Queue, StreamKind};
use crate::result::{CUresult, Error, Outcome};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

/// The work of a node. Its argument is the branch of the launch that it runs in.
pub(crate) type NodeWork = Arc<dyn Fn(&Branch) -> Outcome + Send + Sync>;

/// The kind of a node, with the values of `CUgraphNodeType`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NodeKind {
    Kernel = 0,
    Copy = 1,
    Fill = 2,
    Host = 3,
    Graph = 4,
    Empty = 5,
    MemoryOperation = 12,
}

/// A branch of a graph that is being launched.
#[derive(Clone)]
pub(crate) struct Branch {
    pub(crate) queue: Queue,
    /// The name of the stream that the graph was launched on.
    pub(crate) stream: Arc<str>,
}

/// A piece of work, with its arguments as they were when it was captured or added.
pub struct Node {
    pub(crate) context: Handle<Context>,
    pub(crate) kind: NodeKind,
    /// The work, which new parameters replace.
    work: Mutex<NodeWork>,
}

impl Node {
    pub(crate) fn new(context: Handle<Context>, kind: NodeKind, work: NodeWork) -> Self {
        Self { context, kind, work: Mutex::new(work) }
    }

    /// Returns a node with the work as it is now.
    pub(crate) fn copy(&self) -> Self {
        Self::new(self.context, self.kind, self.work())
    }

    /// Returns the work as it is now.
    pub(crate) fn work(&self) -> NodeWork {
        Arc::clone(&lock(&self.work))
    }

    /// Replaces the work with that of another node. Fails if it is of another kind.
    pub(crate) fn take_work_of(&self, other: &Self) -> Outcome {
        if self.kind != other.kind {
            return Err(CUresult::INVALID_VALUE.because("the node is of another kind"));
        }
        *lock(&self.work) = other.work();
        Ok(())
    }
}

impl Object for Node {
    const NOUN: &str = "graph node";
    const UNKNOWN: CUresult = CUresult::INVALID_VALUE;
}

/// A node of a graph, and those it depends on.
#[derive(Clone)]
pub(crate) struct Member {
    pub(crate) node: Handle<Node>,
    pub(crate) after: Vec<Handle<Node>>,
}

/// Nodes in the order in which they were captured or added.
#[derive(Default)]
pub struct Graph {
    pub(crate) members: Mutex<Vec<Member>>,
}

impl Object for Graph {
    const NOUN: &str = "graph";
    const UNKNOWN: CUresult = CUresult::INVALID_VALUE;
}

/// A node of an executable graph.
struct Step {
    /// The node of the graph.
    origin: Handle<Node>,
    /// A copy of it, which has parameters of its own.
    node: Node,
    /// The steps that it depends on, which come before it.
    after: Vec<usize>,
    /// The index of its branch: steps of a branch depend on each other, one after the other.
    branch: usize,
}

/// An executable graph. It keeps its work when the graph is destroyed.
pub struct GraphExec {
    steps: Vec<Step>,
    /// The work that is complete after the last launch, which the next launch waits for.
    last: Mutex<Clock>,
}

impl Object for GraphExec {
    const NOUN: &str = "executable graph";
    const UNKNOWN: CUresult = CUresult::INVALID_VALUE;
}

impl Graph {
    /// Returns the dependencies, each the node that comes first and the other, in the order of an H200: by the first, then by the
    /// other.
    pub(crate) fn edges(&self) -> Vec<[Handle<Node>; 2]> {
        let members = lock(&self.members);
        let after = |first: &Member| {
            let first = first.node;
            members.iter().filter(move |member| member.after.contains(&first)).map(move |member| [first, member.node])
        };
        members.iter().flat_map(after).collect()
    }

    /// Appends a node that depends on others of this graph.
    pub(crate) fn add(&self, table: &Table<Node>, node: Node, after: Vec<Handle<Node>>) -> Outcome<Handle<Node>> {
        let members = &mut *lock(&self.members);
        after.iter().try_for_each(|&first| place_of(members, first).map(drop))?;
        require_distinct(&after)?;
        let node = table.insert(node);
        members.push(Member { node, after });
        Ok(node)
    }

    /// Adds a dependency between two nodes of this graph.
    pub(crate) fn connect(&self, [first, then]: [Handle<Node>; 2]) -> Outcome {
        let members = &mut *lock(&self.members);
        place_of(members, first)?;
        let place = place_of(members, then)?;
        if first == then {
            return Err(CUresult::INVALID_VALUE.because("a node cannot depend on itself"));
        }
        if members[place].after.contains(&first) {
            return Err(repeated());
        }
        members[place].after.push(first);
        Ok(())
    }

    /// Removes a dependency between two nodes of this graph.
    pub(crate) fn disconnect(&self, [first, then]: [Handle<Node>; 2]) -> Outcome {
        let members = &mut *lock(&self.members);
        let place = place_of(members, then)?;
        let after = &mut members[place].after;
        let found = after.iter().position(|&known| known == first);
        let found = found.ok_or_else(|| CUresult::INVALID_VALUE.because("there is no such dependency"))?;
        after.remove(found);
        Ok(())
    }

    /// Removes a node, if it is one of this graph, and its dependencies.
    pub(crate) fn remove(&self, node: Handle<Node>) {
        let members = &mut *lock(&self.members);
        members.retain(|member| member.node != node);
        members.iter_mut().for_each(|member| member.after.retain(|&first| first != node));
    }
}

fn place_of(members: &[Member], node: Handle<Node>) -> Outcome<usize> {
    let place = members.iter().position(|member| member.node == node);
    place.ok_or_else(|| CUresult::INVALID_VALUE.because(format!("{node:?} is not a node of this graph")))
}

fn require_distinct(after: &[Handle<Node>]) -> Outcome {
    let is_repeated = after.iter().enumerate().any(|(place, node)| after[..place].contains(node));
    if is_repeated { Err(repeated()) } else { Ok(()) }
}

fn repeated() -> Error {
    CUresult::INVALID_VALUE.because("a dependency is given twice")
}

/// Returns the indices of members in an order in which each comes after those it depends on. Otherwise, their order stays. Fails
/// if some depend on each other in a circle.
fn in_order(after: &[Vec<usize>]) -> Outcome<Vec<usize>> {
    let (mut order, mut is_placed, mut first_open) = (Vec::new(), vec![false; after.len()], 0);
    while order.len() < after.len() {
        let is_ready = |&index: &usize| !is_placed[index] && after[index].iter().all(|&first| is_placed[first]);
        let next = (first_open..after.len()).find(is_ready);
        let next = next.ok_or_else(|| CUresult::INVALID_VALUE.because("the dependencies form a circle"))?;
        is_placed[next] = true;
        order.push(next);
        while is_placed.get(first_open) == Some(&true) {
            first_open += 1;
        }
    }
    Ok(order)
}

impl GraphExec {
    /// Returns a graph as it is now. Fails if its dependencies form a circle.
    pub(crate) fn of(graph: &Graph, table: &Table<Node>) -> Outcome<Self> {
        let members = lock(&graph.members).clone();
        let place = members.iter().enumerate().map(|(index, member)| (member.node.number(), index));
        let place: HashMap<usize, usize> = place.collect();
        let after: Vec<Vec<usize>> =
            members.iter().map(|member| member.after.iter().map(|node| place[&node.number()]).collect()).collect();
        let order = in_order(&after)?;
        let mut step_of = vec![0; members.len()];
        order.iter().enumerate().for_each(|(step, &index)| step_of[index] = step);
        let (mut steps, mut ends): (Vec<Step>, Vec<usize>) = (Vec::new(), Vec::new());
        for index in order {
            let node = table.get(members[index].node)?;
            let after: Vec<usize> = after[index].iter().map(|&first| step_of[first]).collect();
            // A step continues the branch of one that it depends on, if no other does.
            let continued =
                after.iter().map(|&first| steps[first].branch).find(|&branch| after.contains(&ends[branch]));
            let branch = continued.unwrap_or(ends.len());
            ends.resize(ends.len().max(branch + 1), 0);
            ends[branch] = steps.len();
            steps.push(Step { origin: members[index].node, node: node.copy(), after, branch });
        }
        Ok(Self { steps, last: Mutex::default() })
    }

    /// Returns the node that was made of a node of the graph.
    pub(crate) fn node(&self, origin: Handle<Node>) -> Outcome<&Node> {
        let step = self.steps.iter().find(|step| step.origin == origin);
        let missing = || CUresult::INVALID_VALUE.because(format!("{origin:?} is not a node of this graph"));
        step.map(|step| &step.node).ok_or_else(missing)
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
        let outcome = graph.steps.iter().try_for_each(|step| self.run_step(step, &mut progress));
        self.order.wait(&self.placement, &progress.all);
        *lock(&graph.last) = progress.all;
        outcome
    }

    fn run_step(&self, step: &Step, progress: &mut Progress) -> Outcome {
        let mut before = progress.start.clone();
        step.after.iter().filter_map(|&first| progress.after.get(first)).for_each(|clock| before.join(clock));
        let queue = Queue::GraphBranch { executable: self.executable.number(), branch: step.branch };
        let placement = Placement { queue, kind: StreamKind::GraphBranch, context: step.node.context.number() };
        self.order.wait(&placement, &before);
        let work = step.node.work();
        let outcome = work(&Branch { queue, stream: Arc::clone(&self.stream) });
        let clock = self.order.mark(&placement);
        progress.all.join(&clock);
        progress.after.push(clock);
        outcome
    }
}

/// The work of a node that is being added, of which a copy of several rows has several pieces.
#[derive(Default)]
pub(crate) struct Draft(Mutex<Vec<NodeWork>>);

impl Draft {
    pub(crate) fn push(&self, work: NodeWork) {
        lock(&self.0).push(work);
    }

    /// Returns all pieces as one.
    pub(crate) fn finish(&self) -> NodeWork {
        let pieces = std::mem::take(&mut *lock(&self.0));
        Arc::new(move |branch| pieces.iter().try_for_each(|piece| piece(branch)))
    }
}

/// Removes the nodes of a destroyed graph from their table.
pub(crate) fn forget(table: &Table<Node>, members: &[Member]) {
    for member in members {
        // Cannot fail: nothing else removes nodes.
        let _node = table.remove(member.node);
    }
}
