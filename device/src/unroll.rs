//! Unrolling one loop.

use crate::target;

/// As the first statement of a loop's body: the loop is unrolled `count` times, and in full where it has no more rounds
/// than that. CUDA's `#pragma unroll`. `count` is a constant, 1 for a loop that stays as it is. It becomes no
/// instruction: `rust-ptx` turns it into a property of the loop.
#[inline(always)]
pub fn unroll(count: usize) {
    target::unroll(count);
}
