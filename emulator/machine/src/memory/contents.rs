//! Host access to device memory: reads, writes, copies, fills. The host can access the memory of every device.

use super::device::Memory;
use crate::ground::refusal::MemoryError;

impl Memory {
    /// Copies `source` to device memory at `address`.
    ///
    /// # Errors
    /// Returns [`MemoryError::InvalidRange`] if the range is not inside one allocation. Nothing is written then.
    pub fn write(&self, address: u64, source: &[u8]) -> Result<(), MemoryError> {
        self.with_region(address, source.len() as u64, |region| {
            region.start_write(address, source.len() as u64);
            region.write(address, source);
        })
    }

    /// Copies device memory at `address` into `target`.
    ///
    /// # Errors
    /// Returns [`MemoryError::InvalidRange`] if the range is not inside one allocation.
    pub fn read(&self, address: u64, target: &mut [u8]) -> Result<(), MemoryError> {
        self.with_region(address, target.len() as u64, |region| region.read(address, target))
    }

    /// Copies `bytes` bytes within device memory. The ranges may overlap.
    ///
    /// # Errors
    /// Returns [`MemoryError::InvalidRange`] if either range is not inside one allocation.
    pub fn copy(&self, target: u64, source: u64, bytes: u64) -> Result<(), MemoryError> {
        self.with_region(target, bytes, |_| ())?;
        let mut buffer = vec![0; bytes as usize];
        self.read(source, &mut buffer)?;
        self.write(target, &buffer)
    }

    /// Writes `count` copies of `pattern` (1, 2, 4 or 8 bytes) from `address` on.
    ///
    /// # Errors
    /// Returns [`MemoryError::InvalidRange`] if the range is not inside one allocation.
    pub fn fill(&self, address: u64, pattern: &[u8], count: u64) -> Result<(), MemoryError> {
        let invalid = MemoryError::InvalidRange { address, bytes: count };
        let bytes = count.checked_mul(pattern.len() as u64).ok_or(invalid)?;
        const CHUNK_BYTES: u64 = 1 << 16;
        let buffer: Vec<u8> = pattern.iter().copied().cycle().take(CHUNK_BYTES as usize).collect();
        self.with_region(address, bytes, |region| {
            region.start_write(address, bytes);
            for start in (0..bytes).step_by(CHUNK_BYTES as usize) {
                region.write(address + start, &buffer[..(bytes - start).min(CHUNK_BYTES) as usize]);
            }
        })
    }
}
