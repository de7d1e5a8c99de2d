//! Address patterns of a warp.

use crate::ground::lanes::LANES;

/// The pattern of the addresses of a warp's active lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pattern<'a> {
    /// All lanes have this address.
    Uniform(u64),
    /// Consecutive in the order of the lanes, with a stride equal to the size of the access; this is the address of lane
    /// 0, active or not.
    Linear(u64),
    /// The address of each lane; unspecified for inactive lanes.
    Any(&'a [u64; LANES]),
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
    pub(crate) fn classify(lanes: &'a [u64; LANES], mask: u32, bytes: u32) -> Self {
        let pattern = probe(lanes, mask, u64::from(bytes), |value| value).unwrap_or(Pattern::Any(lanes));
        Self { pattern, mask, bytes }
    }

    /// Returns the lowest active lane.
    #[inline(always)]
    pub(crate) fn first_lane(&self) -> usize {
        (self.mask.trailing_zeros() as usize).min(LANES - 1)
    }

    /// Returns the address of a lane.
    #[inline(always)]
    pub(crate) fn of(&self, lane: usize) -> u64 {
        match self.pattern {
            Pattern::Uniform(address) => address,
            Pattern::Linear(start) => start.wrapping_add(lane as u64 * u64::from(self.bytes)),
            Pattern::Any(lanes) => lanes[lane],
        }
    }

    /// Returns the addresses of the active lanes.
    pub(crate) fn active(self) -> impl Iterator<Item = u64> + Clone + use<'a> {
        (0..LANES).filter(move |lane| self.mask >> lane & 1 != 0).map(move |lane| self.of(lane))
    }
}

/// Finds the pattern of the active lanes of a register. `widen` converts a value to an address.
#[inline(always)]
pub(crate) fn probe<T: Copy>(
    row: &[T; LANES],
    mask: u32,
    bytes: u64,
    widen: impl Fn(T) -> u64,
) -> Option<Pattern<'static>> {
    if mask == u32::MAX {
        let (first, last) = (widen(row[0]), widen(row[LANES - 1]));
        let step = if first == last { 0 } else { bytes };
        return alike(row, u32::MAX, first, step, widen);
    }
    let lowest = (mask.trailing_zeros() as usize).min(LANES - 1);
    let first = widen(row[lowest]);
    let uniform = alike(row, mask, first, 0, &widen);
    uniform.or_else(|| alike(row, mask, first.wrapping_sub(lowest as u64 * bytes), bytes, &widen))
}

/// Returns the pattern with stride `step` if the active lanes follow it.
#[inline(always)]
fn alike<T: Copy>(
    row: &[T; LANES],
    mask: u32,
    start: u64,
    step: u64,
    widen: impl Fn(T) -> u64,
) -> Option<Pattern<'static>> {
    let mut differs = 0;
    for (lane, &value) in row.iter().enumerate() {
        let active = if mask == u32::MAX { u64::MAX } else { u64::from(mask >> lane & 1).wrapping_neg() };
        differs |= (widen(value) ^ start.wrapping_add(lane as u64 * step)) & active;
    }
    (differs == 0).then_some(if step == 0 { Pattern::Uniform(start) } else { Pattern::Linear(start) })
}
