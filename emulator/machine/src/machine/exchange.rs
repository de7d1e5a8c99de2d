//! The exchange of values between the lanes of a warp: shuffles, votes, matches, reductions.

use super::bind::BoundStep;
use super::block::BlockMachine;
use super::events::{Mistake, Observer};
use super::matrix::{product, product_of_doubles};
use super::waiting::Part;
use crate::ground::lanes::{WARP_SIZE, active};
use crate::isa::exchange::{Combine, Exchange, Shuffle, Vote};
use crate::vector::registers::OperandKind;

/// The parts of a warp that execute a warp-level step together. There are several if they reached the step on different
/// paths, or if they execute the same instruction at different lines.
#[derive(Clone, Copy)]
struct Participants<'a> {
    steps: &'a [BoundStep],
    parts: &'a [Part],
    warp: usize,
}

impl<'a> Participants<'a> {
    fn mask(&self) -> u32 {
        self.parts.iter().fold(0, |mask, part| mask | part.mask)
    }

    /// Returns the steps, each with the lanes of `mask` that execute it and its position.
    fn each(&self, mask: u32) -> impl Iterator<Item = (&'a BoundStep, u32, u32)> {
        let steps = self.steps;
        let parts =
            self.parts.iter().map(move |part| (&steps[part.position as usize], part.mask & mask, part.position));
        parts.filter(|&(_, lanes, _)| lanes != 0)
    }

    /// Returns the number of distinct positions.
    fn positions(&self) -> u64 {
        let is_first =
            |(index, part): (usize, &Part)| self.parts[..index].iter().all(|earlier| earlier.position != part.position);
        self.parts.iter().enumerate().filter(|&entry| is_first(entry)).count() as u64
    }
}

