//! Memory instructions of a group: addresses, bounds, the transfer itself.

use super::block::{BlockMachine, Run, guard_bits, set_value, value};
use super::memory_view::{read, write};
use super::pattern::{Addresses, Pattern, probe};
use super::registers::{FULL, LANES, Lanes, Registers};
use super::simd::Task;
use crate::counters::{Access, AccessKind, Observer};
use crate::fault::FaultKind;
use crate::isa::OperandKind;
use crate::isa::memory::{AtomicFunction, Element, MemoryOperation};
use crate::lower::step::Step;
use crate::ptx::tree::Space;
use crate::window;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Bytes of a row of 4-byte values.
const ROW_BYTES: u64 = 4 * LANES as u64;

/// One warp's part of a memory instruction.
#[derive(Clone, Copy)]
struct Request<'a> {
    step: &'a Step,
    /// Member of the group.
    index: usize,
    warp: usize,
    space: Space,
    element: Element,
    lanes: u8,
    addresses: Addresses<'a>,
}

impl Request<'_> {
    /// Bytes that a lane accesses.
    fn bytes(&self) -> u64 {
        u64::from(self.addresses.bytes)
    }

    /// Whether all lanes access consecutive 4-byte words, which operand `operand` holds.
    fn is_row(&self, operand: usize) -> Option<u64> {
        match self.addresses.pattern {
            Pattern::Linear(start)
                if self.addresses.mask == FULL
                    && self.element.bytes == 4
                    && self.lanes == 1
                    && self.step.kinds[operand] == Some(OperandKind::Narrow) =>
            {
                Some(start)
            }
            _ => None,
        }
    }
}

