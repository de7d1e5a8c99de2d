//! Performance counters of a launch, as Nsight Compute defines them.
//!
//! Counters observe events of the machine and cannot change its results.
//!
//! The rules agree with measurements: `emulator/machine/tests/hardware/*.json` are readings of kernels that execute one instruction
//! each, with address patterns and lane masks that distinguish candidate rules, and the emulator must count the same.
//! Readings that depend on a decision of ptxas are marked there with the reason. With several warps, the wavefront counters
//! of the memory pipeline also count stalls of stores, which differ between runs; such launches are compared by instruction
//! counters.
//!
//! The stages' kernels are compared, too: `results/nvidia-h200/nsight-compute.json` contains readings of each kernel at two
//! sizes and two block sizes, and each stage's `tests/hardware.rs` runs the same launches on the emulator. Readings that do
//! not follow from the PTX are marked there with the reason: ptxas merges adjacent shared loads, and changes the code of the
//! tails of three reductions.

use crate::ground::lanes::WARP_SIZE;
use crate::ground::space::Space;
use crate::isa::class::{InstructionClasses, add_fields};
use crate::lower::step::{BlockInfo, Program};
use crate::machine::addresses::Addresses;
use crate::machine::events::{Access, AccessKind, Observer, WordAccesses};
use crate::memory::view::MemoryView;

/// The counters of a launch, summed over all blocks.
///
/// Accesses to the shared memory of other blocks of a cluster are not counted: their definitions in Nsight Compute are not known.
///
/// A request is one warp instruction with at least one active lane. A sector is 32 bytes of global memory. A wavefront is one
/// pass over the 32 banks of shared memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(default)]
pub struct Counters {
    /// Warp instructions in the PTX. The number of machine instructions differs.
    pub warp_instructions: u64,
    /// Thread instructions: warp instructions times their active lanes.
    pub thread_instructions: u64,
    /// Warp instructions by class.
    pub classes: InstructionClasses,
    /// Multiplications and additions of products of warpgroups (`wgmma`), of which each of four warps has a quarter.
    #[serde(skip_serializing_if = "is_zero")]
    pub warpgroup_operations: u64,
    /// Requests of global loads.
    pub global_load_requests: u64,
    /// Sectors of global loads.
    pub global_load_sectors: u64,
    /// Bytes that the active threads of global loads requested.
    pub global_load_bytes: u64,
    /// Requests of global stores.
    pub global_store_requests: u64,
    /// Sectors of global stores.
    pub global_store_sectors: u64,
    /// Bytes that the active threads of global stores wrote.
    pub global_store_bytes: u64,
    /// Requests of global atomics and reductions.
    pub global_atomic_requests: u64,
    /// Sectors of global atomics and reductions, each multiplied by the largest number of lanes at one of its addresses. If
    /// lanes share sectors in more than four 128-byte lines, an H200 has been observed to need up to 3 more.
    pub global_atomic_sectors: u64,
    /// Requests of shared loads.
    pub shared_load_requests: u64,
    /// Wavefronts of shared loads.
    pub shared_load_wavefronts: u64,
    /// Wavefronts of shared loads due to bank conflicts.
    pub shared_load_conflicts: u64,
    /// Requests of shared stores.
    pub shared_store_requests: u64,
    /// Wavefronts of shared stores.
    pub shared_store_wavefronts: u64,
    /// Wavefronts of shared stores due to bank conflicts.
    pub shared_store_conflicts: u64,
    /// Requests of shared atomics.
    pub shared_atomic_requests: u64,
    /// Wavefronts of shared atomics for which hardware has an instruction; it adds 64-bit integers and floats in a loop.
    pub shared_atomic_wavefronts: u64,
    /// Wavefronts of shared atomics due to bank conflicts.
    pub shared_atomic_conflicts: u64,
    /// Requests of constant loads; a load of 16 bytes is four.
    pub constant_load_requests: u64,
    /// Distinct addresses of constant loads, summed over the requests: 1 per request is a broadcast.
    pub constant_load_addresses: u64,
    /// Requests of local loads, one for every 4 bytes of a lane.
    pub local_load_requests: u64,
    /// Sectors of local loads. The same words of adjacent lanes are adjacent in memory.
    pub local_load_sectors: u64,
    /// Requests of local stores, one for every 4 bytes of a lane.
    pub local_store_requests: u64,
    /// Sectors of local stores.
    pub local_store_sectors: u64,
    /// Requests of asynchronous copies from global to shared memory (`cp.async`), counted like loads. A copy that only writes
    /// zeros in all lanes is not a request. They are not included in [`Self::global_load_requests`]; Nsight Compute counts
    /// them there (`op_ld`) and separately (`op_ldgsts`).
    pub async_copy_requests: u64,
    /// Sectors of global memory of asynchronous copies.
    pub async_copy_sectors: u64,
    /// Bytes that asynchronous copies write to shared memory.
    pub async_copy_bytes: u64,
    /// Bulk copies from global to shared memory, each issued by one thread. A multicast is one copy, counted for the block that
    /// issues it if it is among the destinations.
    pub bulk_copies: u64,
    /// Bytes that bulk copies move, each byte of a multicast once.
    pub bulk_copy_bytes: u64,
    /// Barriers of the block, counted per warp.
    pub barriers: u64,
    /// Warp shuffles.
    pub shuffles: u64,
    /// Warp votes, including `activemask`.
    pub votes: u64,
    /// Branches, counted per warp.
    pub branches: u64,
    /// Divergent branches, counted per warp.
    pub divergent_branches: u64,
}

