//! The observer that checks accesses to memory, barriers and warp-level instructions.
//!
//! Warps run in lockstep here, so races are not detected by their effects. Two accesses of different threads to the same byte
//! race if one of them is a write, not both are atomic, and neither a barrier of the block nor, within a warp, one of the warp is
//! between them. Lanes of one warp can race, too, because of independent thread scheduling since Volta. Fences and flags can
//! order accesses as well; see [`Order`].

use super::absent_lanes::AbsentLanes;
use super::finding::{FindingKind, MemorySpace};
use super::lent::Lent;
use super::occurrence::{Key, Occurrence};
use super::order::Order;
use super::pending_copies::{PendingCopies, hazard_of};
use super::products::Products;
use super::race_detector::{RaceDetector, Visit};
use super::shadow::{Piece, Shadow, pieces};
use super::touch::{Moments, Touch};
use super::traits::Traits;
use super::undefined::Undefined;
use crate::ground::lanes::active;
use crate::ground::space::Space;
use crate::isa::memory::{MemoryOperation, Scope, Strength};
use crate::lower::step::{Action, Program};
use crate::lower::uses::uses;
use crate::machine::addresses::{Addresses, Pattern};
use crate::machine::bind::BoundStep;
use crate::machine::events::{Access, AccessKind, Arriving, CompletedCopy, Mistake, Observer, Side};
use crate::memory::view::MemoryView;
use crate::observers::lines::Lines;
use crate::vector::registers::Registers;
use std::collections::{BTreeMap, HashMap};

/// The state of the checks of a launch.
#[derive(Debug)]
pub(crate) struct Checking {
    pub(super) shared: Shadow,
    pending_copies: PendingCopies,
    products: Products,
    absent_lanes: AbsentLanes,
    pub(super) global: Shadow,
    pub(super) device: MemoryView,
    pub(super) races: RaceDetector,
    undefined: Undefined,
    lent: Lent,
    /// The block whose shared memory is accessed.
    pub(super) block: u64,
    /// Whether blocks of a cluster have accessed each other's shared memory.
    has_peers: bool,
    /// The counters of each instruction, if they are asked for.
    lines: Option<Box<Lines>>,
    /// The shadow of shared memory of suspended blocks.
    suspended: HashMap<u64, (Shadow, PendingCopies, Products, AbsentLanes)>,
}

