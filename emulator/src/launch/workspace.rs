//! What the blocks of a cooperative launch synchronize by: two words of device memory, as `grid.sync()` of CUDA's
//! cooperative groups finds them (`cooperative_groups/details/driver_abi.h`): their size in bytes, and the barrier.

use crate::ground::dimensions::Launch;
use crate::ground::refusal::MemoryError;
use crate::lower::step::{Special, Uniform};
use crate::memory::device::Memory;
use crate::module::kernel::Kernel;

/// Bytes of the two words.
const BYTES: u32 = 8;

/// The workspace, which lives as long as the launch.
pub(super) struct Workspace<'a> {
    memory: &'a Memory,
    address: Option<u64>,
}

impl<'a> Workspace<'a> {
    /// That of a launch, for a kernel that asks for it.
    pub(super) fn of(kernel: &Kernel, memory: &'a Memory, launch: &Launch<'_>) -> Result<Self, MemoryError> {
        let asks = |uniform: &Uniform| matches!(uniform, Uniform::Special(Special::WorkspaceLow));
        if !launch.cooperative || !kernel.program().uniforms.narrow.iter().any(asks) {
            return Ok(Self { memory, address: None });
        }
        let address = memory.allocate(BYTES.into())?;
        memory.write(address, &BYTES.to_le_bytes())?;
        memory.write(address + 4, &[0; 4])?;
        Ok(Self { memory, address: Some(address) })
    }

    /// Its address, 0 if there is none.
    pub(super) fn address(&self) -> u64 {
        self.address.unwrap_or(0)
    }
}

impl Drop for Workspace<'_> {
    fn drop(&mut self) {
        // Nobody else knows of the allocation.
        let _freed = self.address.map(|address| self.memory.free(address));
    }
}
