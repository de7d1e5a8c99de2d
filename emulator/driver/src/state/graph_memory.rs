//! Memory that graphs allocate. Its addresses are set aside when an allocation is captured. It exists from the launch that runs the
//! allocation until the graph, another graph or a call frees it, and again after the next launch.

use super::lock;
use crate::result::Outcome;
use emulator::Memory;
use std::collections::BTreeMap;
use std::sync::Mutex;

/// The sizes in bytes of the allocations of all graphs, by address. No address is used for two.
#[derive(Default)]
pub(crate) struct GraphMemory(Mutex<BTreeMap<u64, u64>>);

impl GraphMemory {
    /// Sets addresses aside for an allocation, and returns the first.
    pub(crate) fn reserve(&self, memory: &Memory, bytes: usize) -> Outcome<u64> {
        let address = memory.reserve(bytes as u64)?;
        lock(&self.0).insert(address, bytes as u64);
        Ok(address)
    }

    /// Returns whether an allocation of a graph starts at `address`.
    pub(crate) fn starts_at(&self, address: u64) -> bool {
        lock(&self.0).contains_key(&address)
    }

    /// Returns whether `bytes` bytes at `address` are in an allocation of a graph, which may not exist now.
    pub(crate) fn holds(&self, address: u64, bytes: usize) -> bool {
        let all = lock(&self.0);
        let below = all.range(..=address).next_back();
        below.is_some_and(|(base, length)| (address - base).saturating_add(bytes as u64) <= *length)
    }
}