impl Checking {
    /// Takes the counters of each instruction.
    pub(crate) fn take_lines(&mut self) -> Option<Box<Lines>> {
        self.lines.take()
    }

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
        let loads = is_load(access.kind);
        let by_proxy = visit.memory == MemorySpace::Shared
            && matches!(access.kind, AccessKind::CopyFrom { .. } | AccessKind::Product);
        if visit.undefined != 0 {
            shadow.split_at(address);
        }
        let mut uninitialized = Vec::new();
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
            if visit.memory == MemorySpace::Shared
                && !loads
                && let Some(store) = products.stores.at(piece.address)
            {
                races.add(FindingKind::PendingStore, Some(piece.address), &visit.touch, &store, visit.lanes);
            }
            if by_proxy {
                races.check_proxy_fence(visit, piece, &cell);
            }
            if loads || matches!(access.kind, AccessKind::Atomic { reads: true, .. }) {
                let written = region.is_some_and(|region| region.is_written(piece.address, piece.bytes));
                if !written && !cell.writes.are_defined() {
                    uninitialized.push(piece);
                }
            }
            if access.kind == AccessKind::Product {
                races.check_writers(visit, piece, &cell);
            } else if loads || matches!(access.kind, AccessKind::Barrier { tests: true, .. }) {
                races.read(visit, piece, cell);
            } else {
                races.write(visit, piece, cell, stored_value(access, lane, piece));
            }
        });
        if !uninitialized.is_empty() {
            let transfer = self.races.uses.at(access.position);
            let warp = (self.block, access.warp);
            let is_part = uninitialized.iter().map(|piece| piece.bytes).sum::<u64>() < bytes;
            let may_be_padding = is_part && access.kind == AccessKind::Load;
            let lanes = visit.touch.lanes;
            let is_of_shared = access.kind == AccessKind::Load && visit.memory == MemorySpace::Shared;
            let reach = is_of_shared.then(|| self.races.reach(access.position)).filter(|reach| reach.is_only_stored());
            if let Some(reach) = &reach {
                self.undefined.carry(warp, self.races.uses.number(access.position), reach, lanes);
            }
            for piece in uninitialized {
                let is_allowed =
                    reach.is_some() || may_be_padding && self.undefined.load(warp, &transfer, (piece, bytes), lanes);
                if !is_allowed {
                    self.races.add_uninitialized(visit, piece);
                }
            }
        }
        if let (Some(region), false) = (region, loads) {
            match visit.undefined {
                0 => region.mark_written(address, bytes),
                undefined => {
                    let defined = (0..bytes).filter(|byte| undefined >> byte & 1 == 0);
                    defined.for_each(|byte| region.mark_written(address + byte, 1));
                }
            }
        }
        if let (AccessKind::CopyInto { .. }, MemorySpace::Shared) = (access.kind, visit.memory) {
            self.pending_copies.set(address, bytes, Some(visit.touch));
        }
    }

    /// Records the synchronization by a strong access. Every read counts as an acquire; a load that is none needs a fence after it.
    fn synchronize(&mut self, access: &Access<'_>, memory: MemorySpace) {
        let scope = if access.strength.is_of_block() { Scope::Block } else { Scope::Device };
        let order = &mut self.races.order;
        let warp = access.warp;
        let bytes = u64::from(access.addresses.bytes);
        let addresses = || active(access.addresses.mask).map(|lane| access.addresses.at(lane));
        if access.kind != AccessKind::Store {
            let needs_fence = matches!(access.strength, Strength::Volatile | Strength::Relaxed(_));
            order.settle(warp, needs_fence && access.kind == AccessKind::Load);
            addresses().for_each(|address| order.acquire(warp, memory, scope, address, bytes));
        }
        if matches!(access.strength, Strength::Release(_)) {
            order.fence(warp, scope);
        }
        if access.kind != AccessKind::Load {
            let atomic = access.kind != AccessKind::Store;
            order.release(warp, memory, scope, (addresses(), bytes), atomic);
        }
    }

    /// Returns what the checks distinguish in an access.
    fn traits(&self, access: &Access<'_>, memory: MemorySpace) -> Traits {
        let modifies = matches!(access.kind, AccessKind::Atomic { .. });
        let ordered = modifies
            || matches!(access.kind, AccessKind::Barrier { plain: false, .. })
            || matches!(access.strength, Strength::Relaxed(_) | Strength::Strong(_) | Strength::Release(_));
        let volatile = access.strength == Strength::Volatile;
        // Volatile accesses are an old substitute for __syncwarp, too, and do not order anything. A load is that of a flag if its
        // value decides a branch.
        let in_shared = volatile && memory == MemorySpace::Shared;
        let loads = volatile && access.kind == AccessKind::Load;
        let is_flag = loads && self.races.uses.at(access.position).decides;
        Traits::default()
            .with(Traits::MODIFIES, modifies)
            .with(Traits::ATOMIC, ordered || volatile && !in_shared || is_flag)
            .with(Traits::VOLATILE, volatile && access.kind == AccessKind::Store || in_shared && is_flag)
            .with(Traits::OF_DATA, loads && !in_shared && !is_flag)
            .with(Traits::OF_BLOCK, access.strength.is_of_block())
            .with(Traits::READ_ONLY, access.strength == Strength::ReadOnly)
    }

    /// Exchanges the state of shared memory with that of another block of the cluster, which is suspended.
    fn swap_with_peer(&mut self, block: u64) {
        if let Some((shared, copies, products, _)) = self.suspended.get_mut(&block) {
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

    /// Checks that no thread takes an address of another thread's local memory for one of its own.
    #[inline(never)]
    fn check_lent(&mut self, access: &Access<'_>, memory: MemorySpace) {
        let Self { lent, races, .. } = self;
        let touch = races.order.touch(access.warp, access.addresses.mask, access.position, Traits::default());
        for (lanes, place, store) in lent.visit(access, memory, &touch) {
            if races.reach(access.position).addresses {
                races.accesses += 1;
                races.add(FindingKind::LentAddress { memory }, Some(place), &Touch { lanes, ..touch }, &store, 1);
            }
        }
    }

    fn add_at(&mut self, kind: FindingKind, warp: usize, lanes: u32, position: u32) {
        let touch = self.races.order.touch(warp, lanes, position, Traits::default());
        self.races.accesses += 1;
        self.races.add(kind, None, &touch, &touch, u64::from(lanes.count_ones()));
    }

    /// Adds a finding of two sides.
    fn add_between(&mut self, kind: FindingKind, sides: [Side; 2], lanes: u32) {
        let [first, other] =
            sides.map(|(warp, position, lanes)| self.races.order.touch(warp, lanes, position, Traits::default()));
        self.races.accesses += 1;
        self.races.add(kind, None, &other, &first, u64::from(lanes));
    }
}

/// Returns whether an action is a volatile or ordered load or store of global memory.
fn is_strong_transfer(action: Action) -> bool {
    use MemoryOperation::{Load, Store};
    let Action::Memory { operation: Load { space, element, .. } | Store { space, element, .. }, .. } = action else {
        return false;
    };
    matches!(space, Space::Global | Space::Generic) && element.strength.is_strong()
}

fn is_load(kind: AccessKind) -> bool {
    matches!(kind, AccessKind::Load | AccessKind::CopyFrom { .. } | AccessKind::Product)
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
            absent_lanes: AbsentLanes::default(),
            global: Shadow::default(),
            device: device.clone(),
            races: RaceDetector { order, uses: uses(program), ..RaceDetector::default() },
            undefined: Undefined::default(),
            lent: Lent::new(program),
            block: 0,
            has_peers: false,
            lines: None,
            suspended: HashMap::new(),
        }
    }

    fn count(&mut self, program: &Program) {
        self.lines = Some(Box::new(Lines::new(program)));
    }

    fn enter(&mut self, block: u32, warps: u64, lanes: u64) {
        if let Some(lines) = &mut self.lines {
            lines.enter(block, warps, lanes);
        }
    }

    fn branches(&mut self, warps: u64, divergent: u64, position: u32) {
        if let Some(lines) = &mut self.lines {
            lines.branches(warps, divergent, position);
        }
    }

    fn barriers(&mut self, warps: u64) {
        if let Some(lines) = &mut self.lines {
            lines.unplaced().barriers += warps;
        }
    }

    fn shuffles(&mut self, warps: u64) {
        if let Some(lines) = &mut self.lines {
            lines.unplaced().shuffles += warps;
        }
    }

    fn votes(&mut self, warps: u64) {
        if let Some(lines) = &mut self.lines {
            lines.unplaced().votes += warps;
        }
    }

    fn begin(&mut self, block: u64, warps: usize) {
        self.block = block;
        self.pending_copies.clear();
        self.products.begin(warps);
        self.absent_lanes.begin(warps);
        self.races.order.begin(block, warps);
    }

    fn suspend(&mut self, block: u64) {
        self.races.order.suspend();
        let shared = std::mem::replace(&mut self.shared, Shadow::for_blocks());
        let copies = std::mem::take(&mut self.pending_copies);
        let products = std::mem::take(&mut self.products);
        let absent_lanes = std::mem::take(&mut self.absent_lanes);
        self.suspended.insert(block, (shared, copies, products, absent_lanes));
    }

    fn resume(&mut self, block: u64) {
        self.block = block;
        self.races.order.resume(block);
        let suspended = self.suspended.remove(&block);
        (self.shared, self.pending_copies, self.products, self.absent_lanes) = suspended.unwrap_or_else(|| {
            (Shadow::for_blocks(), PendingCopies::default(), Products::default(), AbsentLanes::default())
        });
    }

    fn enter_peer(&mut self, block: u64, warp: usize, lanes: u32, position: u32) {
        if let Some(lines) = &mut self.lines {
            lines.set_away(true);
        }
        if !self.races.order.has_met(warp, block) {
            self.add_at(FindingKind::BlockMayNotHaveBegun, warp, lanes, position);
        }
        self.swap_with_peer(block);
    }

    fn leave_peer(&mut self) {
        if let Some(lines) = &mut self.lines {
            lines.set_away(false);
        }
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
        self.undefined.end(self.block);
        self.lent.end(self.block);
        if self.has_peers {
            self.check_end();
        }
    }

    fn access(&mut self, access: &Access<'_>) {
        if let Some(lines) = &mut self.lines {
            lines.access(access);
        }
        let warp = (self.block, access.warp);
        if access.kind == AccessKind::Load && !self.undefined.is_empty() {
            let uses = &self.races.uses;
            let transfer = (uses.number(access.position), &uses.at(access.position));
            self.undefined.clear(warp, transfer, access.addresses.mask);
        }
        let memory = match access.space {
            Space::Shared => MemorySpace::Shared,
            Space::Global | Space::Generic => MemorySpace::Global,
            Space::Local | Space::Constant | Space::Parameter => return,
        };
        let mask = access.addresses.mask;
        if !is_load(access.kind) {
            self.absent_lanes.act(access.warp, mask, access.position);
        }
        if self.lent.possible && matches!(access.kind, AccessKind::Load | AccessKind::Store) {
            self.check_lent(access, memory);
        }
        let traits = self.traits(access, memory);
        let atomic = traits.has(Traits::ATOMIC);
        let releases = matches!(access.strength, Strength::Release(_));
        if access.strength.is_strong() && (releases || self.races.order.may_synchronize(memory)) {
            self.synchronize(access, memory);
        }
        let pending =
            memory == MemorySpace::Shared && !(self.pending_copies.is_empty() && self.products.read_nothing());
        let plain = !atomic && !pending && matches!(access.kind, AccessKind::Load | AccessKind::Store);
        if let (Pattern::Uniform(_), AccessKind::Load | AccessKind::Product) = (access.addresses.pattern, access.kind) {
            let lane = access.addresses.first_lane();
            let lanes = u64::from(mask.count_ones());
            let touch = self.races.order.touch(access.warp, mask, access.position, traits);
            let visit = Visit { memory, touch, stamp: self.races.order.stamp(&touch), lanes, plain, undefined: 0 };
            self.visit(access, &visit, lane);
            if access.kind == AccessKind::Product {
                self.products.read(access.addresses.at(lane), access.warp, touch);
            }
            return;
        }
        let touch = self.races.order.touch(access.warp, mask, access.position, traits);
        let stamp = self.races.order.stamp(&touch);
        let mut visit = Visit { memory, touch, stamp, lanes: 1, plain, undefined: 0 };
        let may_be_undefined = access.kind == AccessKind::Store && !self.undefined.is_empty();
        if !may_be_undefined && self.is_plainly_correct_row(access, &visit) {
            return;
        }
        for lane in active(mask) {
            visit.by(1 << lane);
            if may_be_undefined {
                let bytes = access.addresses.bytes.into();
                let uses = &self.races.uses;
                let transfer = (uses.number(access.position), &uses.at(access.position));
                visit.undefined = self.undefined.stored(warp, transfer, bytes, lane);
                visit.plain = plain && visit.undefined == 0;
            }
            // The elements of a bulk sum are more than one access may have.
            if !is_bulk(access.kind) && access.addresses.bytes <= 16 {
                self.visit(access, &visit, lane);
                continue;
            }
            for (address, bytes) in pieces(access.addresses.at(lane), access.addresses.bytes.into()) {
                let addresses = Addresses { pattern: Pattern::Uniform(address), mask, bytes: bytes as u32 };
                self.visit(&Access { addresses: &addresses, ..*access }, &visit, lane);
            }
            if let (AccessKind::CopyFrom { .. }, MemorySpace::Shared) = (access.kind, memory) {
                let address = access.addresses.at(lane);
                self.products.stores.read(address, access.addresses.bytes.into(), (access.warp, lane), visit.touch);
            }
        }
    }

    fn block_synchronized(&mut self) {
        self.races.order.barrier();
    }

    fn warp_synchronized(&mut self, warp: usize, mask: u32, alive: u32) {
        self.races.order.synchronize(warp, mask, alive);
    }

    fn warp_exchanged(&mut self, warp: usize, mask: u32) {
        self.races.order.exchange(warp, mask);
    }

    fn initializes_barrier(&mut self) {
        self.races.order.begin_mbarriers();
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
            let touch = || races.order.touch(warp, active, position, Traits::default());
            if let Some(product) = self.products.step(step, (warp, active), registers, touch) {
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

    fn fenced(&mut self, warp: usize, scope: Scope) {
        self.races.order.fence(warp, scope);
    }

    fn mistaken(&mut self, mistake: Mistake, warp: usize, lanes: u32, position: u32) {
        let kind = match mistake {
            Mistake::DivergentBarrier => FindingKind::DivergentBarrier,
            Mistake::PartOfWarp { threads } => FindingKind::PartOfWarp { threads },
            Mistake::MaskWithoutCaller => FindingKind::MaskWithoutCaller,
            Mistake::ShuffleFromInactive => FindingKind::ShuffleFromInactive,
            Mistake::DifferentMasks => FindingKind::DifferentMasks,
            Mistake::DifferentRounds => FindingKind::DifferentRounds,
        };
        self.add_at(kind, warp, lanes, position);
    }

    #[inline(always)]
    fn part(&mut self, warp: usize, some: u32, others: u32) {
        self.absent_lanes.part(warp, some, others);
    }

    fn exchanges(&mut self, lanes: Side, absent: u32) {
        let (warp, position, together) = lanes;
        if let Some((absent, at)) = self.absent_lanes.find(warp, absent, together) {
            self.add_between(FindingKind::AbsentLanes, [(warp, at, absent), lanes], absent.count_ones());
        }
        self.absent_lanes.act(warp, together, position);
    }

    fn synchronized_at_different_lines(&mut self, warp: usize, first: (u32, u32), other: (u32, u32)) {
        let lanes = (first.1 | other.1).count_ones();
        self.add_between(FindingKind::DifferentLines, [first, other].map(|at| (warp, at.0, at.1)), lanes);
    }

    fn met_at_different_barriers(&mut self, first: Side, other: Side) {
        self.add_between(FindingKind::DifferentBarriers, [first, other], other.2.count_ones());
    }
}
