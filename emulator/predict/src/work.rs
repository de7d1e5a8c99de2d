//! The work of a line by its counts: for an order of lines, where an estimate knows only the whole launch.

use crate::gpu::Gpu;
use crate::together::SECTOR_BYTES;
use emulator::Counters;

/// A cycle, in thousandths.
const CYCLE: u64 = 1000;

/// The schedulers of a multiprocessor.
const SCHEDULERS: u64 = 4;

/// The sectors that the L1 cache answers in a cycle: a line of 128 bytes.
const SECTORS_OF_L1: u64 = 4;

impl Gpu {
    /// Returns the cycles, in thousandths, that the units of one multiprocessor work for these counts: its pipes, shared memory, the
    /// L1 cache, and its share of the L2 cache, from which each sector of global memory comes. The units work at the same time, and
    /// warps wait, so that this is no time; it tells which of two lines of a kernel costs more.
    #[must_use]
    pub fn work(&self, counters: &Counters) -> u64 {
        let classes = &counters.classes;
        let pipe = |count: u64, interval: u64| count * interval * CYCLE / SCHEDULERS;
        let interval = &self.interval;
        let special = classes.special + classes.conversion;
        let other = counters.warp_instructions - classes.integer - classes.comparison - special;
        let issued = pipe(special, interval.special)
            + pipe(classes.integer + classes.comparison, interval.integer)
            + pipe(other, interval.fma);
        let shared =
            counters.shared_load_wavefronts + counters.shared_store_wavefronts + counters.shared_atomic_wavefronts;
        let memory = &self.memory;
        let read = counters.global_load_sectors + counters.async_copy_sectors;
        let stored = counters.global_store_sectors;
        let local = counters.local_load_sectors + counters.local_store_sectors;
        let of_l1 = (read + stored + local) * CYCLE / SECTORS_OF_L1;
        let of_l2 = read * SECTOR_BYTES * CYCLE * self.multiprocessors / memory.l2_bytes_per_cycle
            + (stored + counters.local_store_sectors) * memory.store_sector_microcycles * self.multiprocessors / CYCLE
            + counters.global_atomic_sectors * CYCLE * self.multiprocessors / memory.atomic_sectors_per_cycle;
        let constants = counters.constant_load_addresses.saturating_sub(counters.constant_load_requests);
        issued + shared * CYCLE + of_l1 + of_l2 + constants * interval.constant.word
    }
}
