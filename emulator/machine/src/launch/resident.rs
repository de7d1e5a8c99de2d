//! The number of resident blocks of a launch, for which hardware guarantees forward progress.

use crate::ground::dimensions::Launch;
use crate::machine::bind::Bound;
use crate::module::kernel::Kernel;
use crate::occupancy::Resources;

/// The largest size of the state of all resident blocks together, in bytes. Threads with so much local memory do not fit
/// hardware, either.
const MAX_BYTES: u64 = 4 << 30;

/// Returns the number of resident blocks on `multiprocessors`, as limited by threads, shared memory and block slots.
/// Registers are not taken into account, because PTX does not specify their number. So the result may be larger than on
/// hardware, and is never smaller.
pub(super) fn resident_blocks(kernel: &Kernel, launch: &Launch<'_>, bound: &Bound<'_>, multiprocessors: u32) -> u64 {
    let resources = Resources {
        registers: 0,
        static_shared_bytes: kernel.static_shared_bytes(),
        max_threads: kernel.max_threads_per_block(),
        max_dynamic_shared_bytes: u32::MAX,
    };
    let threads = launch.block.volume() as u32;
    let on_each = resources.blocks_per_multiprocessor(threads, launch.dynamic_shared_bytes as usize).max(1);
    let fit = MAX_BYTES / bound.bytes_of_block().max(1);
    (u64::from(on_each) * u64::from(multiprocessors)).min(fit).max(1)
}
