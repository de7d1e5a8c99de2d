//! The order of accesses, whatever the schedule: by barriers and fences. `vector_clock.rs` orders accesses of different blocks,
//! `flag_order.rs` those of one block around flags, `mbarrier_order.rs` accesses before and after mbarriers.
//!
//! Within a warp, only `bar.warp.sync` orders the accesses of two lanes. That they execute an instruction together, in lockstep,
//! orders nothing: neither a shuffle, a vote or another exchange of values does, nor that no branch has parted them. An exchange
//! behind a fence orders what came before the fence.

use super::cluster_order::ClusterOrder;
use super::finding::{Distance, MemorySpace};
use super::flag_order::{Exchanges, Flags};
use super::mbarrier_order::MbarrierOrder;
use super::touch::{Epoch, Moments, Stamp, Touch};
use super::traits::Traits;
use super::vector_clock::{ReleasedClocks, SharedClock, VectorClock, join_clocks};
use crate::ground::lanes::{WARP_SIZE, active};
use crate::isa::memory::Scope;
use crate::machine::events::Arriving;
use std::collections::HashMap;
use std::num::NonZeroU32;
use std::ops::Range;
use std::sync::Arc;

/// When lanes of a warp last synchronized: `met[a][b]` is the value of `parts` up to which lane `a` is ordered after lane
/// `b`.
type Meetings = [[u32; WARP_SIZE]; WARP_SIZE];

/// The state of one warp.
#[derive(Clone, Debug, Default)]
struct WarpOrder {
    epoch: Epoch,
    /// The moment of the last access.
    moment: Option<NonZeroU32>,
    /// The number of proxy fences up to the last one of this warp.
    proxy_fence: u32,
    met: Option<Box<Meetings>>,
    /// The accesses of other blocks, and of warps with flags, that are ordered before the next access.
    clock: SharedClock,
    /// The clock at the last fence for the device, which writes release.
    fenced: SharedClock,
    /// The clock at the last fence, which writes release to threads of the block.
    fenced_here: SharedClock,
    /// The part of the clock that did not come from loads without an acquire, since the last of which the warp has executed no
    /// fence; `None` if there is none.
    settled: Option<SharedClock>,
    /// The clocks that were acquired last: of all blocks, and of this one. A polling loop acquires the same clock again and again.
    acquired: [SharedClock; 2],
    exchanges: Exchanges,
    /// The number of phases of the cluster's barrier that the warp has passed.
    cluster_phase: u32,
    /// The accesses of other blocks that would be ordered before the next access if each strong write were a release.
    known: SharedClock,
}

/// The state of the current block, of suspended blocks, and of global memory.
#[derive(Debug, Default)]
pub(super) struct Order {
    block: u64,
    /// The block of the cluster whose mbarriers have taken the place of the current block's, if any.
    away: Option<u64>,
    warps: Vec<WarpOrder>,
    moments: Moments,
    /// Moments before the last barrier of the current block, all of this block: those since it began or went on.
    before_barrier: Range<u32>,
    clusters: ClusterOrder,
    mbarriers: MbarrierOrder,
    /// The number of proxy fences of all blocks. Only their order within a block matters.
    proxy_fences: u32,
    flags: Flags,
    suspended: HashMap<u64, (Vec<WarpOrder>, MbarrierOrder, Flags)>,
    released: ReleasedClocks,
    /// The clocks that strong writes would release without fences; `None` if no load or store is strong.
    unfenced: Option<ReleasedClocks>,
}

impl Order {
    /// Returns the state before the first block of a kernel. `strong_transfers`: it has strong loads or stores.
    pub(super) fn new(strong_transfers: bool) -> Self {
        Self { unfenced: strong_transfers.then(ReleasedClocks::default), ..Self::default() }
    }

    /// Starts with a new block.
    pub(super) fn begin(&mut self, block: u64, warps: usize) {
        self.enter(block);
        (self.mbarriers, self.flags) = (MbarrierOrder::default(), Flags::default());
        self.warps.clear();
        self.warps.resize(warps, WarpOrder::default());
    }

    /// Makes a block the current one.
    fn enter(&mut self, block: u64) {
        let now = self.moments.count();
        (self.block, self.before_barrier) = (block, now..now);
    }

