//! Memory instructions of a group: addresses, alignment and state spaces.
//!
//! Each memory step inspects the addresses of a warp, which are all equal, consecutive, or arbitrary; no pattern is derived
//! statically. The first two have fast paths for transfers and closed forms for counters.

mod atomic;
mod bulk;
mod copy;
mod device;
mod object;
mod private;
mod probe;
mod tensor;
mod texture;
mod uniform;
mod vector_atomic;
mod words;

use crate::ground::cluster::rank_of;
use crate::ground::fault::FaultKind;
use crate::ground::lanes::{FULL, WARP_SIZE, active};
use crate::ground::space::Space;
use crate::isa::memory::{AtomicFunction, Element, MemoryOperation};
use crate::machine::addresses::{Addresses, Pattern};
use crate::machine::bind::BoundStep;
use crate::machine::block::BlockMachine;
use crate::machine::events::{Access, AccessKind, Observer};
use crate::machine::stop::{Run, Stop};
use crate::vector::registers::OperandKind;
use crate::vector::simd::Task;
use probe::{Base, Probe};
use simd::Lane;
use std::ops::Range;
use std::sync::atomic::Ordering::{Acquire, Release};
use std::sync::atomic::fence;

/// A memory instruction of one warp.
#[derive(Clone, Copy)]
struct Request<'a> {
    step: &'a BoundStep,
    /// The index of the warp in the group.
    index: usize,
    warp: usize,
    space: Space,
    element: Element,
    lanes: u8,
    addresses: Addresses<'a>,
}

impl Request<'_> {
    /// Returns the number of bytes that a lane accesses.
    fn bytes(&self) -> u64 {
        u64::from(self.addresses.bytes)
    }

    /// Returns the active lanes and the address of the first of them, if they are consecutive and access consecutive 4-byte
    /// words of operand `operand`.
    fn row(&self, operand: usize) -> Option<(Range<usize>, u64)> {
        let Pattern::Linear(start) = self.addresses.pattern else { return None };
        let mask = self.addresses.mask;
        let first = mask.trailing_zeros();
        let end = 32 - mask.leading_zeros();
        let consecutive = end - first == mask.count_ones();
        let words = self.element.bytes == 4 && self.lanes == 1;
        let fits = consecutive && words && self.step.kinds[operand] == Some(OperandKind::Narrow);
        fits.then(|| (first as usize..end as usize, start.wrapping_add(4 * u64::from(first))))
    }

    /// Returns the address of lane 0 if all lanes access consecutive parts of words, of 1 or 2 bytes, of operand `operand`.
    fn row_of_parts(&self, operand: usize) -> Option<u64> {
        let Pattern::Linear(start) = self.addresses.pattern else { return None };
        let parts = self.element.bytes < 4 && self.lanes == 1 && self.addresses.mask == FULL;
        let fits = parts && self.step.kinds[operand] == Some(OperandKind::Narrow);
        (fits && start.is_multiple_of(4)).then_some(start)
    }
}

