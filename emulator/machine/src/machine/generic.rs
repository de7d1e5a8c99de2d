//! Reads of generic addresses outside of memory instructions, for texts and arguments of CUDA's built-in functions.

use super::block::BlockMachine;
use super::events::Observer;
use super::word::read;
use crate::ground::lanes::WARP_SIZE;
use crate::ground::space::Space;

/// The largest number of bytes of a text.
const MAX_TEXT_BYTES: u64 = 1 << 16;

impl<O: Observer> BlockMachine<'_, O> {
    /// Returns the byte at a generic address, as the thread in this lane of this warp reads it. Returns `None` outside of
    /// memory.
    fn byte_at(&self, (warp, lane): (usize, usize), address: u64) -> Option<u8> {
        let space = Space::from_address(address);
        let offset = address.wrapping_sub(space.base());
        let within = |bytes: u64| (offset < bytes).then_some(offset as usize);
        match space {
            Space::Shared => {
                let offset = self.own_offset(offset);
                let within = |bytes: u64| (offset < bytes).then_some(offset as usize);
                within(self.bound.shared_bytes() as u64).map(|at| read(&self.memories.shared, at, 1) as u8)
            }
            Space::Local => {
                let bytes = u64::from(self.bound.program.local_bytes);
                let start = bytes.next_multiple_of(4) as usize * (warp * WARP_SIZE + lane);
                within(bytes).map(|at| read(&self.memories.local, start + at, 1) as u8)
            }
            Space::Parameter => self.bound.launch.parameters.get(offset as usize).copied(),
            Space::Generic | Space::Global | Space::Constant => self.memories.device.byte(address),
        }
    }

    /// Returns the little-endian number of `bytes` bytes at a generic address.
    pub(super) fn number_at(&self, thread: (usize, usize), address: u64, bytes: u64) -> Option<u64> {
        (0..bytes).rev().try_fold(0, |number, index| {
            let byte = self.byte_at(thread, address.wrapping_add(index))?;
            Some(number << 8 | u64::from(byte))
        })
    }

    /// Returns the text at a generic address, which ends before a NUL or at the end of its memory. Returns `None` outside of
    /// memory.
    pub(super) fn text_at(&self, thread: (usize, usize), address: u64) -> Option<Vec<u8>> {
        self.byte_at(thread, address)?;
        let addresses = address..address.saturating_add(MAX_TEXT_BYTES);
        Some(addresses.map_while(|address| self.byte_at(thread, address)).take_while(|&byte| byte != 0).collect())
    }
}