impl<O: Observer> BlockMachine<'_, O> {
    /// Executes a load, store or atomic for the group.
    pub(super) fn access(&mut self, step: &Step, operation: MemoryOperation, offset: i64, visible: bool) -> Run<()> {
        let (space, element, lanes) = match operation {
            MemoryOperation::Load { space, element, lanes } | MemoryOperation::Store { space, element, lanes } => {
                (space, element, lanes)
            }
            MemoryOperation::Atomic { space, element, .. } => (space, element, 1),
        };
        let bytes = u32::from(element.bytes) * u32::from(lanes);
        let Self { registers, lanes: group, patterns, .. } = self;
        self.simd.run(Probe { registers, lanes: group, step, offset, bytes, patterns });
        for index in 0..self.lanes.warps.len() {
            let warp = usize::from(self.lanes.warps[index]);
            let (mask, pattern) = self.patterns[index];
            if mask == 0 {
                continue;
            }
            let mut scattered = [0; LANES];
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

    /// Sends the lanes of a generic access to the spaces that they point into.
    fn generic(&mut self, request: Request<'_>, operation: MemoryOperation, visible: bool) -> Run<()> {
        let mut rest = request.addresses.mask;
        while rest != 0 {
            let space = window::space(request.addresses.of(rest.trailing_zeros() as usize));
            let (mut lanes, mut mask) = ([0; LANES], 0);
            for (lane, address) in lanes.iter_mut().enumerate() {
                let generic = request.addresses.of(lane);
                if rest >> lane & 1 != 0 && window::space(generic) == space {
                    mask |= 1 << lane;
                    *address = generic.wrapping_sub(window::base(space));
                }
            }
            rest &= !mask;
            let addresses = Addresses::classify(&lanes, mask, request.addresses.bytes);
            self.transfer(&Request { space, addresses, ..request }, operation, visible)?;
        }
        Ok(())
    }

    fn transfer(&mut self, request: &Request<'_>, operation: MemoryOperation, visible: bool) -> Run<()> {
        self.check_alignment(request)?;
        if O::ON && visible {
            let kind = match operation {
                MemoryOperation::Load { .. } => AccessKind::Load,
                MemoryOperation::Store { .. } => AccessKind::Store,
                MemoryOperation::Atomic { .. } => AccessKind::Atomic,
            };
            self.observer.access(&Access { space: request.space, kind, addresses: &request.addresses });
        }
        match (operation, request.space) {
            (MemoryOperation::Load { .. }, Space::Global | Space::Constant | Space::Generic) => {
                self.load_device(request)
            }
            (MemoryOperation::Load { .. }, _) => self.load_private(request),
            (MemoryOperation::Store { .. }, Space::Global | Space::Generic) => self.store_device(request),
            (MemoryOperation::Store { .. }, Space::Constant | Space::Parameter) => {
                Err(self.bad_access(request, request.addresses.first_lane(), "memory that cannot be written"))
            }
            (MemoryOperation::Store { .. }, _) => self.store_private(request),
            (MemoryOperation::Atomic { function, returns, .. }, Space::Shared) => {
                self.atomic_shared(request, function, returns)
            }
            (MemoryOperation::Atomic { function, returns, .. }, _) => self.atomic_device(request, function, returns),
        }
    }

    /// Hardware takes no address that is not a multiple of the size of the access.
    #[inline(always)]
    fn check_alignment(&self, request: &Request<'_>) -> Run<()> {
        let low_bits = request.bytes() - 1;
        let crooked = match request.addresses.pattern {
            // The distance of linear addresses is the size.
            Pattern::Uniform(address) | Pattern::Linear(address) => address & low_bits,
            Pattern::Any(_) => {
                active(request.addresses.mask).fold(0, |bits, lane| bits | request.addresses.of(lane) & low_bits)
            }
        };
        if crooked == 0 { Ok(()) } else { Err(self.misaligned(request)) }
    }

    #[cold]
    fn misaligned(&self, request: &Request<'_>) -> Box<super::Stop> {
        let bytes = request.bytes();
        let crooked = active(request.addresses.mask).find(|&lane| !request.addresses.of(lane).is_multiple_of(bytes));
        let lane = crooked.unwrap_or_default();
        let detail = format!("{:#x} is not a multiple of {bytes}, the size of the access", request.addresses.of(lane));
        self.fault(FaultKind::Misaligned, request.index, 1 << lane, detail)
    }

    /// An access outside of what may be accessed.
    fn bad_access(&self, request: &Request<'_>, lane: usize, place: &str) -> Box<super::Stop> {
        let (bytes, address) = (request.bytes(), request.addresses.of(lane));
        let name = match request.space {
            Space::Generic | Space::Global => "global",
            Space::Constant => "constant",
            Space::Shared => "shared",
            Space::Local => "local",
            Space::Parameter => "parameter",
        };
        let detail = format!("{bytes} bytes of {name} memory at {address:#x}, {place}");
        self.fault(FaultKind::OutOfBounds, request.index, 1 << lane, detail)
    }

    #[cold]
    fn device_fault(&self, request: &Request<'_>, lane: usize) -> Box<super::Stop> {
        let place = self.device.describe(request.addresses.of(lane));
        self.bad_access(request, lane, &place)
    }

    fn load_device(&mut self, request: &Request<'_>) -> Run<()> {
        let (bytes, element, position) = (request.bytes(), request.element, self.group.position as usize);
        if let Pattern::Uniform(address) = request.addresses.pattern {
            let Some(region) = self.device.find(position, address, bytes) else {
                return Err(self.device_fault(request, request.addresses.first_lane()));
            };
            let offset = (address - region.base) as usize;
            let mut values = [0; 4];
            for (part, value) in values.iter_mut().enumerate().take(usize::from(request.lanes)) {
                *value = read(&region.words, offset + part * usize::from(element.bytes), element.bytes);
            }
            self.broadcast(request, values);
            return Ok(());
        }
        if let Some(start) = request.is_row(0)
            && let Some(region) = self.device.find(position, start, ROW_BYTES)
        {
            let first = (start - region.base) as usize / 4;
            let row = &mut self.registers.narrow[request.step.places[0].of(request.warp)].0;
            for (value, word) in row.iter_mut().zip(&region.words[first..first + LANES]) {
                *value = word.load(Relaxed);
            }
            return Ok(());
        }
        for lane in active(request.addresses.mask) {
            let address = request.addresses.of(lane);
            let Some(region) = self.device.find(position, address, bytes) else {
                return Err(self.device_fault(request, lane));
            };
            let offset = (address - region.base) as usize;
            for part in 0..usize::from(request.lanes) {
                let bits = read(&region.words, offset + part * usize::from(element.bytes), element.bytes);
                set_value(&mut self.registers, request.step, part, request.warp, lane, extend(bits, element));
            }
        }
        Ok(())
    }

    /// Writes the same values to all active lanes.
    fn broadcast(&mut self, request: &Request<'_>, values: [u64; 4]) {
        let mask = request.addresses.mask;
        for (part, bits) in values.into_iter().enumerate().take(usize::from(request.lanes)) {
            let bits = extend(bits, request.element);
            let row = request.step.places[part].of(request.warp);
            match request.step.kinds[part] {
                Some(OperandKind::Narrow) if mask == FULL => {
                    self.simd.run(Fill { row: &mut self.registers.narrow[row].0, value: bits as u32 });
                }
                Some(OperandKind::Wide) if mask == FULL => {
                    self.simd.run(Fill { row: &mut self.registers.wide[row].0, value: bits });
                }
                _ => active(mask).for_each(|lane| {
                    set_value(&mut self.registers, request.step, part, request.warp, lane, bits);
                }),
            }
        }
    }

    fn store_device(&mut self, request: &Request<'_>) -> Run<()> {
        let (bytes, element, position) = (request.bytes(), request.element, self.group.position as usize);
        if let Some(start) = request.is_row(1)
            && let Some(region) = self.device.find(position, start, ROW_BYTES)
        {
            let first = (start - region.base) as usize / 4;
            let row = &self.registers.narrow[request.step.places[1].of(request.warp)].0;
            for (&value, word) in row.iter().zip(&region.words[first..first + LANES]) {
                word.store(value, Relaxed);
            }
            return Ok(());
        }
        for lane in active(request.addresses.mask) {
            let (values, address) = (self.store_values(request, lane), request.addresses.of(lane));
            let Some(region) = self.device.find(position, address, bytes) else {
                return Err(self.device_fault(request, lane));
            };
            let offset = (address - region.base) as usize;
            for (part, &bits) in values.iter().enumerate().take(usize::from(request.lanes)) {
                write(&region.words, offset + part * usize::from(element.bytes), element.bytes, bits);
            }
        }
        Ok(())
    }

    fn store_values(&self, request: &Request<'_>, lane: usize) -> [u64; 4] {
        std::array::from_fn(|part| {
            if part < usize::from(request.lanes) {
                value(&self.registers, request.step, 1 + part, request.warp, lane)
            } else {
                0
            }
        })
    }

    /// Bytes of shared, local or parameter memory, and where a lane's part of it begins.
    fn private_window(&self, request: &Request<'_>, lane: usize) -> (u64, usize) {
        match request.space {
            Space::Shared => (self.bound.shared_bytes() as u64, 0),
            Space::Local => {
                let bytes = self.bound.program.local_bytes;
                let words = bytes.div_ceil(4) as usize;
                (u64::from(bytes), 4 * words * (request.warp * LANES + lane))
            }
            _ => (self.bound.launch.parameters.len() as u64, 0),
        }
    }

    /// Offset of a lane's access in the storage of its space.
    fn private_offset(&self, request: &Request<'_>, lane: usize) -> Run<usize> {
        let (limit, start) = self.private_window(request, lane);
        let (address, bytes) = (request.addresses.of(lane), request.bytes());
        if address >= limit || bytes > limit - address {
            let place = format!("where there are {limit} bytes");
            return Err(self.bad_access(request, lane, &place));
        }
        Ok(start + address as usize)
    }

    fn read_private(&self, space: Space, offset: usize, bytes: u8) -> u64 {
        match space {
            Space::Shared => read_plain(&self.shared, offset, bytes),
            Space::Local => read_plain(&self.local, offset, bytes),
            _ => {
                let source = &self.bound.launch.parameters[offset..offset + usize::from(bytes)];
                source.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte))
            }
        }
    }

    fn load_private(&mut self, request: &Request<'_>) -> Run<()> {
        let element = request.element;
        let step = usize::from(element.bytes);
        if let (Pattern::Uniform(_), Space::Shared | Space::Parameter) = (request.addresses.pattern, request.space) {
            let offset = self.private_offset(request, request.addresses.first_lane())?;
            let mut values = [0; 4];
            for (part, value) in values.iter_mut().enumerate().take(usize::from(request.lanes)) {
                *value = self.read_private(request.space, offset + part * step, element.bytes);
            }
            self.broadcast(request, values);
            return Ok(());
        }
        if let Some(words) = self.shared_row(request, 0) {
            let row = &mut self.registers.narrow[request.step.places[0].of(request.warp)].0;
            row.copy_from_slice(&self.shared[words]);
            return Ok(());
        }
        for lane in active(request.addresses.mask) {
            let offset = self.private_offset(request, lane)?;
            for part in 0..usize::from(request.lanes) {
                let bits = self.read_private(request.space, offset + part * step, element.bytes);
                set_value(&mut self.registers, request.step, part, request.warp, lane, extend(bits, element));
            }
        }
        Ok(())
    }

    /// The words of shared memory that a whole row goes to.
    fn shared_row(&self, request: &Request<'_>, operand: usize) -> Option<std::ops::Range<usize>> {
        let start = request.is_row(operand).filter(|_| request.space == Space::Shared)?;
        let inside = start.checked_add(ROW_BYTES)? <= self.bound.shared_bytes() as u64;
        inside.then_some(start as usize / 4..start as usize / 4 + LANES)
    }

    fn store_private(&mut self, request: &Request<'_>) -> Run<()> {
        let element = request.element;
        if let Some(words) = self.shared_row(request, 1) {
            let row = &self.registers.narrow[request.step.places[1].of(request.warp)].0;
            self.shared[words].copy_from_slice(row);
            return Ok(());
        }
        for lane in active(request.addresses.mask) {
            let offset = self.private_offset(request, lane)?;
            let values = self.store_values(request, lane);
            let storage = if request.space == Space::Shared { &mut self.shared } else { &mut self.local };
            for (part, &bits) in values.iter().enumerate().take(usize::from(request.lanes)) {
                write_plain(storage, offset + part * usize::from(element.bytes), element.bytes, bits);
            }
        }
        Ok(())
    }

    fn atomic_shared(&mut self, request: &Request<'_>, function: AtomicFunction, returns: bool) -> Run<()> {
        let element = request.element;
        for lane in active(request.addresses.mask) {
            let offset = self.private_offset(request, lane)?;
            let (b, c) = self.atomic_operands(request, lane);
            let old = read_plain(&self.shared, offset, element.bytes);
            write_plain(&mut self.shared, offset, element.bytes, combine(function, element.bytes, old, b, c));
            if returns {
                set_value(&mut self.registers, request.step, 0, request.warp, lane, old);
            }
        }
        Ok(())
    }

    fn atomic_device(&mut self, request: &Request<'_>, function: AtomicFunction, returns: bool) -> Run<()> {
        let memory = self.memory;
        for lane in active(request.addresses.mask) {
            let (b, c) = self.atomic_operands(request, lane);
            let (address, position) = (request.addresses.of(lane), self.group.position as usize);
            let Some(region) = self.device.find(position, address, request.bytes()) else {
                return Err(self.device_fault(request, lane));
            };
            let offset = (address - region.base) as usize;
            let old = if request.element.bytes == 8 {
                let _guard = memory.lock_wide_atomics();
                let old = read(&region.words, offset, 8);
                write(&region.words, offset, 8, combine(function, 8, old, b, c));
                old
            } else {
                update(&region.words[offset / 4], |old| combine(function, 4, old, b, c))
            };
            if returns {
                set_value(&mut self.registers, request.step, 0, request.warp, lane, old);
            }
        }
        Ok(())
    }

    /// The one or two values of an atomic: its operands behind result and address.
    fn atomic_operands(&self, request: &Request<'_>, lane: usize) -> (u64, u64) {
        let operand = |index| value(&self.registers, request.step, index, request.warp, lane);
        (operand(2), if request.step.kinds[3].is_some() { operand(3) } else { 0 })
    }
}

