//! Failed assertions.

use super::bind::BoundStep;
use super::block::BlockMachine;
use super::events::Observer;
use super::stop::Stop;
use crate::ground::fault::FaultKind;

impl<O: Observer> BlockMachine<'_, O> {
    /// Returns the fault of the first lane whose assertion failed. The operands are expression, file, line and function.
    pub(super) fn assertion_failed(&self, step: &BoundStep) -> Box<Stop> {
        let mask = self.lanes.masks[0];
        let thread = (usize::from(self.lanes.warps[0]), mask.trailing_zeros() as usize);
        let operand = |index| self.registers.value(step.operand(index), thread.0, thread.1);
        let text = |index| {
            let bytes = self.text_at(thread, operand(index)).unwrap_or_default();
            String::from_utf8_lossy(&bytes).into_owned()
        };
        let detail = format!("`{}` does not hold, {}:{}, in `{}`", text(0), text(1), operand(2), text(3));
        self.fault(FaultKind::Assertion, 0, mask, detail)
    }
}