    /// Returns whether an access is one of those of the current block before its last barrier. Nothing follows from false.
    #[inline(always)]
    pub(super) fn is_before_last_barrier(&self, earlier: Stamp) -> bool {
        earlier.is_within(&self.before_barrier)
    }

    /// Returns the number of the current block.
    pub(super) fn block(&self) -> u64 {
        self.block
    }

    /// Saves the state of the current block.
    pub(super) fn suspend(&mut self) {
        let state = (&mut self.warps, &mut self.mbarriers, &mut self.flags);
        let state = (std::mem::take(state.0), std::mem::take(state.1), std::mem::take(state.2));
        self.suspended.insert(self.block, state);
    }

    /// Restores the state of a suspended block.
    pub(super) fn resume(&mut self, block: u64) {
        self.enter(block);
        (self.warps, self.mbarriers, self.flags) = self.suspended.remove(&block).unwrap_or_default();
    }

    /// Exchanges the mbarriers with those of another block of the cluster, which is suspended.
    pub(super) fn swap_with_peer(&mut self, block: u64) {
        self.away = if self.away.is_some() { None } else { Some(block) };
        if let Some((_, mbarriers, _)) = self.suspended.get_mut(&block) {
            std::mem::swap(mbarriers, &mut self.mbarriers);
        }
    }

    /// Records that a warp arrives at the barrier of its cluster. Without `releases`, only a fence before it releases accesses.
    pub(super) fn arrive_at_cluster(&mut self, cluster: u64, warp: usize, releases: bool) {
        if releases {
            self.fence(warp, Scope::Device);
        }
        self.warps[warp].epoch.cluster_arrivals += 1;
        let clock = self.with_copies(warp, self.mbarriers.copies_before(warp));
        self.clusters.arrive(cluster, &clock);
    }

    /// Returns the clock of a warp's last fence, joined with that of the block's copies before this time.
    fn with_copies(&self, warp: usize, time: u32) -> SharedClock {
        let copies = VectorClock::for_copies(self.block, time);
        join_clocks(&self.warps[warp].fenced, &Some(Arc::new(copies)))
    }

    /// Records that all threads of a cluster have arrived at its barrier.
    pub(super) fn complete_cluster(&mut self, cluster: u64) {
        self.clusters.complete(cluster);
    }

    /// Records that a warp passes the barrier of its cluster. The first warp of a block that does passes a barrier of the block,
    /// too: accesses between the arrival and the wait count as before it there.
    pub(super) fn pass_cluster(&mut self, cluster: u64, warp: usize) {
        let (phase, clock) = self.clusters.passed(cluster);
        if self.warps.iter().all(|warp| warp.cluster_phase < phase) {
            self.barrier();
        }
        let order = &mut self.warps[warp];
        (order.cluster_phase, order.settled) = (phase, None);
        (order.clock, order.fenced) = (join_clocks(&order.clock, &clock), join_clocks(&order.fenced, &clock));
    }

    /// Returns whether a warp may conclude that another block of the cluster has begun: it has passed the cluster's barrier, or
    /// accesses of the block are ordered before.
    pub(super) fn has_met(&self, warp: usize, block: u64) -> bool {
        let WarpOrder { cluster_phase, clock, .. } = &self.warps[warp];
        *cluster_phase > 0 || clock.as_ref().is_some_and(|clock| clock.knows(block))
    }

    /// Returns whether an access of another block is ordered before the end of the current block: before some access of a warp, or
    /// before an arrival at the cluster's barrier that a warp has waited for.
    pub(super) fn precedes_end(&self, touch: &Touch) -> bool {
        let Epoch { barriers, fences, cluster_arrivals, .. } = touch.epoch;
        let covers = |clock: &VectorClock| clock.covers(touch.block, barriers, touch.warp, fences);
        let precedes =
            |warp: &WarpOrder| warp.cluster_phase > cluster_arrivals || warp.clock.as_deref().is_some_and(covers);
        touch.block == self.block || self.warps.iter().any(precedes)
    }

    /// Returns an access that happens now.
    pub(super) fn touch(&self, warp: usize, lanes: u32, position: u32, traits: Traits) -> Touch {
        let epoch =
            Epoch { mbarriers: self.mbarriers.now(), proxy_fences: self.proxy_fences, ..self.warps[warp].epoch };
        Touch { block: self.block, position, warp: warp as u16, lanes, traits, epoch }
    }