/// The register that holds a warp's addresses, and what is added to it.
#[derive(Clone, Copy)]
struct Base<'a> {
    registers: &'a Registers,
    step: &'a Step,
    warp: usize,
    offset: i64,
}

impl Base<'_> {
    /// Row and width: loads have their results first, stores nothing, atomics one result.
    #[inline(always)]
    fn row(&self) -> (usize, bool) {
        let operand = usize::from(self.step.results);
        (self.step.places[operand].of(self.warp), self.step.kinds[operand] == Some(OperandKind::Wide))
    }

    fn addresses(&self, lanes: &mut [u64; LANES]) {
        match self.row() {
            (row, true) => {
                for (lane, &base) in lanes.iter_mut().zip(&self.registers.wide[row].0) {
                    *lane = base.wrapping_add(self.offset as u64);
                }
            }
            (row, false) => {
                for (lane, &base) in lanes.iter_mut().zip(&self.registers.narrow[row].0) {
                    *lane = u64::from(base.wrapping_add(self.offset as u32));
                }
            }
        }
    }
}

/// Finds the active lanes of each warp of a group, and the pattern of their addresses if there is one.
struct Probe<'a> {
    registers: &'a Registers,
    lanes: &'a Lanes,
    step: &'a Step,
    offset: i64,
    bytes: u32,
    patterns: &'a mut Vec<(u32, Option<Pattern<'static>>)>,
}

