//! CUDA arrays: elements of textures. In the emulator, their rows are one after the other in device memory.

use super::context::Context;
use super::handle::{Handle, Object};
use emulator::Channel;

/// An array.
#[derive(Debug)]
pub struct Array {
    pub(crate) context: Handle<Context>,
    /// The address of the first element, an allocation of the context.
    pub(crate) address: u64,
    pub(crate) channel: Channel,
    pub(crate) channels: u32,
    /// The width, height and depth as the caller has given them, 0 for those that it does not have.
    pub(crate) sizes: [usize; 3],
}

impl Object for Array {
    const NOUN: &str = "CUDA array";
}

impl Array {
    pub(crate) fn element_bytes(&self) -> usize {
        self.channel.bytes() as usize * self.channels as usize
    }

    pub(crate) fn row_bytes(&self) -> usize {
        self.sizes[0] * self.element_bytes()
    }

    /// Returns the number of rows of a slice.
    pub(crate) fn rows(&self) -> usize {
        self.sizes[1].max(1)
    }

    /// Returns the size in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.row_bytes() * self.rows() * self.sizes[2].max(1)
    }
}
