//! What the lanes of a warp tell each other: shuffles, votes, matches, reductions.

use super::block::{BlockMachine, set_value, value};
use super::events::{Mistake, Observer};
use crate::ground::lanes::{LANES, active};
use crate::isa::control::{Combine, ControlOperation, Shuffle, Vote};
use crate::lower::step::Step;
use crate::vector::registers::OperandKind;

impl<O: Observer> BlockMachine<'_, O> {
    /// Executes a warp-level step for the lanes `mask` of one warp: lanes that name the same members together.
    pub(super) fn execute(&mut self, position: u32, operation: ControlOperation, warp: usize, mask: u32) {
        let bound = self.bound;
        let step = &bound.steps[position as usize];
        match operation {
            ControlOperation::Shuffle(_) => self.observer.shuffles(1),
            ControlOperation::Vote(_) | ControlOperation::ActiveMask => self.observer.votes(1),
            _ => {}
        }
        if operation == ControlOperation::ActiveMask {
            return self.set_all(step, 0, warp, mask, u64::from(mask));
        }
        let mut rest = mask;
        while rest != 0 {
            let members = self.members_of(step, warp, rest.trailing_zeros() as usize);
            let alike = active(rest).filter(|&lane| self.members_of(step, warp, lane) == members);
            let together = alike.fold(0, |lanes, lane| lanes | 1 << lane);
            self.observer.warp_synchronised(warp, together & members, self.warps[warp].alive);
            if O::EVERY_ACCESS {
                self.report_lanes(position, operation, warp, together, members);
            }
            self.execute_together(step, operation, warp, together);
            rest &= !together;
        }
    }

    /// Tells of lanes that their own mask leaves out, and of shuffles from lanes that take no part.
    fn report_lanes(&mut self, position: u32, operation: ControlOperation, warp: usize, mask: u32, members: u32) {
        let outside = mask & !members;
        if outside != 0 {
            self.observer.mistaken(Mistake::MaskWithoutCaller, warp, outside, position);
        }
        let ControlOperation::Shuffle(kind) = operation else { return };
        let step = &self.bound.steps[position as usize];
        let operand = |index, lane| value(&self.registers, step, index, warp, lane) as usize;
        let asks_in_vain = |&lane: &usize| {
            let (source, in_range) = kind.source(lane, operand(3, lane), operand(4, lane));
            in_range && mask >> source & 1 == 0
        };
        let lanes = active(mask).filter(asks_in_vain).fold(0, |lanes, lane| lanes | 1 << lane);
        if lanes != 0 {
            self.observer.mistaken(Mistake::ShuffleFromInactive, warp, lanes, position);
        }
    }

    fn execute_together(&mut self, step: &Step, operation: ControlOperation, warp: usize, mask: u32) {
        match operation {
            ControlOperation::Shuffle(kind) => self.shuffle(step, kind, warp, mask),
            ControlOperation::Vote(vote) => self.vote(step, vote, warp, mask),
            ControlOperation::MatchAny | ControlOperation::MatchAll => self.match_lanes(step, operation, warp, mask),
            ControlOperation::Reduce(combine) => self.reduce(step, combine, warp, mask),
            _ => {}
        }
    }

    fn set_all(&mut self, step: &Step, operand: usize, warp: usize, mask: u32, result: u64) {
        if step.kinds[operand] == Some(OperandKind::Predicate) {
            let word = &mut self.registers.predicates[step.places[operand].of(warp)];
            *word = if result != 0 { *word | mask } else { *word & !mask };
            return;
        }
        active(mask).for_each(|lane| set_value(&mut self.registers, step, operand, warp, lane, result));
    }

    fn operand_row(&self, step: &Step, operand: usize, warp: usize) -> [u64; LANES] {
        std::array::from_fn(|lane| value(&self.registers, step, operand, warp, lane))
    }

    /// `shfl.sync`: operands are result, predicate, value, lane or distance, clamp and segment, members.
    /// A source lane that does not take part gives this lane's own value, where PTX leaves it undefined.
    fn shuffle(&mut self, step: &Step, kind: Shuffle, warp: usize, mask: u32) {
        let values = self.operand_row(step, 2, warp);
        let distances = self.operand_row(step, 3, warp);
        let limits = self.operand_row(step, 4, warp);
        for lane in active(mask) {
            let (source, in_range) = kind.source(lane, distances[lane] as usize, limits[lane] as usize);
            let source = if in_range && mask >> source & 1 != 0 { source } else { lane };
            set_value(&mut self.registers, step, 0, warp, lane, values[source]);
            set_value(&mut self.registers, step, 1, warp, lane, u64::from(in_range));
        }
    }

    /// `vote.sync`: operands are result, predicate, members.
    fn vote(&mut self, step: &Step, vote: Vote, warp: usize, mask: u32) {
        let yes = self.registers.predicates[step.places[1].of(warp)] & mask;
        let result = match vote {
            Vote::All => u64::from(yes == mask),
            Vote::Any => u64::from(yes != 0),
            Vote::Uniform => u64::from(yes == mask || yes == 0),
            Vote::Ballot => u64::from(yes),
        };
        self.set_all(step, 0, warp, mask, result);
    }

    /// `match.sync`: operands are result, predicate of `all`, value, members.
    fn match_lanes(&mut self, step: &Step, operation: ControlOperation, warp: usize, mask: u32) {
        let values = self.operand_row(step, usize::from(step.results), warp);
        for lane in active(mask) {
            let same =
                active(mask).filter(|&other| values[other] == values[lane]).fold(0, |bits, other| bits | 1 << other);
            if operation == ControlOperation::MatchAny {
                set_value(&mut self.registers, step, 0, warp, lane, u64::from(same as u32));
            } else {
                let all = same as u32 == mask;
                set_value(&mut self.registers, step, 0, warp, lane, if all { u64::from(mask) } else { 0 });
                set_value(&mut self.registers, step, 1, warp, lane, u64::from(all));
            }
        }
    }

    /// `redux.sync`: operands are result, value, members.
    fn reduce(&mut self, step: &Step, combine: Combine, warp: usize, mask: u32) {
        let values = self.operand_row(step, 1, warp);
        let function = |a: u32, b: u32| match combine {
            Combine::Add | Combine::Count => a.wrapping_add(b),
            Combine::MinUnsigned => a.min(b),
            Combine::MinSigned => (a as i32).min(b as i32) as u32,
            Combine::MaxUnsigned => a.max(b),
            Combine::MaxSigned => (a as i32).max(b as i32) as u32,
            Combine::And => a & b,
            Combine::Or => a | b,
            Combine::Xor => a ^ b,
        };
        let result = active(mask).map(|lane| values[lane] as u32).reduce(function).unwrap_or(0);
        self.set_all(step, 0, warp, mask, u64::from(result));
    }
}
