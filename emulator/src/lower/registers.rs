//! An estimate of the registers that ptxas needs for a kernel: as many as fast code needs, and as many as the fastest code needs.
//!
//! Both are the most that are live at once after list scheduling: the operation that can start first is next, so that loads
//! move ahead of the arithmetic of earlier statements. They differ in what ptxas does if registers are scarce or free:
//!
//! - Scarce: operations move over few others. Parameters, and what integer instructions compute from them, stay in constant
//!   memory or go to the uniform registers of a warp.
//! - Free: operations move as far as dependencies allow, and all values are in registers of threads.
//!
//! Predicates and literals need no registers. Copies, conversions between integers, scaled indices and offsets of addresses share
//! the register of their source. A block behind a short forward branch becomes predicated instructions of the block before it.

use super::flow::predecessors;
use super::listing::{ListedInstruction, Listing, RegisterFile};
use super::liveness::Occurrences;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The number of operations, from the first that is not yet scheduled, among which the scheduler chooses if registers are scarce.
///
/// This is the one number that was fitted, to what ptxas allocates for stages 1 to 6. 16, 24 and 32 are nearly as good.
const WINDOW: usize = 12;

/// The largest number of instructions behind a branch that become predicated.
const PREDICATED: usize = 8;

/// The largest number of passes over a kernel that look for uniform values. Real kernels need two or three.
const PASSES: usize = 8;

/// The 32-bit registers of a thread that are live at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pressure {
    /// If registers are scarce.
    pub(crate) scarce: u32,
    /// If registers are free.
    pub(crate) free: u32,
}

/// The maximum number of basic blocks and edges that the liveness analysis visits, summed over all registers.
const MAX_WALK: usize = 1 << 22;

/// Returns the registers that are live at once, or `None` for a kernel that is too large to tell.
pub(crate) fn estimate(listing: &Listing) -> Option<Pressure> {
    let predecessors = predecessors(&listing.successors);
    let scarce = peak(listing, &predecessors, &Values::of(listing, true), WINDOW)?;
    let free = peak(listing, &predecessors, &Values::of(listing, false), usize::MAX)?;
    Some(Pressure { scarce, free })
}

/// Returns the most registers that are live at once after scheduling.
fn peak(listing: &Listing, predecessors: &[Vec<usize>], values: &Values, window: usize) -> Option<u32> {
    let blocks: Vec<Vec<Operation>> = listing.blocks.iter().map(|block| values.operations(block)).collect();
    let live = live_at_ends(&blocks, predecessors, listing.registers.len())?;
    let mut is_live = vec![false; listing.registers.len()];
    let of_region = |region: Region| {
        let (operations, after) = region.operations(&blocks, &live);
        let order = Graph::of(&operations).order(&operations, window);
        values.peak(&operations, &order, after, &mut is_live)
    };
    regions(&listing.successors, predecessors, &blocks).into_iter().map(of_region).max()
}

/// An instruction as machine code has it: with the registers that it needs.
#[derive(Clone, Default)]
struct Operation {
    reads: Vec<u32>,
    writes: Vec<u32>,
    /// Whether the old value of a result stays in some lanes.
    keeps_old: bool,
    order: Order,
    /// The cycles after which the scheduler expects the result.
    latency: u64,
    is_branch: bool,
}

/// The order that an operation keeps with others. The number is that of a state space.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Order {
    #[default]
    None,
    Load(usize),
    Store(usize),
    Fence,
}

/// The number of state spaces that loads and stores keep apart: shared, local, global and generic.
const SPACES: usize = 3;

impl Order {
    fn of(instruction: &ListedInstruction) -> Self {
        let opcode = instruction.opcode.as_str();
        let has = |part: &str| opcode.contains(part);
        let space = [".shared", ".local"].iter().position(|space| has(space)).unwrap_or(SPACES - 1);
        match name(opcode) {
            _ if instruction.is_argument => Self::None,
            "ld" | "ldu" if has(".param") || has(".const") || has(".nc") => Self::None,
            "ld" | "ldu" if !has("volatile") && !has("acquire") => Self::Load(space),
            "st" => Self::Store(space),
            "ld" | "ldu" | "red" | "atom" | "bar" | "barrier" | "mbarrier" | "membar" | "fence" | "cp" | "shfl"
            | "vote" => Self::Fence,
            "bra" | "brx" | "call" | "ret" | "exit" | "trap" => Self::Fence,
            _ => Self::None,
        }
    }
}