impl Task for Probe<'_> {
    type Output = ();

    #[inline(always)]
    fn run<const FMA: bool>(self) {
        let Self { registers, lanes, step, offset, bytes, patterns } = self;
        patterns.clear();
        for (&warp, &mask) in lanes.warps.iter().zip(&lanes.masks) {
            let warp = usize::from(warp);
            let mask = step.guard.map_or(mask, |guard| mask & guard_bits(registers, guard, warp));
            let pattern = match (Base { registers, step, warp, offset }).row() {
                _ if mask == 0 => None,
                (row, true) => {
                    probe(&registers.wide[row].0, mask, u64::from(bytes), |base| base.wrapping_add(offset as u64))
                }
                (row, false) => probe(&registers.narrow[row].0, mask, u64::from(bytes), |base| {
                    u64::from(base.wrapping_add(offset as u32))
                }),
            };
            patterns.push((mask, pattern));
        }
    }
}

/// Sets all lanes of a register to one value.
struct Fill<'a, T> {
    row: &'a mut [T; LANES],
    value: T,
}

impl<T: Copy> Task for Fill<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<const FMA: bool>(self) {
        *self.row = [self.value; LANES];
    }
}

/// The numbers of the set bits.
fn active(mask: u32) -> impl Iterator<Item = usize> {
    let mut rest = mask;
    std::iter::from_fn(move || {
        let lane = (rest != 0).then(|| rest.trailing_zeros() as usize)?;
        rest &= rest - 1;
        Some(lane)
    })
}

