//! GPUs that nobody measured for this course. Their estimates were not compared with a measurement of ours.
//!
//! Numbers of multiprocessors, clocks, sizes of caches and bandwidths are those of NVIDIA's data sheets and white papers. Lanes are
//! from the table of the throughput of arithmetic instructions in the CUDA C++ Programming Guide. Latencies are those of
//! configurations of Accel-Sim, which were tuned with microbenchmarks (`accel-sim/gpgpu-sim_distribution`,
//! `configs/tested-cfgs`); that of the RTX 4090 is of a fork (`dzwduan/modern-gpu-simulator-micro-2025`). What no
//! source has is assumed to be that of the H200, in cycles: block starts, constants, barriers, branches, votes, and queues.
//! A launch is assumed to take no time, because only cycles and ratios are shown.

use super::measured::H200;
use super::{Gpu, Intervals, Latencies, Memory, Residency};

/// The share of the bandwidth of a data sheet that a GPU reaches, in percent: that of the H200, 4.56 of 4.8 TB/s (assumed).
const REACHED_PERCENT: u64 = 95;

/// The cycles between the starts of two blocks, in thousandths: those of the H200 (assumed).
const BLOCK_START_MILLICYCLES: u64 = 1200;

/// The A100 with 80 GB (SXM).
pub const A100: Gpu = unmeasured(Published {
    names: ["A100", "a100"],
    multiprocessors: 108,
    megahertz: 1410,
    residency: Residency { blocks: 32, warps: 64, shared_bytes: 164 << 10, reserved_bytes: 1024 },
    // `SM80_A100`.
    latencies: [34, 200, 390, 28, 23],
    fma: 2,
    l1_bytes: 192 << 10,
    l2_bytes: 40 << 20,
    // The white paper of the A100.
    l2_bytes_per_cycle: 5120,
    gigabytes_per_second: 2039,
});

/// The GeForce RTX 4090.
pub const RTX_4090: Gpu = unmeasured(Published {
    names: ["RTX 4090", "rtx4090"],
    multiprocessors: 128,
    megahertz: 2520,
    residency: Residency { blocks: 24, warps: 48, shared_bytes: 100 << 10, reserved_bytes: 1024 },
    // L1 cache, shared memory and special functions are those of the RTX 3080.
    latencies: [39, 211, 454, 29, 21],
    fma: 1,
    l1_bytes: 128 << 10,
    l2_bytes: 72 << 20,
    // Assumed: as many bytes for each multiprocessor as on the H200.
    l2_bytes_per_cycle: 4363,
    gigabytes_per_second: 1008,
});

/// The GeForce RTX 3080 with 10 GB.
pub const RTX_3080: Gpu = unmeasured(Published {
    names: ["RTX 3080", "rtx3080"],
    multiprocessors: 68,
    megahertz: 1710,
    residency: Residency { blocks: 16, warps: 48, shared_bytes: 100 << 10, reserved_bytes: 1024 },
    // `SM86_RTX3070`.
    latencies: [39, 187, 441, 29, 21],
    fma: 1,
    l1_bytes: 128 << 10,
    l2_bytes: 5 << 20,
    // Assumed: as many bytes for each multiprocessor as on the H200.
    l2_bytes_per_cycle: 2318,
    gigabytes_per_second: 760,
});

/// The T4.
pub const T4: Gpu = unmeasured(Published {
    names: ["T4", "t4"],
    multiprocessors: 40,
    megahertz: 1590,
    residency: Residency { blocks: 16, warps: 32, shared_bytes: 64 << 10, reserved_bytes: 0 },
    // `SM75_RTX2060`.
    latencies: [32, 194, 290, 30, 21],
    fma: 2,
    l1_bytes: 96 << 10,
    l2_bytes: 4 << 20,
    // Assumed: as many bytes for each multiprocessor as on the H200.
    l2_bytes_per_cycle: 1363,
    gigabytes_per_second: 320,
});

/// The published figures of a GPU.
struct Published {
    names: [&'static str; 2],
    multiprocessors: u64,
    /// The boost clock.
    megahertz: u64,
    residency: Residency,
    /// L1 cache, L2 cache, device memory, shared memory, special functions.
    latencies: [u64; 5],
    /// The cycles between two single-precision instructions on a scheduler: 1 for 128 lanes, 2 for 64.
    fma: u64,
    l1_bytes: u64,
    l2_bytes: u64,
    l2_bytes_per_cycle: u64,
    gigabytes_per_second: u64,
}

const fn unmeasured(published: Published) -> Gpu {
    let Published { names: [name, id], multiprocessors, megahertz, residency, .. } = published;
    let [l1, l2, device_memory, shared, special] = published.latencies;
    let l2_bytes_per_cycle = published.l2_bytes_per_cycle;
    Gpu {
        name,
        id,
        is_validated: false,
        multiprocessors,
        megahertz,
        first_launch_ns: 0,
        next_launch_ns: 0,
        block_start_ps: BLOCK_START_MILLICYCLES * 1000 / megahertz,
        residency,
        latency: Latencies { l1, l2, device_memory, shared, special, ..H200.latency },
        interval: Intervals { fma: published.fma, ..H200.interval },
        queue: H200.queue,
        memory: Memory {
            l1_bytes: published.l1_bytes,
            l2_bytes: published.l2_bytes,
            l2_bytes_per_cycle,
            store_sector_microcycles: like_loads(H200.memory.store_sector_microcycles, l2_bytes_per_cycle),
            store_line_microcycles: like_loads(H200.memory.store_line_microcycles, l2_bytes_per_cycle),
            device_bytes_per_cycle: published.gigabytes_per_second * 10 * REACHED_PERCENT / megahertz,
            ..H200.memory
        },
    }
}

/// Returns a cost of stores: the L2 cache is assumed to store as fast as it loads, relative to that of the H200.
const fn like_loads(microcycles: u64, l2_bytes_per_cycle: u64) -> u64 {
    microcycles * H200.memory.l2_bytes_per_cycle / l2_bytes_per_cycle
}