/// Most kernels have none, and their records do not mention them.
#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl Counters {
    /// Adds the counters of this many other parts of the launch.
    pub fn add(&mut self, other: &Self, times: u64) {
        self.classes.add(&other.classes, times);
        add_fields!(self, other, times;
            warp_instructions thread_instructions warpgroup_operations
            global_load_requests global_load_sectors global_load_bytes
            global_store_requests global_store_sectors global_store_bytes
            global_atomic_requests global_atomic_sectors
            shared_load_requests shared_load_wavefronts shared_load_conflicts
            shared_store_requests shared_store_wavefronts shared_store_conflicts
            shared_atomic_requests shared_atomic_wavefronts shared_atomic_conflicts
            constant_load_requests constant_load_addresses
            local_load_requests local_load_sectors local_store_requests local_store_sectors
            async_copy_requests async_copy_sectors async_copy_bytes bulk_copies bulk_copy_bytes
            barriers shuffles votes branches divergent_branches);
    }

    /// Counts an access of a warp. Those to shared memory are not counted if they are to that of another block: `away`.
    pub(super) fn add_access(&mut self, access: &Access<'_>, away: bool) {
        match access.space {
            Space::Shared if away => {}
            Space::Global | Space::Generic => self.global(access.kind, access.addresses),
            Space::Shared => self.shared(access.kind, access.addresses),
            Space::Constant => {
                let parts = constant_parts(access.addresses.bytes.into());
                self.constant_load_requests += parts;
                self.constant_load_addresses += parts * access.addresses.distinct_addresses();
            }
            Space::Local => self.local(access.kind, access.addresses),
            Space::Parameter => {}
        }
    }

    fn global(&mut self, kind: AccessKind, addresses: &Addresses<'_>) {
        let bytes = u64::from(addresses.mask.count_ones() * addresses.bytes);
        match kind {
            AccessKind::Load => {
                self.global_load_requests += 1;
                self.global_load_sectors += addresses.sectors();
                self.global_load_bytes += bytes;
            }
            AccessKind::Store => {
                self.global_store_requests += 1;
                self.global_store_sectors += addresses.sectors();
                self.global_store_bytes += bytes;
            }
            AccessKind::CopyFrom { bulk: false } => {
                self.async_copy_requests += 1;
                self.async_copy_sectors += addresses.sectors();
            }
            // Counted on the side of shared memory, or not a request.
            AccessKind::CopyFrom { bulk: true }
            | AccessKind::CopyInto { .. }
            | AccessKind::Product
            | AccessKind::Barrier { .. } => {}
            // A bulk sum, which is not counted, like other bulk stores.
            AccessKind::Atomic { .. } if addresses.bytes > 16 => {}
            AccessKind::Atomic { .. } => {
                self.global_atomic_requests += 1;
                self.global_atomic_sectors += addresses.atomic_sectors();
            }
        }
    }

    fn shared(&mut self, kind: AccessKind, addresses: &Addresses<'_>) {
        match kind {
            AccessKind::Load => {
                let (wavefronts, conflicts) = addresses.wavefronts(true);
                self.shared_load_requests += 1;
                self.shared_load_wavefronts += wavefronts;
                self.shared_load_conflicts += conflicts;
            }
            AccessKind::Store => {
                let (wavefronts, conflicts) = addresses.wavefronts(false);
                self.shared_store_requests += 1;
                self.shared_store_wavefronts += wavefronts;
                self.shared_store_conflicts += conflicts;
            }
            AccessKind::CopyFrom { .. } | AccessKind::Product | AccessKind::Barrier { .. } => {}
            AccessKind::CopyInto { bulk: true } => {
                self.bulk_copies += 1;
                self.bulk_copy_bytes += u64::from(addresses.bytes);
            }
            AccessKind::CopyInto { bulk: false } => {
                self.async_copy_bytes += u64::from(addresses.mask.count_ones() * addresses.bytes);
            }
            AccessKind::Atomic { swaps, counts, .. } => {
                let (passes, conflicts) = addresses.atomic_passes(counts);
                self.shared_atomic_requests += 1;
                self.shared_atomic_wavefronts += passes * if swaps { 2 } else { 1 };
                self.shared_atomic_conflicts += conflicts;
            }
        }
    }

    fn local(&mut self, kind: AccessKind, addresses: &Addresses<'_>) {
        let (requests, sectors) = addresses.local_traffic();
        if kind == AccessKind::Load {
            self.local_load_requests += requests;
            self.local_load_sectors += sectors;
        } else {
            self.local_store_requests += requests;
            self.local_store_sectors += sectors;
        }
    }
}