fn name(opcode: &str) -> &str {
    opcode.split('.').next().unwrap_or(opcode)
}

/// Returns roughly the cycles until a result can be used. Only the order of magnitude matters.
fn latency(opcode: &str) -> u64 {
    match name(opcode) {
        "ld" if !opcode.contains(".shared") => 200,
        "atom" => 300,
        "ld" | "mma" | "wmma" | "shfl" => 30,
        "rsqrt" | "sqrt" | "rcp" | "lg2" | "ex2" | "sin" | "cos" | "div" => 40,
        _ => 4,
    }
}

/// Returns whether the uniform units have an instruction: those for integers.
fn is_uniform_opcode(instruction: &ListedInstruction) -> bool {
    let opcode = instruction.opcode.as_str();
    let of_integers = !opcode.contains(".f");
    match name(opcode) {
        "ld" => opcode.contains(".param") && !instruction.is_argument,
        "mov" | "cvta" | "setp" | "add" | "sub" | "mul" | "mad" | "shl" | "shr" | "and" | "or" | "xor" | "not"
        | "cvt" | "min" | "max" | "selp" | "neg" => of_integers,
        _ => false,
    }
}

/// The place of each virtual register in machine code.
struct Values {
    /// The virtual register that represents it.
    root: Vec<u32>,
    /// The number of 32-bit registers.
    width: Vec<u32>,
}

/// The number of instructions that write a virtual register, and that read it: all, as the address of an access, in a sum of
/// addresses.
#[derive(Clone, Copy, Default)]
struct Count {
    writes: u32,
    reads: u32,
    as_address: u32,
    in_sum: u32,
}

impl Values {
    /// Places the values. With `has_uniform`, those that are the same for all threads of a block need no registers.
    fn of(listing: &Listing, has_uniform: bool) -> Self {
        let counts = counts(listing);
        let width = |file: &RegisterFile| match file {
            RegisterFile::Narrow => 1,
            RegisterFile::Wide => 2,
            RegisterFile::Predicate => 0,
        };
        let root = (0..listing.registers.len() as u32).collect();
        let mut values = Self { root, width: listing.registers.iter().map(width).collect() };
        let varying = if has_uniform { varying(listing) } else { Vec::new() };
        for (register, varies) in varying.into_iter().enumerate() {
            if !varies && counts[register].writes > 0 {
                values.width[register] = 0;
            }
        }
        listing.blocks.iter().flatten().for_each(|instruction| values.fold(instruction, &counts));
        values
    }

    /// Gives the result of an instruction that machine code does not need no register of its own.
    fn fold(&mut self, instruction: &ListedInstruction, counts: &[Count]) {
        let &[result] = instruction.writes.as_slice() else { return };
        let of_result = counts[result as usize];
        if of_result.writes != 1 || instruction.guard.is_some() {
            return;
        }
        let opcode = instruction.opcode.as_str();
        let is_once = |register: u32| counts[register as usize].writes == 1;
        let shares = match (name(opcode), instruction.reads.as_slice()) {
            ("mov", []) if !instruction.reads_special => {
                self.width[result as usize] = 0;
                return;
            }
            ("mov" | "cvta", &[source]) => !instruction.reads_literal && is_once(source),
            ("cvt", &[source]) => !opcode.contains(".f") && is_once(source),
            ("add" | "sub", &[_]) => instruction.reads_literal && of_result.reads == of_result.as_address,
            ("mul" | "shl", &[source]) => {
                let scales = opcode.starts_with("mul.wide") || opcode == "shl.b64";
                scales && of_result.reads == of_result.in_sum && is_once(source)
            }
            _ => false,
        };
        if let (true, &[source]) = (shares, instruction.reads.as_slice()) {
            self.root[result as usize] = self.root[source as usize];
        }
    }

