//! Occupancy: the number of resident blocks of a kernel per multiprocessor, by the rules of compute capability 9.0.
//!
//! The rules were fitted to the results of the occupancy API on an H200, and are tested against them.

use crate::ground::capability::{
    MAX_BLOCKS_PER_MULTIPROCESSOR, MAX_REGISTERS_PER_THREAD, MAX_THREADS_PER_BLOCK, MAX_THREADS_PER_MULTIPROCESSOR,
    REGISTERS, RESERVED_SHARED_BYTES_PER_BLOCK, SHARED_BYTES_PER_BLOCK, SHARED_BYTES_PER_MULTIPROCESSOR, WARP_THREADS,
};

/// The allocation unit of registers, per warp.
const REGISTER_UNIT: u32 = 256;

/// The number of parts of a multiprocessor's register file. All registers of a warp are in one part.
const REGISTER_FILE_PARTS: u32 = 4;

/// The allocation unit of shared memory, in bytes per block.
const SHARED_UNIT_BYTES: u32 = 128;

/// The resources that a kernel needs, whatever the size of its blocks.
#[derive(Clone, Copy, Debug)]
pub struct Resources {
    /// The number of 32-bit registers per thread.
    pub registers: u32,
    /// The static shared memory in bytes.
    pub static_shared_bytes: u32,
    /// The largest block size that the kernel allows, 1 to 1024.
    pub max_threads: u32,
    /// The largest dynamic shared memory of a launch in bytes.
    pub max_dynamic_shared_bytes: u32,
}

/// A resource that limits the occupancy. It serializes as lower-case text, such as `shared memory`.
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

/// Returns the largest number of registers per thread with which a block of `threads` threads (at least 1) fits in a
/// multiprocessor. A compiler stays within it for a kernel that declares `.maxntid`.
#[must_use]
pub fn max_registers(threads: u32) -> u32 {
    let warps_per_part = threads.div_ceil(WARP_THREADS).div_ceil(REGISTER_FILE_PARTS);
    let registers_per_warp = REGISTERS / REGISTER_FILE_PARTS / warps_per_part / REGISTER_UNIT * REGISTER_UNIT;
    (registers_per_warp / WARP_THREADS).min(MAX_REGISTERS_PER_THREAD)
}

impl Resources {
    /// Returns the largest number of registers per thread with which as many blocks of `threads` threads (at least 1) are
    /// resident as with `registers`.
    #[must_use]
    pub fn registers_at_the_same_occupancy(&self, threads: u32) -> u32 {
        let blocks = |registers| Self { registers, ..*self }.blocks_per_multiprocessor(threads, 0);
        let now = blocks(self.registers);
        (self.registers..MAX_REGISTERS_PER_THREAD)
            .find(|&fewer| blocks(fewer + 1) < now)
            .unwrap_or(MAX_REGISTERS_PER_THREAD)
    }

    /// Returns the registers per thread, clamped to what a compiler can allocate: 1 to 255.
    #[must_use]
    pub fn registers_per_thread(&self) -> u32 {
        self.registers.clamp(1, MAX_REGISTERS_PER_THREAD)
    }

    /// Returns the number of threads of the largest block whose registers fit.
    #[must_use]
    pub fn threads_by_registers(&self) -> u32 {
        self.warps_by_registers() * WARP_THREADS
    }

    /// Returns the number of threads of the largest block that can be launched.
    #[must_use]
    pub fn max_threads_per_block(&self) -> u32 {
        self.max_threads.min(self.threads_by_registers())
    }

    /// Returns the number of resident blocks of `threads` threads (at least 1) with `dynamic_bytes` bytes of dynamic shared
    /// memory.
    #[must_use]
    pub fn blocks_per_multiprocessor(&self, threads: u32, dynamic_bytes: usize) -> u32 {
        // The default limit applies even if launches are allowed less.
        let without_asking = SHARED_BYTES_PER_BLOCK.saturating_sub(self.static_shared_bytes);
        let max_dynamic_bytes = self.max_dynamic_shared_bytes.max(without_asking);
        if threads > MAX_THREADS_PER_BLOCK || dynamic_bytes > max_dynamic_bytes as usize {
            return 0;
        }
        self.limits(threads, dynamic_bytes as u32).map(|(_, blocks)| blocks).into_iter().min().unwrap_or(0)
    }

    /// Returns the number of blocks of `threads` threads (at least 1) with `dynamic_bytes` bytes of dynamic shared memory
    /// that each resource allows. The smallest of them is the number of resident blocks.
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

    /// Returns the block size with the largest number of resident threads, and the number of resident blocks of that size.
    /// If there are several, returns the largest size. `limit` is the largest size to consider, 0 for no limit;
    /// `dynamic_bytes` returns the dynamic shared memory of a block size.
    #[must_use]
    pub fn best_block(&self, limit: u32, mut dynamic_bytes: impl FnMut(u32) -> usize) -> (u32, u32) {
        let largest = self.max_threads_per_block().min(if limit == 0 { u32::MAX } else { limit });
        let mut best = 0;
        let mut best_blocks = 0;
        for warps in (1..=largest.div_ceil(WARP_THREADS)).rev() {
            let threads = largest.min(warps * WARP_THREADS);
            let blocks = self.blocks_per_multiprocessor(threads, dynamic_bytes(threads));
            if blocks * threads > best_blocks * best {
                (best, best_blocks) = (threads, blocks);
            }
        }
        (best, best_blocks)
    }

    /// Returns the dynamic shared memory in bytes that each of `blocks` blocks of `threads` threads can have while all are
    /// resident on one multiprocessor, or `None` if they are not even without any. Like NVIDIA's driver, it does not subtract
    /// the memory that the system reserves per block, so the result may be too large by that amount.
    #[must_use]
    pub fn available_dynamic_bytes(&self, blocks: u32, threads: u32) -> Option<usize> {
        if blocks == 0 || threads == 0 || blocks > self.blocks_by_threads(threads) {
            return None;
        }
        let share = SHARED_BYTES_PER_MULTIPROCESSOR / blocks / SHARED_UNIT_BYTES * SHARED_UNIT_BYTES;
        let dynamic_bytes = share.checked_sub(self.static_shared_bytes)?;
        Some(dynamic_bytes.min(self.max_dynamic_shared_bytes) as usize)
    }

    /// Returns the number of resident blocks of `threads` threads if shared memory is not a limit.
    fn blocks_by_threads(&self, threads: u32) -> u32 {
        let limits = self.limits(threads, 0).into_iter().filter(|(limit, _)| *limit != Limit::SharedMemory);
        limits.map(|(_, blocks)| blocks).min().unwrap_or(0)
    }

    fn warps_by_registers(&self) -> u32 {
        let registers_per_warp = (self.registers_per_thread() * WARP_THREADS).next_multiple_of(REGISTER_UNIT);
        REGISTERS / REGISTER_FILE_PARTS / registers_per_warp * REGISTER_FILE_PARTS
    }
}
