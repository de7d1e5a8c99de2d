//! How many blocks of a launch are resident at once: hardware promises all of them that they go on.

use crate::ground::dimensions::Launch;
use crate::machine::bind::Bound;
use crate::module::kernel::Kernel;
use crate::occupancy::Resources;

/// Bytes that resident blocks take together at most. Hardware has no more room either for the local memory of threads that
/// take so much of it.
const MOST_BYTES: u64 = 4 << 30;

/// Blocks on `multiprocessors`, by threads, shared memory and the number of blocks. Registers are left out, since PTX does
/// not say how many a compiler allots: that may be more blocks than hardware has, and never fewer.
pub(super) fn resident_blocks(kernel: &Kernel, launch: &Launch<'_>, bound: &Bound<'_>, multiprocessors: u32) -> u64 {
    let resources = Resources {
        registers: 0,
        static_shared_bytes: kernel.static_shared_bytes(),
        max_threads: kernel.max_threads_per_block(),
        max_dynamic_shared_bytes: u32::MAX,
    };
    let threads = launch.block.volume() as u32;
    let on_each = resources.blocks_per_multiprocessor(threads, launch.dynamic_shared_bytes as usize).max(1);
    let fit = MOST_BYTES / bound.bytes_of_block().max(1);
    (u64::from(on_each) * u64::from(multiprocessors)).min(fit).max(1)
}
