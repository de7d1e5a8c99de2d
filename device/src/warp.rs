//! What the 32 lanes of a warp do together.

use crate::target;

/// Lanes of a warp.
pub const WARP: u32 = 32;

/// The mask of all lanes.
pub const ALL_LANES: u32 = u32::MAX;

/// A value of 32 bits that lanes hand to each other.
pub trait Word: Copy {
    /// Its bits.
    fn to_word(self) -> u32;
    /// The value of the bits.
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

/// The value of lane `lane` modulo 32: CUDA's `__shfl_sync`, PTX's `shfl.sync.idx`. The lanes of `lanes` must all come
/// here, and that lane must be one of them, else what it gives is of no use.
#[inline(always)]
#[must_use]
pub fn shuffle<T: Word>(lanes: u32, value: T, lane: u32) -> T {
    T::from_word(target::shuffle(lanes, value.to_word(), lane))
}

/// The value of the lane `delta` above this one, or its own where there is none: CUDA's `__shfl_down_sync`, PTX's
/// `shfl.sync.down`. The lanes of `lanes` must all come here.
#[inline(always)]
#[must_use]
pub fn shuffle_down<T: Word>(lanes: u32, value: T, delta: u32) -> T {
    T::from_word(target::shuffle_down(lanes, value.to_word(), delta))
}

/// The value of the lane whose number is this one's, exclusive or `mask`: CUDA's `__shfl_xor_sync`, PTX's `shfl.sync.bfly`. The
/// lanes of `lanes` must all come here.
#[inline(always)]
#[must_use]
pub fn shuffle_xor<T: Word>(lanes: u32, value: T, mask: u32) -> T {
    T::from_word(target::shuffle_xor(lanes, value.to_word(), mask))
}

/// The lanes of `lanes` for which `condition` holds, one bit each: CUDA's `__ballot_sync`, PTX's `vote.sync.ballot.b32`. They
/// must all come here.
#[inline(always)]
#[must_use]
pub fn ballot(lanes: u32, condition: bool) -> u32 {
    target::ballot(lanes, condition)
}

/// Whether `condition` holds for one of the lanes of `lanes`: CUDA's `__any_sync`, PTX's `vote.sync.any.pred`. They must all
/// come here.
#[inline(always)]
#[must_use]
pub fn any(lanes: u32, condition: bool) -> bool {
    target::any(lanes, condition)
}

/// Whether `condition` holds for all of the lanes of `lanes`: CUDA's `__all_sync`, PTX's `vote.sync.all.pred`. They must all
/// come here.
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
