//! Checks of how a kernel uses memory and barriers: races, reads of uninitialized memory, divergent barriers.
//!
//! Warps run in lockstep here, so a race is never judged by the values that were seen: two accesses of different
//! threads to one byte, one of them a write and not both atomic, race unless something is between them: a barrier
//! of the block, or a warp-level instruction for lanes of one warp. Lanes of a warp race too: since Volta its threads
//! are scheduled each by itself. Global memory may be handed over by fences and atomics too; see `is_handed_over`.
//!
//! Of the readers of a byte the last one is remembered, and the last one of another warp: a race with an earlier
//! reader of the same warp may go unseen. A barrier for a part of the block counts as one for all.

use super::finding::{FindingKind, Hazard, MemorySpace};
use super::order::{Order, Touch};
use super::shadow::{Cell, Piece, Shadow};
use super::sighting::{Key, Sighting};
use super::under_way::{UnderWay, hazard_of};
use crate::ground::lanes::active;
use crate::ground::space::Space;
use crate::isa::memory::Strength;
use crate::machine::addresses::{Addresses, Pattern};
use crate::machine::events::{Access, AccessKind, Arriving, Landing, Mistake, Observer};
use crate::memory::view::MemoryView;
use std::collections::{BTreeMap, HashMap};

/// Observes a launch for what its kernel does wrong.
#[derive(Debug)]
pub(crate) struct Checking {
    shared: Shadow,
    under_way: UnderWay,
    global: Shadow,
    device: MemoryView,
    seen: Seen,
    block: u64,
    /// What is known of the shared memory of blocks that are put aside.
    aside: HashMap<u64, (Shadow, UnderWay)>,
}

/// What the cells of one access are compared by.
#[derive(Debug, Default)]
struct Seen {
    order: Order,
    findings: BTreeMap<Key, Sighting>,
    /// Accesses by a lane, or by lanes of one address, up to now.
    accesses: u64,
}

/// An access of one lane, or of several at one address.
struct Visit {
    memory: MemorySpace,
    touch: Touch,
    lanes: u64,
}

impl Seen {
    fn add(&mut self, kind: FindingKind, address: Option<u64>, touch: &Touch, earlier: &Touch, lanes: u64) {
        let new = Sighting {
            block: touch.block,
            address,
            thread: touch.thread(),
            earlier_block: earlier.block,
            earlier_thread: earlier.thread(),
            count: 0,
            access: 0,
        };
        let sighting = self.findings.entry((kind, earlier.position, touch.position)).or_insert(new);
        if sighting.access != self.accesses {
            sighting.access = self.accesses;
            sighting.count += lanes;
        }
    }

    /// Whether global memory passes between the two in a way that threads agree on by other means, which are not
    /// judged: a fence of the earlier one's inside of a block, as locks and flags have it, or an atomic on one side, as
    /// the first read of a loop that ends in a compare and swap.
    fn is_handed_over(&self, hazard: Hazard, earlier: &Touch, touch: &Touch) -> bool {
        let one_is_atomic = earlier.atomic || touch.atomic;
        (one_is_atomic && hazard != Hazard::WriteAfterWrite) || self.order.fenced_since(earlier)
    }

    fn race(&mut self, visit: &Visit, hazard: Hazard, address: u64, earlier: Option<Touch>) {
        let Some(earlier) = earlier else { return };
        if visit.memory == MemorySpace::Global && self.is_handed_over(hazard, &earlier, &visit.touch) {
            return;
        }
        if let Some(distance) = self.order.unordered(&earlier, &visit.touch) {
            let kind = FindingKind::Race { memory: visit.memory, hazard, distance };
            self.add(kind, Some(address), &visit.touch, &earlier, visit.lanes);
        }
    }

    fn read(&mut self, visit: &Visit, piece: Piece, cell: &mut Cell, written: bool) {
        if !written && cell.writers == [None; 2] {
            let kind = FindingKind::Uninitialised { memory: visit.memory };
            self.add(kind, Some(piece.address), &visit.touch, &visit.touch, visit.lanes);
        }
        for writer in cell.writers {
            self.race(visit, Hazard::ReadAfterWrite, piece.address, writer);
        }
        let [last, of_other_lane, of_other_warp] = cell.readers;
        cell.readers = match last {
            Some(last) if !last.is_of_warp_of(&visit.touch) => [Some(visit.touch), None, Some(last)],
            Some(last) if !last.is_of_lane_of(&visit.touch) => [Some(visit.touch), Some(last), of_other_warp],
            _ => [Some(visit.touch), of_other_lane, of_other_warp],
        };
    }

