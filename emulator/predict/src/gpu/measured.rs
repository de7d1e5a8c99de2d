//! The GPUs of the records.

use super::{Gpu, Intervals, Latencies, Memory, Queues, Residency};

/// The H200. Where no other source is given, a constant was measured on it by the crate `limits`: rates are in
/// `results/nvidia-h200/limits.json`, latencies in `results/nvidia-h200/latency.json`.
pub const H200: Gpu = Gpu {
    name: "H200",
    id: "h200",
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
    residency: Residency { blocks: 32, warps: 64, shared_bytes: 228 << 10, reserved_bytes: 1024 },
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
        // Cost `start` of `results/nvidia-h200/costs.json`: empty blocks of 1024 threads, two of which are resident, take
        // 0.693 ns each on the whole GPU, that is, each place of a block takes 362 cycles for one. The block itself takes a few.
        next_block: 340,
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
        // Measured, not recorded: five barriers add 0.84 ns to an empty block of 1024 threads, 88 cycles for each with its 32
        // warps, and nothing to the starts of blocks of 256.
        arrival: 2,
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
        // in another line, so a line takes 0.0538 cycles in the former case and 0.0286 in the latter.
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

/// The H100, as far as it is recorded: it is the chip of the H200 with other memory. Latencies and rates of the multiprocessors
/// are those of the H200.
pub const H100: Gpu = Gpu {
    name: "H100",
    id: "h100",
    memory: Memory {
        // 50 MB (NVIDIA H100 data sheet).
        l2_bytes: 50 << 20,
        // 3.35 TB/s (the same) less the share that the H200 does not reach, 4.56 of 4.8 TB/s, at 1.98 GHz.
        device_bytes_per_cycle: 1607,
        ..H200.memory
    },
    ..H200
};
