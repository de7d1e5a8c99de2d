//! The observer that checks accesses to memory, barriers and warp-level instructions.
//!
//! Warps run in lockstep here, so races are not detected by their effects. Two accesses of different threads to the same byte
//! race if one of them is a write, not both are atomic, and neither a barrier of the block nor, within a warp, a warp-level
//! instruction is between them. Lanes of one warp can race, too, because of independent thread scheduling since Volta. In
//! global memory, fences and atomics can order accesses as well; see `is_synchronized` and [`Order::lacks_fence`].

use super::finding::{FindingKind, MemorySpace};
use super::occurrence::{Key, Occurrence};
use super::order::Order;
use super::pending_copies::{PendingCopies, hazard_of};
use super::products::Products;
use super::race_detector::{RaceDetector, Visit};
use super::shadow::{Piece, Shadow, pieces};
use super::touch::Moments;
use crate::ground::lanes::active;
use crate::ground::space::Space;
use crate::isa::memory::{MemoryOperation, Strength};
use crate::lower::step::{Action, Program};
use crate::machine::addresses::{Addresses, Pattern};
use crate::machine::bind::BoundStep;
use crate::machine::events::{Access, AccessKind, Arriving, CompletedCopy, Mistake, Observer};
use crate::memory::view::MemoryView;
use crate::vector::registers::Registers;
use std::collections::{BTreeMap, HashMap};

/// The state of the checks of a launch.
#[derive(Debug)]
pub(crate) struct Checking {
    pub(super) shared: Shadow,
    pending_copies: PendingCopies,
    products: Products,
    pub(super) global: Shadow,
    pub(super) device: MemoryView,
    pub(super) races: RaceDetector,
    /// The block whose shared memory is accessed.
    pub(super) block: u64,
    /// Whether blocks of a cluster have accessed each other's shared memory.
    has_peers: bool,
    /// The shadow of shared memory of suspended blocks.
    suspended: HashMap<u64, (Shadow, PendingCopies, Products)>,
}

impl Checking {
    /// Returns the findings, and the shadow of global memory with the moments of its accesses.
    pub(crate) fn into_parts(self) -> (BTreeMap<Key, Occurrence>, (Shadow, Moments)) {
        (self.races.findings, (self.global, self.races.order.into_moments()))
    }

    /// Checks the access of one lane, or of several lanes to one address.
    #[inline(always)]
    fn visit(&mut self, access: &Access<'_>, visit: &Visit, lane: usize) {
        if !(visit.plain && self.is_plainly_correct(access, visit, lane)) {
            self.check(access, visit, lane);
        }
    }

    /// Checks the access of one lane, or of several lanes to one address, in all ways.
    #[inline(never)]
    fn check(&mut self, access: &Access<'_>, visit: &Visit, lane: usize) {
        let address = access.addresses.at(lane);
        let bytes = u64::from(access.addresses.bytes);
        let (shadow, region) = match visit.memory {
            MemorySpace::Shared => (&mut self.shared, None),
            MemorySpace::Global => (&mut self.global, self.device.find(access.position as usize, address, bytes)),
        };
        if visit.memory == MemorySpace::Global && region.is_none() {
            return; // out of bounds: a fault follows
        }
        self.races.accesses += 1;
        let races = &mut self.races;
        let pending_copies = &self.pending_copies;
        let products = &self.products;
        let loads = matches!(access.kind, AccessKind::Load | AccessKind::CopyFrom { .. } | AccessKind::Product);
        let by_proxy = visit.memory == MemorySpace::Shared
            && matches!(access.kind, AccessKind::CopyFrom { .. } | AccessKind::Product);
        shadow.visit(self.block, address, bytes, |piece, cell| {
            let copy = if visit.memory == MemorySpace::Shared { pending_copies.at(piece.address) } else { None };
            if let Some(copy) = copy {
                let kind = FindingKind::PendingCopy { hazard: hazard_of(access.kind) };
                races.add(kind, Some(piece.address), &visit.touch, &copy, visit.lanes);
                return;
            }
            if visit.memory == MemorySpace::Shared
                && !loads
                && let Some(product) = products.at(piece.address)
            {
                races.add(FindingKind::PendingRead, Some(piece.address), &visit.touch, &product, visit.lanes);
            }
            if by_proxy {
                races.check_proxy_fence(visit, piece, &cell);
            }
            if loads || matches!(access.kind, AccessKind::Atomic { reads: true, .. }) {
                let written = region.is_some_and(|region| region.is_written(piece.address, piece.bytes));
                races.check_initialized(visit, piece, &cell, written);
            }
            if access.kind == AccessKind::Product {
                races.check_writers(visit, piece, &cell);
            } else if loads {
                races.read(visit, piece, cell);
            } else {
                races.write(visit, piece, cell, stored_value(access, lane, piece));
            }
        });
        if let (Some(region), false) = (region, loads) {
            region.mark_written(address, bytes);
        }
        if let (AccessKind::CopyInto { .. }, MemorySpace::Shared) = (access.kind, visit.memory) {
            self.pending_copies.set(address, bytes, Some(visit.touch));
        }
    }

