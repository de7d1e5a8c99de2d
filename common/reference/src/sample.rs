//! A seeded sample of the elements, for sizes at which a reference of all would take too long.

use chacha20::ChaCha8Rng;
use rand::RngExt;

/// The largest number of bodies that are all compared: n² steps in double precision take seconds on sixteen cores.
pub const ALL_BODIES: usize = 1 << 17;
/// The number of bodies compared beyond that, each with all sources.
const SAMPLED_BODIES: usize = 4096;

/// Returns how many of n bodies are compared.
pub fn compared(n: usize) -> usize {
    if n <= ALL_BODIES { n } else { SAMPLED_BODIES }
}

/// Returns one random element of each of `runs` equal runs of neighbors, in ascending order; all elements if there are as
/// many runs.
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
