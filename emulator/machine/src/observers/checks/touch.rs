//! Accesses, and the short form in which cells of the shadow store them.

use super::traits::Traits;
use crate::ground::lanes::WARP_SIZE;
use std::num::NonZeroU32;
use std::ops::Range;

/// An access of one lane, or of several lanes of a warp at once, to a piece of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Touch {
    /// The number of the block in the grid.
    pub(crate) block: u64,
    /// The step.
    pub(crate) position: u32,
    /// The number of the warp in the block.
    pub(super) warp: u16,
    /// The lanes, one bit per lane.
    pub(super) lanes: u32,
    pub(super) traits: Traits,
    pub(super) epoch: Epoch,
}

impl Touch {
    /// Returns whether it has one of these traits.
    pub(super) fn has(&self, traits: Traits) -> bool {
        self.traits.has(traits)
    }

    /// Returns whether both are atomic, or one is and the other a volatile store of the flag that it reads. Such accesses do not
    /// race, unless [`Self::is_too_narrow_for`] holds.
    pub(super) fn is_strong_with(&self, other: &Self) -> bool {
        let either = Traits::ATOMIC.with(Traits::VOLATILE, true);
        let is_one = self.has(Traits::ATOMIC) && other.has(either) || self.has(either) && other.has(Traits::ATOMIC);
        is_one && !self.is_volatile_exchange_with(other)
    }

    /// Returns whether two threads of a block exchange a value by a volatile store and a volatile load that reads no flag, as in
    /// the reductions from before `__syncwarp`. In global memory, it is seen at some time; nothing says when.
    pub(super) fn is_volatile_exchange_with(&self, other: &Self) -> bool {
        let are = |data: &Self, stored: &Self| data.has(Traits::OF_DATA) && stored.has(Traits::VOLATILE);
        self.block == other.block && (are(self, other) || are(other, self))
    }

    /// Returns whether one of two accesses, which are of different blocks, is atomic for the threads of its block only.
    pub(super) fn is_too_narrow_for(&self, other: &Self) -> bool {
        self.block != other.block && (self.has(Traits::OF_BLOCK) || other.has(Traits::OF_BLOCK))
    }

    /// Returns whether both accesses are of the same warp.
    pub(super) fn is_of_warp_of(&self, other: &Self) -> bool {
        (self.block, self.warp) == (other.block, other.warp)
    }

    /// Returns whether both accesses are of the same single lane of a warp.
    pub(super) fn is_of_lane_of(&self, other: &Self) -> bool {
        self.is_of_warp_of(other) && self.lanes == other.lanes && self.lanes.is_power_of_two()
    }

    /// Returns the number of the (first) thread in the block.
    pub(crate) fn thread(&self) -> u32 {
        u32::from(self.warp) * WARP_SIZE as u32 + self.lanes.trailing_zeros() % WARP_SIZE as u32
    }

    /// Returns this access by its lanes other than the first lane of `other`, if there are any: no thread races with itself.
    pub(super) fn apart_from(&self, other: &Self) -> Self {
        let apart = self.lanes & !(1 << (other.thread() % WARP_SIZE as u32));
        let is_other = self != other && self.is_of_warp_of(other) && apart != 0;
        Self { lanes: if is_other { apart } else { self.lanes }, ..*self }
    }
}

/// The synchronization events before an access of a warp.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Epoch {
    /// The number of barriers of the block.
    pub(super) barriers: u32,
    /// The number of instructions that synchronized all lanes of the warp.
    pub(super) whole: u32,
    /// The number of instructions that synchronized some lanes of the warp.
    pub(super) parts: u32,
    /// The number of fences for the device.
    pub(super) fences: u32,
    /// The number of strong writes to global memory.
    pub(super) strong_writes: u32,
    /// [`super::mbarrier_order::MbarrierOrder::now`].
    pub(super) mbarriers: u32,
    /// The number of proxy fences so far, of all warps.
    pub(super) proxy_fences: u32,
    /// The number of arrivals at the cluster's barrier.
    pub(super) cluster_arrivals: u32,
}