    /// Records the synchronization by a strong access to global memory. Every read counts as an acquire, so a missing fence
    /// after it is not reported.
    fn synchronize_blocks(&mut self, access: &Access<'_>) {
        let order = &mut self.races.order;
        let warp = access.warp;
        let bytes = u64::from(access.addresses.bytes);
        let addresses = || active(access.addresses.mask).map(|lane| access.addresses.at(lane));
        if access.kind != AccessKind::Store {
            addresses().for_each(|address| order.acquire(warp, address, bytes));
        }
        if access.strength == Strength::Release {
            order.fence(warp);
        }
        if access.kind != AccessKind::Load {
            let atomic = access.kind != AccessKind::Store;
            order.release(warp, addresses(), bytes, atomic);
        }
    }

    /// Exchanges the state of shared memory with that of another block of the cluster, which is suspended.
    fn swap_with_peer(&mut self, block: u64) {
        if let Some((shared, copies, products)) = self.suspended.get_mut(&block) {
            std::mem::swap(&mut self.shared, shared);
            std::mem::swap(&mut self.pending_copies, copies);
            std::mem::swap(&mut self.products, products);
        }
        self.races.order.swap_with_peer(block);
        (self.block, self.has_peers) = (block, true);
    }

    /// Checks that the accesses of other blocks to the shared memory of the current block are ordered before its end.
    fn check_end(&mut self) {
        let Self { shared, races, .. } = self;
        for (address, _, readers, writes) in shared.cells_of(races.order.block()) {
            for stamp in writes.by.into_iter().chain(readers.0).flatten() {
                let touch = races.order.moments().touch(stamp);
                if !races.order.precedes_end(&touch) {
                    races.accesses += 1;
                    races.add(FindingKind::BlockMayHaveEnded, Some(address), &touch, &touch, 1);
                }
            }
        }
    }

    fn add_at(&mut self, kind: FindingKind, warp: usize, lanes: u32, position: u32) {
        let touch = self.races.order.touch(warp, lanes, position, false);
        self.races.accesses += 1;
        self.races.add(kind, None, &touch, &touch, u64::from(lanes.count_ones()));
    }
}

/// Returns whether an action is a volatile or ordered load or store of global memory.
fn is_strong_transfer(action: Action) -> bool {
    use MemoryOperation::{Load, Store};
    let Action::Memory { operation: Load { space, element, .. } | Store { space, element, .. }, .. } = action else {
        return false;
    };
    matches!(space, Space::Global | Space::Generic) && element.strength != Strength::Weak
}

fn is_bulk(kind: AccessKind) -> bool {
    matches!(kind, AccessKind::CopyFrom { bulk: true } | AccessKind::CopyInto { bulk: true })
}

