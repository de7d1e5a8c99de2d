//! Shuffles and votes among the 32 lanes of a warp.

use crate::target;

/// The number of lanes in a warp.
pub const WARP: u32 = 32;

/// The mask of all lanes.
pub const ALL_LANES: u32 = u32::MAX;

/// A value of 32 bits that lanes can exchange.
pub trait Word: Copy {
    /// Returns the bits of the value.
    fn to_word(self) -> u32;
    /// Returns the value with these bits.
    fn from_word(bits: u32) -> Self;
}

impl Word for u32 {
    #[inline(always)]
    fn to_word(self) -> u32 {
        self
    }

    #[inline(always)]
    fn from_word(bits: u32) -> Self {
        bits
    }
}

impl Word for i32 {
    #[inline(always)]
    fn to_word(self) -> u32 {
        self.cast_unsigned()
    }

    #[inline(always)]
    fn from_word(bits: u32) -> Self {
        bits.cast_signed()
    }
}

impl Word for f32 {
    #[inline(always)]
    fn to_word(self) -> u32 {
        self.to_bits()
    }

    #[inline(always)]
    fn from_word(bits: u32) -> Self {
        Self::from_bits(bits)
    }
}

/// Returns the value of lane `lane` modulo 32: CUDA's `__shfl_sync`, PTX's `shfl.sync.idx`. All lanes in the mask `lanes` must
/// execute it. If the lane that is read is not in the mask, the result is unspecified.
#[inline(always)]
#[must_use]
pub fn shuffle<T: Word>(lanes: u32, value: T, lane: u32) -> T {
    T::from_word(target::shuffle(lanes, value.to_word(), lane))
}

/// Returns the value of the lane with an index higher by `delta`, or the lane's own value if there is no such lane: CUDA's
/// `__shfl_down_sync`, PTX's `shfl.sync.down`. All lanes in the mask `lanes` must execute it.
#[inline(always)]
#[must_use]
pub fn shuffle_down<T: Word>(lanes: u32, value: T, delta: u32) -> T {
    T::from_word(target::shuffle_down(lanes, value.to_word(), delta))
}

/// Returns the value of the lane whose index is this lane's index XOR `mask`: CUDA's `__shfl_xor_sync`, PTX's `shfl.sync.bfly`.
/// All lanes in the mask `lanes` must execute it.
#[inline(always)]
#[must_use]
pub fn shuffle_xor<T: Word>(lanes: u32, value: T, mask: u32) -> T {
    T::from_word(target::shuffle_xor(lanes, value.to_word(), mask))
}

/// Returns a mask of the lanes in `lanes` for which `condition` is true: CUDA's `__ballot_sync`, PTX's `vote.sync.ballot.b32`.
/// All lanes in the mask `lanes` must execute it.
#[inline(always)]
#[must_use]
pub fn ballot(lanes: u32, condition: bool) -> u32 {
    target::ballot(lanes, condition)
}

/// Returns whether `condition` is true for any lane in `lanes`: CUDA's `__any_sync`, PTX's `vote.sync.any.pred`. All lanes in the
/// mask `lanes` must execute it.
#[inline(always)]
#[must_use]
pub fn any(lanes: u32, condition: bool) -> bool {
    target::any(lanes, condition)
}

/// Returns whether `condition` is true for all lanes in `lanes`: CUDA's `__all_sync`, PTX's `vote.sync.all.pred`. All lanes in the
/// mask `lanes` must execute it.
#[inline(always)]
#[must_use]
pub fn all(lanes: u32, condition: bool) -> bool {
    target::all(lanes, condition)
}

#[cfg(test)]
mod tests {
    use super::{all, any, ballot, shuffle, shuffle_down, shuffle_xor};

    #[test]
    fn the_only_lane_meets_itself() {
        assert_eq!(shuffle(1, 0.5_f32, 0), 0.5);
        assert_eq!(shuffle_down(1, -3_i32, 1), -3);
        assert_eq!(shuffle_xor(1, 7_u32, 0), 7);
        assert_eq!([true, false].map(|condition| ballot(1, condition)), [1, 0]);
        assert_eq!([true, false].map(|condition| any(1, condition)), [true, false]);
        assert_eq!([true, false].map(|condition| all(1, condition)), [true, false]);
    }
}
