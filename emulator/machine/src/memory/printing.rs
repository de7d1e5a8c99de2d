//! The text that kernels print, and the part of it that the host takes.

use super::device::Memory;
use super::printed::Printed;
use std::sync::PoisonError;

impl Memory {
    /// Returns the text that kernels of this device have printed since the last call: of each thread in its order, of blocks
    /// in the order in which they ran.
    #[must_use]
    pub fn take_printed(&self) -> Printed {
        self.printed.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Returns the capacity of the buffer for printed text in bytes.
    #[must_use]
    pub fn print_capacity(&self) -> usize {
        self.printed.lock().unwrap_or_else(PoisonError::into_inner).capacity
    }

    /// Sets the capacity of the buffer for printed text in bytes.
    pub fn set_print_capacity(&self, bytes: usize) {
        let mut printed = self.printed.lock().unwrap_or_else(PoisonError::into_inner);
        printed.capacity = bytes;
        printed.add(&[]);
    }

    /// Adds text that a thread prints.
    pub(crate) fn print(&self, text: &[u8]) {
        self.printed.lock().unwrap_or_else(PoisonError::into_inner).add(text);
    }
}