/// Returns the value that a lane stores into a piece, if known.
pub(super) fn stored_value(access: &Access<'_>, lane: usize, piece: Piece) -> Option<u32> {
    let stored = access.stored;
    if stored.is_empty() {
        return None;
    }
    // Both numbers are powers of two.
    let part_shift = access.addresses.bytes.trailing_zeros() - stored.len().trailing_zeros();
    let part = stored.get((piece.offset >> part_shift) as usize)?;
    let bits = part[lane] >> (8 * (piece.offset & ((1 << part_shift) - 1)));
    Some(if piece.bytes == 4 { bits as u32 } else { bits as u32 & 0xFF })
}

impl Observer for Checking {
    const ON: bool = true;
    const EVERY_ACCESS: bool = true;
    const PRODUCTS: bool = true;
    const MARKS_WRITES: bool = true;

    fn new(program: &Program, device: &MemoryView) -> Self {
        let order = Order::new(program.steps.iter().any(|step| is_strong_transfer(step.action)));
        Self {
            shared: Shadow::for_blocks(),
            pending_copies: PendingCopies::default(),
            products: Products::default(),
            global: Shadow::default(),
            device: device.clone(),
            races: RaceDetector { order, ..RaceDetector::default() },
            block: 0,
            has_peers: false,
            suspended: HashMap::new(),
        }
    }

    fn begin(&mut self, block: u64, warps: usize) {
        self.block = block;
        self.pending_copies.clear();
        self.products.begin(warps);
        self.races.order.begin(block, warps);
    }

    fn suspend(&mut self, block: u64) {
        self.races.order.suspend();
        let shared = std::mem::replace(&mut self.shared, Shadow::for_blocks());
        let copies = std::mem::take(&mut self.pending_copies);
        let products = std::mem::take(&mut self.products);
        self.suspended.insert(block, (shared, copies, products));
    }

    fn resume(&mut self, block: u64) {
        self.block = block;
        self.races.order.resume(block);
        let suspended = self.suspended.remove(&block);
        (self.shared, self.pending_copies, self.products) =
            suspended.unwrap_or_else(|| (Shadow::for_blocks(), PendingCopies::default(), Products::default()));
    }

    fn enter_peer(&mut self, block: u64, warp: usize, lanes: u32, position: u32) {
        if !self.races.order.has_met(warp, block) {
            self.add_at(FindingKind::BlockMayNotHaveBegun, warp, lanes, position);
        }
        self.swap_with_peer(block);
    }

    fn leave_peer(&mut self) {
        self.swap_with_peer(self.block);
        self.block = self.races.order.block();
    }

    fn arrives_at_cluster(&mut self, cluster: u64, warp: usize, releases: bool) {
        self.races.order.arrive_at_cluster(cluster, warp, releases);
    }

    fn completes_cluster(&mut self, cluster: u64) {
        self.races.order.complete_cluster(cluster);
    }

    fn passes_cluster(&mut self, cluster: u64, warp: usize) {
        self.races.order.pass_cluster(cluster, warp);
    }

    fn end(&mut self, _: &Registers) {
        if self.has_peers {
            self.check_end();
        }
    }

