//! Warp-level instructions: lanes wait for the other lanes in their member mask.

use super::bind::BoundStep;
use super::block::BlockMachine;
use super::events::Observer;
use super::split::Wait;
use super::waiting::Part;
use crate::ground::lanes::active;
use crate::isa::exchange::Exchange;
use crate::lower::step::Action;

impl<O: Observer> BlockMachine<'_, O> {
    /// Executes a warp-level step for the group if all members have arrived in all of its warps. Otherwise the warps with
    /// missing members wait, and returns false.
    #[cfg_attr(target_family = "wasm", inline(never))]
    pub(super) fn exchange(&mut self, step: &BoundStep, exchange: Exchange) -> bool {
        let mut complete = true;
        let done = self.whole_warps(step, exchange);
        if done == self.lanes.warps.len() {
            return self.advance();
        }
        for index in done..self.group.members.len() {
            let (warp, split) = self.group.members[index];
            let mask = self.lanes.masks[index];
            let missing = self.members(step, exchange, warp, mask) & self.warps[warp].alive & !mask;
            complete &= missing == 0;
            if let (true, Some(split)) = (missing != 0, &mut self.warps[warp].splits[split]) {
                split.wait = Wait::Lanes { members: missing | mask, passed: 0 };
            }
        }
        if !complete {
            self.leave_at(self.group.position);
            return false;
        }
        for index in done..self.group.members.len() {
            let (warp, split) = self.group.members[index];
            let mask = self.lanes.masks[index];
            self.execute(exchange, &[Part { warp, split, mask, position: self.group.position }]);
        }
        self.advance()
    }

    /// Returns the member mask of one lane's warp-level step, which is its last source.
    pub(super) fn members_of(&self, step: &BoundStep, warp: usize, lane: usize) -> u32 {
        let last = step.kinds.iter().take_while(|kind| kind.is_some()).count() - 1;
        self.registers.value(step.operand(last), warp, lane) as u32
    }

    /// Returns the union of the member masks of the lanes `mask` for a warp-level step.
    fn members(&self, step: &BoundStep, exchange: Exchange, warp: usize, mask: u32) -> u32 {
        if exchange == Exchange::ActiveMask {
            return mask;
        }
        active(mask).fold(0, |members, lane| members | self.members_of(step, warp, lane))
    }

    /// Releases splits of a warp that wait for each other, and returns whether there were any. Splits meet if they execute
    /// the same instruction with the same members, even at different lines, as PTX specifies and an H200 does.
    pub(super) fn release_lanes(&mut self, warp: usize) -> bool {
        let bound = self.bound;
        let parts: Vec<Part> = self
            .parts(&|wait| matches!(wait, Wait::Lanes { .. }))
            .into_iter()
            .filter(|part| part.warp == warp)
            .collect();
        for part in &parts {
            let step = &bound.steps[part.position as usize];
            let Action::Exchange(exchange) = step.action else { continue };
            let members = |part: &Part| self.members(&bound.steps[part.position as usize], exchange, warp, part.mask);
            let concern = |a: &Part, b: &Part| (members(a) | a.mask) & b.mask != 0;
            let is_with = |other: &&Part| {
                self.is_same_exchange(part, other, exchange) && (concern(part, other) || concern(other, part))
            };
            let together: Vec<Part> = parts.iter().filter(is_with).copied().collect();
            let mask = together.iter().fold(0, |mask, other| mask | other.mask);
            let needed = self.members(step, exchange, warp, part.mask) & self.warps[warp].alive;
            if needed & !mask == 0 {
                if O::EVERY_ACCESS && exchange != Exchange::Barrier {
                    self.report_rounds(&together);
                }
                self.execute(exchange, &together);
                together.iter().for_each(|other| self.wake(other));
                return true;
            }
        }
        false
    }

    /// Returns whether two parts of a warp execute the same instruction: at one step, or at two steps with the same
    /// qualifiers, types and members. The members of `bar.warp.sync` may differ, because it exchanges no values.
    fn is_same_exchange(&self, part: &Part, other: &Part, exchange: Exchange) -> bool {
        let [here, there] = [part, other].map(|part| &self.bound.steps[part.position as usize]);
        let members = |part: &Part, step| self.members(step, exchange, part.warp, part.mask);
        part.position == other.position
            || (there.action == here.action
                && there.kinds == here.kinds
                && (exchange == Exchange::Barrier || members(part, here) == members(other, there)))
    }
}
