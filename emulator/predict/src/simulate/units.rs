//! The units of a multiprocessor, each with the cycle in which it is free.

use super::cache::Cache;
use super::constants::Constants;
use super::device::Device;
use super::machine::{Busy, MILLI, Setting};
use super::stalls::{Completion, Reason};
use crate::code::operation::{Operation, Unit};
use crate::gpu::Gpu;
use crate::together::{SECTOR_BYTES, SECTORS_OF_A_LINE, Together};
use emulator::{AccessedSpace, StreamedAccess};
use std::collections::HashMap;

/// The smallest L1 cache in bytes, however much shared memory the blocks take (assumed).
const LEAST_L1_BYTES: u64 = 28 << 10;

/// The cycles of an atomic in shared memory besides those for each address of a bank (cost `atomic`: 4.0 cycles for 32 addresses
/// that all warps share, and 35 for one).
const SHARED_ATOMIC: u64 = 3;

/// The lanes with one address from which on an atomic takes no longer.
const MOST_IN_ORDER: u64 = 22;

/// The pipes of one scheduler. The tensor core counts thousandths of a cycle.
#[derive(Clone, Copy, Debug, Default)]
struct Pipes {
    double: u64,
    tensor: u64,
    fma: u64,
    multiply: u64,
    integer: u64,
    special: u64,
    banks: [u64; 2],
}

/// The units of a multiprocessor.
pub(super) struct Units<'a> {
    gpu: Gpu,
    together: &'a Together,
    /// For each line to which warps of several blocks add, the thousandths of a cycle until which it is busy.
    busy_lines: HashMap<u64, u64>,
    occupied: u64,
    pub(super) constants: Constants,
    pub(super) device: Device<'a>,
    pipes: [Pipes; 4],
    shared: u64,
    l1: u64,
    /// In thousandths of a cycle.
    l2: u64,
    cache: Cache,
    /// The thousandths of a cycle that a sector takes of this multiprocessor's share of the L2 cache, and of the atomics.
    sector_of_l2: u64,
    /// The thousandths of a cycle that a line of a load takes at least.
    line_of_l2: u64,
    sector_of_atomics: u64,
    /// The thousandths of a cycle that a sector of a store takes, and a line besides its sectors.
    stored_sector: u64,
    stored_line: u64,
    pub(super) busy: Busy,
}

impl<'a> Units<'a> {
    /// Returns idle units.
    pub(super) fn new(setting: &Setting<'a>) -> Self {
        let Setting { gpu, occupied, .. } = *setting;
        let through_port = SECTOR_BYTES * MILLI / gpu.memory.port_bytes_per_cycle;
        let alone = (SECTOR_BYTES * MILLI * occupied / gpu.memory.l2_bytes_per_cycle).max(through_port);
        let alike = setting.together.read_alike;
        Self {
            gpu: *gpu,
            together: setting.together,
            busy_lines: HashMap::new(),
            occupied,
            constants: Constants::new(setting),
            device: Device::new(setting),
            pipes: [Pipes::default(); 4],
            shared: 0,
            l1: 0,
            l2: 0,
            cache: Cache::new(setting.l1_bytes.max(LEAST_L1_BYTES)),
            // Of two and more multiprocessors that read the same, each is answered as fast as its port is (cost `l2`: 15.9 to
            // 17.8 TB/s in place of 9.1).
            sector_of_l2: (alone * (MILLI - alike) + through_port * alike) / MILLI,
            line_of_l2: gpu.memory.load_line_millicycles * occupied,
            sector_of_atomics: MILLI * occupied / gpu.memory.atomic_sectors_per_cycle,
            stored_sector: gpu.memory.store_sector_microcycles * occupied / MILLI,
            stored_line: gpu.memory.store_line_microcycles * occupied / MILLI,
            busy: Busy::default(),
        }
    }

