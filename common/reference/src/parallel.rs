//! Parallel loops whose results are in order, by one instance of rayon's code: an instance for each closure was half of the
//! time to compile this crate.

use rayon::prelude::*;
use std::sync::{Mutex, OnceLock, PoisonError};

/// Independent partial sums, so that the compiler can use vector instructions without reordering a sum.
pub(crate) const LANES: usize = 4;

/// The number of parts for each thread, so that threads that finish early find more work.
const PARTS_PER_THREAD: usize = 16;

/// Calls `task` with each index below `count`.
pub(crate) fn each(count: usize, task: &(dyn Fn(usize) + Sync)) {
    (0..count).into_par_iter().for_each(task);
}

/// Returns `of(index)` for each index below `count`.
pub(crate) fn map<T: Send + Sync>(count: usize, of: impl Fn(usize) -> T + Sync) -> Vec<T> {
    map_with(count, || (), |(), index| of(index))
}

/// Returns `of(scratch, index)` for each index below `count`. Calls share what `scratch` returns if one thread makes them one
/// after the other; so `of` must not depend on its contents.
pub(crate) fn map_with<S, T: Send + Sync>(
    count: usize,
    scratch: impl Fn() -> S + Sync,
    of: impl Fn(&mut S, usize) -> T + Sync,
) -> Vec<T> {
    let length = count.div_ceil(rayon::current_num_threads() * PARTS_PER_THREAD).max(1);
    let parts: Vec<OnceLock<Vec<T>>> = (0..count.div_ceil(length)).map(|_| OnceLock::new()).collect();
    each(parts.len(), &|part| {
        let mut scratch = scratch();
        let indices = part * length..count.min((part + 1) * length);
        parts[part].get_or_init(|| indices.map(|index| of(&mut scratch, index)).collect());
    });
    let mut results = Vec::with_capacity(count);
    for part in parts {
        results.extend(part.into_inner().unwrap_or_default());
    }
    results
}

/// Calls `fill` with the index and the values of each part of this length, of which the last may be shorter.
pub(crate) fn fill<T: Send>(values: &mut [T], length: usize, fill: impl Fn(usize, &mut [T]) + Sync) {
    let parts: Vec<Mutex<&mut [T]>> = values.chunks_mut(length).map(Mutex::new).collect();
    each(parts.len(), &|part| fill(part, &mut parts[part].lock().unwrap_or_else(PoisonError::into_inner)));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_order_and_complete() {
        for count in [0, 1, 2, 31, 32, 33, 1000, 4097] {
            assert_eq!(map(count, |index| 3 * index), (0..count).map(|index| 3 * index).collect::<Vec<_>>());
        }
    }

    #[test]
    fn all_parts_are_filled() {
        let mut values = [0; 10];
        fill(&mut values, 4, |part, values| values.fill(part + 1));
        assert_eq!(values, [1, 1, 1, 1, 2, 2, 2, 2, 3, 3]);
    }

    #[test]
    fn a_part_shares_its_scratch() {
        let grown = map_with(100_000, Vec::new, |seen: &mut Vec<usize>, index| {
            seen.push(index);
            seen.len()
        });
        assert!(grown.iter().any(|&length| length > 1));
    }
}
