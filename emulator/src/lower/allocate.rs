//! Virtual registers to slots: liveness, then linear scan, so that a warp's registers stay in cache.

use super::flow::Virtual;
use super::step::Program;
use crate::LoadError;
use crate::isa::OperandKind;
use crate::machine::registers::Place;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Bits of liveness that are kept at most: blocks times registers.
const MAX_LIVENESS_BITS: usize = 1 << 31;

/// Slots of one register file; a row number must not overflow for 32 warps.
const MAX_SLOTS: u32 = 1 << 16;

/// Replaces the virtual registers of `program` by slots.
pub(super) fn allocate(program: &mut Program, code: Virtual) -> Result<(), LoadError> {
    let liveness = Liveness::of(program, &code)?;
    let intervals = intervals(program, &code, &liveness);
    let mut slots = Slots::default();
    let mut place_of = vec![Place::default(); code.registers.len()];
    let mut fixed = vec![false; code.registers.len()];
    let mut specials = code.specials.clone();
    specials.sort_by_key(|(special, _)| *special);
    for (special, place) in specials {
        program.warp_specials.push(special);
        place_of[place.row as usize] = Place { row: slots.take(OperandKind::Narrow), stride: 1 };
        fixed[place.row as usize] = true;
    }
    for interval in intervals {
        if !fixed[interval.register] {
            slots.expire(interval.start);
            let kind = code.registers[interval.register];
            let slot = slots.take(kind);
            slots.active.push(Reverse((interval.end, kind as u8, slot)));
            place_of[interval.register] = Place { row: slot, stride: 1 };
        }
    }
    let counts = slots.counts;
    if counts.iter().any(|&count| count > MAX_SLOTS) {
        return Err(LoadError::Unsupported(format!("more than {MAX_SLOTS} registers live at once")));
    }
    let entry = liveness.live_in(0).filter(|&register| !fixed[register]);
    program.undefined = entry.map(|register| (code.registers[register], place_of[register])).collect();
    program.slots.narrow = counts[OperandKind::Narrow as usize];
    program.slots.wide = counts[OperandKind::Wide as usize];
    program.slots.predicate = counts[OperandKind::Predicate as usize];
    for step in &mut program.steps {
        let resolve = |place: &mut Place| {
            if place.stride == 1 {
                *place = place_of[place.row as usize];
            }
        };
        step.for_each_place(|place, _, _| resolve(place));
        if let Some(guard) = &mut step.guard {
            resolve(&mut guard.place);
        }
    }
    Ok(())
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

fn intervals(program: &mut Program, code: &Virtual, liveness: &Liveness) -> Vec<Interval> {
    let mut bounds: Vec<Option<(usize, usize)>> = vec![None; code.registers.len()];
    let mut touch = |register: usize, position: usize| {
        let (start, end) = bounds[register].unwrap_or((position, position));
        bounds[register] = Some((start.min(position), end.max(position)));
    };
    for block in 0..code.flow.successors.len() {
        let (start, end) = (code.flow.starts[block], code.flow.starts[block + 1]);
        liveness.live_in(block).for_each(|register| touch(register, 2 * start));
        liveness.live_out(block).for_each(|register| touch(register, 2 * end));
        for index in start..end {
            visit(&mut program.steps[index], |register, is_result| touch(register, 2 * index + usize::from(is_result)));
        }
    }
    let mut list: Vec<Interval> = bounds
        .into_iter()
        .enumerate()
        .filter_map(|(register, bounds)| bounds.map(|(start, end)| Interval { start, end, register }))
        .collect();
    list.sort_by_key(|interval| (interval.start, interval.register));
    list
}

/// Calls `touch(register, is_result)` for each virtual register of a step. A result under a guard is a
/// source too: the lanes that the guard leaves out keep what they have.
fn visit(step: &mut super::step::Step, mut touch: impl FnMut(usize, bool)) {
    let guarded = step.guard.is_some();
    if let Some(guard) = step.guard.filter(|guard| guard.place.stride == 1) {
        touch(guard.place.row as usize, false);
    }
    // Sources first: a register that is both is needed from before the step.
    step.for_each_place(|place, _, is_result| {
        if place.stride == 1 && (!is_result || guarded) {
            touch(place.row as usize, false);
        }
    });
    step.for_each_place(|place, _, is_result| {
        if place.stride == 1 && is_result {
            touch(place.row as usize, true);
        }
    });
}

/// Which registers are needed at the borders of the blocks, as bit sets.
struct Liveness {
    words: usize,
    live_in: Vec<u64>,
    live_out: Vec<u64>,
}

impl Liveness {
    fn of(program: &mut Program, code: &Virtual) -> Result<Self, LoadError> {
        let blocks = code.flow.successors.len();
        let words = code.registers.len().div_ceil(64);
        if blocks * words * 64 > MAX_LIVENESS_BITS {
            return Err(LoadError::Unsupported("a kernel of too many registers and branches".to_owned()));
        }
        let (mut used, mut defined) = (vec![0; blocks * words], vec![0; blocks * words]);
        for block in 0..blocks {
            let row = block * words;
            for index in code.flow.starts[block]..code.flow.starts[block + 1] {
                visit(&mut program.steps[index], |register, is_result| {
                    let (word, bit) = (row + register / 64, 1 << (register % 64));
                    if is_result {
                        defined[word] |= bit;
                    } else {
                        used[word] |= bit & !defined[word];
                    }
                });
            }
        }
        let mut liveness = Self { words, live_in: used, live_out: vec![0; blocks * words] };
        let mut changed = true;
        while changed {
            changed = false;
            for block in (0..blocks).rev() {
                for &successor in &code.flow.successors[block] {
                    changed |= liveness.flow_back(block, successor, &defined);
                }
            }
        }
        Ok(liveness)
    }

    /// Adds what `successor` needs to what `block` must keep; true if that is more than before.
    fn flow_back(&mut self, block: usize, successor: usize, defined: &[u64]) -> bool {
        let mut changed = false;
        for word in 0..self.words {
            let needed = self.live_in[successor * self.words + word];
            let at = block * self.words + word;
            self.live_out[at] |= needed;
            let passed = needed & !defined[at];
            changed |= passed & !self.live_in[at] != 0;
            self.live_in[at] |= passed;
        }
        changed
    }

    fn live_in(&self, block: usize) -> impl Iterator<Item = usize> + '_ {
        registers(&self.live_in[block * self.words..][..self.words])
    }

    fn live_out(&self, block: usize) -> impl Iterator<Item = usize> + '_ {
        registers(&self.live_out[block * self.words..][..self.words])
    }
}

fn registers(words: &[u64]) -> impl Iterator<Item = usize> + '_ {
    words.iter().enumerate().flat_map(|(index, &word)| {
        let mut rest = word;
        std::iter::from_fn(move || {
            let bit = (rest != 0).then(|| rest.trailing_zeros() as usize)?;
            rest &= rest - 1;
            Some(index * 64 + bit)
        })
    })
}
