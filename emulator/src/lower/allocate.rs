//! Virtual registers to slots: liveness, then linear scan, so that a warp's registers stay in cache.
//!
//! The number of registers is what the PTX needs at once. ptxas allots other numbers, so the emulator's refuses no
//! launch.

use super::flow::Blocks;
use super::step::{FileSizes, Program, Slot, Step, Value, too_much};
use crate::ground::refusal::LoadError;
use crate::vector::registers::OperandKind;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Blocks that all registers of a kernel together may be needed in, with the branches between them.
const MAX_WALK: usize = 1 << 28;

/// Slots of one register file. Compilers keep to the 255 registers of a thread, more or less; each of these takes up to
/// 8 KiB of a block of 1024 threads.
const MAX_SLOTS: u32 = 1 << 13;

/// Replaces the virtual registers of a kernel by slots.
pub(super) fn allocate(code: Blocks) -> Result<Program, LoadError> {
    let (intervals, entry) = intervals(&code)?;
    let mut slots = Slots::default();
    let mut slot_of = vec![0; code.registers.len()];
    let mut fixed = vec![false; code.registers.len()];
    let mut specials = code.specials.clone();
    specials.sort_by_key(|(special, _)| *special);
    for &(_, register) in &specials {
        slot_of[register as usize] = slots.take(OperandKind::Narrow);
        fixed[register as usize] = true;
    }
    for interval in intervals {
        if !fixed[interval.register] {
            slots.expire(interval.start);
            let kind = code.registers[interval.register];
            let slot = slots.take(kind);
            slots.active.push(Reverse((interval.end, kind as u8, slot)));
            slot_of[interval.register] = slot;
        }
    }
    let counts = slots.counts;
    if counts.iter().any(|&count| count > MAX_SLOTS) {
        return Err(too_much(&code.origins, &format!("more than {MAX_SLOTS} registers live at once")));
    }
    let undefined = entry.into_iter().filter(|&register| !fixed[register]);
    let slot = |value, _| match value {
        Value::Register(register) => Slot::Register(slot_of[register as usize]),
        Value::Uniform(number) => Slot::Uniform(number),
    };
    Ok(Program {
        steps: code.steps.iter().map(|step| step.moved(slot)).collect(),
        origins: code.origins,
        blocks: code.blocks,
        uniforms: code.uniforms,
        warp_specials: specials.into_iter().map(|(special, _)| special).collect(),
        slots: FileSizes {
            narrow: counts[OperandKind::Narrow as usize],
            wide: counts[OperandKind::Wide as usize],
            predicate: counts[OperandKind::Predicate as usize],
        },
        undefined: undefined.map(|register| (code.registers[register], Slot::Register(slot_of[register]))).collect(),
        static_shared_bytes: code.static_shared_bytes,
        local_bytes: code.local_bytes,
    })
}

/// Free and taken slots of the three register files.
#[derive(Default)]
struct Slots {
    counts: [u32; 3],
    free: [Vec<u32>; 3],
    /// End of the interval, file, slot.
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

    fn take(&mut self, kind: OperandKind) -> u32 {
        let file = kind as usize;
        self.free[file].pop().unwrap_or_else(|| {
            self.counts[file] += 1;
            self.counts[file] - 1
        })
    }
}

/// From the first definition or entry to the last use; twice the step, plus one for results, so that a
/// result may take the slot of a source that ends there.
#[derive(Clone, Copy, Debug)]
struct Interval {
    start: usize,
    end: usize,
    register: usize,
}

/// The intervals by their starts, and the registers that are needed at the entry.
fn intervals(code: &Blocks) -> Result<(Vec<Interval>, Vec<usize>), LoadError> {
    let mut bounds: Vec<Option<(usize, usize)>> = vec![None; code.registers.len()];
    let mut touch = |register: usize, position: usize| {
        let (start, end) = bounds[register].unwrap_or((position, position));
        bounds[register] = Some((start.min(position), end.max(position)));
    };
    let mut entry = Vec::new();
    live(code, |register, block, at_end| {
        touch(register, 2 * code.flow.starts[block + usize::from(at_end)]);
        if block == 0 && !at_end {
            entry.push(register);
        }
    })?;
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

/// Calls `touch(register, is_result)` for each virtual register of a step. A result under a guard is a
/// source too: the lanes that the guard leaves out keep what they have.
fn visit(step: &Step<Value>, mut touch: impl FnMut(usize, bool)) {
    let guarded = step.guard.is_some();
    if let Some(Value::Register(register)) = step.guard.map(|guard| guard.place) {
        touch(register as usize, false);
    }
    // Sources first: a register that is both is needed from before the step.
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

/// A register and a basic block.
type Occurrence = (usize, usize);

/// Follows each register back from the blocks that need it to those that define it, and calls `needed(register, block,
/// at_end)` for each border of a block where it is needed. Fails if that takes more than [`MAX_WALK`].
fn live(code: &Blocks, mut needed: impl FnMut(usize, usize, bool)) -> Result<(), LoadError> {
    let predecessors = code.flow.predecessors();
    let (used, defined) = occurrences(code);
    let mut defined = defined.into_iter().peekable();
    // The register, from 1, whose walk came through each block last, and the one that was defined there last.
    let (mut walked, mut defines) = (vec![0; predecessors.len()], vec![0; predecessors.len()]);
    let (mut pending, mut taken) = (Vec::new(), 0);
    for uses in used.chunk_by(|left, right| left.0 == right.0) {
        let register = uses[0].0;
        while let Some((defined, block)) = defined.next_if(|occurrence| occurrence.0 <= register) {
            defines[block] = defined + 1;
        }
        pending.extend(uses.iter().map(|&(_, block)| block));
        while let Some(block) = pending.pop() {
            if std::mem::replace(&mut walked[block], register + 1) == register + 1 {
                continue;
            }
            needed(register, block, false);
            for &before in &predecessors[block] {
                needed(register, before, true);
                if defines[before] != register + 1 {
                    pending.push(before);
                }
            }
            taken += 1 + predecessors[block].len();
            if taken > MAX_WALK {
                return Err(too_much(&code.origins, "too many registers live in too many branches"));
            }
        }
    }
    Ok(())
}

/// The registers with the blocks that use them before they define them, and with those that define them; both sorted.
fn occurrences(code: &Blocks) -> (Vec<Occurrence>, Vec<Occurrence>) {
    let (mut used, mut defined) = (Vec::new(), Vec::new());
    // The last block, from 1, that used and that defined each register.
    let mut last = vec![[0; 2]; code.registers.len()];
    for block in 0..code.flow.successors.len() {
        for index in code.flow.starts[block]..code.flow.starts[block + 1] {
            visit(&code.steps[index], |register, is_result| {
                let last = &mut last[register];
                if is_result && last[1] != block + 1 {
                    last[1] = block + 1;
                    defined.push((register, block));
                } else if !is_result && !last.contains(&(block + 1)) {
                    last[0] = block + 1;
                    used.push((register, block));
                }
            });
        }
    }
    used.sort_unstable();
    defined.sort_unstable();
    (used, defined)
}
