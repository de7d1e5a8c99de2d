//! What a launch did to the hardware, in Nsight Compute's definitions.
//!
//! Counters observe events of the machine and cannot change what it computes.
//!
//! The rules are measured: `emulator/tests/hardware/*.json` are readings of kernels that execute one instruction each,
//! at address patterns and lane masks chosen to tell rules apart, and the emulator must count the same. What needs a
//! choice of ptxas is marked there with its reason. With several warps, the pipeline's own wavefront counters also
//! count waits of stores for each other, different ones in each run: those launches are compared by the counters of
//! instructions.
//!
//! The stages' kernels are compared too: `results/nvidia-h200/nsight-compute.json` has readings of each at two sizes and
//! two blocks, and each stage's `tests/hardware.rs` runs the same on the emulator. A reading that PTX cannot give is
//! marked there with its reason: ptxas joins neighboring shared loads, and lays out the tails of three reductions
//! differently.

use crate::ground::lanes::LANES;
use crate::ground::space::Space;
use crate::isa::class::InstructionClasses;
use crate::lower::step::BlockInfo;
use crate::machine::addresses::Addresses;
use crate::machine::events::{Access, AccessKind, Observer};
use crate::memory::view::MemoryView;

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
    /// The warp instructions by what they do.
    pub classes: InstructionClasses,
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
    /// Sectors of them, each as often as its most wanted address is wanted. Where lanes share sectors and lie in more
    /// than four 128-byte lines, an H200 was seen to take up to 3 more.
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
    /// Wavefronts that they take, where the machine has an instruction for the atomic: adding 64-bit integers or floats
    /// is a loop there.
    pub shared_atomic_wavefronts: u64,
    /// Passes beyond the least possible.
    pub shared_atomic_conflicts: u64,
    /// Requests of constant loads; one of 16 bytes is four.
    pub constant_load_requests: u64,
    /// Distinct addresses, summed over them: 1 a request is a broadcast.
    pub constant_load_addresses: u64,
    /// Requests of local loads, one for each 4 bytes of a lane.
    pub local_load_requests: u64,
    /// Sectors that they touch, where the same words of neighboring lanes lie side by side.
    pub local_load_sectors: u64,
    /// Requests of local stores, likewise.
    pub local_store_requests: u64,
    /// Sectors that they touch.
    pub local_store_sectors: u64,
    /// Requests of asynchronous copies from global to shared memory (`cp.async`), by the rules of loads; one whose lanes all
    /// write zeros alone is none. They are not among
    /// [`Self::global_load_requests`]; Nsight Compute counts them there (`op_ld`) and by themselves (`op_ldgsts`).
    pub async_copy_requests: u64,
    /// Sectors of global memory that they touch.
    pub async_copy_sectors: u64,
    /// Bytes of shared memory that they write.
    pub async_copy_bytes: u64,
    /// Bulk copies from global to shared memory, of one thread each.
    pub bulk_copies: u64,
    /// Bytes that they move.
    pub bulk_copy_bytes: u64,
    /// Barriers of the block that warps came to.
    pub barriers: u64,
    /// Warp shuffles.
    pub shuffles: u64,
    /// Warp votes, and questions for the active lanes.
    pub votes: u64,
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
        self.classes.add(&other.classes, 1);
        add_fields!(self, other:
            warp_instructions thread_instructions
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
}

/// Takes [`Counters`].
#[derive(Debug)]
pub(crate) struct Counting {
    counters: Counters,
    /// Warps and lanes that began each basic block.
    blocks: Vec<(u64, u64)>,
}

impl Counting {
    /// The counters, given what each basic block holds.
    pub(crate) fn finish(mut self, blocks: &[BlockInfo]) -> Counters {
        for (&(warps, lanes), block) in self.blocks.iter().zip(blocks) {
            self.counters.warp_instructions += warps * u64::from(block.instructions);
            self.counters.thread_instructions += lanes * u64::from(block.instructions);
            self.counters.classes.add(&block.classes, warps);
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
            AccessKind::CopyFrom { bulk: false } => {
                counters.async_copy_requests += 1;
                counters.async_copy_sectors += addresses.sectors();
            }
            // They are counted with their other side, and go by no request.
            AccessKind::CopyFrom { bulk: true } | AccessKind::CopyInto { .. } | AccessKind::Barrier { .. } => {}
            AccessKind::Atomic { .. } => {
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
            AccessKind::CopyFrom { .. } | AccessKind::Barrier { .. } => {}
            AccessKind::CopyInto { bulk: true } => {
                counters.bulk_copies += 1;
                counters.bulk_copy_bytes += u64::from(addresses.bytes);
            }
            AccessKind::CopyInto { bulk: false } => {
                counters.async_copy_bytes += u64::from(addresses.mask.count_ones() * addresses.bytes);
            }
            AccessKind::Atomic { swaps } => {
                let (passes, conflicts) = addresses.atomic_passes();
                counters.shared_atomic_requests += 1;
                counters.shared_atomic_wavefronts += passes * if swaps { 2 } else { 1 };
                counters.shared_atomic_conflicts += conflicts;
            }
        }
    }

    fn local(&mut self, kind: AccessKind, addresses: &Addresses<'_>) {
        let counters = &mut self.counters;
        let (requests, sectors) = addresses.local_traffic();
        if kind == AccessKind::Load {
            counters.local_load_requests += requests;
            counters.local_load_sectors += sectors;
        } else {
            counters.local_store_requests += requests;
            counters.local_store_sectors += sectors;
        }
    }
}

impl Observer for Counting {
    const ON: bool = true;

    fn new(blocks: usize, _: &MemoryView) -> Self {
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
                let parts = constant_parts(access.addresses.bytes.into());
                self.counters.constant_load_requests += parts;
                self.counters.constant_load_addresses += parts * access.addresses.distinct_addresses();
            }
            Space::Local => self.local(access.kind, access.addresses),
            Space::Parameter => {}
        }
    }

    fn uniform_loads(&mut self, space: Space, warps: u64, bytes: u64) {
        let counters = &mut self.counters;
        match space {
            Space::Shared => {
                counters.shared_load_requests += warps;
                // The groups of 8- and 16-byte loads merge in pairs: each lane agrees with its neighbor.
                counters.shared_load_wavefronts += warps * (bytes / 8).max(1);
            }
            Space::Constant => {
                counters.constant_load_requests += warps * constant_parts(bytes);
                counters.constant_load_addresses += warps * constant_parts(bytes);
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

    fn votes(&mut self, warps: u64) {
        self.counters.votes += warps;
    }
}

/// Loads that hardware makes of a constant load of this number of bytes: ptxas loads 16 bytes in words.
fn constant_parts(bytes: u64) -> u64 {
    if bytes == 16 { 4 } else { 1 }
}
