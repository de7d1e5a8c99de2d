//! Keys, and their order; and keys with a value each, which moves along.
//!
//! Keys are uniform in all 32 bits, and a part of them, which an option chooses, is equal. A sort moves keys and changes none, so the
//! tolerance is zero. The bits of keys are kept as signed integers, and compared as unsigned ones.
//!
//! The value of a key is its place before the sort. So no two values are equal, and those of equal keys ascend if the sort is stable.

use crate::cpu::{CpuTimes, time_both_of};
use crate::histogram::skew;
use crate::inputs::Inputs;
use crate::parallel;
use crate::size::Size;
use crate::verify::Report;
use chacha20::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use rayon::slice::ParallelSliceMut;
use std::sync::OnceLock;

/// These keys. As a signed number each is negative, and no two bytes are equal.
pub const FREQUENT: u32 = 0xc835_9a02;

/// The keys of a part, which has random numbers of its own.
const PART: usize = 1 << 14;
/// The keys that a CPU sorts when it is timed, about a tenth of a second.
const TIMED: usize = 1 << 22;

/// Keys of one size, seed and skew.
#[derive(Debug)]
pub struct Keys {
    /// The keys.
    pub data: Vec<i32>,
    /// The keys in their order, which only a comparison needs.
    sorted: OnceLock<Vec<i32>>,
}

impl Inputs for Keys {
    fn new(size: &Size) -> Self {
        let skew = skew(&size.parameters);
        let mut data = vec![0; size.n];
        parallel::fill(&mut data, PART, |place, part| {
            let mut rng = ChaCha8Rng::seed_from_u64(size.seed);
            rng.set_stream(place as u64);
            part.iter_mut().for_each(|key| *key = rng.random());
            if skew > 0 {
                let chosen = part.iter_mut().filter(|_| rng.random_range(0..100) < skew);
                chosen.for_each(|key| *key = FREQUENT.cast_signed());
            }
        });
        Self { data, sorted: OnceLock::new() }
    }

    fn expect(&self) {
        self.expected();
    }

    fn time_on_cpu(&self) -> CpuTimes {
        let timed = &self.data[..TIMED.min(self.data.len())];
        time_both_of((timed.len(), self.data.len(), "keys"), || sorted(timed), || sorted_by_all(timed))
    }
}

fn sorted(keys: &[i32]) -> Vec<i32> {
    let mut keys = keys.to_vec();
    keys.sort_unstable_by_key(|key| key.cast_unsigned());
    keys
}

/// Returns the same, sorted by all threads.
fn sorted_by_all(keys: &[i32]) -> Vec<i32> {
    let mut keys = keys.to_vec();
    keys.par_sort_unstable_by_key(|key| key.cast_unsigned());
    keys
}

impl Keys {
    fn expected(&self) -> &[i32] {
        self.sorted.get_or_init(|| sorted_by_all(&self.data))
    }

    /// Compares the sorted keys.
    #[must_use]
    pub fn check(&self, sorted: &[i32]) -> Report {
        let mut report = Report::default();
        report.compare_integers("sorted", sorted, self.expected());
        report
    }
}

/// Keys, of which each has its place before the sort as a value.
#[derive(Debug)]
pub struct Pairs {
    /// The keys.
    pub keys: Keys,
    /// The sorted keys, and their values, which only a comparison needs.
    sorted: OnceLock<[Vec<i32>; 2]>,
}

impl Inputs for Pairs {
    fn new(size: &Size) -> Self {
        Self { keys: Keys::new(size), sorted: OnceLock::new() }
    }

    fn expect(&self) {
        self.expected();
    }

    fn time_on_cpu(&self) -> CpuTimes {
        let keys = &self.keys.data;
        let timed = numbered(&keys[..TIMED.min(keys.len())]);
        let sorted = |sort: fn(&mut [u64])| {
            let mut pairs = timed.clone();
            sort(&mut pairs);
            pairs
        };
        let size = (timed.len(), keys.len(), "pairs");
        time_both_of(size, || sorted(<[u64]>::sort_unstable), || sorted(<[u64]>::par_sort_unstable))
    }
}

