//! Host access to device memory: reads, writes, copies, fills. The host can access the memory of every device.

use super::device::Memory;
use crate::ground::refusal::MemoryError;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

impl Memory {
    /// Copies `source` to device memory at `address`.
    ///
    /// # Errors
    /// Returns [`MemoryError::InvalidRange`] if the range is not inside one allocation. Nothing is written then.
    pub fn write(&self, address: u64, source: &[u8]) -> Result<(), MemoryError> {
        let region = self.find(address, source.len() as u64)?;
        region.mark_written(address, source.len() as u64);
        let mut offset = (address - region.base) as usize;
        let mut rest = source;
        while !rest.is_empty() {
            let (chunk, tail) = rest.split_at(rest.len().min(4 - offset % 4));
            write_part(&region.words[offset / 4], offset % 4, chunk);
            offset += chunk.len();
            rest = tail;
        }
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

/// Replaces the bytes of `word` (little-endian) from byte `start` (0 to 3) on with `chunk`.
fn write_part(word: &AtomicU32, start: usize, chunk: &[u8]) {
    if let Ok(whole) = <[u8; 4]>::try_from(chunk) {
        word.store(u32::from_le_bytes(whole), Relaxed);
        return;
    }
    let (mut value, mut mask) = ([0; 4], [0; 4]);
    value[start..start + chunk.len()].copy_from_slice(chunk);
    mask[start..start + chunk.len()].fill(0xFF);
    let value = u32::from_le_bytes(value);
    let mask = u32::from_le_bytes(mask);
    word.fetch_and(!mask, Relaxed);
    word.fetch_or(value, Relaxed);
}
