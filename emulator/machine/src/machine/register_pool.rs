//! The registers of a block, which its warps share: `setmaxnreg.dec` returns some, and `setmaxnreg.inc` waits for them.
//!
//! A launch reserves as many for each thread as the directives of the kernel allow. Without directives ptxas ignores `setmaxnreg`.
//! Whether a warp that has ended returns its registers is not documented; here it does, so that no program is stopped wrongly.

use super::bind::Bound;
use super::block::BlockMachine;
use super::events::Observer;
use super::split::{Wait, Warp};
use super::stop::Reason;
use crate::lower::step::Action;

impl<O: Observer> BlockMachine<'_, O> {
    /// Sets the number of registers per thread of the group's warps and returns false if a warp has to wait for them.
    pub(super) fn set_registers(&mut self, count: u32) -> bool {
        self.leave_at(self.group.position + 1);
        let mut all = true;
        for index in 0..self.group.members.len() {
            let (warp, split) = self.group.members[index];
            let fits = self.take_registers(warp, count);
            if let (false, Some(split)) = (fits, &mut self.warps[warp].splits[split]) {
                (split.position, split.wait) = (self.group.position, Wait::Registers);
            }
            all &= fits;
        }
        self.group.position += 1;
        all
    }

    /// Sets the number of registers of a warp, if so many are left.
    fn take_registers(&mut self, warp: usize, count: u32) -> bool {
        let Some((more, left)) = demand(self.bound, &self.warps, warp, count) else { return true };
        if more > left {
            return false;
        }
        self.warps[warp].registers = Some(count);
        self.spin.note_change(true);
        true
    }

    /// Lets the warps continue for whose registers there is room now, and returns whether there are any.
    pub(super) fn release_registers(&mut self) -> bool {
        let mut any = false;
        for part in self.parts(&|wait| wait == Wait::Registers) {
            let Action::SetRegisters { count } = self.bound.steps[part.position as usize].action else { continue };
            if self.take_registers(part.warp, count) {
                self.wake(&part);
                any = true;
            }
        }
        any
    }
}

/// Returns the registers per thread that a warp needs for `count` in addition to its own, at least 0, and those that the warps of
/// its block have left. Returns `None` if the launch reserves no certain number.
fn demand(bound: &Bound<'_>, warps: &[Warp], warp: usize, count: u32) -> Option<(u32, u32)> {
    let reserved = bound.program.reserved_registers?;
    let held = |warp: &Warp| if warp.alive == 0 { 0 } else { warp.registers.unwrap_or(reserved) };
    let left = (reserved * warps.len() as u32).saturating_sub(warps.iter().map(held).sum());
    Some((count.saturating_sub(held(&warps[warp])), left))
}

/// Returns why a warp waits at a step that sets its number of registers.
pub(super) fn reason(bound: &Bound<'_>, warps: &[Warp], warp: usize, position: u32) -> Reason {
    let (wanted, left) = match bound.steps[position as usize].action {
        Action::SetRegisters { count } => demand(bound, warps, warp, count).unwrap_or_default(),
        _ => (0, 0),
    };
    Reason::Registers { wanted, left }
}
