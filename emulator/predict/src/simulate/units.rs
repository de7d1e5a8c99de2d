//! The units of a multiprocessor, each with the cycle in which it is free.

use super::cache::{Cache, SECTOR_BYTES};
use super::stalls::Reason;
use crate::code::operation::{Operation, Unit};
use crate::gpu::Gpu;
use emulator::StreamedAccess;

/// The thousandths of a cycle in which bandwidths are counted.
const MILLI: u64 = 1000;

/// The pipes of one scheduler.
#[derive(Clone, Copy, Debug, Default)]
struct Pipes {
    fma: u64,
    multiply: u64,
    integer: u64,
    special: u64,
    banks: [u64; 2],
}

/// The amount of work that units did, in cycles of one unit. Those of schedulers are summed over all four.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Busy {
    pub(crate) issue: u64,
    pub(crate) fma: u64,
    pub(crate) integer: u64,
    pub(crate) special: u64,
    pub(crate) shared: u64,
    pub(crate) l1: u64,
    /// In thousandths of a cycle.
    pub(crate) l2: u64,
    /// In thousandths of a cycle.
    pub(crate) device_memory: u64,
}

/// The units of a multiprocessor.
pub(super) struct Units {
    gpu: Gpu,
    pipes: [Pipes; 4],
    shared: u64,
    l1: u64,
    /// In thousandths of a cycle.
    l2: u64,
    /// In thousandths of a cycle.
    device_memory: u64,
    cache: Cache,
    /// The thousandths of a cycle that a sector takes of this multiprocessor's share of the L2 cache, of device memory if the
    /// data do not fit the L2 cache, and of the atomics.
    sector_of_l2: u64,
    sector_of_device_memory: u64,
    sector_of_atomics: u64,
    /// The thousandths of a cycle that a sector of a store takes, and a line besides its sectors.
    stored_sector: u64,
    stored_line: u64,
    pub(super) busy: Busy,
}

/// The completion of an operation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Completion {
    /// The cycle from which its results can be used.
    pub(super) at: u64,
    /// The cycle from which its operands can be overwritten.
    pub(super) released: u64,
    /// The reason of those who wait for them.
    pub(super) reason: Reason,
}

impl Units {
    /// Returns idle units. `occupied` multiprocessors share the memory; `l1_bytes` remain for the L1 cache.
    pub(super) fn new(gpu: &Gpu, occupied: u64, l1_bytes: u64, uses_device_memory: bool) -> Self {
        let share = |bytes_per_cycle: u64| {
            let least = SECTOR_BYTES * MILLI / gpu.memory.port_bytes_per_cycle;
            (SECTOR_BYTES * MILLI * occupied / bytes_per_cycle).max(least)
        };
        Self {
            gpu: *gpu,
            pipes: [Pipes::default(); 4],
            shared: 0,
            l1: 0,
            l2: 0,
            device_memory: 0,
            cache: Cache::new(l1_bytes),
            sector_of_l2: share(gpu.memory.l2_bytes_per_cycle),
            sector_of_device_memory: if uses_device_memory { share(gpu.memory.device_bytes_per_cycle) } else { 0 },
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
    pub(super) fn access_shared(&mut self, wavefronts: u64, now: u64) -> Completion {
        let start = self.shared.max(now);
        self.shared = start + wavefronts;
        self.busy.shared += wavefronts;
        let at = start + wavefronts.saturating_sub(1) + self.gpu.latency.shared;
        let released = start + wavefronts + self.gpu.latency.operands;
        Completion { at, released, reason: Reason::Dependency }
    }

    /// Performs an access to global memory.
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
            Unit::Load | Unit::Copy => {
                let arrivals = sectors.iter().map(|&sector| self.load(sector, bypasses, start));
                arrivals.max().unwrap_or(start)
            }
            Unit::Atomic => {
                let sector = self.sector_of_l2.max(self.sector_of_atomics);
                let answers = sectors.iter().map(|_| self.send_to_l2(sector, start));
                answers.max().unwrap_or(start)
            }
            _ => {
                self.store(sectors, start);
                start + self.gpu.latency.operands
            }
        };
        Completion { at, released: start + self.gpu.latency.operands, reason: Reason::Memory }
    }

    /// Returns the cycles that the L1 cache takes for an access: by its lines, its sectors, and the bytes per lane.
    fn passes(&self, access: &StreamedAccess, sectors: &[u64]) -> u64 {
        let by_width = match access.bytes {
            16 => self.gpu.interval.l1_16_bytes,
            8 => self.gpu.interval.l1_8_bytes,
            _ => 1,
        };
        by_width.max(lines(sectors)).max((sectors.len() as u64).div_ceil(4))
    }

    /// Loads a sector and returns its arrival.
    fn load(&mut self, sector: u64, bypasses: bool, start: u64) -> u64 {
        let hit = start + self.gpu.latency.l1;
        if let Some(arrival) = self.cache.find(sector).filter(|_| !bypasses) {
            return arrival.max(hit);
        }
        let arrival = self.send_to_l2(self.sector_of_l2, start);
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
        let from_l2 = begin / MILLI + self.gpu.latency.l2;
        if self.sector_of_device_memory == 0 {
            return from_l2;
        }
        let begin = self.device_memory.max(start * MILLI);
        self.device_memory = begin + self.sector_of_device_memory;
        self.busy.device_memory += self.sector_of_device_memory;
        from_l2.max(begin / MILLI + self.gpu.latency.device_memory)
    }

    /// Sends the sectors of a store to the L2 cache, which takes time for each line, too.
    fn store(&mut self, sectors: &[u64], start: u64) {
        let of_lines = self.stored_line * lines(sectors) / (sectors.len() as u64).max(1);
        let each = (self.stored_sector + of_lines).max(SECTOR_BYTES * MILLI / self.gpu.memory.port_bytes_per_cycle);
        sectors.iter().for_each(|_| {
            self.send_to_l2(each, start);
        });
    }

    /// Returns the cycle in which all units have finished.
    pub(super) fn drained(&self) -> u64 {
        let memory = self.l2.max(self.device_memory).div_ceil(MILLI);
        memory.max(self.shared).max(self.l1)
    }
}

/// Returns the number of lines of 128 bytes that contain these sectors, which are in ascending order.
fn lines(sectors: &[u64]) -> u64 {
    sectors.chunk_by(|one, next| one / 4 == next / 4).count() as u64
}
