//! GPUs as tables of constants, each with its source.
//!
//! All constants come from microbenchmarks or from documents. None was fitted to a kernel of the course.

/// The constants of a GPU. Cycles are those of the multiprocessors' clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gpu {
    /// The name, as in the heading of a table.
    pub name: &'static str,
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
    /// The latencies of instructions and memory.
    pub latency: Latencies,
    /// The cycles between two warp instructions on one scheduler's pipe.
    pub interval: Intervals,
    /// The depths of queues.
    pub queue: Queues,
    /// The memory behind the multiprocessors.
    pub memory: Memory,
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
    /// A load from shared memory.
    pub shared: u64,
    /// A shuffle.
    pub shuffle: u64,
    /// A special function.
    pub special: u64,
    /// A load of a constant by a computed address.
    pub constant: u64,
    /// A special register, such as the index of a thread.
    pub special_register: u64,
    /// A vote.
    pub vote: u64,
    /// From the last arrival at a barrier to the first instruction after it.
    pub barrier: u64,
    /// From a branch to the next instruction of the warp, if it is not taken.
    pub branch: u64,
    /// The same if it is taken.
    pub taken_branch: u64,
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
    /// An access of 8 bytes per lane to the L1 cache.
    pub l1_8_bytes: u64,
    /// An access of 16 bytes per lane.
    pub l1_16_bytes: u64,
}

/// The cycles by which the work of a unit may be ahead of the unit before instructions wait for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Queues {
    /// Special functions.
    pub special: u64,
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
    /// The millionths of a cycle that the whole L2 cache takes for each sector of a store.
    pub store_sector_microcycles: u64,
    /// The millionths of a cycle that it takes for each line of a store, besides its sectors.
    pub store_line_microcycles: u64,
    /// The bytes per cycle of device memory.
    pub device_bytes_per_cycle: u64,
    /// The bytes per cycle between a multiprocessor and the L2 cache.
    pub port_bytes_per_cycle: u64,
    /// The sectors of atomics per cycle of the whole GPU.
    pub atomic_sectors_per_cycle: u64,
}

/// The H200. Where no other source is given, a constant was measured on it by the crate `limits`: rates are in
/// `results/nvidia-h200/limits.json`, latencies in `results/nvidia-h200/latency.json`.
pub const H200: Gpu = Gpu {
    name: "H200",
    // `cudaDeviceProp`.
    multiprocessors: 132,
    // The clock that all measurements ran at: `clock_hz` of the record.
    megahertz: 1980,
    // Limit `launch`.
    first_launch_ns: 5120,
    // Limit `launches`: 1,000 launches in 2.98 ms.
    next_launch_ns: 2977,
    // Limit `blocks`: 2^20 empty blocks of 32 to 512 threads take 0.636 ms, of which the launch takes a part: 0.606 ns a block.
    block_start_ps: 606,
    latency: Latencies {
        // Answers of dependent loads, 47.4, 282.6 and 678.8 cycles, less the five of the product that makes an index an address.
        l1: 42,
        l2: 278,
        device_memory: 674,
        // Answers: 29.1, 26.1 and 17.0 cycles.
        shared: 29,
        shuffle: 26,
        special: 17,
        // Assumed: between shared memory and the L1 cache.
        constant: 35,
        // Assumed: that of the A100 (Abdelkhalik et al. 2022, arXiv 2208.11174), rounded.
        special_register: 22,
        // Assumed: that of a comparison, whose result is a predicate too.
        vote: 12,
        // Assumed: the order of a shared access.
        barrier: 20,
        // Assumed.
        branch: 5,
        taken_branch: 8,
        operands: 10,
    },
    interval: Intervals {
        // 128 lanes on four schedulers (CUDA C++ Programming Guide, throughput of arithmetic instructions, 9.0); the limit
        // `fp32` agrees.
        fma: 1,
        // 64 lanes (the same table).
        multiply: 2,
        integer: 2,
        // 16 lanes (the same table); the limit `special` agrees.
        special: 8,
        // A quarter of a warp at a time for 16 bytes, half for 8: four and two passes of 128 bytes.
        l1_8_bytes: 2,
        l1_16_bytes: 4,
    },
    queue: Queues {
        // Assumed: two instructions.
        special: 16,
        // Assumed: 24 wavefronts.
        memory: 24,
        // Assumed: about its latency and a half.
        l2: 400,
        // Assumed: two cycles.
        registers: 2,
    },
    memory: Memory {
        // 256 KiB (CUDA C++ Programming Guide, 9.0).
        l1_bytes: 256 << 10,
        // `cudaDeviceProp::l2CacheSize`.
        l2_bytes: 60 << 20,
        // Cost `l2` of `results/nvidia-h200/costs.json`: 4,300 to 4,800 bytes from 8 MB to 56 MB.
        l2_bytes_per_cycle: 4500,
        // Cost `store` of the same record: 2,380 bytes per cycle if lines are written whole, and 35 sectors per cycle if each is
        // in another line, so that a line takes 0.0538 cycles in the former case and 0.0286 in the latter.
        store_sector_microcycles: 8_400,
        store_line_microcycles: 20_200,
        // Limit `memory`: 4.56 TB/s at 1.98 GHz.
        device_bytes_per_cycle: 2304,
        // 64 bytes (the same microbenchmarks).
        port_bytes_per_cycle: 64,
        // Assumed: one per slice of the L2 cache in two cycles.
        atomic_sectors_per_cycle: 48,
    },
};

impl Gpu {
    /// Returns the number of multiprocessors that a grid occupies.
    #[must_use]
    pub fn occupied(&self, blocks: u64) -> u64 {
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
}
