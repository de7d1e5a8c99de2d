//! What one instruction of a warp costs or gives, asked by itself: the functions behind the counters.

use crate::ground::lanes::LANES;
use crate::isa::exchange::Shuffle;
use crate::machine::addresses::Addresses;

/// A load or store by a warp.
#[derive(Clone, Copy, Debug)]
pub struct WarpAccess<'a> {
    /// The address of each lane in bytes, a multiple of `bytes`; of no meaning for lanes that are not active.
    pub addresses: &'a [u64; LANES],
    /// A bit for each lane that accesses.
    pub active: u32,
    /// Bytes that each lane accesses: 1, 2, 4, 8 or 16.
    pub bytes: u32,
}

impl WarpAccess<'_> {
    /// Sectors of 32 bytes that it touches in global memory.
    #[must_use]
    pub fn sectors(&self) -> u64 {
        if self.active == 0 { 0 } else { self.classify().sectors() }
    }

    /// Wavefronts, passes over the banks, that it takes in shared memory, and how many of them are conflicts.
    #[must_use]
    pub fn wavefronts(&self, is_load: bool) -> (u64, u64) {
        self.classify().wavefronts(is_load)
    }

    fn classify(&self) -> Addresses<'_> {
        Addresses::classify(self.addresses, self.active, self.bytes)
    }
}

/// Which lane a shuffle reads; as text, the modifier of the PTX instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Deserialize)]
pub enum ShuffleMode {
    /// `__shfl_sync`: the lane of that number.
    #[serde(rename = "idx")]
    Index,
    /// `__shfl_up_sync`: this number of lanes below.
    #[serde(rename = "up")]
    Up,
    /// `__shfl_down_sync`: this number of lanes above.
    #[serde(rename = "down")]
    Down,
    /// `__shfl_xor_sync`: the lane whose number differs in these bits.
    #[serde(rename = "bfly")]
    Butterfly,
}

/// The lane that each lane of a whole warp reads, and whether that lane is in range; where it is not, a lane reads
/// itself. `width` splits the warp into segments, as the last argument of `__shfl_sync` and its kin: 1, 2, 4, 8, 16 or
/// 32.
#[must_use]
pub fn shuffle_sources(mode: ShuffleMode, operand: u32, width: u32) -> [(usize, bool); LANES] {
    // As the CUDA headers make the instruction's third operand of `width`.
    let segment = (LANES as u32).saturating_sub(width) << 8;
    let (kind, clamp) = match mode {
        ShuffleMode::Index => (Shuffle::Index, 31),
        ShuffleMode::Up => (Shuffle::Up, 0),
        ShuffleMode::Down => (Shuffle::Down, 31),
        ShuffleMode::Butterfly => (Shuffle::Butterfly, 31),
    };
    std::array::from_fn(|lane| {
        let (source, in_range) = kind.source(lane, operand as usize, (segment | clamp) as usize);
        (if in_range { source } else { lane }, in_range)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access(stride: u64, bytes: u32) -> (u64, (u64, u64)) {
        let addresses = std::array::from_fn(|lane| lane as u64 * stride);
        let access = WarpAccess { addresses: &addresses, active: u32::MAX, bytes };
        (access.sectors(), access.wavefronts(true))
    }

    #[test]
    fn neighbours_share_sectors_and_a_stride_of_32_words_is_one_bank() {
        assert_eq!(access(4, 4), (4, (1, 0)));
        assert_eq!(access(128, 4), (32, (32, 31)));
        assert_eq!(access(132, 4).1, (1, 0));
        assert_eq!(access(0, 4), (1, (1, 0)));
    }

    #[test]
    fn nobody_touches_nothing() {
        let access = WarpAccess { addresses: &[0; LANES], active: 0, bytes: 4 };
        assert_eq!((access.sectors(), access.wavefronts(false)), (0, (0, 0)));
    }

    #[test]
    fn shuffles_stay_in_their_segment() {
        let down = shuffle_sources(ShuffleMode::Down, 1, 8);
        assert_eq!((down[0], down[7], down[8]), ((1, true), (7, false), (9, true)));
        assert_eq!(shuffle_sources(ShuffleMode::Up, 1, 32)[0], (0, false));
        assert_eq!(shuffle_sources(ShuffleMode::Butterfly, 16, 32)[3], (19, true));
        assert_eq!(shuffle_sources(ShuffleMode::Index, 5, 16)[20], (21, true));
    }
}
