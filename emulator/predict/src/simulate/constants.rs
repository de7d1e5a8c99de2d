//! Loads of constants by computed addresses.

use super::cache::Cache;
use super::machine::{MILLI, Setting};
use super::stalls::{Completion, Reason};
use crate::gpu::Gpu;
use emulator::StreamedAccess;

/// The resident warps up to which loads do not disturb each other.
const FEW_WARPS: u64 = 16;

/// The unit that loads constants.
pub(super) struct Constants {
    gpu: Gpu,
    cache: Cache,
    /// The thousandths of a cycle until which it is busy, and those that a load of 16 bytes takes.
    until: u64,
    load: u64,
    /// What a load takes more if warps displace each other's constants.
    displaced: u64,
    /// The work if they do, in thousandths of a cycle.
    pub(super) busy_if_displaced: u64,
}

impl Constants {
    /// Returns an idle unit.
    pub(super) fn new(setting: &Setting<'_>) -> Self {
        let constant = setting.gpu.interval.constant;
        let [load, more] = match setting.together.constant_bytes {
            bytes if bytes <= constant.few_bytes => [constant.of_few, 0],
            bytes if bytes <= constant.cached_bytes => constant.of_cached,
            _ => constant.of_more,
        };
        let more_warps = (setting.resident as u64 * setting.warps).saturating_sub(FEW_WARPS);
        let cache = Cache::new(constant.cached_bytes);
        Self { gpu: *setting.gpu, cache, until: 0, load, displaced: more * more_warps, busy_if_displaced: 0 }
    }

    /// Returns the cycle until which it is busy.
    pub(super) fn until(&self) -> u64 {
        self.until / MILLI
    }

    /// Loads a constant: different words one after the other.
    pub(super) fn load(&mut self, access: &StreamedAccess, sectors: &[u64], now: u64) -> Completion {
        let latency = &self.gpu.latency;
        let mut has_missed = false;
        for &sector in sectors {
            if self.cache.find(sector).is_none() {
                self.cache.insert(sector, 0);
                has_missed = true;
            }
        }
        let start = self.until.max(now * MILLI);
        // Of loads of less than 8 bytes, no rate was measured.
        let part = |all: u64| all * u64::from(access.bytes.clamp(8, 16)) / 16;
        self.until = start + part(self.load).max(u64::from(access.addresses) * self.gpu.interval.constant.word);
        self.busy_if_displaced += part(self.load + self.displaced);
        let further = latency.further_constant * u64::from(access.addresses.saturating_sub(1));
        let answer = if has_missed { latency.missed_constant } else { latency.constant };
        let at = start / MILLI + answer + further;
        Completion { at, released: at, reason: Reason::Constant }
    }
}
