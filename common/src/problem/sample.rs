//! A seeded part of the elements, where a reference of all would take too long.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// Bodies up to which all are compared with all: n² steps in double precision take seconds on sixteen cores.
pub(super) const ALL_BODIES: usize = 1 << 17;
/// Bodies compared beyond that, each with all sources.
const SAMPLED_BODIES: usize = 4096;

/// How many of n bodies are compared.
pub(super) fn compared(n: usize) -> usize {
    if n <= ALL_BODIES { n } else { SAMPLED_BODIES }
}

/// One at random of each of `runs` equal runs of neighbors, in ascending order: of as many runs as elements, all.
pub fn sample(rng: &mut ChaCha8Rng, elements: usize, runs: usize) -> Vec<usize> {
    (0..runs).map(|run| rng.random_range(run * elements / runs..(run + 1) * elements / runs)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;

    #[test]
    fn all_are_compared_up_to_the_limit_and_a_part_beyond() {
        assert_eq!([1, ALL_BODIES, ALL_BODIES + 1, 1 << 20].map(compared), [1, ALL_BODIES, 4096, 4096]);
    }

    #[test]
    fn a_sample_ascends_and_one_of_all_is_all() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        assert_eq!(sample(&mut rng, 5, 5), [0, 1, 2, 3, 4]);
        let part = sample(&mut rng, 1000, 30);
        assert!(part.len() == 30 && part.is_sorted_by(|a, b| a < b) && part[29] >= 966, "{part:?}");
    }
}