    fn write(&mut self, visit: &Visit, piece: Piece, cell: &mut Cell, value: Option<u32>) {
        // The same value twice leaves no doubt about the result.
        if value.is_none() || value != cell.value {
            for writer in cell.writers {
                self.race(visit, Hazard::WriteAfterWrite, piece.address, writer);
            }
        }
        for reader in cell.readers {
            self.race(visit, Hazard::WriteAfterRead, piece.address, reader);
        }
        cell.writers[usize::from(visit.touch.atomic)] = Some(visit.touch);
        cell.value = value;
    }
}

impl Checking {
    /// The findings, and what is known of global memory.
    pub(crate) fn into_parts(self) -> (BTreeMap<Key, Sighting>, Shadow) {
        (self.seen.findings, self.global)
    }

    /// The access of one lane, or of several lanes to one address.
    fn visit(&mut self, access: &Access<'_>, visit: &Visit, lane: usize) {
        let (address, bytes) = (access.addresses.of(lane), u64::from(access.addresses.bytes));
        let (shadow, region) = match visit.memory {
            MemorySpace::Shared => (&mut self.shared, None),
            MemorySpace::Global => (&mut self.global, self.device.find(access.position as usize, address, bytes)),
        };
        if visit.memory == MemorySpace::Global && region.is_none() {
            return; // out of bounds: a fault follows
        }
        self.seen.accesses += 1;
        let (seen, under_way) = (&mut self.seen, &self.under_way);
        let reads = matches!(access.kind, AccessKind::Load | AccessKind::CopyFrom { .. });
        shadow.visit(self.block, address, bytes, |piece, cell| {
            let copy = if visit.memory == MemorySpace::Shared { under_way.at(piece.address) } else { None };
            if let Some(copy) = copy {
                let kind = FindingKind::CopyUnderWay { hazard: hazard_of(access.kind) };
                seen.add(kind, Some(piece.address), &visit.touch, &copy, visit.lanes);
            } else if reads {
                let written = region.is_some_and(|region| region.is_written(piece.address, piece.bytes));
                seen.read(visit, piece, cell, written);
            } else {
                seen.write(visit, piece, cell, stored(access, lane, piece));
            }
        });
        if let (Some(region), false) = (region, reads) {
            region.mark_written(address, bytes);
        }
        if let AccessKind::CopyInto { .. } = access.kind {
            self.under_way.set(address, bytes, Some(visit.touch));
        }
    }

    /// An access by which blocks tell each other what they have done. Each read counts as one that acquires: a fence that
    /// should follow it is not missed.
    fn hand_over(&mut self, access: &Access<'_>) {
        let (order, warp, bytes) = (&mut self.seen.order, access.warp, u64::from(access.addresses.bytes));
        let addresses = || active(access.addresses.mask).map(|lane| access.addresses.of(lane));
        if access.kind != AccessKind::Store {
            addresses().for_each(|address| order.acquire(warp, address, bytes));
        }
        if access.strength == Strength::Release {
            order.fence(warp);
        }
        if access.kind != AccessKind::Load {
            let atomic = access.kind != AccessKind::Store;
            addresses().for_each(|address| order.release(warp, address, bytes, atomic));
        }
    }

    fn add_at(&mut self, kind: FindingKind, warp: usize, lanes: u32, position: u32) {
        let touch = self.seen.order.touch(warp, lanes, position, false);
        self.seen.accesses += 1;
        self.seen.add(kind, None, &touch, &touch, u64::from(lanes.count_ones()));
    }
}

fn is_bulk(kind: AccessKind) -> bool {
    matches!(kind, AccessKind::CopyFrom { bulk: true } | AccessKind::CopyInto { bulk: true })
}

/// A copy in pieces of 16 bytes at most, each of which lies in one page: copies are aligned.
fn pieces(address: u64, bytes: u64) -> impl Iterator<Item = (u64, u64)> {
    (0..bytes).step_by(16).map(move |offset| (address + offset, (bytes - offset).min(16)))
}

/// What a lane stores into a piece, where that is known.
fn stored(access: &Access<'_>, lane: usize, piece: Piece) -> Option<u32> {
    let part_bytes = u64::from(access.addresses.bytes) / (access.stored.len() as u64).max(1);
    let part = access.stored.get((piece.offset / part_bytes) as usize)?;
    let bits = part[lane] >> (8 * (piece.offset % part_bytes));
    Some(if piece.bytes == 4 { bits as u32 } else { bits as u32 & 0xFF })
}

impl Observer for Checking {
    const ON: bool = true;
    const EVERY_ACCESS: bool = true;

    fn new(_: usize, device: &MemoryView) -> Self {
        Self {
            shared: Shadow::of_blocks(),
            under_way: UnderWay::default(),
            global: Shadow::default(),
            device: device.clone(),
            seen: Seen::default(),
            block: 0,
            aside: HashMap::new(),
        }
    }

