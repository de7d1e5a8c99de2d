//! Loop unrolling.

use crate::target;

/// Unrolls a loop `count` times, or completely if it has no more iterations than that: CUDA's `#pragma unroll`.
///
/// It is the first statement of the loop's body. `count` is a constant; 1 keeps the loop as it is. It compiles to no
/// instruction: `rust-ptx` makes it a property of the loop.
#[inline(always)]
pub fn unroll(count: usize) {
    target::unroll(count);
}
