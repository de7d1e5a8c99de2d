//! The cost or result of a single warp instruction, computed by the functions behind the counters.

use crate::ground::lanes::WARP_SIZE;
use crate::isa::exchange::Shuffle;
use crate::machine::addresses::Addresses;

/// A load or store by a warp.
#[derive(Clone, Copy, Debug)]
pub struct WarpAccess<'a> {
    /// The address of each lane in bytes, a multiple of `bytes`; ignored for inactive lanes.
    pub addresses: &'a [u64; WARP_SIZE],
    /// The active lanes, one bit per lane.
    pub active: u32,
    /// The number of bytes accessed per lane: 1, 2, 4, 8 or 16.
    pub bytes: u32,
}

impl WarpAccess<'_> {
    /// Returns the number of 32-byte sectors that the access touches in global memory.
    #[must_use]
    pub fn sectors(&self) -> u64 {
        if self.active == 0 { 0 } else { self.classify().sectors() }
    }

    /// Returns the number of wavefronts (passes over the banks) of the access in shared memory, and how many of them are due
    /// to bank conflicts.
    #[must_use]
    pub fn wavefronts(&self, is_load: bool) -> (u64, u64) {
        self.classify().wavefronts(is_load)
    }

    fn classify(&self) -> Addresses<'_> {
        Addresses::classify(self.addresses, self.active, self.bytes)
    }
}

/// The mode of a shuffle, which determines the source lane. It deserializes from the modifier of the PTX instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Deserialize)]
pub enum ShuffleMode {
    /// `__shfl_sync`: the lane with this number.
    #[serde(rename = "idx")]
    Index,
    /// `__shfl_up_sync`: the lane this far below.
    #[serde(rename = "up")]
    Up,
    /// `__shfl_down_sync`: the lane this far above.
    #[serde(rename = "down")]
    Down,
    /// `__shfl_xor_sync`: the lane whose number differs in these bits.
    #[serde(rename = "bfly")]
    Butterfly,
}

/// Returns the source lane of each lane of a full warp, and whether it is in range; a lane whose source is out of range reads
/// itself. `width` divides the warp into segments of 1, 2, 4, 8, 16 or 32 lanes, like the last argument of `__shfl_sync`.
#[must_use]
pub fn shuffle_sources(mode: ShuffleMode, operand: u32, width: u32) -> [(usize, bool); WARP_SIZE] {
    // The CUDA headers compute the third operand of the instruction from `width` in the same way.
    let segment = (WARP_SIZE as u32).saturating_sub(width) << 8;
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
