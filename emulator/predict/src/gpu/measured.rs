//! The GPUs of the records.

use super::{Constants, Device, Gpu, Intervals, Latencies, Memory, Products, Queues, Residency, SharedLine};

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
        // Cost `start`, body `storing`: places of blocks of 1,024 threads take 293 cycles more than with empty ones. Issuing takes a
        // part of it, and the L2 cache another.
        store: 60,
        // Answers: 29.1, 26.1 and 17.0 cycles.
        shared: 29,
        shuffle: 26,
        special: 17,
        // Cost `constant-chain` of `results/nvidia-h200/costs.json`: 28.3 cycles up to 2 KiB and 98.4 from 4 KiB on; each
        // further word of a warp takes 11 more.
        constant: 28,
        missed_constant: 98,
        further_constant: 11,
        // Answers of `17_pipes.cu`: 25.0, 25.0 and 8.3 cycles.
        tensor_16_bits: 25,
        tensor_tf32: 25,
        double: 8,
        // Assumed: that of the A100 (Abdelkhalik et al. 2022, arXiv 2208.11174), rounded.
        special_register: 22,
        // Assumed: that of a comparison, whose result is a predicate too.
        vote: 12,
        // Assumed: the order of a shared access.
        barrier: 20,
        // Answer of `22_asynchronous.cu`: 49.4 cycles for an arrival, the wait for it, and the branch of the loop around that.
        arrival: 13,
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
        // 64 lanes (the same table).
        double: 2,
        // Limits `tensor-bf16` and `tensor`: 0.1496 and 0.1484 products per cycle of a scheduler.
        tensor_16_bits_millicycles: 6690,
        tensor_tf32_millicycles: 6740,
        // Cost `constant-stream` of `results/nvidia-h200/costs.json`, loads of 16 bytes: 2.5 to 3.1 cycles up to 256 bytes; from
        // 1 KiB 3.6 with 16 warps and 16.5 with 64; from 64 KiB 4.7 and 27. Of `constant-chain`, 11 for a further word, on one of
        // four schedulers.
        constant: Constants {
            few_bytes: 256,
            of_few: 2_700,
            cached_bytes: 2 << 10,
            of_cached: [3_600, 269],
            of_more: [4_700, 465],
            word: 2_750,
        },
        // Measured, not recorded: five barriers add 0.84 ns to an empty block of 1024 threads, 88 cycles for each with its 32
        // warps, and nothing to the starts of blocks of 256.
        arrival: 2,
        // A quarter of a warp at a time for 16 bytes, half for 8: four and two passes of 128 bytes.
        l1_8_bytes: 2,
        l1_16_bytes: 4,
    },
    // Answers of `22_asynchronous.cu`, of 64 columns: 85.7 cycles for one product and the wait for it, 39.4 for each of eight before
    // a wait, and 45.6 with the left factor in registers.
    warpgroup: Products { column_millicycles: 500, left_in_registers: 7, latency: 46 },
    queue: Queues {
        // Assumed: two instructions.
        special: 16,
        // Assumed: two instructions.
        tensor: 13,
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
        // Cost `load` of the same record: 79 lines per cycle if lanes are in different ones.
        load_line_millicycles: 12,
        // Cost `store` of the same record: 2,380 bytes per cycle if lines are written whole, and 35 sectors per cycle if each is
        // in another line, so a line takes 0.0538 cycles in the former case and 0.0286 in the latter.
        store_sector_microcycles: 8_400,
        store_line_microcycles: 20_200,
        // Limit `memory`: 4.56 TB/s at 1.98 GHz.
        device_bytes_per_cycle: 2304,
        // 64 bytes (the same microbenchmarks).
        port_bytes_per_cycle: 64,
        // Costs `load`, `copy` and `sparse-store`. Lanes 8 and 16 elements apart read 564 and 285 GB/s: 64 bytes for each of
        // the latter. Of 256 bytes, one such part is read in the time of 107 bytes, and two in that of 156. Written bytes
        // take 1.4 times as long as read ones, in three mixtures, and a sector alone in its line as long as 126.
        device: Device { granule: 64, read: 50, first_read: 57, written: 45, least_written: 126 },
        // Assumed: one per slice of the L2 cache in two cycles.
        atomic_sectors_per_cycle: 48,
        // Cost `atomic`, own addresses: 19.9, 37.9 and 76.0 cycles of a multiprocessor if 4, 8 and 16 lanes share one.
        atomic_lane_millicycles: 4_750,
        // Cost `atomic`, the same addresses in all warps: 46.5 cycles of the GPU for the 32 lanes of one address with integers,
        // 111 with floats, 1.5 and 3.5 for one lane, and 4.7 to 5.1 if each lane has its own. Cost `scatter`: 16.3 cycles if 32 lanes choose among
        // 256 cells, 2.8 sectors of each line, and 7.5 among 4,096.
        shared_line: SharedLine { request: 4_900, sector: 5_900, integer_lane: 1_450, float_lane: 3_480 },
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
