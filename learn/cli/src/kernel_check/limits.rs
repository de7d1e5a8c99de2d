//! Launches that a driver refuses before the kernel runs, and the emulator does not: cooperative launches that are too large, and shared memory
//! that a program must ask for.

use super::Request;
use anyhow::{Result, bail};
use emulator::capability::{MAX_THREADS_PER_BLOCK, MULTIPROCESSORS, SHARED_BYTES_PER_BLOCK};
use emulator::{Kernel, MAX_SHARED_BYTES, Resources};

/// Returns what a program must do before a launch with so much shared memory, if it must do something.
pub fn note_on_shared_memory(kernel: &Kernel, request: &Request) -> Option<String> {
    let fixed = kernel.static_shared_bytes();
    let bytes = fixed.saturating_add(request.shared);
    (bytes > SHARED_BYTES_PER_BLOCK && bytes <= MAX_SHARED_BYTES).then(|| {
        format!(
            "note: {bytes} bytes of shared memory per block, {fixed} of them static: above {SHARED_BYTES_PER_BLOCK} a program must \
             first call cudaFuncSetAttribute({}, cudaFuncAttributeMaxDynamicSharedMemorySize, {})",
            request.kernel, request.shared
        )
    })
}

/// Fails if a cooperative launch has more blocks than the device has room for at once, which CUDA refuses.
///
/// # Errors
/// Returns the number of blocks that fit.
pub fn require_room(kernel: &Kernel, request: &Request) -> Result<()> {
    let volume = |[x, y, z]: [u32; 3]| u64::from(x) * u64::from(y) * u64::from(z);
    let threads = volume(request.block);
    // Other blocks are invalid in any launch.
    if !request.cooperative || !(1..=u64::from(MAX_THREADS_PER_BLOCK)).contains(&threads) {
        return Ok(());
    }
    // Registers are left out, since PTX does not determine their number: what is refused here is refused everywhere.
    let resources = Resources {
        registers: 0,
        static_shared_bytes: kernel.static_shared_bytes(),
        max_threads: kernel.max_threads_per_block(),
        max_dynamic_shared_bytes: MAX_SHARED_BYTES,
    };
    let on_each = resources.blocks_per_multiprocessor(threads as u32, request.shared as usize);
    let room = u64::from(on_each) * u64::from(MULTIPROCESSORS);
    let blocks = volume(request.grid);
    if blocks > room && on_each > 0 {
        bail!(
            "too many blocks in a cooperative launch of `{}`: {blocks} blocks of {threads}, and {room} can be resident at once, \
             {on_each} on each of {MULTIPROCESSORS} multiprocessors; CUDA refuses it with error 720",
            request.kernel
        );
    }
    Ok(())
}