    fn begin(&mut self, block: u64, warps: usize) {
        self.block = block;
        self.under_way.clear();
        self.seen.order.begin(block, warps);
    }

    fn put_aside(&mut self, block: u64) {
        self.seen.order.put_aside();
        let shared = std::mem::replace(&mut self.shared, Shadow::of_blocks());
        self.aside.insert(block, (shared, std::mem::take(&mut self.under_way)));
    }

    fn take_up(&mut self, block: u64) {
        self.block = block;
        self.seen.order.take_up(block);
        let aside = self.aside.remove(&block);
        (self.shared, self.under_way) = aside.unwrap_or_else(|| (Shadow::of_blocks(), UnderWay::default()));
    }

    fn enter(&mut self, _: u32, _: u64, _: u64) {}

    fn access(&mut self, access: &Access<'_>) {
        let memory = match access.space {
            Space::Shared => MemorySpace::Shared,
            Space::Global | Space::Generic => MemorySpace::Global,
            Space::Local | Space::Constant | Space::Parameter => return,
        };
        let mask = access.addresses.mask;
        // Volatile accesses of shared memory are the old way to do without __syncwarp: they order nothing. In global
        // memory they are how blocks wait for each other.
        let atomic = matches!(access.kind, AccessKind::Atomic { .. } | AccessKind::Barrier { plain: false })
            || matches!(access.strength, Strength::Strong | Strength::Release)
            || (access.strength == Strength::Volatile && memory == MemorySpace::Global);
        if atomic && memory == MemorySpace::Global {
            self.hand_over(access);
        }
        if let (Pattern::Uniform(_), AccessKind::Load) = (access.addresses.pattern, access.kind) {
            let (lane, lanes) = (access.addresses.first_lane(), u64::from(mask.count_ones()));
            let touch = self.seen.order.touch(access.warp, mask, access.position, atomic);
            let visit = Visit { memory, touch, lanes };
            return self.visit(access, &visit, lane);
        }
        for lane in active(mask) {
            let touch = self.seen.order.touch(access.warp, 1 << lane, access.position, atomic);
            let visit = Visit { memory, touch, lanes: 1 };
            if !is_bulk(access.kind) {
                self.visit(access, &visit, lane);
                continue;
            }
            for (address, bytes) in pieces(access.addresses.of(lane), access.addresses.bytes.into()) {
                let addresses = Addresses { pattern: Pattern::Uniform(address), mask, bytes: bytes as u32 };
                self.visit(&Access { addresses: &addresses, ..*access }, &visit, lane);
            }
        }
    }

    fn uniform_loads(&mut self, _: Space, _: u64, _: u64) {}
    fn branches(&mut self, _: u64, _: u64) {}
    fn barriers(&mut self, _: u64) {}
    fn shuffles(&mut self, _: u64) {}

    fn block_synchronised(&mut self) {
        self.seen.order.barrier();
    }

    fn warp_synchronised(&mut self, warp: usize, mask: u32, alive: u32) {
        self.seen.order.synchronise(warp, mask, alive);
    }

    fn arrives(&mut self, barrier: u64, by: Arriving, ends: bool) {
        self.seen.order.arrive(barrier, by, ends);
    }

    fn passes(&mut self, barrier: u64, warp: usize, lane: usize) {
        self.seen.order.pass(barrier, warp, lane);
    }

    /// The bytes are written now.
    fn landed(&mut self, landing: &Landing) {
        let &Landing { warp, lane, position, address, bytes, waited } = landing;
        let touch = self.seen.order.landing(warp, lane, position, waited);
        self.under_way.set(address, bytes, None);
        for (address, bytes) in pieces(address, bytes) {
            self.shared.visit(self.block, address, bytes, |_, cell| {
                (cell.writers[0], cell.value) = (Some(touch), None);
            });
        }
    }

    fn fenced(&mut self, warp: usize) {
        self.seen.order.fence(warp);
    }

    fn mistaken(&mut self, mistake: Mistake, warp: usize, lanes: u32, position: u32) {
        let kind = match mistake {
            Mistake::DivergentBarrier => FindingKind::DivergentBarrier,
            Mistake::MaskWithoutCaller => FindingKind::MaskWithoutCaller,
            Mistake::ShuffleFromInactive => FindingKind::ShuffleFromInactive,
        };
        self.add_at(kind, warp, lanes, position);
    }

    fn met_apart(&mut self, warp: usize, first: (u32, u32), other: (u32, u32)) {
        let [first_touch, touch] =
            [first, other].map(|(position, lanes)| self.seen.order.touch(warp, lanes, position, false));
        self.seen.accesses += 1;
        let lanes = u64::from((first.1 | other.1).count_ones());
        self.seen.add(FindingKind::MetApart, None, &touch, &first_touch, lanes);
    }
}
