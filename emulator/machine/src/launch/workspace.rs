//! The workspace with which the blocks of a cooperative launch synchronize. It consists of two words of device memory, as
//! `grid.sync()` of CUDA's cooperative groups expects them (`cooperative_groups/details/driver_abi.h`): their size in bytes,
//! and the barrier.

use crate::ground::dimensions::Launch;
use crate::ground::refusal::MemoryError;
use crate::lower::special::Special;
use crate::lower::step::Uniform;
use crate::memory::device::Memory;
use crate::module::kernel::Kernel;

/// The size of the two words in bytes.
const BYTES: u32 = 8;

/// The workspace of one launch, which is freed at its end.
pub(super) struct Workspace<'a> {
    memory: &'a Memory,
    address: Option<u64>,
}

impl<'a> Workspace<'a> {
    /// Allocates the workspace of a launch if it is cooperative and the kernel uses it.
    pub(super) fn new(kernel: &Kernel, memory: &'a Memory, launch: &Launch<'_>) -> Result<Self, MemoryError> {
        let is_workspace = |uniform: &Uniform| matches!(uniform, Uniform::Special(Special::WorkspaceLow));
        if !launch.cooperative || !kernel.program().uniforms.narrow.iter().any(is_workspace) {
            return Ok(Self { memory, address: None });
        }
        let address = memory.allocate(BYTES.into())?;
        memory.write(address, &BYTES.to_le_bytes())?;
        memory.write(address + 4, &[0; 4])?;
        Ok(Self { memory, address: Some(address) })
    }

    /// Returns the address of the workspace, 0 if there is none.
    pub(super) fn address(&self) -> u64 {
        self.address.unwrap_or(0)
    }
}

impl Drop for Workspace<'_> {
    fn drop(&mut self) {
        // The address is not used elsewhere, so `free` cannot fail.
        let _freed = self.address.map(|address| self.memory.free(address));
    }
}