    /// Returns the short form of an access of the current block that happens now.
    pub(super) fn stamp(&mut self, touch: &Touch) -> Stamp {
        self.moments.stamp(touch, &mut self.warps[usize::from(touch.warp)].moment)
    }

    /// Returns the moments of all accesses.
    pub(super) fn moments(&self) -> &Moments {
        &self.moments
    }

    /// Returns the moments of all accesses, at the end.
    pub(super) fn into_moments(self) -> Moments {
        self.moments
    }

    /// Returns the write of a copy that completes now. `waited`: the lane that issued it has waited for it.
    pub(super) fn completed_copy(&self, warp: usize, lane: usize, position: u32, waited: bool) -> Touch {
        self.touch(warp, 1 << lane, position, Traits::default().with(Traits::COPIED, !waited))
    }

    /// Records the initialization of an mbarrier, from which on the clocks of threads are needed.
    pub(super) fn begin_mbarriers(&mut self) {
        self.mbarriers.begin(self.warps.len());
    }

    /// Records an arrival at an mbarrier.
    pub(super) fn arrive(&mut self, barrier: u64, by: Arriving, ends: bool) {
        if let (Arriving::Thread(warp, _), Some(peer)) = (by, self.away) {
            // The threads of another block know this one's by its fences.
            self.fence(warp, Scope::Device);
            let copies = self.suspended.get(&peer).map_or(0, |(_, own, _)| own.copies_before(warp));
            let clock = self.with_copies(warp, copies);
            let clocks = (clock.clone(), clock);
            return self.mbarriers.arrive(self.warps.len(), barrier, Arriving::Unordered, &clocks, ends);
        }
        let clocks = match by {
            Arriving::Thread(warp, _) => (self.warps[warp].clock.clone(), self.warps[warp].fenced.clone()),
            Arriving::Unordered | Arriving::Copies => (None, None),
        };
        self.mbarriers.arrive(self.warps.len(), barrier, by, &clocks, ends);
    }

    /// Records that a thread observes the end of a phase of an mbarrier.
    pub(super) fn pass(&mut self, barrier: u64, warp: usize, lane: usize) {
        let (clock, fenced) = self.mbarriers.pass(barrier, warp, lane);
        let order = &mut self.warps[warp];
        order.settled = None;
        (order.clock, order.fenced) = (join_clocks(&order.clock, &clock), join_clocks(&order.fenced, &fenced));
    }

    /// Records a barrier of the block. It joins the clocks of all warps, so a thread can release what another has fenced.
    pub(super) fn barrier(&mut self) {
        self.mbarriers.barrier();
        self.before_barrier.end = self.moments.count();
        let all =
            |of: fn(&WarpOrder) -> &SharedClock| self.warps.iter().fold(None, |all, warp| join_clocks(&all, of(warp)));
        let clock = all(|warp| &warp.clock);
        let fenced = all(|warp| &warp.fenced);
        let fenced_here = all(|warp| &warp.fenced_here);
        let known = all(|warp| &warp.known);
        for warp in &mut self.warps {
            warp.epoch.barriers += 1;
            warp.settled = None;
            warp.clock.clone_from(&clock);
            warp.fenced.clone_from(&fenced);
            warp.fenced_here.clone_from(&fenced_here);
            warp.known.clone_from(&known);
        }
    }

    /// Records that the lanes `mask` of a warp pass a `bar.warp.sync`.
    pub(super) fn synchronize(&mut self, warp: usize, mask: u32, alive: u32) {
        self.mbarriers.synchronize(warp, mask);
        let WarpOrder { epoch, met, settled, .. } = &mut self.warps[warp];
        *settled = None;
        if mask == alive {
            epoch.whole += 1;
            return;
        }
        epoch.parts += 1;
        let met = met.get_or_insert_with(|| Box::new([[0; WARP_SIZE]; WARP_SIZE]));
        let members = || (0..WARP_SIZE).filter(move |lane| mask >> lane & 1 != 0);
        for other in 0..WARP_SIZE {
            let last = members().map(|lane| met[lane][other]).max().unwrap_or(0);
            let last = if mask >> other & 1 != 0 { epoch.parts } else { last };
            members().for_each(|lane| met[lane][other] = last);
        }
    }

