//! Chooses the vector instructions at run time.
//!
//! A task is compiled once for AVX2 with FMA and once for the baseline; which one runs is found out
//! on the machine. 512-bit vectors are left alone: compiled automatically they were slower.

/// Work that is worth compiling for each instruction set. `run` must be `#[inline(always)]`, and what
/// it calls in its loops too: only inlined code is compiled for the wider vectors.
pub(crate) trait Task {
    type Output;

    /// `FMA` says whether `mul_add` is one instruction; where it is not, it would be a library call.
    fn run<const FMA: bool>(self) -> Self::Output;
}

/// The instruction set of this machine.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Simd {
    #[cfg(target_arch = "x86_64")]
    Avx2Fma(pulp::x86::V3),
    Baseline,
}

impl Simd {
    /// Looks at the machine.
    pub(crate) fn detect() -> Self {
        #[cfg(target_arch = "x86_64")]
        if let Some(token) = pulp::x86::V3::try_new() {
            return Self::Avx2Fma(token);
        }
        Self::Baseline
    }

    /// Runs `task` compiled for this instruction set.
    #[inline(always)]
    pub(crate) fn run<T: Task>(self, task: T) -> T::Output {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Avx2Fma(token) => token.vectorize(WithFma(task)),
            Self::Baseline => task.run::<{ cfg!(target_arch = "aarch64") }>(),
        }
    }
}

#[cfg(target_arch = "x86_64")]
struct WithFma<T>(T);

#[cfg(target_arch = "x86_64")]
impl<T: Task> pulp::NullaryFnOnce for WithFma<T> {
    type Output = T::Output;

    #[inline(always)]
    fn call(self) -> T::Output {
        self.0.run::<true>()
    }
}
