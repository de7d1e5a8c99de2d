//! Lanes that the mask of a warp-level instruction names, and that go on without it.
//!
//! CUDA's text: "Each calling thread must have its own bit set in the mask and all non-exited threads named in mask must execute the
//! same intrinsic with the same mask, or the result is undefined." Hardware waits until the others have come or exited, so a lane that
//! has returned early does no harm, and many kernels rely on it. In PTX, the lane that returns early looks like one that skips the
//! instruction, goes on and returns later. What it does in the meantime tells them apart. The rule: a lane that is named, has parted
//! from the lanes that execute the instruction, has then done something with an effect (a store, an atomic, a copy, another
//! warp-level instruction), and has exited, is a finding. A lane that only computes, reads and returns is not.

use crate::ground::lanes::{FULL, WARP_SIZE, active};

/// The lanes of one warp.
#[derive(Clone, Copy, Debug)]
struct WarpLanes {
    /// For each lane, those from which it has parted since it did something. It has parted from all lanes before it does anything.
    parted: [u32; WARP_SIZE],
    /// The step at which each lane did something last.
    position: [u32; WARP_SIZE],
    /// The lanes that did something last, with the step. That they did is not yet recorded above.
    last: (u32, u32),
}

impl WarpLanes {
    const NEW: Self = Self { parted: [FULL; WARP_SIZE], position: [0; WARP_SIZE], last: (0, 0) };

    fn record_last(&mut self) {
        let (lanes, position) = std::mem::take(&mut self.last);
        active(lanes).for_each(|lane| (self.parted[lane], self.position[lane]) = (0, position));
    }
}

/// The actions of the lanes of a block since they parted from each other.
#[derive(Debug, Default)]
pub(super) struct AbsentLanes(Vec<WarpLanes>);

impl AbsentLanes {
    /// Starts with a new block.
    pub(super) fn begin(&mut self, warps: usize) {
        self.0.clear();
        self.0.resize(warps, WarpLanes::NEW);
    }

    /// Records that lanes of a warp do something with an effect. What a whole warp does needs no record: whoever leaves it later
    /// parts from the others after that.
    #[inline(always)]
    pub(super) fn act(&mut self, warp: usize, lanes: u32, position: u32) {
        if let (true, Some(warp)) = (lanes != FULL, self.0.get_mut(warp)) {
            if warp.last.0 != lanes {
                warp.record_last();
            }
            warp.last = (lanes, position);
        }
    }

    /// Records that lanes that were together part.
    pub(super) fn part(&mut self, warp: usize, some: u32, others: u32) {
        let Some(warp) = self.0.get_mut(warp) else { return };
        warp.record_last();
        for (lane, parted) in warp.parted.iter_mut().enumerate() {
            let is_in = |lanes: u32| 0_u32.wrapping_sub(lanes >> lane & 1);
            *parted |= others & is_in(some) | some & is_in(others);
        }
    }

    /// Returns those of the lanes `absent`, which have exited, that have done something after they parted from one of the lanes
    /// `callers`, and where the first of them did.
    pub(super) fn find(&mut self, warp: usize, absent: u32, callers: u32) -> Option<(u32, u32)> {
        let warp = self.0.get_mut(warp)?;
        warp.record_last();
        let guilty = active(absent).filter(|&lane| callers & !warp.parted[lane] != 0);
        let lanes = guilty.fold(0_u32, |lanes, lane| lanes | 1 << lane);
        (lanes != 0).then(|| (lanes, warp.position[lanes.trailing_zeros() as usize]))
    }
}
