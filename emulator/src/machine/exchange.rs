//! What the lanes of a warp tell each other: shuffles, votes, matches, reductions.

use super::bind::BoundStep;
use super::block::BlockMachine;
use super::events::{Mistake, Observer};
use super::waiting::Part;
use crate::ground::lanes::{LANES, active};
use crate::isa::exchange::{Combine, Exchange, Shuffle, Vote};
use crate::vector::registers::OperandKind;

/// Parts of a warp that execute a warp-level step together: one as a rule, and several where parts come to it by different
/// ways, or to steps of one kind at different lines.
#[derive(Clone, Copy)]
struct Meeting<'a> {
    steps: &'a [BoundStep],
    parts: &'a [Part],
    warp: usize,
}

impl<'a> Meeting<'a> {
    fn mask(&self) -> u32 {
        self.parts.iter().fold(0, |mask, part| mask | part.mask)
    }

    /// The steps with those of the lanes `mask` that are there.
    fn each(&self, mask: u32) -> impl Iterator<Item = (&'a BoundStep, u32, u32)> {
        let steps = self.steps;
        let parts =
            self.parts.iter().map(move |part| (&steps[part.position as usize], part.mask & mask, part.position));
        parts.filter(|&(_, lanes, _)| lanes != 0)
    }

    /// Positions that differ, as the lines of the code do.
    fn positions(&self) -> u64 {
        let is_first =
            |(index, part): (usize, &Part)| self.parts[..index].iter().all(|earlier| earlier.position != part.position);
        self.parts.iter().enumerate().filter(|&entry| is_first(entry)).count() as u64
    }
}

