//! The order of accesses within a block by fences: with a flag, which is a strong write that another thread reads, or with a
//! warp-level instruction that exchanges values, and orders no memory by itself.

use super::finding::MemorySpace;
use super::touch::Touch;
use super::vector_clock::{ReleasedClocks, SharedClock};
use crate::ground::lanes::{WARP_SIZE, active};

/// The clocks that strong writes of a block have released to its own threads.
#[derive(Debug, Default)]
pub(super) struct Flags {
    /// Whether a warp of the block has executed a fence. Without one, nothing is released.
    pub(super) fenced: bool,
    shared: ReleasedClocks,
    global: ReleasedClocks,
}

impl Flags {
    fn of(&mut self, memory: MemorySpace) -> &mut ReleasedClocks {
        match memory {
            MemorySpace::Shared => &mut self.shared,
            MemorySpace::Global => &mut self.global,
        }
    }

    /// Returns the clock that a strong read acquires.
    pub(super) fn acquire(&mut self, memory: MemorySpace, address: u64, bytes: u64) -> SharedClock {
        if self.fenced { self.of(memory).acquire(address, bytes) } else { None }
    }

    /// Releases a clock by a strong write.
    pub(super) fn release(&mut self, memory: MemorySpace, address: u64, bytes: u64, clock: &SharedClock, atomic: bool) {
        if self.fenced {
            self.of(memory).release(address, bytes, clock, atomic);
        }
    }
}

/// The number of fences of a warp before the last exchange of each of its lanes.
#[derive(Clone, Debug, Default)]
pub(super) struct Exchanges(Option<Box<[u32; WARP_SIZE]>>);

impl Exchanges {
    /// Records that lanes exchange values, after so many fences of their warp.
    pub(super) fn exchange(&mut self, mask: u32, fences: u32) {
        if fences > 0 {
            let known = self.0.get_or_insert_default();
            active(mask).for_each(|lane| known[lane] = fences);
        }
    }

    /// Returns whether a fence after an earlier access of a warp, and an exchange after the fence, order it before another one.
    pub(super) fn order(&self, earlier: &Touch, touch: &Touch) -> bool {
        let Some(known) = &self.0 else { return false };
        active(earlier.lanes | touch.lanes).all(|lane| known[lane] > earlier.epoch.fences)
    }
}