    /// Returns the first cycle in which a scheduler can issue an operation, as far as units decide, and the reason.
    pub(super) fn free(&self, scheduler: usize, operation: &Operation) -> (u64, Reason) {
        let pipes = &self.pipes[scheduler];
        let queue = &self.gpu.queue;
        let (unit, reason) = match operation.unit {
            Unit::Fma => (pipes.fma, Reason::Issue),
            Unit::Multiply => (pipes.fma.max(pipes.multiply), Reason::Issue),
            Unit::Integer => (pipes.integer, Reason::Issue),
            Unit::Double => (pipes.double, Reason::Issue),
            Unit::Tensor => ((pipes.tensor / MILLI).saturating_sub(queue.tensor), Reason::Issue),
            Unit::Constant if operation.access.is_some() => {
                (self.constants.until().saturating_sub(queue.memory), Reason::Constant)
            }
            Unit::Special => (pipes.special.saturating_sub(queue.special), Reason::Issue),
            Unit::Shared | Unit::Shuffle => (self.shared.saturating_sub(queue.memory), Reason::Issue),
            Unit::Load | Unit::Store | Unit::Atomic | Unit::Copy => {
                let near = self.shared.max(self.l1).saturating_sub(queue.memory);
                let far = (self.l2 / MILLI).saturating_sub(queue.l2);
                (near.max(far), Reason::Memory)
            }
            _ => (0, Reason::Issue),
        };
        let bank = |bank: usize| if operation.ports[bank] > 0 { pipes.banks[bank] } else { 0 };
        let ports = bank(0).max(bank(1)).saturating_sub(queue.registers);
        if ports > unit { (ports, Reason::Issue) } else { (unit, reason) }
    }

    /// Issues an operation that accesses no memory, and returns its completion.
    pub(super) fn compute(&mut self, scheduler: usize, operation: &Operation, now: u64) -> Completion {
        let latency = &self.gpu.latency;
        let interval = &self.gpu.interval;
        let pipes = &mut self.pipes[scheduler];
        let mut reason = Reason::Dependency;
        let mut released = now + latency.operands;
        let at = match operation.unit {
            Unit::Fma => {
                pipes.fma = pipes.fma.max(now) + interval.fma;
                self.busy.fma += interval.fma;
                now + operation.latency
            }
            Unit::Multiply => {
                pipes.multiply = now + interval.multiply;
                pipes.fma = pipes.fma.max(now) + interval.fma;
                self.busy.fma += interval.multiply;
                now + operation.latency
            }
            Unit::Integer => {
                pipes.integer = now + interval.integer;
                self.busy.integer += interval.integer;
                now + operation.latency
            }
            Unit::Double => {
                pipes.double = now + interval.double;
                now + latency.double
            }
            Unit::Tensor => {
                let start = pipes.tensor.max(now * MILLI);
                pipes.tensor = start + operation.occupies;
                released = start / MILLI + latency.operands;
                start / MILLI + operation.latency
            }
            // It waits for those before it in the tensor core, and the warp does not.
            Unit::Warpgroup => {
                pipes.tensor = pipes.tensor.max(now * MILLI) + operation.occupies;
                pipes.tensor / MILLI + operation.latency
            }
            Unit::Special => {
                let start = pipes.special.max(now);
                pipes.special = start + interval.special;
                self.busy.special += interval.special;
                released = start + latency.operands;
                start + operation.latency.max(latency.special)
            }
            Unit::Shuffle => {
                let start = self.shared.max(now);
                self.shared = start + 1;
                self.busy.shared += 1;
                released = start + latency.operands;
                start + latency.shuffle
            }
            Unit::Constant => {
                reason = Reason::Constant;
                now + latency.constant
            }
            Unit::SpecialRegister => now + latency.special_register,
            Unit::Vote => now + latency.vote,
            Unit::Phase => now + latency.arrival,
            _ => now + operation.latency,
        };
        Completion { at, released, reason }
    }

    /// Reads the register file for an operation.
    pub(super) fn read_registers(&mut self, scheduler: usize, operation: &Operation, now: u64) {
        for (bank, reads) in self.pipes[scheduler].banks.iter_mut().zip(operation.ports) {
            if reads > 0 {
                *bank = (*bank).max(now) + reads;
            }
        }
        self.busy.issue += operation.slots;
    }