/// Extends a value of memory to 64 bits; a narrow register takes the low half.
fn extend(bits: u64, element: Element) -> u64 {
    let unused = 64 - 8 * u32::from(element.bytes);
    if element.signed { ((bits << unused) as i64 >> unused) as u64 } else { bits }
}

fn read_plain(words: &[u32], offset: usize, bytes: u8) -> u64 {
    let word = u64::from(words[offset / 4]);
    match bytes {
        4 => word,
        8 => u64::from(words[offset / 4 + 1]) << 32 | word,
        _ => word >> (8 * (offset % 4)) & ((1 << (8 * bytes)) - 1),
    }
}

fn write_plain(words: &mut [u32], offset: usize, bytes: u8, value: u64) {
    match bytes {
        4 => words[offset / 4] = value as u32,
        8 => {
            words[offset / 4] = value as u32;
            words[offset / 4 + 1] = (value >> 32) as u32;
        }
        _ => {
            let shift = 8 * (offset % 4) as u32;
            let mask = ((1_u32 << (8 * bytes)) - 1) << shift;
            let word = &mut words[offset / 4];
            *word = (*word & !mask) | ((value as u32) << shift & mask);
        }
    }
}

/// Replaces a word atomically and returns what it was.
fn update(word: &AtomicU32, function: impl Fn(u64) -> u64) -> u64 {
    let mut old = word.load(Relaxed);
    loop {
        let new = function(u64::from(old)) as u32;
        match word.compare_exchange_weak(old, new, Relaxed, Relaxed) {
            Ok(_) => return u64::from(old),
            Err(current) => old = current,
        }
    }
}

/// The new value of a word of 4 or 8 bytes.
fn combine(function: AtomicFunction, bytes: u8, old: u64, b: u64, c: u64) -> u64 {
    use AtomicFunction as F;
    let signed = |value: u64| if bytes == 8 { value as i64 } else { i64::from(value as u32 as i32) };
    match function {
        F::AddInteger => old.wrapping_add(b),
        F::AddFloat if bytes == 8 => (f64::from_bits(old) + f64::from_bits(b)).to_bits(),
        // Atomics on f32 in global memory flush nothing; `.ftz` does not exist for them.
        F::AddFloat => u64::from((f32::from_bits(old as u32) + f32::from_bits(b as u32)).to_bits()),
        F::MinUnsigned => old.min(b),
        F::MaxUnsigned => old.max(b),
        F::MinSigned => signed(old).min(signed(b)) as u64,
        F::MaxSigned => signed(old).max(signed(b)) as u64,
        F::Increment => {
            if old >= b {
                0
            } else {
                old + 1
            }
        }
        F::Decrement => {
            if old == 0 || old > b {
                b
            } else {
                old - 1
            }
        }
        F::And => old & b,
        F::Or => old | b,
        F::Xor => old ^ b,
        F::Exchange => b,
        F::CompareAndSwap => {
            if old == b {
                c
            } else {
                old
            }
        }
    }
}