impl<O: Observer> BlockMachine<'_, O> {
    /// Executes a load, store or atomic of the group.
    ///
    /// Blocks on other workers may access the same words. A strong value of 8 bytes has two of them, which a lock keeps together.
    /// The fences order accesses to different words on a CPU that may reorder them.
    #[inline]
    pub(in crate::machine) fn access(
        &mut self,
        step: &BoundStep,
        operation: MemoryOperation,
        offset: i64,
        visible: bool,
    ) -> Run<()> {
        let (space, Element { bytes, strength, .. }, _) = operation.accessed();
        if !strength.is_strong() {
            return self.access_in_turn(step, operation, offset, visible);
        }
        fence(Release);
        let is_atomic = matches!(operation, MemoryOperation::Atomic { .. });
        let is_wide = bytes == 8 && !is_atomic && matches!(space, Space::Global | Space::Generic);
        let device = self.memories.device;
        let _whole = is_wide.then(|| device.lock_wide_atomics());
        let done = self.access_in_turn(step, operation, offset, visible);
        fence(Acquire);
        done
    }

    // In V8, the loop of a block took 57 % of the time of forces while it contained this function. It was not measured alone.
    #[cfg_attr(target_family = "wasm", inline(never))]
    #[cfg_attr(not(target_family = "wasm"), inline)]
    fn access_in_turn(&mut self, step: &BoundStep, operation: MemoryOperation, offset: i64, visible: bool) -> Run<()> {
        let (space, element, lanes) = operation.accessed();
        let bytes = u32::from(element.bytes) * u32::from(lanes);
        self.external_accesses += u64::from(matches!(space, Space::Generic | Space::Global));
        let mut done = 0;
        if visible && !O::EVERY_ACCESS {
            let position = self.group.position as usize;
            if let (MemoryOperation::Load { .. }, true) = (operation, self.loads_uniform[position]) {
                done = self.load_uniform(step, space, element, lanes, offset);
                self.loads_uniform[position] = done > 0;
            }
            if done == 0 {
                done = self.access_words(step, operation, offset);
            }
            if done == self.lanes.warps.len() {
                return Ok(());
            }
        }
        let Self { registers, lanes: group, patterns, .. } = self;
        self.simd.run(Probe { registers, lanes: group, step, offset, bytes, patterns });
        for index in done..self.lanes.warps.len() {
            let warp = usize::from(self.lanes.warps[index]);
            let (mask, pattern) = self.patterns[index];
            if mask == 0 {
                continue;
            }
            let mut scattered = [0; WARP_SIZE];
            let pattern = match pattern {
                Some(pattern) => pattern,
                None => {
                    Base { registers: &self.registers, step, warp, offset }.addresses(&mut scattered);
                    Pattern::Any(&scattered)
                }
            };
            let addresses = Addresses { pattern, mask, bytes };
            let request = Request { step, index, warp, space, element, lanes, addresses };
            if space == Space::Generic {
                self.generic(request, operation, visible)?;
            } else {
                self.transfer(&request, operation, visible)?;
            }
        }
        Ok(())
    }

    /// Splits a generic access into one access per space.
    fn generic(&mut self, request: Request<'_>, operation: MemoryOperation, visible: bool) -> Run<()> {
        let mut rest = request.addresses.mask;
        while rest != 0 {
            let space = Space::from_address(request.addresses.at(rest.trailing_zeros() as usize));
            let (mut lanes, mut mask) = ([0; WARP_SIZE], 0);
            for (lane, address) in lanes.iter_mut().enumerate() {
                let generic = request.addresses.at(lane);
                if rest >> lane & 1 != 0 && Space::from_address(generic) == space {
                    mask |= 1 << lane;
                    *address = generic.wrapping_sub(space.base());
                }
            }
            rest &= !mask;
            let addresses = Addresses::classify(&lanes, mask, request.addresses.bytes);
            self.transfer(&Request { space, addresses, ..request }, operation, visible)?;
        }
        Ok(())
    }

    fn transfer(&mut self, request: &Request<'_>, operation: MemoryOperation, visible: bool) -> Run<()> {
        if request.space == Space::Shared && self.bound.has_clusters {
            return self.transfer_in_cluster(request, operation, visible);
        }
        self.transfer_own(request, operation, visible)
    }

    /// Accesses shared memory of any blocks of the cluster, one after the other.
    #[inline(never)]
    fn transfer_in_cluster(&mut self, request: &Request<'_>, operation: MemoryOperation, visible: bool) -> Run<()> {
        let mut rest = request.addresses.mask;
        while rest != 0 {
            let first = rest.trailing_zeros() as usize;
            let (rank, _) = rank_of(request.addresses.at(first));
            let (mut lanes, mut mask) = ([0; WARP_SIZE], 0);
            for (lane, to) in lanes.iter_mut().enumerate() {
                let (of_lane, offset) = rank_of(request.addresses.at(lane));
                if rest >> lane & 1 != 0 && of_lane == rank {
                    mask |= 1 << lane;
                    *to = offset;
                }
            }
            rest &= !mask;
            let addresses = Addresses::classify(&lanes, mask, request.addresses.bytes);
            self.with_peer(rank, (request.index, first), |machine| {
                machine.transfer_own(&Request { addresses, ..*request }, operation, visible)
            })?;
        }
        Ok(())
    }

    /// Accesses memory, of which shared memory is the block's own.
    fn transfer_own(&mut self, request: &Request<'_>, operation: MemoryOperation, visible: bool) -> Run<()> {
        use MemoryOperation::{Atomic, Load, Store};
        self.check_alignment(request)?;
        if O::ON && visible {
            let kind = match operation {
                Load { .. } => AccessKind::Load,
                Store { .. } => AccessKind::Store,
                Atomic { function, counts, .. } => AccessKind::Atomic {
                    swaps: function == AtomicFunction::CompareAndSwap,
                    reads: function != AtomicFunction::Exchange,
                    counts,
                },
            };
            self.observe(request, kind);
        }
        match (operation, request.space) {
            (Load { .. }, Space::Global | Space::Constant | Space::Generic) => self.load_device(request),
            (Load { .. }, _) => self.load_private(request),
            (Store { .. }, Space::Global | Space::Generic) => {
                self.memories.changed = true;
                self.store_device(request)
            }
            (Store { .. }, Space::Constant | Space::Parameter) => {
                Err(self.bad_access(request, request.addresses.first_lane(), "which a kernel cannot write"))
            }
            (Store { .. }, _) => self.store_private(request),
            (Atomic { lanes: 2.., element, .. }, Space::Shared) if element.bytes < 8 => {
                Err(self.bad_access(request, request.addresses.first_lane(), "which has no vector atomics"))
            }
            (Atomic { function, returns: true, lanes: 2.., .. }, _) => self.atomic_vector(request, function),
            (Atomic { function, returns, .. }, Space::Shared) => self.atomic_shared(request, function, returns),
            (Atomic { function, returns, .. }, _) => self.atomic_device(request, function, returns),
        }
    }

    /// Shows an access to the observer, if there is one.
    fn observe(&mut self, request: &Request<'_>, kind: AccessKind) {
        if !O::ON {
            return;
        }
        let Request { space, warp, addresses, .. } = request;
        // What cooperative groups do in memory that CUDA reserves is not the kernel's mistake.
        if O::EVERY_ACCESS && *space == Space::Shared && self.bound.reserves(addresses.at(addresses.first_lane())) {
            return;
        }
        // Nothing is ever written past the end: the fault that follows describes the mistake, and no finding is needed.
        if O::EVERY_ACCESS && *space == Space::Shared && kind != AccessKind::Store && self.is_past_shared(addresses) {
            return;
        }
        let warp = *warp;
        let position = self.group.position;
        let strength = request.element.strength;
        let access = Access { space: *space, kind, strength, addresses, warp, position, stored: &[] };
        if !O::EVERY_ACCESS || kind != AccessKind::Store {
            return self.observer.access(&access);
        }
        let mut stored = [[0; WARP_SIZE]; 4];
        let stored = &mut stored[..usize::from(request.lanes)];
        for (part, values) in stored.iter_mut().enumerate() {
            let operand = request.step.operand(1 + part);
            // All lanes at once where that is a copy: most stores are of one register of 32 bits.
            *values = match operand.kind {
                OperandKind::Narrow => self.registers.narrow[operand.rows.row(warp)].0.map(u64::from),
                _ => std::array::from_fn(|lane| self.registers.value(operand, warp, lane)),
            };
        }
        self.observer.access(&Access { stored, ..access });
    }

    /// Returns whether a lane reaches past the end of shared memory.
    fn is_past_shared(&self, addresses: &Addresses<'_>) -> bool {
        let end = self.bound.shared_bytes() as u64;
        let bytes = u64::from(addresses.bytes);
        let is_past = |lane| addresses.at(lane).saturating_add(bytes) > end;
        match addresses.pattern {
            Pattern::Any(_) => active(addresses.mask).any(is_past),
            // One of the outermost lanes has the greatest address.
            _ => is_past(addresses.first_lane()) || is_past((addresses.mask | 1).ilog2() as usize),
        }
    }

    /// Checks that all addresses are multiples of the size of the access, as hardware requires.
    #[inline(always)]
    fn check_alignment(&self, request: &Request<'_>) -> Run<()> {
        let low_bits = request.bytes() - 1;
        let misaligned = match request.addresses.pattern {
            // The stride of linear addresses is the size.
            Pattern::Uniform(address) | Pattern::Linear(address) => address & low_bits,
            Pattern::Any(_) => {
                active(request.addresses.mask).fold(0, |bits, lane| bits | request.addresses.at(lane) & low_bits)
            }
        };
        if misaligned == 0 { Ok(()) } else { Err(self.misalignment_fault(request)) }
    }

    #[cold]
    fn misalignment_fault(&self, request: &Request<'_>) -> Box<Stop> {
        let bytes = request.bytes();
        let first = active(request.addresses.mask).find(|&lane| !request.addresses.at(lane).is_multiple_of(bytes));
        let lane = first.unwrap_or_default();
        let detail = format!("{}, which is not a multiple of {bytes}, the size of the access", accessed(request, lane));
        self.fault(FaultKind::Misaligned, request.index, 1 << lane, detail)
    }

    /// Returns the fault of an access to memory that the kernel may not access.
    fn bad_access(&self, request: &Request<'_>, lane: usize, place: &str) -> Box<Stop> {
        let detail = format!("{}, {place}", accessed(request, lane));
        self.fault(FaultKind::OutOfBounds, request.index, 1 << lane, detail)
    }

    /// Writes the same values to all active lanes.
    fn broadcast(&mut self, request: &Request<'_>, values: [u64; 4]) {
        let mask = request.addresses.mask;
        for (part, bits) in values.into_iter().enumerate().take(usize::from(request.lanes)) {
            let bits = extend(bits, request.element);
            let row = request.step.places[part].row(request.warp);
            match request.step.kinds[part] {
                Some(OperandKind::Narrow) if mask == FULL => {
                    self.simd.run(Fill { row: &mut self.registers.narrow[row].0, value: bits as u32 });
                }
                Some(OperandKind::Wide) if mask == FULL => {
                    self.simd.run(Fill { row: &mut self.registers.wide[row].0, value: bits });
                }
                _ => active(mask).for_each(|lane| {
                    self.registers.set_value(request.step.operand(part), request.warp, lane, bits);
                }),
            }
        }
    }

    fn store_values(&self, request: &Request<'_>, lane: usize) -> [u64; 4] {
        std::array::from_fn(|part| {
            if part < usize::from(request.lanes) {
                self.registers.value(request.step.operand(1 + part), request.warp, lane)
            } else {
                0
            }
        })
    }
}

/// Describes what a lane accesses: `4 bytes of shared memory at 0x10`.
fn accessed(request: &Request<'_>, lane: usize) -> String {
    let name = match request.space {
        Space::Generic | Space::Global => "global",
        Space::Constant => "constant",
        Space::Shared => "shared",
        Space::Local => "local",
        Space::Parameter => "parameter",
    };
    let (bytes, address) = (request.bytes(), request.addresses.at(lane));
    format!("{bytes} {} of {name} memory at {address:#x}", if bytes == 1 { "byte" } else { "bytes" })
}

/// The task that sets all lanes of a register to one value.
struct Fill<'a, T> {
    row: &'a mut [T; WARP_SIZE],
    value: T,
}

impl<T: Lane> Task for Fill<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<const FMA: bool>(self) {
        T::fill(self.row, self.value);
    }
}

/// Extends a value from memory to 64 bits; a narrow register takes the lower half.
fn extend(bits: u64, element: Element) -> u64 {
    let unused = 64 - 8 * u32::from(element.bytes);
    if element.signed { ((bits << unused) as i64 >> unused) as u64 } else { bits }
}
