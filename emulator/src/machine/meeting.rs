//! Who waits for whom at a step that the lanes of a warp execute together.

use super::bind::BoundStep;
use super::block::BlockMachine;
use super::events::Observer;
use super::split::Wait;
use super::waiting::Part;
use crate::ground::lanes::active;
use crate::isa::exchange::Exchange;
use crate::lower::step::Action;

impl<O: Observer> BlockMachine<'_, O> {
    /// A warp-level step: executes it where all lanes that it names are there.
    pub(super) fn exchange(&mut self, step: &BoundStep, exchange: Exchange) -> bool {
        let mut complete = true;
        let done = self.whole_warps(step, exchange);
        if done == self.lanes.warps.len() {
            return self.go_on();
        }
        for index in done..self.group.members.len() {
            let (warp, split) = self.group.members[index];
            let mask = self.lanes.masks[index];
            let missing = self.members(step, exchange, warp, mask) & self.warps[warp].alive & !mask;
            complete &= missing == 0;
            if let (true, Some(split)) = (missing != 0, &mut self.warps[warp].splits[split]) {
                split.wait = Wait::Lanes { members: missing | mask };
            }
        }
        if !complete {
            self.leave_at(self.group.position);
            return false;
        }
        for index in done..self.group.members.len() {
            let ((warp, split), mask) = (self.group.members[index], self.lanes.masks[index]);
            self.execute(exchange, &[Part { warp, split, mask, position: self.group.position }]);
        }
        self.go_on()
    }

    /// The lanes that one lane's warp-level step is for: its last source.
    pub(super) fn members_of(&self, step: &BoundStep, warp: usize, lane: usize) -> u32 {
        let last = step.kinds.iter().take_while(|kind| kind.is_some()).count() - 1;
        self.registers.value(step.operand(last), warp, lane) as u32
    }

    /// The lanes that a warp-level step of the lanes `mask` is for, all of theirs together.
    fn members(&self, step: &BoundStep, exchange: Exchange, warp: usize, mask: u32) -> u32 {
        if exchange == Exchange::ActiveMask {
            return mask;
        }
        active(mask).fold(0, |members, lane| members | self.members_of(step, warp, lane))
    }

    /// Lets go the splits of a warp that wait for each other. They meet by what they execute, with the same members, and
    /// not by its line: so PTX has it, and so an H200 does.
    pub(super) fn release_lanes(&mut self, warp: usize) -> bool {
        let bound = self.bound;
        let parts: Vec<Part> = self
            .parts(|wait| matches!(wait, Wait::Lanes { .. }))
            .into_iter()
            .filter(|part| part.warp == warp)
            .collect();
        for part in &parts {
            let step = &bound.steps[part.position as usize];
            let Action::Exchange(exchange) = step.action else { continue };
            let together: Vec<Part> = parts.iter().filter(|other| self.meets(part, other, exchange)).copied().collect();
            let mask = together.iter().fold(0, |mask, other| mask | other.mask);
            let needed = self.members(step, exchange, warp, part.mask) & self.warps[warp].alive;
            if needed & !mask == 0 {
                self.execute(exchange, &together);
                together.iter().for_each(|other| self.wake(other));
                return true;
            }
        }
        false
    }

    /// Whether two parts of a warp execute the same: at one step, or at two with the same qualifiers, types and members.
    /// `bar.warp.sync`, which hands nothing over, is not asked for its members.
    fn meets(&self, part: &Part, other: &Part, exchange: Exchange) -> bool {
        let [here, there] = [part, other].map(|part| &self.bound.steps[part.position as usize]);
        let members = |part: &Part, step| self.members(step, exchange, part.warp, part.mask);
        part.position == other.position
            || (there.action == here.action
                && there.kinds == here.kinds
                && (exchange == Exchange::Barrier || members(part, here) == members(other, there)))
    }
}