    /// Records that the lanes `mask` of a warp exchange values.
    #[inline(always)]
    pub(super) fn exchange(&mut self, warp: usize, mask: u32) {
        let WarpOrder { epoch, exchanges, settled, .. } = &mut self.warps[warp];
        *settled = None;
        exchanges.exchange(mask, epoch.fences);
    }

    /// Records a fence.
    pub(super) fn fence(&mut self, warp: usize, scope: Scope) {
        let WarpOrder { epoch, clock, fenced, fenced_here, settled, .. } = &mut self.warps[warp];
        *settled = None;
        epoch.fences += 1;
        let own = VectorClock::for_warp(self.block, epoch.barriers, warp as u16, epoch.fences);
        *fenced_here = join_clocks(clock, &Some(Arc::new(own)));
        if scope == Scope::Device {
            fenced.clone_from(fenced_here);
        }
        self.flags.fenced = true;
    }

    /// Records a fence between accesses of threads and asynchronous operations.
    pub(super) fn proxy_fence(&mut self, warp: usize) {
        self.proxy_fences += 1;
        self.warps[warp].proxy_fence = self.proxy_fences;
    }

    /// Returns whether an asynchronous operation may not see a write of a thread: neither the writing nor the issuing warp has
    /// executed a proxy fence since.
    pub(super) fn lacks_proxy_fence(&self, earlier: &Touch, touch: &Touch) -> bool {
        let fenced = |warp: u16| self.warps[usize::from(warp)].proxy_fence > earlier.epoch.proxy_fences;
        earlier.block == touch.block && !earlier.has(Traits::COPIED) && !fenced(earlier.warp) && !fenced(touch.warp)
    }

    /// Returns whether strong accesses to this memory may synchronize threads.
    pub(super) fn may_synchronize(&self, memory: MemorySpace) -> bool {
        memory == MemorySpace::Global || self.flags.fenced && self.away.is_none()
    }

    /// Records that a warp is about to acquire a clock. If it `needs_fence`, accesses after it are ordered only after a fence, or
    /// after what implies that others wait for the warp: most kernels have a barrier or an exchange instead.
    pub(super) fn settle(&mut self, warp: usize, needs_fence: bool) {
        let WarpOrder { clock, settled, .. } = &mut self.warps[warp];
        if needs_fence {
            settled.get_or_insert_with(|| clock.clone());
        } else {
            *settled = None;
        }
    }

    /// Returns whether a plain read is ordered after a plain write by a load alone that is no acquire, and that no fence follows.
    pub(super) fn lacks_acquire(&self, earlier: &Touch, touch: &Touch) -> bool {
        let Some(settled) = &self.warps[usize::from(touch.warp)].settled else { return false };
        let Epoch { barriers, fences, mbarriers, .. } = earlier.epoch;
        let covers = |clock: &SharedClock| {
            clock.as_ref().is_some_and(|clock| clock.covers(earlier.block, barriers, earlier.warp, fences))
        };
        let is_other = !earlier.is_of_warp_of(touch) && !earlier.has(Traits::ATOMIC) && !touch.has(Traits::ATOMIC);
        let actors = (usize::from(earlier.warp), earlier.lanes);
        let waited = earlier.block == touch.block
            && (barriers != touch.epoch.barriers
                || self.mbarriers.is_ordered((usize::from(touch.warp), touch.lanes), Some(actors), mbarriers));
        is_other && !waited && covers(&self.warps[usize::from(touch.warp)].clock) && !covers(settled)
    }

    /// Records a strong read, which acquires the clocks released there.
    pub(super) fn acquire(&mut self, warp: usize, memory: MemorySpace, scope: Scope, address: u64, bytes: u64) {
        let WarpOrder { clock, acquired, known, .. } = &mut self.warps[warp];
        let here = self.flags.acquire(memory, address, bytes);
        let of_all = memory == MemorySpace::Global && scope == Scope::Device;
        let all = if of_all { self.released.acquire(address, bytes) } else { None };
        for (now, acquired) in [all, here].into_iter().zip(acquired) {
            let same = matches!((&now, &*acquired), (Some(now), Some(acquired)) if Arc::ptr_eq(now, acquired));
            if !same && now.is_some() {
                *clock = join_clocks(clock, &now);
                *acquired = now;
            }
        }
        if let (Some(unfenced), MemorySpace::Global) = (&self.unfenced, memory) {
            *known = join_clocks(known, &unfenced.acquire(address, bytes));
        }
    }

