//! How many blocks of a kernel a multiprocessor holds at once, by the rules of compute capability 9.0.
//!
//! The rules were fitted to, and are tested against, what an H200 answers.

use crate::ground::limits::{
    MAX_BLOCKS_PER_MULTIPROCESSOR, MAX_REGISTERS_PER_THREAD, MAX_THREADS_PER_BLOCK, MAX_THREADS_PER_MULTIPROCESSOR,
    REGISTERS, RESERVED_SHARED_BYTES_PER_BLOCK, SHARED_BYTES_PER_BLOCK, SHARED_BYTES_PER_MULTIPROCESSOR, WARP_THREADS,
};

/// Registers come in units of this many for a warp.
const REGISTER_UNIT: u32 = 256;

/// A multiprocessor's registers lie in this many parts, and a warp's all in one of them.
const REGISTER_FILE_PARTS: u32 = 4;

/// Shared memory comes in units of this many bytes for a block.
const SHARED_UNIT_BYTES: u32 = 128;

/// What one block of a kernel takes, whatever its size.
#[derive(Clone, Copy, Debug)]
pub struct Resources {
    /// Registers of 32 bits of a thread.
    pub registers: u32,
    /// Static shared memory in bytes.
    pub static_shared_bytes: u32,
    /// Largest block that the kernel allows, 1 to 1024.
    pub max_threads: u32,
    /// Dynamic shared memory in bytes that launches may ask for.
    pub max_dynamic_shared_bytes: u32,
}

/// What a multiprocessor can run out of; as text, `shared memory` and so on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Limit {
    /// Registers.
    Registers,
    /// Shared memory.
    #[serde(rename = "shared memory")]
    SharedMemory,
    /// Warps.
    Warps,
    /// Blocks.
    Blocks,
}

impl Resources {
    /// Returns the registers of a thread as a compiler can allot them: 1 to 255.
    #[must_use]
    pub fn registers_per_thread(&self) -> u32 {
        self.registers.clamp(1, MAX_REGISTERS_PER_THREAD)
    }

    /// Returns the threads of the largest block whose registers fit.
    #[must_use]
    pub fn threads_by_registers(&self) -> u32 {
        self.warps_by_registers() * WARP_THREADS
    }

    /// Returns the threads of the largest block that can be launched.
    #[must_use]
    pub fn max_threads_per_block(&self) -> u32 {
        self.max_threads.min(self.threads_by_registers())
    }

    /// Returns how many blocks of `threads` threads (at least 1) with `dynamic_bytes` of dynamic shared memory fit.
    #[must_use]
    pub fn blocks_per_multiprocessor(&self, threads: u32, dynamic_bytes: usize) -> u32 {
        // What every block gets counts here even where launches are allowed less.
        let without_asking = SHARED_BYTES_PER_BLOCK.saturating_sub(self.static_shared_bytes);
        let most_dynamic_bytes = self.max_dynamic_shared_bytes.max(without_asking);
        if threads > MAX_THREADS_PER_BLOCK || dynamic_bytes > most_dynamic_bytes as usize {
            return 0;
        }
        self.limits(threads, dynamic_bytes as u32).map(|(_, blocks)| blocks).into_iter().min().unwrap_or(0)
    }

    /// Returns how many blocks of `threads` threads (at least 1) with `dynamic_bytes` of dynamic shared memory each
    /// resource has room for by itself; the least of them is resident.
    #[must_use]
    pub fn limits(&self, threads: u32, dynamic_bytes: u32) -> [(Limit, u32); 4] {
        let warps = threads.div_ceil(WARP_THREADS).max(1);
        let shared_bytes = self.static_shared_bytes.saturating_add(dynamic_bytes);
        let share = shared_bytes.saturating_add(RESERVED_SHARED_BYTES_PER_BLOCK).div_ceil(SHARED_UNIT_BYTES);
        [
            (Limit::Registers, self.warps_by_registers() / warps),
            (Limit::SharedMemory, SHARED_BYTES_PER_MULTIPROCESSOR / SHARED_UNIT_BYTES / share),
            (Limit::Warps, MAX_THREADS_PER_MULTIPROCESSOR / WARP_THREADS / warps),
            (Limit::Blocks, MAX_BLOCKS_PER_MULTIPROCESSOR),
        ]
    }

