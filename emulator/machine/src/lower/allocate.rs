//! Register allocation: liveness analysis, then a linear scan that assigns slots to virtual registers, so that the registers
//! of a warp fit in the cache.

use super::flow::Blocks;
use super::invariant::{Dependence, for_each_result, invariants};
use super::lister::list;
use super::liveness::Occurrences;
use super::step::{FileSizes, NOWHERE, Program, Slot, Step, Subroutine, Uniform, Value, too_much};
use crate::ground::refusal::LoadError;
use crate::vector::registers::OperandKind;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

/// The maximum number of basic blocks and edges that the liveness analysis visits, summed over all registers.
const MAX_WALK: usize = 1 << 28;

/// The stack of a thread in bytes, for recursive functions. CUDA's default is 1 KiB, which holds the registers of callers, too.
const STACK_BYTES: u32 = 16 << 10;

/// The maximum number of slots in a register file. Compilers rarely exceed the 255 registers of a thread. A slot takes up to
/// 8 KiB for a block of 1024 threads.
const MAX_SLOTS: u32 = 1 << 13;

/// Replaces the virtual registers of a kernel with slots.
pub(super) fn allocate(mut code: Blocks) -> Result<Program, LoadError> {
    let (intervals, entry) = intervals(&code)?;
    let listing = list(&code);
    let mut slots = Slots::default();
    let mut slot_of = vec![Slot::Register(0); code.registers.len()];
    let mut fixed = vec![false; code.registers.len()];
    let mut specials = code.specials.clone();
    specials.sort_by_key(|(special, _)| *special);
    for &(_, register) in &specials {
        slot_of[register as usize] = Slot::Register(slots.take(OperandKind::Narrow));
        fixed[register as usize] = true;
    }
    if let Some(register) = code.frame_pointer {
        slot_of[register as usize] = Slot::Register(slots.take(OperandKind::Wide));
        fixed[register as usize] = true;
    }
    let invariants = invariants(&code, &entry);
    for &(index, dependence) in &invariants {
        for_each_result(&code.steps[index], |register| {
            let kind = code.registers[register];
            slot_of[register] = if dependence.on_warp {
                Slot::Register(slots.take(kind))
            } else {
                Slot::Uniform(code.uniforms.add(kind, Uniform::Computed))
            };
            fixed[register] = true;
        });
    }
    let mut subroutines = code.subroutines.clone();
    let mut begun = 0;
    for interval in intervals {
        while subroutines.get(begun).is_some_and(|next| interval.start >= 2 * next.entry as usize) {
            slots.begin_function(&mut subroutines, begun);
            begun += 1;
        }
        if !fixed[interval.register] {
            slots.expire(interval.start);
            let kind = code.registers[interval.register];
            let slot = slots.take(kind);
            slots.active.push(Reverse((interval.end, kind as u8, slot)));
            slot_of[interval.register] = Slot::Register(slot);
        }
    }
    (begun..=subroutines.len()).for_each(|begun| slots.begin_function(&mut subroutines, begun));
    let counts = slots.counts;
    if counts.iter().any(|&count| count > MAX_SLOTS) {
        return Err(too_much(&code.origins, &format!("more than {MAX_SLOTS} live registers")));
    }
    let undefined = entry.into_iter().filter(|&register| !fixed[register]);
    let undefined = undefined.chain(code.frame_pointer.map(|register| register as usize));
    let slot = |value, _| match value {
        Value::Register(register) => slot_of[register as usize],
        Value::Uniform(number) => Slot::Uniform(number),
    };
    let stack_bytes = stack_bytes(&code);
    Ok(Program {
        steps: code.steps.iter().map(|step| step.map_places(slot)).collect(),
        origins: code.origins,
        blocks: code.blocks,
        uniforms: code.uniforms,
        warp_specials: specials.into_iter().map(|(special, _)| special).collect(),
        slots: FileSizes {
            narrow: counts[OperandKind::Narrow as usize],
            wide: counts[OperandKind::Wide as usize],
            predicate: counts[OperandKind::Predicate as usize],
        },
        not_invariant: not_invariant(code.steps.len(), &invariants),
        invariants: [false, true].map(|on_block| {
            let those = invariants.iter().filter(|(_, dependence)| dependence.on_block == on_block);
            those.map(|&(index, _)| index as u32).collect()
        }),
        undefined: undefined.map(|register| (code.registers[register], slot_of[register])).collect(),
        static_shared_bytes: code.static_shared_bytes,
        shared_variables: code.shared_variables,
        local_bytes: code.local_bytes + stack_bytes,
        stack_bytes,
        subroutines,
        reserved_registers: None,
        listing: Arc::new(listing),
        known_handlers: Default::default(),
        known_uses: Default::default(),
    })
}

/// Returns, for each step, the first step at or after it that is not invariant.
fn not_invariant(steps: usize, invariants: &[(usize, Dependence)]) -> Vec<u32> {
    let mut next: Vec<u32> = (0..steps as u32).collect();
    invariants.iter().for_each(|&(index, _)| next[index] = NOWHERE);
    // A program ends with a step that is not arithmetic.
    for position in (0..steps.saturating_sub(1)).rev() {
        next[position] = next[position].min(next[position + 1]);
    }
    next
}

