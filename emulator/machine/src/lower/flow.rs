//! Basic blocks, and the points where divergent lanes reconverge.

use super::edges::reverse;
use super::expand::expander::Expanded;
use super::special::Special;
use super::step::{Action, BlockInfo, NOWHERE, Origin, SharedVariable, Step, Subroutine, Uniforms, Value, too_much};
use crate::ground::refusal::LoadError;
use crate::vector::registers::OperandKind;

/// The maximum number of blocks that the search for post-dominators visits.
const MAX_WALK: usize = 1 << 28;

/// The edges between basic blocks.
#[derive(Debug, Default)]
pub(super) struct Flow {
    /// The first step of each block (its `Enter`), and the end of the last block.
    pub(super) starts: Vec<usize>,
    pub(super) successors: Vec<Vec<usize>>,
}

impl Flow {
    pub(super) fn predecessors(&self) -> Vec<Vec<usize>> {
        reverse(&self.successors)
    }
}

/// A kernel as basic blocks, before register allocation.
#[derive(Debug)]
pub(super) struct Blocks {
    pub(super) steps: Vec<Step<Value>>,
    pub(super) origins: Vec<Origin>,
    /// The opcode of each origin.
    pub(super) opcodes: Vec<Box<str>>,
    pub(super) blocks: Vec<BlockInfo>,
    pub(super) flow: Flow,
    pub(super) uniforms: Uniforms,
    /// The register file of each virtual register.
    pub(super) registers: Vec<OperandKind>,
    /// The virtual registers that contain special registers.
    pub(super) specials: Vec<(Special, u32)>,
    pub(super) static_shared_bytes: u32,
    pub(super) shared_variables: Vec<SharedVariable>,
    pub(super) local_bytes: u32,
    /// The functions that are not inlined, in the order of their entries.
    pub(super) subroutines: Vec<Subroutine>,
    pub(super) max_argument_bytes: u32,
    pub(super) frame_pointer: Option<u32>,
}

/// Inserts an `Enter` before every basic block, resolves labels, and sets the reconvergence point of every branch: the immediate
/// post-dominator of its block.
pub(super) fn split_into_blocks(mut expanded: Expanded) -> Result<Blocks, LoadError> {
    // Every path ends with an exit, even one that reaches the end of the text.
    let labels: Vec<usize> = expanded.labels.iter().map(|label| label.unwrap_or_default() as usize).collect();
    end_with_exit(&mut expanded);
    let leaders = leaders(&expanded.steps, &labels);
    let mut block_of = Vec::with_capacity(expanded.steps.len());
    let mut steps: Vec<Step<Value>> = Vec::with_capacity(expanded.steps.len() + leaders.len());
    let mut blocks = Vec::new();
    let mut starts = Vec::new();
    for (index, step) in expanded.steps.iter().enumerate() {
        if leaders[index] {
            starts.push(steps.len());
            steps.push(Step::plain(Action::Enter(blocks.len() as u32), step.origin));
            blocks.push(BlockInfo::default());
        }
        block_of.push(blocks.len() - 1);
        if let (true, Some(block)) = (step.first, blocks.last_mut()) {
            block.instructions += 1;
            block.classes.count(expanded.origins[step.origin as usize].class, 1);
        }
        if let Some(block) = blocks.last_mut() {
            block.warpgroup_operations += step.action.warpgroup_operations();
        }
        steps.push(*step);
    }
    let target = |label: u32| block_of[labels[label as usize].min(block_of.len() - 1)];
    let successors = successors(&steps, &starts, target);
    let returns = returning(&steps, &starts);
    let Some(meeting) = post_dominators(&successors, &returns) else {
        return Err(too_much(&expanded.origins, "too many crossing branches"));
    };
    for (block, &start) in starts.iter().enumerate() {
        let end = starts.get(block + 1).copied().unwrap_or(steps.len());
        if let Some(Step { action: Action::Branch { target: label, reconverge, .. }, .. }) =
            steps[start..end].last_mut()
        {
            *label = starts[target(*label)] as u32;
            *reconverge = meeting[block].map_or(NOWHERE, |block| starts[block] as u32);
        }
    }
    for subroutine in &mut expanded.subroutines {
        subroutine.entry = starts[target(subroutine.entry)] as u32;
    }
    mark_polling(&mut blocks, &successors, &steps, &starts);
    starts.push(steps.len());
    let specials = expanded.specials.into_iter().collect();
    let Expanded { origins, opcodes, uniforms, registers, static_shared_bytes, shared_variables, local_bytes, .. } =
        expanded;
    let Expanded { subroutines, max_argument_bytes, frame_pointer, .. } = expanded;
    let flow = Flow { starts, successors };
    Ok(Blocks {
        steps,
        origins,
        opcodes,
        blocks,
        flow,
        uniforms,
        registers,
        specials,
        static_shared_bytes,
        shared_variables,
        local_bytes,
        subroutines,
        max_argument_bytes,
        frame_pointer,
    })
}

fn end_with_exit(expanded: &mut Expanded) {
    if expanded.origins.is_empty() {
        expanded.origins.push(Origin::default());
    }
    expanded.steps.push(Step::plain(Action::Exit, expanded.origins.len() as u32 - 1));
}

/// Returns for each step whether it starts a block: it is the first, has a label, or follows a branch or an exit.
fn leaders(steps: &[Step<Value>], labels: &[usize]) -> Vec<bool> {
    let mut leaders = vec![false; steps.len()];
    leaders[0] = true;
    for &label in labels {
        leaders[label.min(steps.len() - 1)] = true;
    }
    for (index, step) in steps.iter().enumerate().take(steps.len() - 1) {
        if ends_block(step) {
            leaders[index + 1] = true;
        }
    }
    leaders
}

