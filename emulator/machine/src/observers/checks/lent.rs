//! Addresses of local memory that other threads load and use: each thread finds its own memory there.

use super::finding::MemorySpace;
use super::touch::Touch;
use crate::ground::lanes::active;
use crate::ground::space::Space;
use crate::lower::step::Program;
use crate::machine::events::{Access, AccessKind};
use rustc_hash::FxHashMap;

/// The size of an address in bytes.
const ADDRESS_BYTES: u64 = 8;

/// A place of an address: the memory, the block whose shared memory it is, and the place in it.
type Key = (MemorySpace, u64, u64);

/// The stores of addresses of local memory.
#[derive(Debug, Default)]
pub(super) struct Lent {
    /// Whether the kernel takes addresses of local memory. Most kernels do not.
    pub(super) possible: bool,
    stores: FxHashMap<Key, Touch>,
}

impl Lent {
    pub(super) fn new(program: &Program) -> Self {
        let mut all = program.listing.blocks.iter().flatten();
        Self { possible: all.any(|listed| listed.opcode.starts_with("cvta.local")), ..Self::default() }
    }

    /// Records what a store writes, by `touch` in each lane. Returns for a load the places from which it loads an address that
    /// another thread has stored: the lane, the place, and the store.
    pub(super) fn visit(&mut self, access: &Access<'_>, memory: MemorySpace, touch: &Touch) -> Vec<(u32, u64, Touch)> {
        let block = if memory == MemorySpace::Shared { touch.block } else { 0 };
        let bytes = u64::from(access.addresses.bytes);
        let is_of_addresses = bytes == ADDRESS_BYTES * access.stored.len() as u64;
        let mut found = Vec::new();
        for lane in active(access.addresses.mask) {
            let lanes = 1 << lane;
            let start = access.addresses.at(lane);
            for (part, place) in (start..start + bytes).step_by(ADDRESS_BYTES as usize).enumerate() {
                let key = (memory, block, place);
                let is_address = || Space::from_address(access.stored[part][lane]) == Space::Local;
                if access.kind == AccessKind::Store && is_of_addresses && is_address() {
                    self.stores.insert(key, Touch { lanes, ..*touch });
                } else if access.kind == AccessKind::Store {
                    self.stores.remove(&key);
                } else if let Some(store) = self.stores.get(&key)
                    && !(store.is_of_warp_of(touch) && store.lanes == lanes)
                {
                    found.push((lanes, place, *store));
                }
            }
        }
        found
    }

    /// Forgets the shared memory of a block.
    pub(super) fn end(&mut self, block: u64) {
        self.stores.retain(|key, _| key.0 != MemorySpace::Shared || key.1 != block);
    }
}
