//! Device memory, and this multiprocessor's share of the L2 cache before it.

use super::cache::Cache;
use super::machine::{MILLI, Setting};
use crate::gpu;
use crate::together::{SECTOR_BYTES, SECTORS_OF_A_LINE, SECTORS_OPENED, Together};

/// Device memory as one multiprocessor sees it.
pub(super) struct Device<'a> {
    device: gpu::Device,
    together: &'a Together,
    latency: u64,
    latency_of_l2: u64,
    /// The millionths of a cycle that a byte takes of this multiprocessor's share; 0 if the L2 cache holds all data.
    byte: u64,
    /// The thousandths of a cycle until which it is busy.
    until: u64,
    /// This multiprocessor's share of the L2 cache: what it holds does not come from device memory.
    far: Cache,
    /// The parts that were read last, and the sectors of each line that were written last, a bit each.
    opened: Cache,
    written: Cache,
    /// What the first reading of a part takes more, and what writing a line takes at least, in bytes: nothing if neighbors do the
    /// rest.
    first_read: u64,
    least_written: u64,
    /// The share of what the L2 cache lacks that comes from here, in thousandths, and the rest of the division.
    fetched: u64,
    rest: u64,
    /// The number of sectors that the share of the L2 cache lacked.
    pub(super) lacked: u64,
    /// The work in thousandths of a cycle.
    pub(super) busy: u64,
}

impl<'a> Device<'a> {
    /// Returns an idle memory.
    pub(super) fn new(setting: &Setting<'a>) -> Self {
        let Setting { gpu, occupied, together, fetched, .. } = *setting;
        let bytes = if setting.uses_device_memory { gpu.memory.l2_bytes / occupied } else { 0 };
        let all = MILLI * MILLI * occupied / gpu.memory.device_bytes_per_cycle;
        let device = gpu.memory.device;
        Self {
            device,
            together,
            latency: gpu.latency.device_memory,
            latency_of_l2: gpu.latency.l2,
            byte: if setting.uses_device_memory { all } else { 0 },
            until: 0,
            far: Cache::new(bytes),
            opened: Cache::new(bytes / SECTORS_OPENED),
            written: Cache::new(bytes / SECTORS_OF_A_LINE),
            first_read: if together.share_reads { 0 } else { device.first_read },
            least_written: if together.share_writes { 0 } else { device.least_written },
            fetched,
            rest: 0,
            lacked: 0,
            busy: 0,
        }
    }

    /// Returns the cycle in which it has finished.
    pub(super) fn drained(&self) -> u64 {
        self.until.div_ceil(MILLI)
    }

    /// Fetches a sector from device memory, with those beside it, if the L2 cache has neither, and returns its arrival there.
    pub(super) fn fetch(&mut self, sector: u64, start: u64) -> u64 {
        if self.byte == 0 {
            return 0;
        }
        if let Some(arrival) = self.far.find(sector) {
            return arrival;
        }
        self.lacked += 1;
        self.rest += self.fetched;
        let arrival = if self.rest < MILLI {
            start + self.latency_of_l2
        } else {
            self.rest -= MILLI;
            let is_open = std::mem::replace(self.opened.number(sector / SECTORS_OPENED), 1) == 1;
            let granule = if self.first_read == 0 { self.device.granule } else { self.device.read };
            let bytes = granule + if is_open { 0 } else { self.first_read };
            self.take(bytes, start) + self.latency
        };
        let together = self.device.granule / SECTOR_BYTES;
        let first = sector / together * together;
        (first..first + together).for_each(|sector| self.far.insert(sector, arrival));
        arrival
    }

    /// Writes a sector back to device memory, once.
    pub(super) fn write_back(&mut self, sector: u64, start: u64) {
        if self.byte == 0 {
            return;
        }
        // The sectors that were written, a bit each.
        let written = self.written.number(sector / SECTORS_OF_A_LINE);
        let before = u64::from(written.count_ones());
        *written |= 1 << (sector % SECTORS_OF_A_LINE);
        let after = u64::from(written.count_ones());
        let bytes = |sectors: u64| if sectors == 0 { 0 } else { self.least_written.max(sectors * self.device.written) };
        self.take(bytes(after) - bytes(before), start);
        // What is left partly written is read before.
        if after > before && self.together.partial.contains(&sector) {
            self.fetch(sector, start);
        }
    }

    /// Lets device memory move so many bytes, and returns the cycle in which it begins.
    fn take(&mut self, bytes: u64, start: u64) -> u64 {
        let begin = self.until.max(start * MILLI);
        let cycles = self.byte * bytes / MILLI;
        self.until = begin + cycles;
        self.busy += cycles;
        begin / MILLI
    }
}
