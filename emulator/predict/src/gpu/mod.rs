//! GPUs as tables of constants, each with its source.
//!
//! All constants come from microbenchmarks or from documents. None was fitted to a kernel of the course.

mod measured;

use emulator::WARP_SIZE;

pub use measured::{H100, H200};

/// The GPUs, the default first. The index in this list names a GPU to the emulator's driver.
pub const GPUS: [&Gpu; 2] = [&H200, &H100];

/// The constants of a GPU. Cycles are those of the multiprocessors' clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gpu {
    /// The name, as in the heading of a table.
    pub name: &'static str,
    /// The name as the value of an option, without capitals and spaces.
    pub id: &'static str,
    /// The number of multiprocessors.
    pub multiprocessors: u64,
    /// The clock in megahertz.
    pub megahertz: u64,
    /// The time of an empty launch in nanoseconds.
    pub first_launch_ns: u64,
    /// The time of an empty launch that follows another one without a pause, in nanoseconds.
    pub next_launch_ns: u64,
    /// The time between the starts of two blocks on the whole GPU, in picoseconds.
    pub block_start_ps: u64,
    /// What fits on a multiprocessor at once.
    pub residency: Residency,
    /// The latencies of instructions and memory.
    pub latency: Latencies,
    /// The cycles between two warp instructions on one scheduler's pipe.
    pub interval: Intervals,
    /// Products of warpgroups.
    pub warpgroup: Products,
    /// The depths of queues.
    pub queue: Queues,
    /// The memory behind the multiprocessors.
    pub memory: Memory,
}

/// What fits on a multiprocessor at once (CUDA C++ Programming Guide, technical specifications per compute capability).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Residency {
    /// Blocks.
    pub blocks: u32,
    /// Warps.
    pub warps: u32,
    /// Bytes of shared memory, including those that the system reserves for each block.
    pub shared_bytes: u32,
    /// The bytes of shared memory that the system reserves for each block.
    pub reserved_bytes: u32,
}

/// Latencies in cycles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Latencies {
    /// A load that hits the L1 cache.
    pub l1: u64,
    /// A load that hits the L2 cache.
    pub l2: u64,
    /// A load from device memory.
    pub device_memory: u64,
    /// A store, until the L2 cache has it.
    pub store: u64,
    /// A load from shared memory.
    pub shared: u64,
    /// A shuffle.
    pub shuffle: u64,
    /// A special function.
    pub special: u64,
    /// A load of a constant by a computed address that the nearest cache holds.
    pub constant: u64,
    /// The same if it does not hold it.
    pub missed_constant: u64,
    /// The cycles more for each further word that lanes of a warp read at a time.
    pub further_constant: u64,
    /// A product of matrices of 16-bit numbers on the tensor cores.
    pub tensor_16_bits: u64,
    /// A product of matrices in TF32.
    pub tensor_tf32: u64,
    /// Double-precision arithmetic.
    pub double: u64,
    /// A special register, such as the index of a thread.
    pub special_register: u64,
    /// A vote.
    pub vote: u64,
    /// From the last arrival at a barrier to the first instruction after it.
    pub barrier: u64,
    /// From an arrival at an mbarrier until it counts, and from the end of a phase until a wait for it is over.
    pub arrival: u64,
    /// From a branch to the next instruction of the warp, if it is not taken.
    pub branch: u64,
    /// The same if it is taken.
    pub taken_branch: u64,
    /// From the end of a block until the next one starts in its place.
    pub next_block: u64,
    /// From the issue of an access to memory until its registers can be overwritten.
    pub operands: u64,
}

/// Cycles between two warp instructions on a pipe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Intervals {
    /// Single-precision arithmetic.
    pub fma: u64,
    /// Integer multiplication, which shares the slots of single-precision arithmetic.
    pub multiply: u64,
    /// Integers, comparisons, selections.
    pub integer: u64,
    /// Special functions, and conversions.
    pub special: u64,
    /// Double-precision arithmetic.
    pub double: u64,
    /// The thousandths of a cycle for 2,048 multiply-adds of 16-bit numbers on the tensor cores.
    pub tensor_16_bits_millicycles: u64,
    /// The same for 1,024 in TF32.
    pub tensor_tf32_millicycles: u64,
    /// The thousandths of a cycle for an indexed constant, of the whole multiprocessor, for each resident warp.
    pub constant: Constants,
    /// Arrivals of warps at barriers, of the whole multiprocessor.
    pub arrival: u64,
    /// An access of 8 bytes per lane to the L1 cache.
    pub l1_8_bytes: u64,
    /// An access of 16 bytes per lane.
    pub l1_16_bytes: u64,
}

/// Products of warpgroups on the tensor cores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Products {
    /// The thousandths of a cycle for each column of the result.
    pub column_millicycles: u64,
    /// The cycles more if the left factor is in registers.
    pub left_in_registers: u64,
    /// The cycles from the end of the last product until a wait for it is over.
    pub latency: u64,
}