/// A warp between two synchronization events. Its accesses in this time differ only by step, lanes and kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Moment {
    block: u64,
    warp: u16,
    epoch: Epoch,
}

/// The moments in which warps accessed memory.
#[derive(Debug, Default)]
pub(crate) struct Moments(Vec<Moment>);

/// An access as cells store it: there are five for each word of memory, which decides how fast the checks are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stamp {
    /// The index of the moment, plus 1.
    moment: NonZeroU32,
    lanes: u32,
    /// The step, and the bits of [`Traits`]. A kernel with 2^24 steps would take hours to load.
    step: u32,
}

impl Moments {
    /// Returns the short form of an access. `last` is the moment of the previous access of the warp, and is kept up to date.
    pub(super) fn stamp(&mut self, touch: &Touch, last: &mut Option<NonZeroU32>) -> Stamp {
        let Touch { block, warp, epoch, .. } = *touch;
        let now = Moment { block, warp, epoch };
        let moment = match *last {
            Some(last) if self.moment(last) == now => last,
            _ => {
                self.0.push(now);
                // 2^32 moments would fill 200 GB.
                NonZeroU32::new(self.0.len() as u32).unwrap_or(NonZeroU32::MAX)
            }
        };
        *last = Some(moment);
        Stamp { moment, lanes: touch.lanes, step: touch.position << Traits::BITS | touch.traits.bits() }
    }

    /// Returns the number of moments so far.
    pub(super) fn count(&self) -> u32 {
        self.0.len() as u32
    }

    /// Returns the access of a short form.
    pub(crate) fn touch(&self, stamp: Stamp) -> Touch {
        let Moment { block, warp, epoch } = self.moment(stamp.moment);
        let traits = Traits::from_bits(stamp.step);
        Touch { block, position: stamp.position(), warp, lanes: stamp.lanes, traits, epoch }
    }

    /// Returns whether both accesses are of the same warp.
    pub(super) fn are_of_one_warp(&self, one: Stamp, other: Stamp) -> bool {
        let of = |stamp: Stamp| {
            let moment = &self.0[stamp.moment.get() as usize - 1];
            (moment.block, moment.warp)
        };
        one.moment == other.moment || of(one) == of(other)
    }

    /// Returns whether a barrier of its block is between an access and a later one.
    pub(super) fn is_before_barrier(&self, earlier: Stamp, touch: &Touch) -> bool {
        let Moment { block, epoch, .. } = &self.0[earlier.moment.get() as usize - 1];
        *block == touch.block && epoch.barriers != touch.epoch.barriers
    }

    fn moment(&self, moment: NonZeroU32) -> Moment {
        self.0[moment.get() as usize - 1]
    }
}

impl Stamp {
    /// Returns whether the access is of one of the moments with these indices.
    #[inline(always)]
    pub(super) fn is_within(self, moments: &Range<u32>) -> bool {
        moments.contains(&(self.moment.get() - 1))
    }

    /// Returns the same access by other lanes.
    pub(super) fn by(self, lanes: u32) -> Self {
        Self { lanes, ..self }
    }

    /// Returns whether both accesses are of the same single lane, without synchronization between them.
    pub(super) fn is_of_moment_and_lane_of(self, other: Self) -> bool {
        let copied = Traits::from_bits(self.step | other.step).has(Traits::COPIED);
        self.moment == other.moment && self.has_lane_of(other) && !copied
    }

    /// Returns whether both accesses, which are of one warp, are of the same single lane.
    pub(super) fn has_lane_of(self, other: Self) -> bool {
        self.lanes == other.lanes && self.lanes.is_power_of_two()
    }

    /// Returns the step.
    pub(super) fn position(self) -> u32 {
        self.step >> Traits::BITS
    }

    /// Returns whether the access has one of these traits.
    #[inline(always)]
    pub(super) fn has(self, traits: Traits) -> bool {
        Traits::from_bits(self.step).has(traits)
    }

    /// Returns the same access, of bytes that were loaded from uninitialized memory if `undefined`.
    pub(super) fn with_undefined(self, undefined: bool) -> Self {
        Self { step: self.step | Traits::default().with(Traits::UNDEFINED, undefined).bits(), ..self }
    }
}
