//! Rows of 32 lanes, and vector instructions for them behind safe functions: AVX2 on x86-64, and what WebAssembly has.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_family = "wasm")]
mod fused;
mod rows;

#[cfg(target_arch = "x86_64")]
pub use avx2::Avx2;
#[cfg(target_family = "wasm")]
pub use fused::{Fused, MODULE};
pub use rows::{Lane, load_atomics, load_cells, select, select_wide, store_atomics};

/// The number of threads in a warp, each of which has a lane in a row.
pub const WARP_SIZE: usize = 32;

/// Evaluates an expression with the vector instructions that this processor has, to the same bits as without them. As for
/// [`Avx2::run`], functions that it calls must be `#[inline(always)]`.
#[macro_export]
macro_rules! vectorize {
    ($expression:expr) => {
        $crate::run(
            #[inline(always)]
            || $expression,
        )
    };
}

/// Does the work of [`vectorize!`].
#[inline(always)]
pub fn run<R>(work: impl FnOnce() -> R) -> R {
    #[cfg(target_arch = "x86_64")]
    if let Some(avx2) = Avx2::detect() {
        return avx2.run(work);
    }
    work()
}

/// A register of 32 lanes, aligned for the widest vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(align(64))]
pub struct Row<T>(pub [T; WARP_SIZE]);
