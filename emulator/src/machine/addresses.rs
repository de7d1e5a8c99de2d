//! How the addresses of a warp lie.

use crate::ground::lanes::LANES;

/// How the addresses of a warp's active lanes lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pattern<'a> {
    /// All the same.
    Uniform(u64),
    /// One after the other in the order of the lanes, as far apart as the access is wide; lane 0 would be
    /// here.
    Linear(u64),
    /// The address of each lane; of no meaning for inactive ones.
    Any(&'a [u64; LANES]),
}

/// The addresses of one memory instruction of one warp.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Addresses<'a> {
    pub(crate) pattern: Pattern<'a>,
    pub(crate) mask: u32,
    /// Bytes that each lane accesses: 1 to 16, and more in bulk copies.
    pub(crate) bytes: u32,
}

impl<'a> Addresses<'a> {
    /// Addresses without a known pattern.
    pub(crate) fn classify(lanes: &'a [u64; LANES], mask: u32, bytes: u32) -> Self {
        let pattern = probe(lanes, mask, u64::from(bytes), |value| value).unwrap_or(Pattern::Any(lanes));
        Self { pattern, mask, bytes }
    }

    /// The lowest active lane.
    #[inline(always)]
    pub(crate) fn first_lane(&self) -> usize {
        (self.mask.trailing_zeros() as usize).min(LANES - 1)
    }

    /// The address of a lane.
    #[inline(always)]
    pub(crate) fn of(&self, lane: usize) -> u64 {
        match self.pattern {
            Pattern::Uniform(address) => address,
            Pattern::Linear(start) => start.wrapping_add(lane as u64 * u64::from(self.bytes)),
            Pattern::Any(lanes) => lanes[lane],
        }
    }

    /// The addresses of the active lanes.
    pub(crate) fn active(self) -> impl Iterator<Item = u64> + Clone + use<'a> {
        (0..LANES).filter(move |lane| self.mask >> lane & 1 != 0).map(move |lane| self.of(lane))
    }
}

/// Finds the pattern of the active lanes of a register, whose values `widen` makes addresses.
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

/// The pattern whose addresses are `step` apart, if the active lanes follow it.
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
