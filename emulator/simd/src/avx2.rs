//! The vector instructions of AVX2, found at run time.
//!
//! `pulp` does the same and much more. It and its dependencies were a twentieth of the first build of the course, and its
//! wrappers another twentieth.

/// Proof that the processor has AVX2, fused multiply-add, and the instructions that came before or with them.
#[derive(Clone, Copy, Debug)]
pub struct Avx2(());

impl Avx2 {
    /// Returns the proof if the processor has all of these instructions.
    #[must_use]
    pub fn detect() -> Option<Self> {
        macro_rules! all {
            ($($feature:tt),*) => { true $(&& std::arch::is_x86_feature_detected!($feature))* };
        }
        // Those of `run`; the compiler enables the older ones with them.
        all!("avx2", "fma", "bmi1", "bmi2", "lzcnt", "popcnt").then_some(Self(()))
    }

    /// Runs `work` with these instructions. Only what is inlined into `work` is compiled for them; so it must be
    /// `#[inline(always)]`, and so must the functions that it calls in its loops.
    #[inline(always)]
    pub fn run<R>(self, work: impl FnOnce() -> R) -> R {
        #[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
        #[inline]
        fn with_avx2<R>(work: impl FnOnce() -> R) -> R {
            work()
        }
        // SAFETY: `detect` found all of these instructions, and only it makes a `Self`.
        unsafe { with_avx2(work) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_returns_its_result() {
        if let Some(avx2) = Avx2::detect() {
            let products: [f32; 8] = avx2.run(|| std::array::from_fn(|lane| (lane as f32).mul_add(2.0, 1.0)));
            assert_eq!(products, [1.0, 3.0, 5.0, 7.0, 9.0, 11.0, 13.0, 15.0]);
        }
    }
}