/// Returns each key with its value in the lower half of one number, so that the order of these is that of a stable sort.
fn numbered(keys: &[i32]) -> Vec<u64> {
    keys.iter().zip(0..).map(|(key, value)| u64::from(key.cast_unsigned()) << 32 | value).collect()
}

impl Pairs {
    /// Returns the value of each key before the sort.
    #[must_use]
    pub fn values(&self) -> Vec<i32> {
        (0..).take(self.keys.data.len()).collect()
    }

    fn expected(&self) -> &[Vec<i32>; 2] {
        self.sorted.get_or_init(|| {
            let mut pairs = numbered(&self.keys.data);
            pairs.par_sort_unstable();
            [32, 0].map(|shift| pairs.iter().map(|pair| ((pair >> shift) as u32).cast_signed()).collect())
        })
    }

    /// Compares the sorted keys and their values.
    #[must_use]
    pub fn check(&self, [keys, values]: &[Vec<i32>; 2]) -> Report {
        let mut report = Report::default();
        let expected = self.expected();
        report.compare_integers("sorted", keys, &expected[0]);
        report.compare_integers("sorted_values", values, &expected[1]);
        report
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::histogram::SKEW;
    use crate::size::Parameters;

    fn keys(n: usize, skew: u32) -> Keys {
        Keys::new(&Size { parameters: Parameters::default().with(SKEW, skew), ..Size::new(n) })
    }

    #[test]
    fn keys_are_in_the_order_of_unsigned_numbers() {
        assert_eq!(sorted(&[3, -1, i32::MAX, i32::MIN, 0]), [0, 3, i32::MAX, i32::MIN, -1]);
        for n in [1, PART, 3 * PART + 1] {
            let keys = keys(n, 0);
            assert_eq!(sorted(&keys.data), keys.expected());
        }
    }

    #[test]
    fn so_many_keys_are_equal_and_the_others_differ() {
        let count = |skew| {
            let keys = keys(10_000, skew);
            let equal = keys.data.iter().filter(|key| key.cast_unsigned() == FREQUENT).count();
            let mut others = keys.expected().to_vec();
            others.dedup();
            (equal, others.len())
        };
        assert_eq!([0, 100].map(count), [(0, 10_000), (10_000, 1)]);
        let (equal, others) = count(30);
        assert!((2800..3200).contains(&equal) && others == 10_001 - equal, "{equal}, {others}");
    }

    #[test]
    fn one_wrong_bit_two_exchanged_keys_and_a_missing_one_fail() {
        let keys = keys(1000, 0);
        let right = keys.expected().to_vec();
        assert!(keys.check(&right).passed());
        for index in [0, 999] {
            let mut wrong = right.clone();
            wrong[index] ^= 1;
            assert_eq!(keys.check(&wrong).failed, 1);
        }
        let mut wrong = right.clone();
        wrong.swap(500, 501);
        assert_eq!(keys.check(&wrong).failed, 2);
        assert_eq!(keys.check(&right[..999]).failed, 1);
        assert!(keys.check(&keys.data).failed > 900);
    }

    #[test]
    fn exchanged_values_of_equal_keys_fail_and_so_does_a_value_that_does_not_move() {
        let size = Size { parameters: Parameters::default().with(SKEW, 50), ..Size::new(1000) };
        let pairs = Pairs::new(&size);
        let right = pairs.expected().clone();
        assert!(pairs.check(&right).passed() && right[0] == pairs.keys.expected());
        let equal = right[0].iter().position(|key| key.cast_unsigned() == FREQUENT).unwrap();
        let mut unstable = right.clone();
        unstable[1].swap(equal, equal + 1);
        assert_eq!(pairs.check(&unstable).failed, 2);
        assert!(pairs.check(&[right[0].clone(), pairs.values()]).failed > 900);
    }
}
