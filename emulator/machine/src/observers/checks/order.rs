//! The order of accesses, whatever the schedule: by barriers, warp-level instructions and fences. `vector_clock.rs` orders
//! accesses of different blocks, `mbarrier_order.rs` accesses before and after mbarriers.

use super::finding::Distance;
use super::mbarrier_order::MbarrierOrder;
use super::touch::{Epoch, Moments, Stamp, Touch};
use super::vector_clock::{ReleasedClocks, SharedClock, VectorClock, join_clocks};
use crate::ground::lanes::{WARP_SIZE, active};
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
    /// The accesses of other blocks that are ordered before the next access.
    clock: SharedClock,
    /// The clock at the last fence, which writes release.
    fenced: SharedClock,
    /// The clock that was acquired last. A polling loop acquires the same clock again and again.
    acquired: SharedClock,
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
    suspended: HashMap<u64, (Vec<WarpOrder>, MbarrierOrder)>,
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
        self.mbarriers = MbarrierOrder::default();
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
        self.suspended.insert(self.block, (std::mem::take(&mut self.warps), std::mem::take(&mut self.mbarriers)));
    }

    /// Restores the state of a suspended block.
    pub(super) fn resume(&mut self, block: u64) {
        self.enter(block);
        (self.warps, self.mbarriers) = self.suspended.remove(&block).unwrap_or_default();
    }

    /// Exchanges the mbarriers with those of another block of the cluster, which is suspended.
    pub(super) fn swap_with_peer(&mut self, block: u64) {
        self.away = if self.away.is_some() { None } else { Some(block) };
        if let Some((_, mbarriers)) = self.suspended.get_mut(&block) {
            std::mem::swap(mbarriers, &mut self.mbarriers);
        }
    }

    /// Records that a warp arrives at the barrier of its cluster. Without `releases`, only a fence before it releases accesses.
    pub(super) fn arrive_at_cluster(&mut self, cluster: u64, warp: usize, releases: bool) {
        if releases {
            self.fence(warp);
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
        order.cluster_phase = phase;
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
    pub(super) fn touch(&self, warp: usize, lanes: u32, position: u32, atomic: bool) -> Touch {
        let epoch =
            Epoch { mbarriers: self.mbarriers.now(), proxy_fences: self.proxy_fences, ..self.warps[warp].epoch };
        Touch { block: self.block, position, warp: warp as u16, lanes, atomic, modifies: false, copied: false, epoch }
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
        Touch { copied: !waited, ..self.touch(warp, 1 << lane, position, false) }
    }

    /// Records an arrival at an mbarrier.
    pub(super) fn arrive(&mut self, barrier: u64, by: Arriving, ends: bool) {
        if let (Arriving::Thread(warp, _), Some(peer)) = (by, self.away) {
            // The threads of another block know this one's by its fences.
            self.fence(warp);
            let copies = self.suspended.get(&peer).map_or(0, |(_, own)| own.copies_before(warp));
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
        let known = all(|warp| &warp.known);
        for warp in &mut self.warps {
            warp.epoch.barriers += 1;
            warp.clock.clone_from(&clock);
            warp.fenced.clone_from(&fenced);
            warp.known.clone_from(&known);
        }
    }

    /// Records that the lanes `mask` of a warp synchronize.
    pub(super) fn synchronize(&mut self, warp: usize, mask: u32, alive: u32) {
        self.mbarriers.synchronize(warp, mask);
        let WarpOrder { epoch, met, .. } = &mut self.warps[warp];
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

    /// Records a fence for the device.
    pub(super) fn fence(&mut self, warp: usize) {
        let WarpOrder { epoch, clock, fenced, .. } = &mut self.warps[warp];
        epoch.fences += 1;
        let own = VectorClock::for_warp(self.block, epoch.barriers, warp as u16, epoch.fences);
        *fenced = join_clocks(clock, &Some(Arc::new(own)));
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
        earlier.block == touch.block && !earlier.copied && !fenced(earlier.warp) && !fenced(touch.warp)
    }

    /// Records a read of global memory that acquires the clocks released there.
    pub(super) fn acquire(&mut self, warp: usize, address: u64, bytes: u64) {
        let WarpOrder { clock, acquired, known, .. } = &mut self.warps[warp];
        if let Some(unfenced) = &self.unfenced {
            *known = join_clocks(known, &unfenced.acquire(address, bytes));
        }
        let now = self.released.acquire(address, bytes);
        let same = matches!((&now, &*acquired), (Some(now), Some(acquired)) if Arc::ptr_eq(now, acquired));
        if !same {
            *clock = join_clocks(clock, &now);
            *acquired = now;
        }
    }

    /// Records strong writes to global memory, which release the clock of the last fence.
    pub(super) fn release(&mut self, warp: usize, addresses: impl Iterator<Item = u64>, bytes: u64, atomic: bool) {
        let WarpOrder { epoch, fenced, known, .. } = &mut self.warps[warp];
        let without_fence = self.unfenced.as_ref().map(|_| {
            epoch.strong_writes += 1;
            let own = VectorClock::for_warp(self.block, epoch.barriers, warp as u16, epoch.strong_writes);
            join_clocks(known, &Some(Arc::new(own)))
        });
        for address in addresses {
            self.released.release(address, bytes, fenced, atomic);
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
        let stores = earlier.block != touch.block && !earlier.modifies;
        stores && covers(known, strong_writes) && !covers(clock, fences)
    }

    /// Returns the distance between the threads of two accesses that are not ordered, or `None` if they are ordered or of
    /// the same thread.
    pub(super) fn race_distance(&self, earlier: &Touch, touch: &Touch) -> Option<Distance> {
        if earlier.atomic && touch.atomic {
            return None;
        }
        if earlier.block != touch.block {
            let Epoch { barriers, fences, mbarriers, .. } = earlier.epoch;
            let clock = self.warps[usize::from(touch.warp)].clock.as_ref();
            let ordered = clock.is_some_and(|clock| {
                if earlier.copied {
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
        let actors = (!earlier.copied).then_some((usize::from(earlier.warp), earlier.lanes));
        if self.mbarriers.is_ordered((usize::from(touch.warp), touch.lanes), actors, earlier.epoch.mbarriers) {
            return None;
        }
        if earlier.warp != touch.warp {
            return Some(Distance::BetweenWarps);
        }
        if earlier.copied {
            return Some(Distance::InsideWarp);
        }
        let ordered = earlier.is_of_lane_of(touch)
            || earlier.epoch.whole != touch.epoch.whole
            || self.synchronized_since(earlier, touch);
        (!ordered).then_some(Distance::InsideWarp)
    }

    /// Returns whether the warp of an access of this block has executed a fence since.
    pub(super) fn fenced_since(&self, earlier: &Touch) -> bool {
        earlier.block == self.block && self.warps[usize::from(earlier.warp)].epoch.fences > earlier.epoch.fences
    }

    /// Returns whether each lane of `touch` has synchronized with each lane of `earlier` since.
    fn synchronized_since(&self, earlier: &Touch, touch: &Touch) -> bool {
        let Some(met) = self.warps[usize::from(touch.warp)].met.as_ref() else { return false };
        active(touch.lanes)
            .all(|lane| active(earlier.lanes & !(1 << lane)).all(|other| met[lane][other] > earlier.epoch.parts))
    }
}

/// The clocks at the barriers of clusters, by the number of the cluster.
#[derive(Debug, Default)]
pub(super) struct ClusterOrder(HashMap<u64, Phase>);

#[derive(Debug, Default)]
struct Phase {
    /// The number of phases that are complete.
    number: u32,
    /// The clock that the arrivals of this phase have released.
    arrived: SharedClock,
    /// That of the last complete phase.
    complete: SharedClock,
}

impl ClusterOrder {
    /// Records that a warp arrives, which releases a clock.
    pub(super) fn arrive(&mut self, cluster: u64, clock: &SharedClock) {
        let phase = self.0.entry(cluster).or_default();
        phase.arrived = join_clocks(&phase.arrived, clock);
    }

    /// Records that all threads have arrived.
    pub(super) fn complete(&mut self, cluster: u64) {
        let phase = self.0.entry(cluster).or_default();
        (phase.number, phase.complete) = (phase.number + 1, phase.arrived.take());
    }

    /// Returns the number of the last complete phase, and the clock that a thread acquires by its wait.
    pub(super) fn passed(&self, cluster: u64) -> (u32, SharedClock) {
        self.0.get(&cluster).map_or((0, None), |phase| (phase.number, phase.complete.clone()))
    }
}
