//! Address patterns of a warp.

use crate::ground::lanes::WARP_SIZE;

/// The pattern of the addresses of a warp's active lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pattern<'a> {
    /// All lanes have this address.
    Uniform(u64),
    /// Consecutive in the order of the lanes, with a stride equal to the size of the access; this is the address of lane
    /// 0, active or not.
    Linear(u64),
    /// The address of each lane; unspecified for inactive lanes.
    Any(&'a [u64; WARP_SIZE]),
}

/// The addresses of one memory instruction of one warp.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Addresses<'a> {
    pub(crate) pattern: Pattern<'a>,
    pub(crate) mask: u32,
    /// The bytes accessed per lane: 1 to 16, and more in bulk copies.
    pub(crate) bytes: u32,
}

impl<'a> Addresses<'a> {
    /// Finds the pattern of the addresses of the lanes `mask`.
    pub(crate) fn classify(lanes: &'a [u64; WARP_SIZE], mask: u32, bytes: u32) -> Self {
        let pattern = probe(lanes, mask, u64::from(bytes), |value| value).unwrap_or(Pattern::Any(lanes));
        Self { pattern, mask, bytes }
    }

    /// Returns the lowest active lane.
    #[inline(always)]
    pub(crate) fn first_lane(&self) -> usize {
        (self.mask.trailing_zeros() as usize).min(WARP_SIZE - 1)
    }

    /// Returns the address of a lane.
    #[inline(always)]
    pub(crate) fn at(&self, lane: usize) -> u64 {
        match self.pattern {
            Pattern::Uniform(address) => address,
            Pattern::Linear(start) => start.wrapping_add(lane as u64 * u64::from(self.bytes)),
            Pattern::Any(lanes) => lanes[lane],
        }
    }

    /// Returns the addresses of the active lanes.
    pub(crate) fn active(self) -> impl Iterator<Item = u64> + Clone + use<'a> {
        (0..WARP_SIZE).filter(move |lane| self.mask >> lane & 1 != 0).map(move |lane| self.at(lane))
    }
}

/// Finds the pattern of the addresses of the active lanes. `widen` returns the address of a register's value.
#[inline(always)]
pub(crate) fn probe<T: simd::Lane>(
    row: &[T; WARP_SIZE],
    mask: u32,
    bytes: u64,
    widen: impl Fn(T) -> u64,
) -> Option<Pattern<'static>> {
    let lowest = (mask.trailing_zeros() as usize).min(WARP_SIZE - 1);
    let first = widen(row[lowest]);
    let others = mask & mask.wrapping_sub(1);
    if others == 0 {
        return Some(Pattern::Uniform(first));
    }
    // Two lanes decide which of the patterns is possible.
    let highest = WARP_SIZE - 1 - others.leading_zeros() as usize;
    let last = widen(row[highest]);
    if last == first {
        return T::are_equal(row, mask).then_some(Pattern::Uniform(first));
    }
    // Addresses that wrap around in a register of 32 bits are not consecutive.
    let distance = (highest - lowest) as u64 * bytes;
    let is_linear = last == first.wrapping_add(distance) && T::are_consecutive(row, mask, bytes.trailing_zeros());
    is_linear.then(|| Pattern::Linear(first.wrapping_sub(lowest as u64 * bytes)))
}
