//! Entry points.

use crate::target;

/// As the first statement of a kernel: it is launched with blocks of at most `threads` threads, a constant. CUDA's
/// `__launch_bounds__`, PTX's `.maxntid`. The compiler then knows that `thread_idx()` is below, and how many registers
/// there are per thread. It becomes no instruction: `rust-ptx` turns it into a property of the kernel.
#[inline(always)]
pub fn launch_bounds(threads: usize) {
    target::launch_bounds(threads);
}

/// As a statement after [`launch_bounds`]: at least `blocks` blocks, a constant, are to fit on a multiprocessor, so that the
/// compiler may take that share of its registers and no more. The second number of CUDA's `__launch_bounds__`, PTX's
/// `.minnctapersm`. It becomes no instruction, as `launch_bounds`.
#[inline(always)]
pub fn resident_blocks(blocks: usize) {
    target::resident_blocks(blocks);
}

/// As a statement of a kernel: instructions of its file stay in the order of the source, as far as they depend on nothing
/// else. Without it they are ordered so that few values are kept at a time. That suits loops that are unrolled often, and does
/// not suit a kernel that fills the registers with values for many independent sums. It becomes no instruction: `rust-ptx`
/// gives LLVM the option.
#[inline(always)]
pub fn source_order() {
    target::source_order();
}

/// Kernels from functions that are generic over constants, the first of which is the block size:
///
/// ```ignore
/// kernels! {
///     fn (x: *const f32, n: u32);
///     sum_64 = sum::<64>;
///     sum_128 = sum::<128>;
/// }
/// ```
///
/// exports `sum_64`, which calls `sum::<64>` and has its [`launch_bounds`].
#[macro_export]
macro_rules! kernels {
    (fn $parameters:tt; $($name:ident = $function:ident::<$block:literal $(, $constant:literal)*>;)+) => {
        $($crate::kernels!(@ $parameters $name $function $block $($constant)*);)+
    };
    (@ ($($parameter:ident: $type:ty),+ $(,)?) $name:ident $function:ident $block:literal $($constant:literal)*) => {
        #[unsafe(no_mangle)]
        pub unsafe extern "ptx-kernel" fn $name($($parameter: $type),+) {
            $crate::launch_bounds($block);
            // SAFETY: the launch keeps to what the function asks for.
            unsafe { $function::<$block $(, $constant)*>($($parameter),+) }
        }
    };
}
