//! Selection of SIMD instructions at run time.
//!
//! A task is compiled twice: for AVX2 with FMA, and for the baseline of the target. 512-bit vectors are not used, because
//! automatically vectorized code was slower with them.

/// A task that is compiled for each instruction set. `run`, and everything that it calls in its loops, must be
/// `#[inline(always)]`: only inlined code is compiled for the wider vectors.
pub(crate) trait Task {
    type Output;

    /// Runs the task. If `FMA` is false, `mul_add` is a slow library call and not an instruction.
    fn run<const FMA: bool>(self) -> Self::Output;
}

/// The instruction set of the processor.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Simd {
    #[cfg(target_arch = "x86_64")]
    Avx2Fma(::simd::Avx2),
    Baseline,
}

impl Simd {
    /// Detects the instruction set.
    pub(crate) fn detect() -> Self {
        #[cfg(target_arch = "x86_64")]
        if let Some(avx2) = ::simd::Avx2::detect() {
            return Self::Avx2Fma(avx2);
        }
        Self::Baseline
    }

    /// Returns whether `mul_add` is an instruction.
    pub(crate) fn has_fma(self) -> bool {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Avx2Fma(_) => true,
            Self::Baseline => cfg!(target_arch = "aarch64"),
        }
    }

    /// Runs the version of `task` for this instruction set.
    #[inline(always)]
    pub(crate) fn run<T: Task>(self, task: T) -> T::Output {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Avx2Fma(avx2) => avx2.run(
                #[inline(always)]
                || task.run::<true>(),
            ),
            Self::Baseline => task.run::<{ cfg!(target_arch = "aarch64") }>(),
        }
    }
}
