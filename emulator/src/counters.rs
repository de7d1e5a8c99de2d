//! What a launch did to the hardware, in Nsight Compute's definitions.
//!
//! Counters observe events of the machine and cannot change what it computes.

use crate::machine::pattern::Addresses;
use crate::machine::registers::LANES;
use crate::ptx::tree::Space;

/// What a launch did, summed over all blocks.
///
/// A request is one warp instruction with at least one active lane; a sector is 32 bytes of global memory;
/// a wavefront is one pass over the 32 banks of shared memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(default)]
pub struct Counters {
    /// Warp instructions of the PTX; machine code has another number.
    pub warp_instructions: u64,
    /// The same, each times its active threads.
    pub thread_instructions: u64,
    /// Requests of global loads.
    pub global_load_requests: u64,
    /// Sectors that they touch.
    pub global_load_sectors: u64,
    /// Bytes that their active threads asked for.
    pub global_load_bytes: u64,
    /// Requests of global stores.
    pub global_store_requests: u64,
    /// Sectors that they touch.
    pub global_store_sectors: u64,
    /// Bytes that their active threads wrote.
    pub global_store_bytes: u64,
    /// Requests of global atomics and reductions.
    pub global_atomic_requests: u64,
    /// Sectors of them, each as often as its most wanted address is wanted.
    pub global_atomic_sectors: u64,
    /// Requests of shared loads.
    pub shared_load_requests: u64,
    /// Wavefronts that they take.
    pub shared_load_wavefronts: u64,
    /// Wavefronts beyond the least possible.
    pub shared_load_conflicts: u64,
    /// Requests of shared stores.
    pub shared_store_requests: u64,
    /// Wavefronts that they take.
    pub shared_store_wavefronts: u64,
    /// Wavefronts beyond the least possible.
    pub shared_store_conflicts: u64,
    /// Requests of shared atomics.
    pub shared_atomic_requests: u64,
    /// Requests of constant loads.
    pub constant_load_requests: u64,
    /// Distinct addresses, summed over them: 1 a request is a broadcast.
    pub constant_load_addresses: u64,
    /// Requests to local memory, loads and stores.
    pub local_requests: u64,
    /// Barriers of the block that warps came to.
    pub barriers: u64,
    /// Warp shuffles.
    pub shuffles: u64,
    /// Branches that warps executed.
    pub branches: u64,
    /// Those whose active lanes went both ways.
    pub divergent_branches: u64,
}

/// Adds the named fields of one [`Counters`] to another.
macro_rules! add_fields {
    ($sum:ident, $other:ident: $($field:ident)*) => {
        $($sum.$field += $other.$field;)*
    };
}

impl Counters {
    /// Adds what another part of the launch did.
    pub(crate) fn add(&mut self, other: &Self) {
        add_fields!(self, other:
            warp_instructions thread_instructions
            global_load_requests global_load_sectors global_load_bytes
            global_store_requests global_store_sectors global_store_bytes
            global_atomic_requests global_atomic_sectors
            shared_load_requests shared_load_wavefronts shared_load_conflicts
            shared_store_requests shared_store_wavefronts shared_store_conflicts
            shared_atomic_requests constant_load_requests constant_load_addresses local_requests
            barriers shuffles branches divergent_branches);
    }
}

/// What an access does to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AccessKind {
    Load,
    Store,
    Atomic,
}

/// A memory instruction of one warp.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Access<'a> {
    /// Never generic: each part of a generic access is an access of its own.
    pub(crate) space: Space,
    pub(crate) kind: AccessKind,
    pub(crate) addresses: &'a Addresses<'a>,
    /// Warp in the block.
    pub(crate) warp: usize,
    /// The step.
    pub(crate) position: u32,
    /// What each lane stores, where a store of one value a lane is observed by [`Observer::EVERY_ACCESS`].
    pub(crate) stored: Option<&'a [u64; LANES]>,
}

/// Sees what the machine does. The events of one worker come in order.
pub(crate) trait Observer: Send {
    /// Whether events are worth preparing.
    const ON: bool;
    /// Whether it needs every access by itself, with the values stored; else those of a fast path come summed up.
    const EVERY_ACCESS: bool = false;

    /// An observer for a kernel of so many basic blocks.
    fn new(blocks: usize) -> Self;
    /// A block begins: its number in the grid, its warps, its shared memory.
    fn begin(&mut self, _block: u64, _warps: usize, _shared_bytes: usize) {}
    /// Warps, with that many lanes in all, begin a basic block.
    fn enter(&mut self, block: u32, warps: u64, lanes: u64);
    /// A warp accesses memory.
    fn access(&mut self, access: &Access<'_>);
    /// Warps load aligned values of `bytes` bytes, every lane of a warp from one address.
    fn uniform_loads(&mut self, space: Space, warps: u64, bytes: u64);
    /// Warps come to a branch.
    fn branches(&mut self, warps: u64, divergent: u64);
    /// Warps come to a barrier.
    fn barriers(&mut self, warps: u64);
    /// Warps shuffle.
    fn shuffles(&mut self, warps: u64);
    /// A barrier of the block lets its threads go.
    fn block_synchronised(&mut self) {}
    /// An instruction for all lanes of a warp lets them go.
    fn warp_synchronised(&mut self, _warp: usize) {}
}

/// Sees nothing, at no cost.
#[derive(Debug)]
pub(crate) struct Blind;

impl Observer for Blind {
    const ON: bool = false;