fn ends_block(step: &Step<Value>) -> bool {
    matches!(step.action, Action::Branch { .. } | Action::Exit | Action::Return | Action::Trap)
}

fn successors(steps: &[Step<Value>], starts: &[usize], target: impl Fn(u32) -> usize) -> Vec<Vec<usize>> {
    let count = starts.len();
    (0..count)
        .map(|block| {
            let end = starts.get(block + 1).copied().unwrap_or(steps.len());
            let last = &steps[end - 1];
            let next = (block + 1 < count && (last.guard.is_some() || !ends_block(last))).then_some(block + 1);
            let jump = match last.action {
                Action::Branch { target: label, .. } => Some(target(label)),
                _ => None,
            };
            let mut list: Vec<usize> = jump.into_iter().chain(next).collect();
            list.dedup();
            list
        })
        .collect()
}

/// Returns for each block whether it can end in anything but a trap, such as that of a bounds check. A trap ends the launch, so
/// that other lanes need not wait for the lanes in such a block.
fn returning(steps: &[Step<Value>], starts: &[usize]) -> Vec<bool> {
    let ends = starts.iter().skip(1).copied().chain([steps.len()]);
    ends.map(|end| !matches!(steps[end - 1], Step { action: Action::Trap, guard: None, .. })).collect()
}

/// Marks the blocks of spin loops: loops that may wait for another thread. A loop is the text between a backward branch and
/// its target.
fn mark_polling(blocks: &mut [BlockInfo], successors: &[Vec<usize>], steps: &[Step<Value>], starts: &[usize]) {
    let mut polls_before = vec![0_usize];
    for (block, &start) in starts.iter().enumerate() {
        let end = starts.get(block + 1).copied().unwrap_or(steps.len());
        let polls = steps[start..end].iter().any(|step| match step.action {
            Action::Memory { operation, .. } => operation.polls(),
            Action::Mbarrier(operation) => operation.polls(),
            _ => false,
        });
        polls_before.push(polls_before[block] + usize::from(polls));
    }
    // The number of spin loops that start at each block, minus those that end before it.
    let mut depth_change = vec![0_isize; blocks.len() + 1];
    for (block, list) in successors.iter().enumerate() {
        for &target in list.iter().filter(|&&target| target <= block) {
            if polls_before[block + 1] > polls_before[target] {
                depth_change[target] += 1;
                depth_change[block + 1] -= 1;
            }
        }
    }
    let mut depth = 0;
    for (block, change) in blocks.iter_mut().zip(depth_change) {
        depth += change;
        block.polls = depth > 0;
    }
}

/// Returns the immediate post-dominator of each block, or `None` for a block whose paths do not meet before the exit.
///
/// The algorithm is that of Cooper, Harvey and Kennedy (2001, "A simple, fast dominance algorithm") on the reversed graph. It is
/// quadratic for graphs that no compiler produces. After [`MAX_WALK`] steps the whole result is `None`.
fn post_dominators(successors: &[Vec<usize>], returns: &[bool]) -> Option<Vec<Option<usize>>> {
    let exit = successors.len();
    let leaves = |block: usize| successors[block].is_empty() && returns[block];
    let mut predecessors = vec![Vec::new(); exit + 1];
    for (block, list) in successors.iter().enumerate() {
        list.iter().for_each(|&successor| predecessors[successor].push(block));
        if leaves(block) {
            predecessors[exit].push(block);
        }
    }
    let order = reverse_postorder(&predecessors, exit);
    let mut rank = vec![usize::MAX; exit + 1];
    order.iter().enumerate().for_each(|(position, &block)| rank[block] = position);
    let mut dominator: Vec<Option<usize>> = vec![None; exit + 1];
    dominator[exit] = Some(exit);
    let mut changed = true;
    let mut taken = 0;
    while changed {
        changed = false;
        for &block in order.iter().skip(1) {
            let ends = leaves(block).then_some(exit);
            let known = successors[block].iter().copied().chain(ends).filter(|&next| dominator[next].is_some());
            let new = known.reduce(|a, b| meet(&dominator, &rank, (a, b), &mut taken));
            if new.is_some() && new != dominator[block] {
                dominator[block] = new;
                changed = true;
            }
            taken += 1 + successors[block].len();
            if taken > MAX_WALK {
                return None;
            }
        }
    }
    dominator.truncate(exit);
    Some(dominator.into_iter().map(|block| block.filter(|&block| block != exit)).collect())
}

/// Returns the nearest common post-dominator, and adds the number of visited blocks to `taken`.
fn meet(dominator: &[Option<usize>], rank: &[usize], (mut a, mut b): (usize, usize), taken: &mut usize) -> usize {
    while a != b {
        let later = if rank[a] > rank[b] { &mut a } else { &mut b };
        *later = dominator[*later].unwrap_or(*later);
        *taken += 1;
    }
    a
}

/// Returns the blocks from which the exit can be reached, in reverse postorder of the reversed graph.
fn reverse_postorder(predecessors: &[Vec<usize>], exit: usize) -> Vec<usize> {
    let mut visited = vec![false; predecessors.len()];
    let mut order = Vec::new();
    let mut stack = vec![(exit, 0)];
    visited[exit] = true;
    while let Some((block, child)) = stack.pop() {
        match predecessors[block].get(child) {
            Some(&next) => {
                stack.push((block, child + 1));
                if !visited[next] {
                    visited[next] = true;
                    stack.push((next, 0));
                }
            }
            None => order.push(block),
        }
    }
    order.reverse();
    order
}