/// Returns the size of the stack of a thread: for recursive functions [`STACK_BYTES`], and otherwise what all frames take
/// together. Arguments are copied before a call finds that the stack is full.
fn stack_bytes(code: &Blocks) -> u32 {
    let frames = if code.subroutines.iter().any(|subroutine| subroutine.recursive) {
        STACK_BYTES
    } else {
        code.subroutines.iter().map(|subroutine| subroutine.frame_bytes).sum()
    };
    if code.subroutines.is_empty() {
        return 0;
    }
    // The frame of the kernel is rounded up to the alignment of frames.
    code.local_bytes.next_multiple_of(16) - code.local_bytes + frames + code.max_argument_bytes
}

/// The slots of the three register files.
#[derive(Default)]
struct Slots {
    counts: [u32; 3],
    free: [Vec<u32>; 3],
    /// The slots in use: the end of the interval, the register file, the slot.
    active: BinaryHeap<Reverse<(usize, u8, u32)>>,
}

impl Slots {
    fn expire(&mut self, start: usize) {
        while let Some(&Reverse((end, kind, slot))) = self.active.peek() {
            if end >= start {
                break;
            }
            self.active.pop();
            self.free[usize::from(kind)].push(slot);
        }
    }

    /// Ends the slots of the function before subroutine `number`, none of which the subroutine shares.
    fn begin_function(&mut self, subroutines: &mut [Subroutine], number: usize) {
        if let Some(ended) = number.checked_sub(1).and_then(|ended| subroutines.get_mut(ended)) {
            ended.slots.iter_mut().zip(self.counts).for_each(|(slots, count)| slots.end = count);
        }
        if let Some(begun) = subroutines.get_mut(number) {
            begun.slots = self.counts.map(|count| count..count);
        }
        self.active.clear();
        self.free.iter_mut().for_each(Vec::clear);
    }

    fn take(&mut self, kind: OperandKind) -> u32 {
        let file = kind as usize;
        self.free[file].pop().unwrap_or_else(|| {
            self.counts[file] += 1;
            self.counts[file] - 1
        })
    }
}

/// The live interval of a register, from its first definition, or the kernel's entry, to its last use. Positions are twice the
/// index of a step, plus one for results: a result may take the slot of a source whose last use is the same step.
#[derive(Clone, Copy, Debug)]
struct Interval {
    start: usize,
    end: usize,
    register: usize,
}

/// Returns the intervals by ascending start, and the registers that are live at the kernel's entry.
fn intervals(code: &Blocks) -> Result<(Vec<Interval>, Vec<usize>), LoadError> {
    let mut bounds: Vec<Option<(usize, usize)>> = vec![None; code.registers.len()];
    let mut touch = |register: usize, position: usize| {
        let (start, end) = bounds[register].unwrap_or((position, position));
        bounds[register] = Some((start.min(position), end.max(position)));
    };
    let mut entry = Vec::new();
    let live = occurrences(code).follow(&code.flow.predecessors(), MAX_WALK, |register, block, at_end| {
        touch(register, 2 * code.flow.starts[block + usize::from(at_end)]);
        let starts_function = || code.subroutines.iter().any(|begun| begun.entry as usize == code.flow.starts[block]);
        if !at_end && (block == 0 || starts_function()) {
            entry.push(register);
        }
    });
    if live.is_none() {
        return Err(too_much(&code.origins, "too many live registers across too many branches"));
    }
    for (index, step) in code.steps.iter().enumerate() {
        visit(step, |register, is_result| touch(register, 2 * index + usize::from(is_result)));
    }
    let mut list: Vec<Interval> = bounds
        .into_iter()
        .enumerate()
        .filter_map(|(register, bounds)| bounds.map(|(start, end)| Interval { start, end, register }))
        .collect();
    list.sort_by_key(|interval| (interval.start, interval.register));
    Ok((list, entry))
}

/// Calls `touch(register, is_result)` for each virtual register of a step. A result of a guarded step is also a source, because
/// inactive lanes keep its old value.
fn visit(step: &Step<Value>, mut touch: impl FnMut(usize, bool)) {
    let guarded = step.guard.is_some();
    if let Some(Value::Register(register)) = step.guard.map(|guard| guard.place) {
        touch(register as usize, false);
    }
    // Sources come first: a register that is both source and result is live before the step.
    step.for_each_place(|place, is_result| {
        if let (Value::Register(register), true) = (place, !is_result || guarded) {
            touch(register as usize, false);
        }
    });
    step.for_each_place(|place, is_result| {
        if let (Value::Register(register), true) = (place, is_result) {
            touch(register as usize, true);
        }
    });
}

fn occurrences(code: &Blocks) -> Occurrences {
    Occurrences::new(code.registers.len(), code.flow.successors.len(), |block, touch| {
        let steps = &code.steps[code.flow.starts[block]..code.flow.starts[block + 1]];
        steps.iter().for_each(|step| visit(step, &mut *touch));
    })
}