    /// Returns the operations of a block. Folded instructions have none.
    fn operations(&self, block: &[ListedInstruction]) -> Vec<Operation> {
        let registers = |list: &[u32]| {
            let roots = list.iter().map(|&register| self.root[register as usize]);
            let mut registers: Vec<u32> = roots.filter(|&root| self.width[root as usize] > 0).collect();
            registers.sort_unstable();
            registers.dedup();
            registers
        };
        let is_folded =
            |one: &ListedInstruction| matches!(one.writes[..], [result] if self.root[result as usize] != result);
        let operation = |one: &ListedInstruction| Operation {
            reads: registers(&one.reads),
            writes: registers(&one.writes),
            keeps_old: one.guard.is_some(),
            order: Order::of(one),
            latency: latency(&one.opcode),
            is_branch: name(&one.opcode) == "bra",
        };
        let counts = |one: &Operation| one.order != Order::None || !one.reads.is_empty() || !one.writes.is_empty();
        block.iter().filter(|one| !is_folded(one)).map(operation).filter(counts).collect()
    }

    /// Returns the most registers that are live at once in this order of operations. `after` are live at its end. None is
    /// marked in `is_live` before and after the call.
    fn peak(&self, operations: &[Operation], order: &[usize], after: &[u32], is_live: &mut [bool]) -> u32 {
        let width = |register: u32| self.width[register as usize];
        let mut change = |register: u32, to: bool| {
            let changes = std::mem::replace(&mut is_live[register as usize], to) != to;
            if changes { width(register) } else { 0 }
        };
        let mut now: u32 = after.iter().map(|&register| change(register, true)).sum();
        let mut peak = now;
        for &index in order.iter().rev() {
            let operation = &operations[index];
            // A result that nothing reads needs a register, too.
            now += operation.writes.iter().map(|&register| change(register, true)).sum::<u32>();
            peak = peak.max(now);
            if !operation.keeps_old {
                now -= operation.writes.iter().map(|&register| change(register, false)).sum::<u32>();
            }
            now += operation.reads.iter().map(|&register| change(register, true)).sum::<u32>();
            peak = peak.max(now);
        }
        let touched = operations.iter().flat_map(|operation| operation.reads.iter().chain(&operation.writes));
        touched.chain(after).for_each(|&register| is_live[register as usize] = false);
        peak
    }
}

fn counts(listing: &Listing) -> Vec<Count> {
    let mut counts = vec![Count::default(); listing.registers.len()];
    for instruction in listing.blocks.iter().flatten() {
        instruction.writes.iter().for_each(|&register| counts[register as usize].writes += 1);
        let base = instruction.address.and_then(|(base, _)| base);
        let is_sum = matches!(instruction.opcode.as_str(), "add.s64" | "add.u64");
        for &register in &instruction.reads {
            let count = &mut counts[register as usize];
            count.reads += 1;
            count.as_address += u32::from(base == Some(register));
            count.in_sum += u32::from(is_sum);
        }
    }
    counts
}

/// Returns for each virtual register whether it may differ between the threads of a block.
fn varying(listing: &Listing) -> Vec<bool> {
    let mut varies = vec![false; listing.registers.len()];
    for _ in 0..PASSES {
        let mut changed = false;
        for instruction in listing.blocks.iter().flatten() {
            let is_uniform = is_uniform_opcode(instruction)
                && !instruction.reads_thread
                && instruction.guard.is_none()
                && !instruction.reads.iter().any(|&register| varies[register as usize]);
            if !is_uniform {
                let writes = instruction.writes.iter();
                changed |=
                    writes.fold(false, |new, &register| !std::mem::replace(&mut varies[register as usize], true) | new);
            }
        }
        if !changed {
            break;
        }
    }
    varies
}

