//! Assertions that do not hold.

use super::bind::BoundStep;
use super::block::BlockMachine;
use super::events::Observer;
use super::stop::Stop;
use crate::ground::fault::FaultKind;

/// Bytes of a text that a message shows at most.
const MAX_TEXT_BYTES: u64 = 1000;

impl<O: Observer> BlockMachine<'_, O> {
    /// The fault of the first lane whose assertion failed. Operands are text, file, line and function.
    pub(super) fn assertion_failed(&self, step: &BoundStep) -> Box<Stop> {
        let (warp, mask) = (usize::from(self.lanes.warps[0]), self.lanes.masks[0]);
        let operand = |index| self.registers.value(step.operand(index), warp, mask.trailing_zeros() as usize);
        let text = |index| self.text_at(operand(index));
        let detail = format!("`{}` does not hold, {}:{}, in `{}`", text(0), text(1), operand(2), text(3));
        self.fault(FaultKind::Assertion, 0, mask, detail)
    }

    /// The text in device memory that begins at `address` and ends with NUL, or where memory does.
    fn text_at(&self, address: u64) -> String {
        let byte = |address| {
            let mut byte = [0];
            self.memories.device.read(address, &mut byte).ok().map(|()| byte[0])
        };
        let bytes = (address..address.saturating_add(MAX_TEXT_BYTES)).map_while(byte).take_while(|&byte| byte != 0);
        String::from_utf8_lossy(&bytes.collect::<Vec<u8>>()).into_owned()
    }
}
