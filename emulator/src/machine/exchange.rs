//! What the lanes of a warp tell each other: shuffles, votes, matches, reductions.

use super::bind::BoundStep;
use super::block::BlockMachine;
use super::events::{Mistake, Observer};
use crate::ground::lanes::{LANES, active};
use crate::isa::exchange::{Combine, Exchange, Shuffle, Vote};
use crate::vector::registers::OperandKind;

impl<O: Observer> BlockMachine<'_, O> {
    /// Executes a warp-level step for the lanes `mask` of one warp: lanes that name the same members together.
    pub(super) fn execute(&mut self, position: u32, exchange: Exchange, warp: usize, mask: u32) {
        let bound = self.bound;
        let step = &bound.steps[position as usize];
        match exchange {
            Exchange::Shuffle(_) => self.observer.shuffles(1),
            Exchange::Vote(_) => self.observer.votes(1),
            Exchange::ActiveMask => {
                self.observer.votes(1);
                return self.set_all(step, 0, warp, mask, u64::from(mask));
            }
            Exchange::Barrier | Exchange::MatchAny | Exchange::MatchAll | Exchange::Reduce(_) => {}
        }
        let mut rest = mask;
        while rest != 0 {
            let members = self.members_of(step, warp, rest.trailing_zeros() as usize);
            let alike = active(rest).filter(|&lane| self.members_of(step, warp, lane) == members);
            let together = alike.fold(0, |lanes, lane| lanes | 1 << lane);
            self.observer.warp_synchronised(warp, together & members, self.warps[warp].alive);
            if O::EVERY_ACCESS {
                self.report_lanes(position, exchange, warp, together, members);
            }
            self.execute_together(step, exchange, warp, together);
            rest &= !together;
        }
    }

    /// Tells of lanes that their own mask leaves out, and of shuffles from lanes that take no part.
    fn report_lanes(&mut self, position: u32, exchange: Exchange, warp: usize, mask: u32, members: u32) {
        let outside = mask & !members;
        if outside != 0 {
            self.observer.mistaken(Mistake::MaskWithoutCaller, warp, outside, position);
        }
        let Exchange::Shuffle(kind) = exchange else { return };
        let step = &self.bound.steps[position as usize];
        let operand = |index, lane| self.registers.value(step.operand(index), warp, lane) as usize;
        let asks_in_vain = |&lane: &usize| {
            let (source, in_range) = kind.source(lane, operand(3, lane), operand(4, lane));
            in_range && mask >> source & 1 == 0
        };
        let lanes = active(mask).filter(asks_in_vain).fold(0, |lanes, lane| lanes | 1 << lane);
        if lanes != 0 {
            self.observer.mistaken(Mistake::ShuffleFromInactive, warp, lanes, position);
        }
    }

    fn execute_together(&mut self, step: &BoundStep, exchange: Exchange, warp: usize, mask: u32) {
        match exchange {
            Exchange::Shuffle(kind) => self.shuffle(step, kind, warp, mask),
            Exchange::Vote(vote) => self.vote(step, vote, warp, mask),
            Exchange::MatchAny => self.match_any(step, warp, mask),
            Exchange::MatchAll => self.match_all(step, warp, mask),
            Exchange::Reduce(combine) => self.reduce(step, combine, warp, mask),
            Exchange::ActiveMask => self.set_all(step, 0, warp, mask, u64::from(mask)),
            // Waiting for each other was all.
            Exchange::Barrier => {}
        }
    }

    fn set_all(&mut self, step: &BoundStep, operand: usize, warp: usize, mask: u32, result: u64) {
        if step.kinds[operand] == Some(OperandKind::Predicate) {
            let word = &mut self.registers.predicates[step.places[operand].of(warp)];
            *word = if result != 0 { *word | mask } else { *word & !mask };
            return;
        }
        active(mask).for_each(|lane| self.registers.set_value(step.operand(operand), warp, lane, result));
    }

    fn operand_row(&self, step: &BoundStep, operand: usize, warp: usize) -> [u64; LANES] {
        std::array::from_fn(|lane| self.registers.value(step.operand(operand), warp, lane))
    }

    /// `shfl.sync`: operands are result, predicate, lane or distance, clamp and segment, members.
    /// A source lane that does not take part gives this lane's own value, where PTX leaves it undefined.
    fn shuffle(&mut self, step: &BoundStep, kind: Shuffle, warp: usize, mask: u32) {
        let values = self.operand_row(step, 2, warp);
        let distances = self.operand_row(step, 3, warp);
        let limits = self.operand_row(step, 4, warp);
        for lane in active(mask) {
            let (source, in_range) = kind.source(lane, distances[lane] as usize, limits[lane] as usize);
            let source = if in_range && mask >> source & 1 != 0 { source } else { lane };
            self.registers.set_value(step.operand(0), warp, lane, values[source]);
            self.registers.set_value(step.operand(1), warp, lane, u64::from(in_range));
        }
    }

    /// `vote.sync`: operands are result, predicate, members.
    fn vote(&mut self, step: &BoundStep, vote: Vote, warp: usize, mask: u32) {
        let yes = self.registers.predicates[step.places[1].of(warp)] & mask;
        let result = match vote {
            Vote::All => u64::from(yes == mask),
            Vote::Any => u64::from(yes != 0),
            Vote::Uniform => u64::from(yes == mask || yes == 0),
            Vote::Ballot => u64::from(yes),
        };
        self.set_all(step, 0, warp, mask, result);
    }

    /// `match.any.sync`: operands are result, value, members.
    fn match_any(&mut self, step: &BoundStep, warp: usize, mask: u32) {
        let values = self.operand_row(step, 1, warp);
        for lane in active(mask) {
            let same = active(mask).filter(|&other| values[other] == values[lane]);
            let same = same.fold(0, |bits, other| bits | 1 << other);
            self.registers.set_value(step.operand(0), warp, lane, same);
        }
    }

    /// `match.all.sync`: operands are result, predicate, value, members.
    fn match_all(&mut self, step: &BoundStep, warp: usize, mask: u32) {
        let values = self.operand_row(step, 2, warp);
        let first = values[(mask.trailing_zeros() as usize).min(LANES - 1)];
        let all = active(mask).all(|lane| values[lane] == first);
        self.set_all(step, 0, warp, mask, if all { u64::from(mask) } else { 0 });
        self.set_all(step, 1, warp, mask, u64::from(all));
    }

    /// `redux.sync`: operands are result, members.
    fn reduce(&mut self, step: &BoundStep, combine: Combine, warp: usize, mask: u32) {
        let values = self.operand_row(step, 1, warp);
        let function = |a: u32, b: u32| match combine {
            Combine::Add => a.wrapping_add(b),
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