/// What loads of 16 bytes of indexed constants cost a multiprocessor, in thousandths of a cycle, by the bytes that are read again
/// and again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Constants {
    /// The bytes up to which a load takes this, however many warps there are.
    pub few_bytes: u64,
    /// The load.
    pub of_few: u64,
    /// The bytes that the nearest cache holds.
    pub cached_bytes: u64,
    /// A load of those, and what each resident warp above sixteen adds at most.
    pub of_cached: [u64; 2],
    /// A load of more, likewise.
    pub of_more: [u64; 2],
    /// What each further word that lanes of a warp read at a time adds.
    pub word: u64,
}

/// The cycles by which the work of a unit may be ahead of the unit before instructions wait for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Queues {
    /// Special functions.
    pub special: u64,
    /// The tensor cores.
    pub tensor: u64,
    /// Shared memory and the L1 cache.
    pub memory: u64,
    /// The L2 cache.
    pub l2: u64,
    /// The ports of the register file.
    pub registers: u64,
}

/// Caches and bandwidths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory {
    /// The bytes of L1 cache and shared memory of a multiprocessor.
    pub l1_bytes: u64,
    /// The bytes of the L2 cache.
    pub l2_bytes: u64,
    /// The bytes per cycle that the L2 cache answers loads with.
    pub l2_bytes_per_cycle: u64,
    /// The thousandths of a cycle that the whole L2 cache takes at least for each line of a load.
    pub load_line_millicycles: u64,
    /// The millionths of a cycle that the whole L2 cache takes for each sector of a store.
    pub store_sector_microcycles: u64,
    /// The millionths of a cycle that it takes for each line of a store, besides its sectors.
    pub store_line_microcycles: u64,
    /// The bytes per cycle of device memory.
    pub device_bytes_per_cycle: u64,
    /// The bytes per cycle between a multiprocessor and the L2 cache.
    pub port_bytes_per_cycle: u64,
    /// What device memory moves besides the bytes of a sector.
    pub device: Device,
    /// The sectors of atomics per cycle of the whole GPU.
    pub atomic_sectors_per_cycle: u64,
    /// The thousandths of a cycle that an atomic takes for each lane of a warp with the same address.
    pub atomic_lane_millicycles: u64,
    /// What atomics on one line take that many warps share, in thousandths of a cycle of the whole GPU.
    pub shared_line: SharedLine,
}

/// What device memory moves, in bytes that would take as long if they were read in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Device {
    /// The bytes that are read for a sector.
    pub granule: u64,
    /// What reading those takes.
    pub read: u64,
    /// What the first reading in 256 bytes takes more.
    pub first_read: u64,
    /// What writing a sector takes.
    pub written: u64,
    /// What writing a line takes at least.
    pub least_written: u64,
}

/// What atomics on one line take that many warps share, in thousandths of a cycle of the whole GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SharedLine {
    /// A request of a warp to several addresses, with many lanes a sector.
    pub request: u64,
    /// Each sector with fewer lanes.
    pub sector: u64,
    /// Each lane with the same address, of integers.
    pub integer_lane: u64,
    /// Each lane with the same address, of floating-point numbers.
    pub float_lane: u64,
}

impl Gpu {
    /// Returns the number of multiprocessors that a grid occupies.
    #[must_use]
    pub fn occupied_multiprocessors(&self, blocks: u64) -> u64 {
        self.multiprocessors.min(blocks).max(1)
    }

    /// Returns the thousandths of a cycle between the starts of two blocks on one of `occupied` multiprocessors.
    #[must_use]
    pub fn block_start_millicycles(&self, occupied: u64) -> u64 {
        self.block_start_ps * self.megahertz * occupied / 1000
    }

    /// Returns the nanoseconds of a number of cycles.
    #[must_use]
    pub fn nanoseconds(&self, cycles: u64) -> u64 {
        cycles * 1000 / self.megahertz
    }

    /// Returns the number of resident blocks of `threads` threads with so much shared memory, of at most `by_registers`, which
    /// fit the registers: all these GPUs have 64 Ki of them.
    #[must_use]
    pub fn resident_blocks(&self, by_registers: u32, threads: u32, shared_bytes: u32) -> u32 {
        let Residency { blocks, warps, shared_bytes: all, reserved_bytes } = self.residency;
        let by_shared_bytes = all / (shared_bytes + reserved_bytes).max(1);
        by_registers.min(blocks).min(warps / threads.div_ceil(WARP_SIZE as u32).max(1)).min(by_shared_bytes)
    }

    /// Returns `on an H200`.
    #[must_use]
    pub fn phrase(&self) -> String {
        format!("on an {}", self.name)
    }

    /// Returns the GPU of an option's value.
    #[must_use]
    pub fn from_id(id: &str) -> Option<&'static Self> {
        GPUS.into_iter().find(|gpu| gpu.id.eq_ignore_ascii_case(id))
    }
}