    /// Returns the block size with the most threads on a multiprocessor, the largest of several, and how many such
    /// blocks fit. `limit` is the largest size to look at, 0 for no limit; `dynamic_bytes` gives the dynamic shared
    /// memory of a size.
    #[must_use]
    pub fn best_block(&self, limit: u32, mut dynamic_bytes: impl FnMut(u32) -> usize) -> (u32, u32) {
        let largest = self.max_threads_per_block().min(if limit == 0 { u32::MAX } else { limit });
        let (mut best, mut best_blocks) = (0, 0);
        for warps in (1..=largest.div_ceil(WARP_THREADS)).rev() {
            let threads = largest.min(warps * WARP_THREADS);
            let blocks = self.blocks_per_multiprocessor(threads, dynamic_bytes(threads));
            if blocks * threads > best_blocks * best {
                (best, best_blocks) = (threads, blocks);
            }
        }
        (best, best_blocks)
    }

    /// Returns the dynamic shared memory in bytes that each of `blocks` blocks of `threads` threads can have while all
    /// are on one multiprocessor; `None` if they do not fit even without. Like NVIDIA's driver it does not subtract
    /// the share that the system reserves, so the answer may be that much too large.
    #[must_use]
    pub fn available_dynamic_bytes(&self, blocks: u32, threads: u32) -> Option<usize> {
        if blocks == 0 || threads == 0 || blocks > self.blocks_by_threads(threads) {
            return None;
        }
        let share = SHARED_BYTES_PER_MULTIPROCESSOR / blocks / SHARED_UNIT_BYTES * SHARED_UNIT_BYTES;
        let dynamic_bytes = share.checked_sub(self.static_shared_bytes)?;
        Some(dynamic_bytes.min(self.max_dynamic_shared_bytes) as usize)
    }

    /// Returns how many blocks of `threads` threads fit by warps and registers.
    fn blocks_by_threads(&self, threads: u32) -> u32 {
        let limits = self.limits(threads, 0).into_iter().filter(|(limit, _)| *limit != Limit::SharedMemory);
        limits.map(|(_, blocks)| blocks).min().unwrap_or(0)
    }

    fn warps_by_registers(&self) -> u32 {
        let registers_per_warp = (self.registers_per_thread() * WARP_THREADS).next_multiple_of(REGISTER_UNIT);
        REGISTERS / REGISTER_FILE_PARTS / registers_per_warp * REGISTER_FILE_PARTS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Answers of an H200 (driver 580); the file says what its columns are.
    const READINGS: &str = include_str!("../tests/hardware/occupancy.txt");

    /// Returns the rows of one kind as numbers.
    fn readings(kind: &str) -> impl Iterator<Item = (Resources, Vec<u32>)> {
        READINGS.lines().filter_map(move |line| {
            let row = line.strip_prefix(kind)?;
            let numbers: Vec<u32> = row.split_whitespace().map(|word| word.parse().unwrap()).collect();
            let [registers, static_shared_bytes, max_threads, max_dynamic_shared_bytes] = numbers[..4] else {
                panic!("{row}")
            };
            let kernel = Resources { registers, static_shared_bytes, max_threads, max_dynamic_shared_bytes };
            Some((kernel, numbers[4..].to_vec()))
        })
    }

    #[test]
    fn blocks_per_multiprocessor_are_those_of_hardware() {
        let mut rows = 0;
        for (resources, row) in readings("blocks ") {
            let [threads, dynamic, blocks] = row[..] else { panic!("{row:?}") };
            let ours = resources.blocks_per_multiprocessor(threads, dynamic as usize);
            assert_eq!(ours, blocks, "{resources:?}, {threads} threads, {dynamic} bytes");
            rows += 1;
        }
        assert!(rows > 500, "{rows} readings");
    }

    #[test]
    fn best_blocks_are_those_of_hardware() {
        let mut rows = 0;
        for (resources, row) in readings("best ") {
            let [limit, dynamic, threads, blocks] = row[..] else { panic!("{row:?}") };
            assert_eq!(resources.best_block(limit, |_| dynamic as usize), (threads, blocks), "{resources:?}, {row:?}");
            rows += 1;
        }
        assert!(rows > 30, "{rows} readings");
    }

    #[test]
    fn available_dynamic_bytes_are_those_of_hardware() {
        let mut rows = 0;
        for (resources, row) in readings("available ") {
            let [blocks, threads, fits, bytes] = row[..] else { panic!("{row:?}") };
            let expected = (fits == 1).then_some(bytes as usize);
            assert_eq!(resources.available_dynamic_bytes(blocks, threads), expected, "{resources:?}, {row:?}");
            rows += 1;
        }
        assert!(rows > 100, "{rows} readings");
    }

    #[test]
    fn largest_block_is_that_of_hardware() {
        for (registers, threads) in [(8, 1024), (40, 1024), (72, 896), (96, 640), (128, 512), (215, 256)] {
            let (static_shared_bytes, max_dynamic_shared_bytes) = (0, 0);
            let kernel = Resources { registers, static_shared_bytes, max_threads: 1024, max_dynamic_shared_bytes };
            assert_eq!(kernel.max_threads_per_block(), threads);
        }
    }
}