/// Returns the registers that are live at the end of each block.
fn live_at_ends(blocks: &[Vec<Operation>], predecessors: &[Vec<usize>], registers: usize) -> Option<Vec<Vec<u32>>> {
    let occurrences = Occurrences::of(registers, blocks.len(), |block, touch| {
        for operation in &blocks[block] {
            let kept: &[u32] = if operation.keeps_old { &operation.writes } else { &[] };
            operation.reads.iter().chain(kept).for_each(|&register| touch(register as usize, false));
            operation.writes.iter().for_each(|&register| touch(register as usize, true));
        }
    });
    let mut live: Vec<Vec<u32>> = vec![Vec::new(); blocks.len()];
    occurrences.follow(predecessors, MAX_WALK, |register, block, at_end| {
        if at_end && live[block].last() != Some(&(register as u32)) {
            live[block].push(register as u32);
        }
    })?;
    Some(live)
}

/// Basic blocks that become one.
struct Region {
    /// The blocks in order, and whether each is predicated.
    blocks: Vec<(usize, bool)>,
}

/// Returns the regions of a kernel.
fn regions(successors: &[Vec<usize>], predecessors: &[Vec<usize>], blocks: &[Vec<Operation>]) -> Vec<Region> {
    let is_short = |block: usize| {
        let mut operations = blocks[block].iter().filter(|operation| !operation.is_branch);
        blocks[block].len() <= PREDICATED + 1 && operations.all(|operation| operation.order != Order::Fence)
    };
    // Returns what follows the block at the end of a region.
    let next = |end: usize| match successors[end][..] {
        [after] if after == end + 1 && predecessors[after] == [end] => Some((None, after)),
        [one, other] if one == end + 1 || other == end + 1 => {
            let (behind, after) = (end + 1, if one == end + 1 { other } else { one });
            let skips = after > behind && predecessors[behind] == [end] && successors[behind] == [after];
            let meets = predecessors[after].len() == 2 && predecessors[after].contains(&end);
            (skips && meets && predecessors[after].contains(&behind) && is_short(behind))
                .then_some((Some(behind), after))
        }
        _ => None,
    };
    let mut taken = vec![false; blocks.len()];
    let mut regions = Vec::new();
    for first in 0..blocks.len() {
        if taken[first] {
            continue;
        }
        let (mut list, mut end) = (vec![(first, false)], first);
        while let Some((behind, after)) = next(end).filter(|&(_, after)| !taken[after]) {
            list.extend(behind.map(|block| (block, true)));
            list.push((after, false));
            end = after;
        }
        list.iter().for_each(|&(block, _)| taken[block] = true);
        regions.push(Region { blocks: list });
    }
    regions
}

impl Region {
    /// Returns the operations, and the registers that are live at the end.
    fn operations<'a>(&self, blocks: &[Vec<Operation>], live: &'a [Vec<u32>]) -> (Vec<Operation>, &'a [u32]) {
        let last = self.blocks.last().map_or(0, |&(block, _)| block);
        let mut all = Vec::new();
        for &(block, is_predicated) in &self.blocks {
            let kept = blocks[block].iter().filter(|operation| block == last || !operation.is_branch);
            all.extend(kept.cloned().map(|mut operation| {
                let stays = |register: &u32| live[block].binary_search(register).is_ok();
                operation.keeps_old |= is_predicated && operation.writes.iter().any(stays);
                operation
            }));
        }
        (all, live.get(last).map_or(&[], Vec::as_slice))
    }
}

/// The dependencies between operations.
struct Graph {
    after: Vec<Vec<u32>>,
    before: Vec<u32>,
}

impl Graph {
    fn of(operations: &[Operation]) -> Self {
        let mut graph = Self { after: vec![Vec::new(); operations.len()], before: vec![0; operations.len()] };
        graph.add_registers(operations);
        graph.add_memory(operations);
        graph
    }

    fn add(&mut self, from: usize, to: usize) {
        if from != to {
            self.after[from].push(to as u32);
            self.before[to] += 1;
        }
    }