    /// Records strong writes, which release the clock of the last fence.
    pub(super) fn release(
        &mut self,
        warp: usize,
        memory: MemorySpace,
        scope: Scope,
        (addresses, bytes): (impl Iterator<Item = u64>, u64),
        atomic: bool,
    ) {
        let WarpOrder { epoch, fenced, fenced_here, known, .. } = &mut self.warps[warp];
        if memory == MemorySpace::Shared {
            return addresses.for_each(|address| self.flags.release(memory, address, bytes, fenced_here, atomic));
        }
        let without_fence = self.unfenced.as_ref().map(|_| {
            epoch.strong_writes += 1;
            let own = VectorClock::for_warp(self.block, epoch.barriers, warp as u16, epoch.strong_writes);
            join_clocks(known, &Some(Arc::new(own)))
        });
        for address in addresses {
            self.flags.release(memory, address, bytes, fenced_here, atomic);
            if scope == Scope::Device {
                self.released.release(address, bytes, fenced, atomic);
            }
            if let (Some(unfenced), Some(clock)) = (&mut self.unfenced, &without_fence) {
                unfenced.release(address, bytes, clock, atomic);
            }
        }
    }

    /// Returns whether a read by another block relies on an order that only a missing fence would guarantee: its thread has
    /// read what the writer wrote after this store, and so may conclude that the store has happened. Whoever has not read
    /// such a value polls the store itself, which needs no fence.
    pub(super) fn lacks_fence(&self, earlier: &Touch, touch: &Touch) -> bool {
        let WarpOrder { clock, known, .. } = &self.warps[usize::from(touch.warp)];
        let Epoch { barriers, fences, strong_writes, .. } = earlier.epoch;
        let covers = |clock: &SharedClock, count| {
            clock.as_ref().is_some_and(|clock| clock.covers(earlier.block, barriers, earlier.warp, count))
        };
        let stores = earlier.block != touch.block && !earlier.has(Traits::MODIFIES);
        stores && covers(known, strong_writes) && !covers(clock, fences)
    }

    /// Returns the distance between the threads of two accesses that are not ordered, or `None` if they are ordered or of
    /// the same thread.
    pub(super) fn race_distance(&self, earlier: &Touch, touch: &Touch) -> Option<Distance> {
        if earlier.is_strong_with(touch) && !earlier.is_too_narrow_for(touch) {
            return None;
        }
        let copied = earlier.has(Traits::COPIED);
        let Epoch { barriers, fences, mbarriers, .. } = earlier.epoch;
        let WarpOrder { clock, exchanges, .. } = &self.warps[usize::from(touch.warp)];
        if earlier.block != touch.block {
            let ordered = clock.as_ref().is_some_and(|clock| {
                if copied {
                    clock.covers_copy(earlier.block, barriers, mbarriers)
                } else {
                    clock.covers(earlier.block, barriers, earlier.warp, fences)
                }
            });
            return (!ordered).then_some(Distance::BetweenBlocks);
        }
        if earlier.epoch.barriers != touch.epoch.barriers {
            return None;
        }
        let actors = (!copied).then_some((usize::from(earlier.warp), earlier.lanes));
        if self.mbarriers.is_ordered((usize::from(touch.warp), touch.lanes), actors, earlier.epoch.mbarriers) {
            return None;
        }
        let covers = |clock: &Arc<VectorClock>| clock.covers(earlier.block, barriers, earlier.warp, fences);
        if !copied && clock.as_ref().is_some_and(covers) {
            return None;
        }
        if earlier.warp != touch.warp {
            return Some(Distance::BetweenWarps);
        }
        if copied {
            return Some(Distance::InsideWarp);
        }
        let ordered = earlier.is_of_lane_of(touch)
            || earlier.epoch.whole != touch.epoch.whole
            || exchanges.order(earlier, touch)
            || self.synchronized_since(earlier, touch);
        (!ordered).then_some(Distance::InsideWarp)
    }

    /// Returns whether each lane of `touch` has synchronized with each lane of `earlier` since.
    fn synchronized_since(&self, earlier: &Touch, touch: &Touch) -> bool {
        let Some(met) = self.warps[usize::from(touch.warp)].met.as_ref() else { return false };
        active(touch.lanes)
            .all(|lane| active(earlier.lanes & !(1 << lane)).all(|other| met[lane][other] > earlier.epoch.parts))
    }
}
