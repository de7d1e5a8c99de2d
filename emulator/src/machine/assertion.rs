//! Failed assertions.

use super::bind::BoundStep;
use super::block::BlockMachine;
use super::events::Observer;
use super::stop::Stop;
use crate::ground::fault::FaultKind;

/// The largest number of bytes of a string that a message shows.
const MAX_TEXT_BYTES: u64 = 1000;

impl<O: Observer> BlockMachine<'_, O> {
    /// Returns the fault of the first lane whose assertion failed. The operands are expression, file, line and function.
    pub(super) fn assertion_failed(&self, step: &BoundStep) -> Box<Stop> {
        let (warp, mask) = (usize::from(self.lanes.warps[0]), self.lanes.masks[0]);
        let operand = |index| self.registers.value(step.operand(index), warp, mask.trailing_zeros() as usize);
        let text = |index| self.text_at(operand(index));
        let detail = format!("`{}` does not hold, {}:{}, in `{}`", text(0), text(1), operand(2), text(3));
        self.fault(FaultKind::Assertion, 0, mask, detail)
    }

    /// Returns the string in device memory at `address`, which ends with NUL or at the end of the allocation.
    fn text_at(&self, address: u64) -> String {
        let byte = |address| {
            let mut byte = [0];
            self.memories.device.read(address, &mut byte).ok().map(|()| byte[0])
        };
        let bytes = (address..address.saturating_add(MAX_TEXT_BYTES)).map_while(byte).take_while(|&byte| byte != 0);
        String::from_utf8_lossy(&bytes.collect::<Vec<u8>>()).into_owned()
    }
}