/// The observer that computes [`Counters`].
#[derive(Debug)]
pub(crate) struct Counting {
    counters: Counters,
    /// Whether accesses to shared memory are to that of another block of the cluster.
    away: bool,
    /// The warps and lanes that entered each basic block.
    blocks: Vec<(u64, u64)>,
}

impl Counting {
    /// Returns the counters, given the instructions of each basic block.
    pub(crate) fn finish(mut self, blocks: &[BlockInfo]) -> Counters {
        for (&(warps, lanes), block) in self.blocks.iter().zip(blocks) {
            self.counters.warp_instructions += warps * u64::from(block.instructions);
            self.counters.thread_instructions += lanes * u64::from(block.instructions);
            self.counters.classes.add(&block.classes, warps);
            self.counters.warpgroup_operations += warps * block.warpgroup_operations;
        }
        self.counters
    }
}

impl Observer for Counting {
    const ON: bool = true;

    fn new(program: &Program, _: &MemoryView) -> Self {
        Self { counters: Counters::default(), away: false, blocks: vec![(0, 0); program.blocks.len()] }
    }

    #[inline(always)]
    fn enter(&mut self, block: u32, warps: u64, lanes: u64) {
        let counts = &mut self.blocks[block as usize];
        counts.0 += warps;
        counts.1 += lanes;
    }

    fn enter_peer(&mut self, _: u64, _: usize, _: u32, _: u32) {
        self.away = true;
    }

    fn leave_peer(&mut self) {
        self.away = false;
    }

    fn access(&mut self, access: &Access<'_>) {
        self.counters.add_access(access, self.away);
    }

    fn uniform_loads(&mut self, space: Space, warps: u64, bytes: u64) {
        let counters = &mut self.counters;
        match space {
            Space::Shared => {
                counters.shared_load_requests += warps;
                // The groups of 8- and 16-byte loads merge in pairs, because all lanes agree.
                counters.shared_load_wavefronts += warps * (bytes / 8).max(1);
            }
            Space::Constant => {
                counters.constant_load_requests += warps * constant_parts(bytes);
                counters.constant_load_addresses += warps * constant_parts(bytes);
            }
            _ => {
                counters.global_load_requests += warps;
                counters.global_load_sectors += warps;
                counters.global_load_bytes += warps * WARP_SIZE as u64 * bytes;
            }
        }
    }

    fn word_accesses(&mut self, space: Space, is_load: bool, accesses: &WordAccesses) {
        let counters = &mut self.counters;
        let requests = accesses.requests;
        // Equal or consecutive words are in different banks.
        match (space, is_load) {
            (Space::Shared, true) => {
                counters.shared_load_requests += requests;
                counters.shared_load_wavefronts += requests;
            }
            (Space::Shared, false) => {
                counters.shared_store_requests += requests;
                counters.shared_store_wavefronts += requests;
            }
            (_, true) => {
                counters.global_load_requests += requests;
                counters.global_load_sectors += accesses.sectors;
                counters.global_load_bytes += 4 * accesses.lanes;
            }
            (_, false) => {
                counters.global_store_requests += requests;
                counters.global_store_sectors += accesses.sectors;
                counters.global_store_bytes += 4 * accesses.lanes;
            }
        }
    }

    fn branches(&mut self, warps: u64, divergent: u64, _: u32) {
        self.counters.branches += warps;
        self.counters.divergent_branches += divergent;
    }

    fn barriers(&mut self, warps: u64) {
        self.counters.barriers += warps;
    }

    fn shuffles(&mut self, warps: u64) {
        self.counters.shuffles += warps;
    }

    fn votes(&mut self, warps: u64) {
        self.counters.votes += warps;
    }
}

/// Returns the number of hardware loads of a constant load of `bytes` bytes. ptxas splits 16 bytes into words.
fn constant_parts(bytes: u64) -> u64 {
    if bytes == 16 { 4 } else { 1 }
}