impl<O: Observer> BlockMachine<'_, O> {
    /// Executes a warp-level step for parts of one warp: lanes that name the same members together.
    pub(super) fn execute(&mut self, exchange: Exchange, parts: &[Part]) {
        let Some(first) = parts.first() else { return };
        let bound = self.bound;
        let meeting = Meeting { steps: &bound.steps, parts, warp: first.warp };
        let mut rest = meeting.mask();
        match exchange {
            Exchange::Shuffle(_) => self.observer.shuffles(meeting.positions()),
            Exchange::Vote(_) => self.observer.votes(meeting.positions()),
            Exchange::ActiveMask => {
                self.observer.votes(meeting.positions());
                return self.set_all(&meeting, 0, rest, u64::from(rest));
            }
            Exchange::Barrier
            | Exchange::MatchAny
            | Exchange::MatchAll
            | Exchange::Reduce(_)
            | Exchange::Elect
            | Exchange::Multiply(_)
            | Exchange::Matrices { .. } => {}
        }
        let members = self.members_by_lane(&meeting);
        while rest != 0 {
            let named = members[rest.trailing_zeros() as usize];
            let together = active(rest).filter(|&lane| members[lane] == named).fold(0, |lanes, lane| lanes | 1 << lane);
            self.observer.warp_synchronised(meeting.warp, together & named, self.warps[meeting.warp].alive);
            if O::EVERY_ACCESS {
                self.report_lanes(&meeting, exchange, together, named);
            }
            self.execute_together(&meeting, exchange, together);
            rest &= !together;
        }
    }

    fn members_by_lane(&self, meeting: &Meeting<'_>) -> [u32; LANES] {
        let mut members = [0; LANES];
        for (step, lanes, _) in meeting.each(u32::MAX) {
            active(lanes).for_each(|lane| members[lane] = self.members_of(step, meeting.warp, lane));
        }
        members
    }

    /// Tells of lanes that their own mask leaves out, of shuffles from lanes that take no part, and of parts that meet at
    /// different lines.
    fn report_lanes(&mut self, meeting: &Meeting<'_>, exchange: Exchange, mask: u32, members: u32) {
        let warp = meeting.warp;
        for (step, lanes, position) in meeting.each(mask) {
            let outside = lanes & !members;
            if outside != 0 {
                self.observer.mistaken(Mistake::MaskWithoutCaller, warp, outside, position);
            }
            let Exchange::Shuffle(kind) = exchange else { continue };
            let operand = |index, lane| self.registers.value(step.operand(index), warp, lane) as usize;
            let asks_in_vain = |&lane: &usize| {
                let (source, in_range) = kind.source(lane, operand(3, lane), operand(4, lane));
                in_range && mask >> source & 1 == 0
            };
            let lanes = active(lanes).filter(asks_in_vain).fold(0, |lanes, lane| lanes | 1 << lane);
            if lanes != 0 {
                self.observer.mistaken(Mistake::ShuffleFromInactive, warp, lanes, position);
            }
        }
        if exchange != Exchange::Barrier {
            self.report_lines(meeting, mask);
        }
    }

    /// Tells of each line but the first at which lanes of `mask` take part.
    fn report_lines(&mut self, meeting: &Meeting<'_>, mask: u32) {
        let mut lines: Vec<(u32, u32)> = meeting.each(mask).map(|(_, lanes, position)| (position, lanes)).collect();
        lines.sort_unstable();
        let Some((&first, others)) = lines.split_first() else { return };
        for &other in others.iter().filter(|line| line.0 != first.0) {
            self.observer.met_apart(meeting.warp, first, other);
        }
    }

    fn execute_together(&mut self, meeting: &Meeting<'_>, exchange: Exchange, mask: u32) {
        match exchange {
            Exchange::Shuffle(kind) => self.shuffle(meeting, kind, mask),
            Exchange::Vote(vote) => self.vote(meeting, vote, mask),
            Exchange::MatchAny => self.match_any(meeting, mask),
            Exchange::MatchAll => self.match_all(meeting, mask),
            Exchange::Reduce(combine) => self.reduce(meeting, combine, mask),
            Exchange::ActiveMask => self.set_all(meeting, 0, mask, u64::from(mask)),
            Exchange::Elect => {
                self.set_all(meeting, 0, mask, mask.trailing_zeros().into());
                self.set_all(meeting, 1, mask, 0);
                self.set_all(meeting, 1, mask & mask.wrapping_neg(), 1);
            }
            Exchange::Multiply(multiply) => {
                for (operand, register) in self.product(meeting.warp, multiply).iter().enumerate() {
                    self.set_each(meeting, operand, mask, |lane| register[lane].into());
                }
            }
            Exchange::Matrices { count, transposed } => {
                for number in 0..usize::from(count) {
                    let register = match transposed {
                        true => self.transposed(meeting.warp, number),
                        false => self.aside[meeting.warp][number],
                    };
                    self.set_each(meeting, number, mask, |lane| register[lane].into());
                }
            }
            // Waiting for each other was all.
            Exchange::Barrier => {}
        }
    }

    /// Writes one result to the lanes `mask`.
    fn set_all(&mut self, meeting: &Meeting<'_>, operand: usize, mask: u32, result: u64) {
        for (step, lanes, _) in meeting.each(mask) {
            if step.kinds[operand] == Some(OperandKind::Predicate) {
                let word = &mut self.registers.predicates[step.places[operand].of(meeting.warp)];
                *word = if result != 0 { *word | lanes } else { *word & !lanes };
            } else {
                active(lanes)
                    .for_each(|lane| self.registers.set_value(step.operand(operand), meeting.warp, lane, result));
            }
        }
    }

    /// Writes the result of each lane of `mask`.
    fn set_each(&mut self, meeting: &Meeting<'_>, operand: usize, mask: u32, result: impl Fn(usize) -> u64) {
        for (step, lanes, _) in meeting.each(mask) {
            active(lanes)
                .for_each(|lane| self.registers.set_value(step.operand(operand), meeting.warp, lane, result(lane)));
        }
    }

    /// An operand of the lanes `mask`.
    fn operand_row(&self, meeting: &Meeting<'_>, operand: usize, mask: u32) -> [u64; LANES] {
        let mut row = [0; LANES];
        for (step, lanes, _) in meeting.each(mask) {
            let operand = step.operand(operand);
            active(lanes).for_each(|lane| row[lane] = self.registers.value(operand, meeting.warp, lane));
        }
        row
    }

    /// `shfl.sync`: operands are result, predicate, value, lane or distance, clamp and segment, members.
    /// A source lane that does not take part gives this lane's own value, where PTX leaves it undefined.
    fn shuffle(&mut self, meeting: &Meeting<'_>, kind: Shuffle, mask: u32) {
        let [values, distances, limits] = [2, 3, 4].map(|operand| self.operand_row(meeting, operand, mask));
        let read = |lane: usize| kind.source(lane, distances[lane] as usize, limits[lane] as usize);
        self.set_each(meeting, 0, mask, |lane| {
            let (source, in_range) = read(lane);
            values[if in_range && mask >> source & 1 != 0 { source } else { lane }]
        });
        self.set_each(meeting, 1, mask, |lane| u64::from(read(lane).1));
    }

    /// `vote.sync`: operands are result, predicate, members.
    fn vote(&mut self, meeting: &Meeting<'_>, vote: Vote, mask: u32) {
        let says_yes = |(step, lanes, _): (&BoundStep, u32, u32)| {
            self.registers.predicates[step.places[1].of(meeting.warp)] & lanes
        };
        let yes = meeting.each(mask).map(says_yes).fold(0, |yes, lanes| yes | lanes);
        let result = match vote {
            Vote::All => u64::from(yes == mask),
            Vote::Any => u64::from(yes != 0),
            Vote::Uniform => u64::from(yes == mask || yes == 0),
            Vote::Ballot => u64::from(yes),
        };
        self.set_all(meeting, 0, mask, result);
    }

    /// `match.any.sync`: operands are result, value, members.
    fn match_any(&mut self, meeting: &Meeting<'_>, mask: u32) {
        let values = self.operand_row(meeting, 1, mask);
        let same = |lane: usize| active(mask).filter(move |&other| values[other] == values[lane]);
        self.set_each(meeting, 0, mask, |lane| same(lane).fold(0, |bits, other| bits | 1 << other));
    }

    /// `match.all.sync`: operands are result, predicate, value, members.
    fn match_all(&mut self, meeting: &Meeting<'_>, mask: u32) {
        let values = self.operand_row(meeting, 2, mask);
        let first = values[(mask.trailing_zeros() as usize).min(LANES - 1)];
        let all = active(mask).all(|lane| values[lane] == first);
        self.set_all(meeting, 0, mask, if all { u64::from(mask) } else { 0 });
        self.set_all(meeting, 1, mask, u64::from(all));
    }

    /// `redux.sync`: operands are result, value, members.
    fn reduce(&mut self, meeting: &Meeting<'_>, combine: Combine, mask: u32) {
        let values = self.operand_row(meeting, 1, mask);
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
        self.set_all(meeting, 0, mask, u64::from(result));
    }
}
