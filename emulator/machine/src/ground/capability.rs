//! The resources of the emulated device, which has compute capability 9.0.
//!
//! The numbers are from the CUDA C++ Programming Guide, "Compute Capabilities".

use super::lanes::WARP_SIZE;

/// The number of multiprocessors, that of an H200. It is the same on every machine, so a launch whose grid depends on it,
/// or whose blocks wait for each other, behaves the same everywhere.
pub const MULTIPROCESSORS: u32 = 132;
/// [`WARP_SIZE`] as the type of the other numbers.
pub const WARP_THREADS: u32 = WARP_SIZE as u32;
/// The maximum number of threads in a block.
pub const MAX_THREADS_PER_BLOCK: u32 = 1024;
/// The maximum number of resident threads.
pub const MAX_THREADS_PER_MULTIPROCESSOR: u32 = 2048;
/// The maximum number of resident blocks.
pub const MAX_BLOCKS_PER_MULTIPROCESSOR: u32 = 32;
/// The number of 32-bit registers of a multiprocessor, and the maximum for one block.
pub const REGISTERS: u32 = 65536;
/// The maximum number of registers per thread. Compilers spill the rest to local memory.
pub const MAX_REGISTERS_PER_THREAD: u32 = 255;
/// The shared memory, static and dynamic, that a block can use without opting in to more.
pub const SHARED_BYTES_PER_BLOCK: u32 = 48 << 10;
/// The shared memory of a multiprocessor, which its resident blocks divide.
pub const SHARED_BYTES_PER_MULTIPROCESSOR: u32 = 228 << 10;
/// The shared memory per block that the system reserves.
pub const RESERVED_SHARED_BYTES_PER_BLOCK: u32 = 1 << 10;
