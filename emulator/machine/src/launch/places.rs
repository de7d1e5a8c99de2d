//! The places of clusters in a grid: those at an end of an axis may have a part of the others' work.

use crate::ground::dimensions::Dim3;
use std::ops::Range;

/// The stretches between the ends of all axes.
pub(super) const INNER: u64 = 2;

/// A stretch of clusters of one kind of place, one of which runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Stretch {
    pub(super) sampled: Dim3,
    pub(super) length: u64,
    /// Whether its clusters are between the ends of all axes.
    pub(super) is_inner: bool,
}

/// Divides the clusters of a grid into stretches: those of each edge and corner, and `inner` ones between them.
pub(super) fn stretches(extent: Dim3, inner: u64) -> Vec<Stretch> {
    let [x, y, z] = [extent.x, extent.y, extent.z].map(places);
    let mut all = Vec::new();
    for (between_z, depth) in &z {
        for (between_y, height) in &y {
            for (between_x, width) in &x {
                let is_inner = *between_x && *between_y && *between_z;
                let most = if is_inner { inner } else { 1 };
                all.extend(stretches_of_box([width, height, depth], is_inner, most));
            }
        }
    }
    all
}

/// Returns the numbers of some clusters, in ascending order: one at each end and corner of the grid, and some between.
pub(super) fn kinds_of_place(extent: Dim3) -> Vec<u64> {
    let mut numbers: Vec<u64> = stretches(extent, 16).iter().map(|stretch| extent.number(stretch.sampled)).collect();
    numbers.sort_unstable();
    numbers
}

/// Returns the indices along an axis of this length by their place: the first, those between, the last. Those of a short axis count as
/// between.
fn places(length: u32) -> Vec<(bool, Range<u32>)> {
    match length {
        0 | 1 => vec![(true, 0..length)],
        2 => vec![(true, 0..1), (true, 1..2)],
        _ => vec![(false, 0..1), (true, 1..length - 1), (false, length - 1..length)],
    }
}

/// Divides a box of clusters into at most this many stretches.
fn stretches_of_box([x, y, z]: [&Range<u32>; 3], is_inner: bool, most: u64) -> impl Iterator<Item = Stretch> {
    let start = Dim3 { x: x.start, y: y.start, z: z.start };
    let sides = Dim3 { x: x.len() as u32, y: y.len() as u32, z: z.len() as u32 };
    let clusters = sides.volume();
    let count = most.min(clusters);
    (0..count).map(move |index| {
        let from = index * clusters / count;
        let length = (index + 1) * clusters / count - from;
        let inside = sides.at(from + scattered(index, length));
        let sampled = Dim3 { x: start.x + inside.x, y: start.y + inside.y, z: start.z + inside.z };
        Stretch { sampled, length, is_inner }
    })
}

/// Returns a place in a stretch that differs between stretches, so that a sample of blocks follows no period of the grid: the fraction
/// of a multiple of the golden ratio.
fn scattered(index: u64, length: u64) -> u64 {
    const GOLDEN: u64 = 0x9E37_79B9;
    let fraction = (index + 1) * GOLDEN & 0xFFFF_FFFF;
    (u128::from(fraction) * u128::from(length) >> 32) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid(x: u32, y: u32, z: u32) -> Dim3 {
        Dim3 { x, y, z }
    }

    #[test]
    fn stretches_cover_a_grid_and_have_their_sampled_cluster() {
        for extent in
            [grid(1, 1, 1), grid(2, 1, 1), grid(3, 1, 1), grid(128, 1, 1), grid(64, 3, 1), grid(7, 1, 9), grid(5, 4, 3)]
        {
            let all = stretches(extent, INNER);
            assert_eq!(all.iter().map(|stretch| stretch.length).sum::<u64>(), extent.volume(), "{extent}");
            let mut sampled: Vec<u64> = all.iter().map(|stretch| extent.number(stretch.sampled)).collect();
            sampled.sort_unstable();
            sampled.dedup();
            assert!(sampled.len() == all.len() && sampled.iter().all(|&number| number < extent.volume()), "{extent}");
            assert!(sampled.contains(&0) && sampled.contains(&(extent.volume() - 1)), "{extent}");
        }
        assert_eq!(stretches(grid(128, 1, 1), INNER).len(), 4);
        assert_eq!(stretches(grid(64, 64, 1), INNER).len(), 4 + 4 + 2);
    }

    #[test]
    fn sampled_clusters_follow_no_period() {
        let columns: Vec<u32> = stretches(grid(4096, 1, 1), 128).iter().map(|stretch| stretch.sampled.x % 8).collect();
        assert!((0..8).all(|column| columns.contains(&column)), "{columns:?}");
    }
}