    fn new(_: usize) -> Self {
        Self
    }
    #[inline(always)]
    fn enter(&mut self, _: u32, _: u64, _: u64) {}
    #[inline(always)]
    fn access(&mut self, _: &Access<'_>) {}
    #[inline(always)]
    fn uniform_loads(&mut self, _: Space, _: u64, _: u64) {}
    #[inline(always)]
    fn branches(&mut self, _: u64, _: u64) {}
    #[inline(always)]
    fn barriers(&mut self, _: u64) {}
    #[inline(always)]
    fn shuffles(&mut self, _: u64) {}
}

/// Takes [`Counters`].
#[derive(Debug)]
pub(crate) struct Counting {
    counters: Counters,
    /// Warps and lanes that began each basic block.
    blocks: Vec<(u64, u64)>,
}

impl Counting {
    /// The counters, given the number of instructions of each basic block.
    pub(crate) fn finish(mut self, instructions: impl Iterator<Item = u32>) -> Counters {
        for ((warps, lanes), instructions) in self.blocks.iter().zip(instructions) {
            self.counters.warp_instructions += warps * u64::from(instructions);
            self.counters.thread_instructions += lanes * u64::from(instructions);
        }
        self.counters
    }

    fn global(&mut self, kind: AccessKind, addresses: &Addresses<'_>) {
        let counters = &mut self.counters;
        let bytes = u64::from(addresses.mask.count_ones() * addresses.bytes);
        match kind {
            AccessKind::Load => {
                counters.global_load_requests += 1;
                counters.global_load_sectors += addresses.sectors();
                counters.global_load_bytes += bytes;
            }
            AccessKind::Store => {
                counters.global_store_requests += 1;
                counters.global_store_sectors += addresses.sectors();
                counters.global_store_bytes += bytes;
            }
            AccessKind::Atomic => {
                counters.global_atomic_requests += 1;
                counters.global_atomic_sectors += addresses.atomic_sectors();
            }
        }
    }

    fn shared(&mut self, kind: AccessKind, addresses: &Addresses<'_>) {
        let counters = &mut self.counters;
        match kind {
            AccessKind::Load => {
                let (wavefronts, conflicts) = addresses.wavefronts(true);
                counters.shared_load_requests += 1;
                counters.shared_load_wavefronts += wavefronts;
                counters.shared_load_conflicts += conflicts;
            }
            AccessKind::Store => {
                let (wavefronts, conflicts) = addresses.wavefronts(false);
                counters.shared_store_requests += 1;
                counters.shared_store_wavefronts += wavefronts;
                counters.shared_store_conflicts += conflicts;
            }
            AccessKind::Atomic => counters.shared_atomic_requests += 1,
        }
    }
}

impl Observer for Counting {
    const ON: bool = true;

    fn new(blocks: usize) -> Self {
        Self { counters: Counters::default(), blocks: vec![(0, 0); blocks] }
    }

    #[inline(always)]
    fn enter(&mut self, block: u32, warps: u64, lanes: u64) {
        let counts = &mut self.blocks[block as usize];
        counts.0 += warps;
        counts.1 += lanes;
    }

    fn access(&mut self, access: &Access<'_>) {
        match access.space {
            Space::Global | Space::Generic => self.global(access.kind, access.addresses),
            Space::Shared => self.shared(access.kind, access.addresses),
            Space::Constant => {
                self.counters.constant_load_requests += 1;
                self.counters.constant_load_addresses += access.addresses.distinct_addresses();
            }
            Space::Local => self.counters.local_requests += 1,
            Space::Parameter => {}
        }
    }

    fn uniform_loads(&mut self, space: Space, warps: u64, bytes: u64) {
        let counters = &mut self.counters;
        match space {
            Space::Shared => {
                counters.shared_load_requests += warps;
                // The groups of 8- and 16-byte loads merge in pairs: each lane agrees with its neighbour.
                counters.shared_load_wavefronts += warps * (bytes / 8).max(1);
            }
            Space::Constant => {
                counters.constant_load_requests += warps;
                counters.constant_load_addresses += warps;
            }
            _ => {
                counters.global_load_requests += warps;
                counters.global_load_sectors += warps;
                counters.global_load_bytes += warps * LANES as u64 * bytes;
            }
        }
    }

    fn branches(&mut self, warps: u64, divergent: u64) {
        self.counters.branches += warps;
        self.counters.divergent_branches += divergent;
    }

    fn barriers(&mut self, warps: u64) {
        self.counters.barriers += warps;
    }

    fn shuffles(&mut self, warps: u64) {
        self.counters.shuffles += warps;
    }
}
