//! A rank's share of a problem, and the machines of ranks.

use std::ops::Range;

/// The distribution of ranks over machines: the same number of consecutive ranks on each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Machines {
    /// The number of ranks per machine; `None` if they do not divide evenly.
    pub ranks_each: Option<usize>,
}

impl Machines {
    /// Returns whether two ranks are on the same machine; true if that is unknown.
    #[must_use]
    pub fn are_one(&self, a: usize, b: usize) -> bool {
        self.ranks_each.is_none_or(|each| a / each == b / each)
    }
}

/// A rank's share of a problem's elements. All ranks have room for the same number, which transfers use; the last ranks
/// may have fewer elements or none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Share {
    /// The rank's own elements.
    pub own: Range<usize>,
    /// The number of elements that a rank has room for, the same on all ranks.
    pub room: usize,
}

impl Share {
    /// Returns the share of a rank of `world` in n elements; rooms are multiples of `unit`.
    #[must_use]
    pub fn new(n: usize, rank: usize, world: usize, unit: usize) -> Self {
        let room = n.div_ceil(world).next_multiple_of(unit);
        let first = (rank * room).min(n);
        Self { own: first..(first + room).min(n), room }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_cover_every_element_once_also_where_ranks_do_not_divide_them() {
        for (n, world, unit) in [(10, 3, 1), (3, 8, 1), (1, 4, 4), (1000, 7, 4), (12, 4, 1)] {
            let shares: Vec<_> = (0..world).map(|rank| Share::new(n, rank, world, unit)).collect();
            let covered: Vec<usize> = shares.iter().flat_map(|share| share.own.clone()).collect();
            assert_eq!(covered, (0..n).collect::<Vec<_>>(), "{n} {world} {unit}");
            assert!(shares.iter().all(|share| share.room == shares[0].room && share.own.len() <= share.room));
            assert!(shares[0].room.is_multiple_of(unit));
        }
    }
}