    /// Performs an access to shared memory of so many wavefronts.
    pub(super) fn access_shared(&mut self, wavefronts: u64, is_atomic: bool, now: u64) -> Completion {
        let wavefronts = wavefronts + if is_atomic { SHARED_ATOMIC } else { 0 };
        let start = self.shared.max(now);
        self.shared = start + wavefronts;
        self.busy.shared += wavefronts;
        let at = start + wavefronts.saturating_sub(1) + self.gpu.latency.shared;
        let released = start + wavefronts + self.gpu.latency.operands;
        Completion { at, released, reason: Reason::Dependency }
    }

    /// Copies rows of sectors to shared memory, past the L1 cache, and returns the cycle in which all are there. That takes as long
    /// as loads: the answer of a bulk copy, 381 cycles, is that of a load, of two barriers and of shared memory.
    pub(super) fn copy_rows<'s>(&mut self, rows: impl Iterator<Item = &'s [u64]>, now: u64) -> u64 {
        rows.map(|row| self.load_row(row, true, now)).max().unwrap_or(now)
    }

    /// Loads sectors in ascending order, and returns the arrival of the last.
    fn load_row(&mut self, sectors: &[u64], bypasses: bool, start: u64) -> u64 {
        let mut at = start;
        for line in sectors.chunk_by(|one, next| one / SECTORS_OF_A_LINE == next / SECTORS_OF_A_LINE) {
            let each = self.sector_of_l2.max(self.line_of_l2 / line.len() as u64);
            for &sector in line {
                at = at.max(self.load(sector, bypasses, each, start));
            }
        }
        at
    }

    /// Performs an access to global memory, or to local memory, which stays in the L1 cache.
    pub(super) fn access_global(
        &mut self,
        operation: &Operation,
        access: &StreamedAccess,
        sectors: &[u64],
        now: u64,
    ) -> Completion {
        let start = now.max(self.shared).max(self.l1);
        let passes = self.passes(access, sectors);
        self.shared = start + 1;
        self.l1 = start + passes;
        self.busy.l1 += passes;
        let bypasses = operation.access.is_some_and(|address| address.bypasses);
        let at = match operation.unit {
            _ if access.space == AccessedSpace::Local => self.access_local(operation, access, start + passes),
            Unit::Load | Unit::Copy => self.load_row(sectors, bypasses, start),
            Unit::Atomic => self.add(operation, access, sectors, start),
            _ => self.store(sectors, start),
        };
        Completion { at, released: start + self.gpu.latency.operands, reason: Reason::Memory }
    }

    /// Accesses local memory, whose words lie so that lanes with one index share a line. Stores go on to the L2 cache (assumed).
    fn access_local(&mut self, operation: &Operation, access: &StreamedAccess, start: u64) -> u64 {
        if operation.unit == Unit::Load {
            return start + self.gpu.latency.l1;
        }
        let each = self.stored_line + self.stored_sector;
        (0..access.addresses).for_each(|_| {
            self.send_to_l2(each, start);
        });
        start
    }

    /// Returns the cycles that the L1 cache takes for an access: by its lines, its sectors, and the bytes per lane.
    fn passes(&self, access: &StreamedAccess, sectors: &[u64]) -> u64 {
        let by_width = match access.bytes {
            16 => self.gpu.interval.l1_16_bytes,
            8 => self.gpu.interval.l1_8_bytes,
            _ => 1,
        };
        let by_places = if access.space == AccessedSpace::Local { access.addresses.into() } else { lines(sectors) };
        by_width.max(by_places).max((sectors.len() as u64).div_ceil(4))
    }

    /// Loads a sector, which takes so many thousandths of a cycle of the L2 cache, and returns its arrival.
    fn load(&mut self, sector: u64, bypasses: bool, of_l2: u64, start: u64) -> u64 {
        let hit = start + self.gpu.latency.l1;
        if let Some(arrival) = self.cache.find(sector).filter(|_| !bypasses) {
            return arrival.max(hit);
        }
        let arrival = self.send_to_l2(of_l2, start).max(self.device.fetch(sector, start));
        if !bypasses {
            self.cache.insert(sector, arrival);
        }
        arrival.max(hit)
    }

    /// Sends a sector to the L2 cache, which takes so many thousandths of a cycle, and returns the arrival of the answer.
    fn send_to_l2(&mut self, sector: u64, start: u64) -> u64 {
        let begin = self.l2.max(start * MILLI);
        self.l2 = begin + sector;
        self.busy.l2 += sector;
        begin / MILLI + self.gpu.latency.l2
    }

    /// Adds atomically in the L2 cache: lanes with one address one after the other, and on a line that warps of several blocks
    /// share, all of the GPU.
    fn add(&mut self, operation: &Operation, access: &StreamedAccess, sectors: &[u64], start: u64) -> u64 {
        let memory = self.gpu.memory;
        let lanes = u64::from(access.active.count_ones()).div_ceil(u64::from(access.addresses.max(1)));
        let in_order = if lanes > 1 { lanes.min(MOST_IN_ORDER) * memory.atomic_lane_millicycles } else { 0 };
        let in_order = in_order / sectors.len().max(1) as u64;
        let each = self.sector_of_l2.max(self.sector_of_atomics).max(in_order);
        let mut at = start;
        for &sector in sectors {
            at = at.max(self.send_to_l2(each, start)).max(self.device.fetch(sector, start));
            self.device.write_back(sector, start);
        }
        let is_float = operation.access.is_some_and(|address| address.adds_floats);
        let shared = memory.shared_line;
        let lane = if is_float { shared.float_lane } else { shared.integer_lane };
        let is_dense = access.active.count_ones() as usize >= SECTORS_OF_A_LINE as usize * sectors.len();
        for own in sectors.chunk_by(|one, next| one / SECTORS_OF_A_LINE == next / SECTORS_OF_A_LINE) {
            let line = own[0] / SECTORS_OF_A_LINE;
            if self.together.shared_lines.contains(&line) {
                let parts = match (access.addresses, is_dense) {
                    (1, _) => 0,
                    (_, true) => shared.request,
                    (_, false) => shared.request.max(own.len() as u64 * shared.sector),
                };
                let free = self.busy_lines.entry(line).or_default();
                let begin = (*free).max(start * MILLI);
                *free = begin + parts.max(lanes * lane) * self.occupied;
                at = at.max(*free / MILLI + self.gpu.latency.l2);
            }
        }
        at
    }

    /// Sends the sectors of a store to the L2 cache, which takes time for each line, too. Returns the cycle in which it has them.
    fn store(&mut self, sectors: &[u64], start: u64) -> u64 {
        let of_lines = self.stored_line * lines(sectors) / (sectors.len() as u64).max(1);
        let each = (self.stored_sector + of_lines).max(SECTOR_BYTES * MILLI / self.gpu.memory.port_bytes_per_cycle);
        let latency = self.gpu.latency;
        let mut at = start;
        for &sector in sectors {
            at = at.max(self.send_to_l2(each, start) - latency.l2 + latency.store);
            self.device.write_back(sector, start);
        }
        at
    }

    /// Returns the cycle in which all units have finished.
    pub(super) fn drained(&self) -> u64 {
        let lines = self.busy_lines.values().copied().max().unwrap_or(0);
        let memory = self.l2.max(lines).div_ceil(MILLI).max(self.device.drained());
        memory.max(self.shared).max(self.l1)
    }
}

/// Returns the number of lines of 128 bytes that contain these sectors, which are in ascending order.
fn lines(sectors: &[u64]) -> u64 {
    sectors.chunk_by(|one, next| one / SECTORS_OF_A_LINE == next / SECTORS_OF_A_LINE).count() as u64
}