    fn add_registers(&mut self, operations: &[Operation]) {
        // For each register, the last operation that writes it, and those that have read it since.
        let mut last: FxHashMap<u32, (Option<usize>, Vec<usize>)> = FxHashMap::default();
        for (index, operation) in operations.iter().enumerate() {
            for &register in &operation.reads {
                let (writer, readers) = last.entry(register).or_default();
                readers.push(index);
                writer.iter().for_each(|&writer| self.add(writer, index));
            }
            for &register in &operation.writes {
                let (writer, readers) = last.insert(register, (Some(index), Vec::new())).unwrap_or_default();
                readers.into_iter().chain(writer).for_each(|before| self.add(before, index));
            }
        }
    }

    fn add_memory(&mut self, operations: &[Operation]) {
        let (mut fence, mut store, mut loads) = (None, [None; SPACES], [const { Vec::new() }; SPACES]);
        for (index, operation) in operations.iter().enumerate() {
            let spaces = match operation.order {
                Order::None => continue,
                Order::Load(space) | Order::Store(space) => space..space + 1,
                Order::Fence => 0..SPACES,
            };
            fence.iter().for_each(|&before| self.add(before, index));
            for space in spaces {
                store[space].iter().for_each(|&before| self.add(before, index));
                if let Order::Load(_) = operation.order {
                    loads[space].push(index);
                } else {
                    loads[space].drain(..).for_each(|before| self.add(before, index));
                    store[space] = Some(index);
                }
            }
            if operation.order == Order::Fence {
                fence = Some(index);
            }
        }
    }

    /// Returns the order of a list scheduler: the operation that can start first, and among those the one on the longest path.
    fn order(&self, operations: &[Operation], window: usize) -> Vec<usize> {
        let count = operations.len();
        let mut height = vec![0; count];
        for index in (0..count).rev() {
            let longest = self.after[index].iter().map(|&after| height[after as usize]).max();
            height[index] = operations[index].latency + longest.unwrap_or(0);
        }
        let mut queue =
            Queue { earliest: vec![0; count], height, now: 0, waiting: BinaryHeap::new(), ready: BinaryHeap::new() };
        let (mut before, mut done) = (self.before.clone(), vec![false; count]);
        let (mut order, mut first, mut end) = (Vec::with_capacity(count), 0, 0);
        // The first operation that is not done depends on done ones only, so the queue is never empty.
        while order.len() < count {
            while done[first] {
                first += 1;
            }
            let new = end..count.min(first.saturating_add(window));
            end = new.end;
            new.filter(|&index| before[index] == 0).for_each(|index| queue.push(index));
            let Some(chosen) = queue.pop() else { break };
            done[chosen] = true;
            order.push(chosen);
            for &after in &self.after[chosen] {
                let after = after as usize;
                before[after] -= 1;
                queue.earliest[after] = queue.earliest[after].max(queue.now + operations[chosen].latency);
                if before[after] == 0 && after < end {
                    queue.push(after);
                }
            }
            queue.now += 1;
        }
        order
    }
}

/// The operations that can be scheduled.
struct Queue {
    /// For each operation, the cycle in which its sources are available.
    earliest: Vec<u64>,
    /// For each operation, the length of the longest path to the end.
    height: Vec<u64>,
    now: u64,
    /// The operations that wait for sources, the earliest first.
    waiting: BinaryHeap<Reverse<(u64, Reverse<u64>, usize)>>,
    /// The others, that on the longest path first.
    ready: BinaryHeap<(u64, Reverse<usize>)>,
}

impl Queue {
    fn push(&mut self, index: usize) {
        self.waiting.push(Reverse((self.earliest[index], Reverse(self.height[index]), index)));
    }

    /// Takes the operation that can start first, and advances to its cycle.
    fn pop(&mut self) -> Option<usize> {
        if let (true, Some(&Reverse((cycle, ..)))) = (self.ready.is_empty(), self.waiting.peek()) {
            self.now = self.now.max(cycle);
        }
        while let Some(&Reverse((_, Reverse(height), index))) = self.waiting.peek().filter(|one| one.0.0 <= self.now) {
            self.waiting.pop();
            self.ready.push((height, Reverse(index)));
        }
        self.ready.pop().map(|(_, Reverse(index))| index)
    }
}
