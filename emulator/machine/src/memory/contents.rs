//! Host access to device memory: reads, writes, copies, fills. The host can access the memory of every device.

use super::device::Memory;
use crate::ground::refusal::MemoryError;

impl Memory {
    /// Copies `source` to device memory at `address`.
    ///
    /// # Errors
    /// Returns [`MemoryError::InvalidRange`] if the range is not inside one allocation. Nothing is written then.
    pub fn write(&self, address: u64, source: &[u8]) -> Result<(), MemoryError> {
        let region = self.find(address, source.len() as u64)?;
        region.mark_written(address, source.len() as u64);
        region.write(address, source);
        Ok(())
    }

    /// Copies device memory at `address` into `target`.
    ///
    /// # Errors
    /// Returns [`MemoryError::InvalidRange`] if the range is not inside one allocation.
    pub fn read(&self, address: u64, target: &mut [u8]) -> Result<(), MemoryError> {
        self.find(address, target.len() as u64)?.read(address, target);
        Ok(())
    }

    /// Copies `bytes` bytes within device memory. The ranges may overlap.
    ///
    /// # Errors
    /// Returns [`MemoryError::InvalidRange`] if either range is not inside one allocation.
    pub fn copy(&self, target: u64, source: u64, bytes: u64) -> Result<(), MemoryError> {
        self.find(target, bytes)?;
        let mut buffer = vec![0; bytes as usize];
        self.read(source, &mut buffer)?;
        self.write(target, &buffer)
    }

    /// Writes `count` copies of `pattern` (1, 2 or 4 bytes) from `address` on.
    ///
    /// # Errors
    /// Returns [`MemoryError::InvalidRange`] if the range is not inside one allocation.
    pub fn fill(&self, address: u64, pattern: &[u8], count: u64) -> Result<(), MemoryError> {
        let invalid = MemoryError::InvalidRange { address, bytes: count };
        let bytes = count.checked_mul(pattern.len() as u64).ok_or(invalid)?;
        self.find(address, bytes)?;
        const CHUNK_BYTES: u64 = 1 << 16;
        let buffer: Vec<u8> = pattern.iter().copied().cycle().take(CHUNK_BYTES as usize).collect();
        for start in (0..bytes).step_by(CHUNK_BYTES as usize) {
            let length = (bytes - start).min(CHUNK_BYTES);
            self.write(address + start, &buffer[..length as usize])?;
        }
        Ok(())
    }
}
