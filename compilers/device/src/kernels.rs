//! The properties of entry points, which a kernel states as its first statements, and of loops.

use crate::target;

/// Limits the blocks of a kernel to `threads` threads, a constant: CUDA's `__launch_bounds__`, PTX's `.maxntid`.
///
/// It is the first statement of a kernel. The compiler can then assume that `thread_idx()` is below `threads`, and knows how
/// many registers there are per thread. It compiles to no instruction: `rust-ptx` makes it a property of the kernel.
#[inline(always)]
pub fn launch_bounds(threads: usize) {
    target::launch_bounds(threads);
}

/// Requires that at least `blocks` blocks, a constant, are resident on a multiprocessor, which limits the number of registers:
/// the second argument of CUDA's `__launch_bounds__`, PTX's `.minnctapersm`.
///
/// It follows [`launch_bounds`], and like it compiles to no instruction.
#[inline(always)]
pub fn resident_blocks(blocks: usize) {
    target::resident_blocks(blocks);
}

/// Keeps the instructions of the kernel's file in the order of the source, as far as their dependencies allow.
///
/// Without it, LLVM orders instructions so that few values are live at a time. That is good for unrolled loops, and bad for
/// a kernel that fills the registers with values for many independent sums. It compiles to no instruction: `rust-ptx` passes
/// an option to LLVM.
#[inline(always)]
pub fn source_order() {
    target::source_order();
}

/// Exports kernels that are instances of a function with constant parameters, of which the first is the block size:
///
/// ```ignore
/// kernels! {
///     fn (x: *const f32, n: u32);
///     sum_64 = sum::<64>;
///     sum_128 = sum::<128>;
/// }
/// ```
///
/// exports `sum_64`, which calls `sum::<64>` and has launch bounds of 64 threads, and likewise `sum_128`.
#[macro_export]
macro_rules! kernels {
    (fn $parameters:tt; $($name:ident = $function:ident::<$block:literal $(, $constant:literal)*>;)+) => {
        $($crate::kernels!(@ $parameters $name $function $block $($constant)*);)+
    };
    (@ ($($parameter:ident: $type:ty),+ $(,)?) $name:ident $function:ident $block:literal $($constant:literal)*) => {
        #[unsafe(no_mangle)]
        pub unsafe extern "ptx-kernel" fn $name($($parameter: $type),+) {
            $crate::launch_bounds($block);
            // SAFETY: the launch meets the function's requirements.
            unsafe { $function::<$block $(, $constant)*>($($parameter),+) }
        }
    };
}

/// Unrolls a loop `count` times, or completely if it has no more iterations than that: CUDA's `#pragma unroll`.
///
/// It is the first statement of the loop's body. `count` is a constant; 1 keeps the loop as it is. It compiles to no
/// instruction: `rust-ptx` makes it a property of the loop.
#[inline(always)]
pub fn unroll(count: usize) {
    target::unroll(count);
}
