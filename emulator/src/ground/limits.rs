//! What a device of compute capability 9.0 has, which the emulator keeps to.
//!
//! Numbers are those of the CUDA C++ Programming Guide, "Compute Capabilities".

/// Multiprocessors of the device, as many as an H200 has. A fixed number, so that a launch that is shaped by it, and a
/// wait of blocks for each other, are the same on every machine.
pub const MULTIPROCESSORS: u32 = 132;
/// Threads of a warp.
pub const WARP_THREADS: u32 = 32;
/// Threads of a block at most.
pub const MAX_THREADS_PER_BLOCK: u32 = 1024;
/// Threads that are resident at once.
pub const MAX_THREADS_PER_MULTIPROCESSOR: u32 = 2048;
/// Blocks that are resident at once.
pub const MAX_BLOCKS_PER_MULTIPROCESSOR: u32 = 32;
/// Registers of 32 bits, of a multiprocessor and at most of a block.
pub const REGISTERS: u32 = 65536;
/// Registers of a thread at most: the rest is spilled to local memory.
pub const MAX_REGISTERS_PER_THREAD: u32 = 255;
/// Shared memory that a block gets without asking, static and dynamic.
pub const SHARED_BYTES_PER_BLOCK: u32 = 48 << 10;
/// Shared memory of all resident blocks.
pub const SHARED_BYTES_PER_MULTIPROCESSOR: u32 = 228 << 10;
/// Shared memory that the system takes from each block's share.
pub const RESERVED_SHARED_BYTES_PER_BLOCK: u32 = 1 << 10;