impl<O: Observer> BlockMachine<'_, O> {
    /// Executes a warp-level step for parts of one warp. Lanes with the same member mask execute it together.
    pub(super) fn execute(&mut self, exchange: Exchange, parts: &[Part]) {
        let Some(first) = parts.first() else { return };
        let bound = self.bound;
        let participants = Participants { steps: &bound.steps, parts, warp: first.warp };
        let mut rest = participants.mask();
        match exchange {
            Exchange::Shuffle(_) => self.observer.shuffles(participants.positions()),
            Exchange::Vote(_) => self.observer.votes(participants.positions()),
            Exchange::ActiveMask => {
                self.observer.votes(participants.positions());
                return self.set_all(&participants, 0, rest, u64::from(rest));
            }
            _ => {}
        }
        let members = self.members_by_lane(&participants);
        while rest != 0 {
            let named = members[rest.trailing_zeros() as usize];
            let together = active(rest).filter(|&lane| members[lane] == named).fold(0, |lanes, lane| lanes | 1 << lane);
            let (warp, lanes) = (participants.warp, together & named);
            match exchange {
                Exchange::Barrier => self.observer.warp_synchronized(warp, lanes, self.warps[warp].alive),
                _ => self.observer.warp_exchanged(warp, lanes),
            }
            if O::EVERY_ACCESS {
                self.report_lanes(&participants, exchange, together, named);
            }
            self.execute_together(&participants, exchange, together);
            rest &= !together;
        }
    }

    fn members_by_lane(&self, participants: &Participants<'_>) -> [u32; WARP_SIZE] {
        let mut members = [0; WARP_SIZE];
        for (step, lanes, _) in participants.each(u32::MAX) {
            active(lanes).for_each(|lane| members[lane] = self.members_of(step, participants.warp, lane));
        }
        members
    }

    /// Reports lanes that their own member mask omits or that have different masks, shuffles from inactive lanes, and parts that
    /// meet at different lines.
    fn report_lanes(&mut self, participants: &Participants<'_>, exchange: Exchange, mask: u32, members: u32) {
        let warp = participants.warp;
        let first = participants.each(mask).map(|(.., position)| position).next().unwrap_or_default();
        if members & participants.mask() & !mask != 0 {
            self.observer.mistaken(Mistake::DifferentMasks, warp, mask, first);
        }
        self.observer.exchanges((warp, first, mask), members & !participants.mask());
        for (step, lanes, position) in participants.each(mask) {
            let outside = lanes & !members;
            if outside != 0 {
                self.observer.mistaken(Mistake::MaskWithoutCaller, warp, outside, position);
            }
            let Exchange::Shuffle(kind) = exchange else { continue };
            let operand = |index, lane| self.registers.value(step.operand(index), warp, lane) as usize;
            let reads_inactive = |&lane: &usize| {
                let (source, in_range) = kind.source(lane, operand(3, lane), operand(4, lane));
                in_range && mask >> source & 1 == 0
            };
            let lanes = active(lanes).filter(reads_inactive).fold(0, |lanes, lane| lanes | 1 << lane);
            if lanes != 0 {
                self.observer.mistaken(Mistake::ShuffleFromInactive, warp, lanes, position);
            }
        }
        if exchange != Exchange::Barrier {
            self.report_lines(participants, mask);
        }
    }

    /// Reports each position except the first at which lanes of `mask` participate.
    fn report_lines(&mut self, participants: &Participants<'_>, mask: u32) {
        let mut lines: Vec<(u32, u32)> =
            participants.each(mask).map(|(_, lanes, position)| (position, lanes)).collect();
        lines.sort_unstable();
        let Some((&first, others)) = lines.split_first() else { return };
        for &other in others.iter().filter(|line| line.0 != first.0) {
            self.observer.synchronized_at_different_lines(participants.warp, first, other);
        }
    }

    fn execute_together(&mut self, participants: &Participants<'_>, exchange: Exchange, mask: u32) {
        match exchange {
            Exchange::Shuffle(kind) => self.shuffle(participants, kind, mask),
            Exchange::Vote(vote) => self.vote(participants, vote, mask),
            Exchange::MatchAny => self.match_any(participants, mask),
            Exchange::MatchAll => self.match_all(participants, mask),
            Exchange::Reduce(combine) => self.reduce(participants, combine, mask),
            Exchange::ActiveMask => self.set_all(participants, 0, mask, u64::from(mask)),
            Exchange::Elect => {
                self.set_all(participants, 0, mask, mask.trailing_zeros().into());
                self.set_all(participants, 1, mask, 0);
                self.set_all(participants, 1, mask & mask.wrapping_neg(), 1);
            }
            Exchange::Multiply(multiply) if multiply.is_wide() => {
                let sums = product_of_doubles(&self.matrix_operands[participants.warp], multiply);
                for (operand, register) in sums[..multiply.sums()].iter().enumerate() {
                    self.set_each(participants, operand, mask, |lane| register[lane]);
                }
            }
            Exchange::Multiply(multiply) => {
                let sums = product(self.simd, &self.matrix_operands[participants.warp], multiply);
                for (operand, register) in sums[..multiply.sums()].iter().enumerate() {
                    self.set_each(participants, operand, mask, |lane| register[lane].into());
                }
            }
            Exchange::Matrices { count, transposed } => {
                for number in 0..usize::from(count) {
                    let register = self.matrix(participants.warp, number, transposed);
                    self.set_each(participants, number, mask, |lane| register[lane].into());
                }
            }
            Exchange::Rows { count, transposed } => {
                let matrices: [_; 4] = std::array::from_fn(|number| {
                    if number < usize::from(count) {
                        self.matrix(participants.warp, number, transposed)
                    } else {
                        [0; WARP_SIZE]
                    }
                });
                for word in 0..4 {
                    self.set_each(participants, word, mask, |lane| matrices[lane / 8][4 * (lane % 8) + word].into());
                }
            }
            // The lanes have waited for each other, and exchange no values.
            Exchange::Barrier => {}
        }
    }

    /// Writes one result to the lanes `mask`.
    fn set_all(&mut self, participants: &Participants<'_>, operand: usize, mask: u32, result: u64) {
        for (step, lanes, _) in participants.each(mask) {
            if step.kinds[operand] == Some(OperandKind::Predicate) {
                let word = &mut self.registers.predicates[step.places[operand].row(participants.warp)];
                *word = if result != 0 { *word | lanes } else { *word & !lanes };
            } else {
                active(lanes)
                    .for_each(|lane| self.registers.set_value(step.operand(operand), participants.warp, lane, result));
            }
        }
    }

    /// Writes a result for each of the lanes `mask`.
    fn set_each(&mut self, participants: &Participants<'_>, operand: usize, mask: u32, result: impl Fn(usize) -> u64) {
        for (step, lanes, _) in participants.each(mask) {
            active(lanes).for_each(|lane| {
                self.registers.set_value(step.operand(operand), participants.warp, lane, result(lane))
            });
        }
    }

    /// Returns an operand of the lanes `mask`.
    fn operand_row(&self, participants: &Participants<'_>, operand: usize, mask: u32) -> [u64; WARP_SIZE] {
        let mut row = [0; WARP_SIZE];
        for (step, lanes, _) in participants.each(mask) {
            let operand = step.operand(operand);
            active(lanes).for_each(|lane| row[lane] = self.registers.value(operand, participants.warp, lane));
        }
        row
    }

    /// Executes `shfl.sync`. The operands are result, predicate, value, lane or distance, clamp and segment, members. If the
    /// source lane is inactive, the result is the lane's own value; in PTX it is undefined.
    fn shuffle(&mut self, participants: &Participants<'_>, kind: Shuffle, mask: u32) {
        let [values, distances, limits] = [2, 3, 4].map(|operand| self.operand_row(participants, operand, mask));
        let read = |lane: usize| kind.source(lane, distances[lane] as usize, limits[lane] as usize);
        self.set_each(participants, 0, mask, |lane| {
            let (source, in_range) = read(lane);
            values[if in_range && mask >> source & 1 != 0 { source } else { lane }]
        });
        self.set_each(participants, 1, mask, |lane| u64::from(read(lane).1));
    }

    /// Executes `vote.sync`. The operands are result, predicate, members.
    fn vote(&mut self, participants: &Participants<'_>, vote: Vote, mask: u32) {
        let votes = |(step, lanes, _): (&BoundStep, u32, u32)| {
            self.registers.predicates[step.places[1].row(participants.warp)] & lanes
        };
        let yes = participants.each(mask).map(votes).fold(0, |yes, lanes| yes | lanes);
        let result = match vote {
            Vote::All => u64::from(yes == mask),
            Vote::Any => u64::from(yes != 0),
            Vote::Uniform => u64::from(yes == mask || yes == 0),
            Vote::Ballot => u64::from(yes),
        };
        self.set_all(participants, 0, mask, result);
    }

    /// Executes `match.any.sync`. The operands are result, value, members.
    fn match_any(&mut self, participants: &Participants<'_>, mask: u32) {
        let values = self.operand_row(participants, 1, mask);
        let same = |lane: usize| active(mask).filter(move |&other| values[other] == values[lane]);
        self.set_each(participants, 0, mask, |lane| same(lane).fold(0, |bits, other| bits | 1 << other));
    }

    /// Executes `match.all.sync`. The operands are result, predicate, value, members.
    fn match_all(&mut self, participants: &Participants<'_>, mask: u32) {
        let values = self.operand_row(participants, 2, mask);
        let first = values[(mask.trailing_zeros() as usize).min(WARP_SIZE - 1)];
        let all = active(mask).all(|lane| values[lane] == first);
        self.set_all(participants, 0, mask, if all { u64::from(mask) } else { 0 });
        self.set_all(participants, 1, mask, u64::from(all));
    }

    /// Executes `redux.sync`. The operands are result, value, members.
    fn reduce(&mut self, participants: &Participants<'_>, combine: Combine, mask: u32) {
        let values = self.operand_row(participants, 1, mask);
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
        self.set_all(participants, 0, mask, u64::from(result));
    }
}
