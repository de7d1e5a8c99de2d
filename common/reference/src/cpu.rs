//! Times of the tutorials' CPU loops, the baseline of the GPU's.

use crate::parallel;
use std::hint::black_box;
use std::time::Instant;

/// Wall-clock times of the CPU's loop in single precision, in milliseconds.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct CpuTimes {
    /// One thread, as in the tutorial.
    pub serial_ms: f64,
    /// All threads.
    pub parallel_ms: f64,
    /// The number of threads.
    pub threads: usize,
    /// The part of the work that one thread ran and that was scaled up, `1 of 1000 steps`; `None` if it ran all. All threads ran as
    /// much each, if there is so much.
    pub scaled_from: Option<String>,
}

/// The most pairs that a thread runs, about a tenth of a second; beyond that, its time is scaled. Every stage waits for this twice
/// for each of its problems.
const MAX_PAIRS: usize = 1 << 24;

/// Times `of_target(i)`, which computes body i from all n, for as many bodies as [`MAX_PAIRS`] allows.
pub(crate) fn time_targets<T>(n: usize, of_target: impl Fn(usize) -> T + Sync) -> CpuTimes {
    time_targets_of(n, n, "bodies", of_target)
}

/// Times `of_target(i)`, which takes `pairs` steps, for as many of `n` targets as [`MAX_PAIRS`] allows.
pub(crate) fn time_targets_of<T>(
    n: usize,
    pairs: usize,
    unit: &str,
    of_target: impl Fn(usize) -> T + Sync,
) -> CpuTimes {
    let targets = (MAX_PAIRS / pairs).clamp(1, n);
    let serial = time_ms(|| {
        for target in 0..targets {
            black_box(of_target(target));
        }
    });
    let of_all_threads = (targets * rayon::current_num_threads()).min(n);
    let parallel = time_ms(|| {
        parallel::each(of_all_threads, &|target| {
            black_box(of_target(target));
        });
    });
    let scaled_from = (targets < n).then(|| format!("{targets} of {n} {unit}"));
    let all = |time: f64, of: usize| time * (n as f64 / of as f64);
    CpuTimes::new(all(serial, targets), all(parallel, of_all_threads), scaled_from)
}

/// Times two versions of the same work, the first `part` of `all` equal ones.
pub(crate) fn time_both_of<T>(
    (part, all, unit): (usize, usize, &str),
    serial: impl FnOnce() -> T,
    parallel: impl FnOnce() -> T,
) -> CpuTimes {
    let serial = time_ms(|| {
        black_box(serial());
    });
    let parallel = time_ms(|| {
        black_box(parallel());
    });
    let factor = all as f64 / part as f64;
    let scaled_from = (part < all).then(|| format!("{part} of {all} {unit}"));
    CpuTimes::new(serial * factor, parallel * factor, scaled_from)
}

/// Times two versions of the same work.
pub(crate) fn time_both<T>(serial: impl FnOnce() -> T, parallel: impl FnOnce() -> T) -> CpuTimes {
    time_both_of((1, 1, ""), serial, parallel)
}

impl CpuTimes {
    fn new(serial_ms: f64, parallel_ms: f64, scaled_from: Option<String>) -> Self {
        Self { serial_ms, parallel_ms, threads: rayon::current_num_threads(), scaled_from }
    }

    /// Returns the times of `steps` steps; `self` are those of one.
    #[must_use]
    pub fn times_steps(mut self, steps: u32) -> Self {
        if steps > 1 {
            self.serial_ms *= f64::from(steps);
            self.parallel_ms *= f64::from(steps);
            let part = self.scaled_from.map_or(String::new(), |part| format!(", {part}"));
            self.scaled_from = Some(format!("1 of {steps} steps{part}"));
        }
        self
    }
}

fn time_ms(work: impl FnOnce()) -> f64 {
    let started = Instant::now();
    work();
    started.elapsed().as_secs_f64() * 1e3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_measurement_of_a_part_says_so() {
        let n = MAX_PAIRS / 4;
        let times = time_targets(n, |target| target);
        assert_eq!(times.scaled_from.as_deref(), Some(format!("4 of {n} bodies").as_str()));
        assert_eq!(time_both_of((2, 8, "rows"), || (), || ()).scaled_from.as_deref(), Some("2 of 8 rows"));
        assert_eq!(time_targets(4, |target| target).scaled_from, None);
    }

    #[test]
    fn steps_multiply_the_time_of_one() {
        let one = CpuTimes { serial_ms: 2.0, parallel_ms: 1.0, threads: 2, scaled_from: None };
        assert_eq!(one.clone().times_steps(1), one);
        let many = one.times_steps(1000);
        assert_eq!((many.serial_ms, many.parallel_ms), (2000.0, 1000.0));
        assert_eq!(many.scaled_from.as_deref(), Some("1 of 1000 steps"));
    }
}