    fn access(&mut self, access: &Access<'_>) {
        let memory = match access.space {
            Space::Shared => MemorySpace::Shared,
            Space::Global | Space::Generic => MemorySpace::Global,
            Space::Local | Space::Constant | Space::Parameter => return,
        };
        let mask = access.addresses.mask;
        // Volatile accesses to shared memory, an old substitute for __syncwarp, do not order anything. In global memory,
        // blocks use them to wait for each other.
        let modifies = matches!(access.kind, AccessKind::Atomic { .. });
        let atomic = modifies
            || matches!(access.kind, AccessKind::Barrier { plain: false })
            || matches!(access.strength, Strength::Strong | Strength::Release)
            || (access.strength == Strength::Volatile && memory == MemorySpace::Global);
        if atomic && memory == MemorySpace::Global {
            self.synchronize_blocks(access);
        }
        let pending =
            memory == MemorySpace::Shared && !(self.pending_copies.is_empty() && self.products.read_nothing());
        let plain = !atomic && !pending && matches!(access.kind, AccessKind::Load | AccessKind::Store);
        if let (Pattern::Uniform(_), AccessKind::Load | AccessKind::Product) = (access.addresses.pattern, access.kind) {
            let lane = access.addresses.first_lane();
            let lanes = u64::from(mask.count_ones());
            let touch = self.races.order.touch(access.warp, mask, access.position, atomic);
            let visit = Visit { memory, touch, stamp: self.races.order.stamp(&touch), lanes, plain };
            self.visit(access, &visit, lane);
            if access.kind == AccessKind::Product {
                self.products.read(access.addresses.at(lane), access.warp, touch);
            }
            return;
        }
        let touch = self.races.order.touch(access.warp, mask, access.position, atomic).with_modifies(modifies);
        let mut visit = Visit { memory, touch, stamp: self.races.order.stamp(&touch), lanes: 1, plain };
        if self.is_plainly_correct_row(access, &visit) {
            return;
        }
        for lane in active(mask) {
            visit.by(1 << lane);
            if !is_bulk(access.kind) {
                self.visit(access, &visit, lane);
                continue;
            }
            for (address, bytes) in pieces(access.addresses.at(lane), access.addresses.bytes.into()) {
                let addresses = Addresses { pattern: Pattern::Uniform(address), mask, bytes: bytes as u32 };
                self.visit(&Access { addresses: &addresses, ..*access }, &visit, lane);
            }
        }
    }

    fn block_synchronized(&mut self) {
        self.races.order.barrier();
    }

    fn warp_synchronized(&mut self, warp: usize, mask: u32, alive: u32) {
        self.races.order.synchronize(warp, mask, alive);
    }

    fn arrives(&mut self, barrier: u64, by: Arriving, ends: bool) {
        self.races.order.arrive(barrier, by, ends);
    }

    fn passes(&mut self, barrier: u64, warp: usize, lane: usize) {
        self.races.order.pass(barrier, warp, lane);
    }

    fn copy_completed(&mut self, copy: &CompletedCopy) {
        let &CompletedCopy { warp, lane, position, address, bytes, waited } = copy;
        let touch = self.races.order.completed_copy(warp, lane, position, waited);
        let stamp = self.races.order.stamp(&touch);
        self.pending_copies.set(address, bytes, None);
        for (address, bytes) in pieces(address, bytes) {
            self.shared.visit(self.block, address, bytes, |_, cell| {
                (cell.writes.by[0], cell.writes.value) = (Some(stamp), None);
            });
        }
    }

    fn step(&mut self, position: u32, step: &BoundStep, warp: usize, active: u32, registers: &Registers) -> bool {
        if active != 0 {
            let races = &mut self.races;
            let touch = || races.order.touch(warp, active, position, false);
            if let Some(product) = self.products.step(step, warp, registers, touch) {
                let touch = touch();
                races.accesses += 1;
                races.add(FindingKind::PendingProduct, None, &touch, &product, u64::from(active.count_ones()));
            }
        }
        true
    }

    fn proxy_fenced(&mut self, warp: usize) {
        self.races.order.proxy_fence(warp);
    }

    fn fenced(&mut self, warp: usize) {
        self.races.order.fence(warp);
    }

    fn mistaken(&mut self, mistake: Mistake, warp: usize, lanes: u32, position: u32) {
        let kind = match mistake {
            Mistake::DivergentBarrier => FindingKind::DivergentBarrier,
            Mistake::MaskWithoutCaller => FindingKind::MaskWithoutCaller,
            Mistake::ShuffleFromInactive => FindingKind::ShuffleFromInactive,
        };
        self.add_at(kind, warp, lanes, position);
    }

    fn synchronized_at_different_lines(&mut self, warp: usize, first: (u32, u32), other: (u32, u32)) {
        let [first_touch, touch] =
            [first, other].map(|(position, lanes)| self.races.order.touch(warp, lanes, position, false));
        self.races.accesses += 1;
        let lanes = u64::from((first.1 | other.1).count_ones());
        self.races.add(FindingKind::DifferentLines, None, &touch, &first_touch, lanes);
    }
}
