//! The microbenchmarks of the crate `limits`, estimated: constants of the table lead back to what was measured on the H200.

use crate::support::{Argument, scene};
use Argument::{Pointer, Word};
use predict::{Estimate, H200, predict};

const FMA: &str = include_str!("../../../../common/ptx/01_fma.ptx");
const SPECIAL: &str = include_str!("../../../../common/ptx/03_special.ptx");
const EMPTY: &str = include_str!("../../../../common/ptx/06_empty.ptx");
const CHAINS: &str = include_str!("../../../../tools/limits/ptx/07_chains.ptx");
const STARTS: &str = include_str!("../../../../tools/limits/ptx/11_starts.ptx");
const STORES: &str = include_str!("../../../../tools/limits/ptx/14_stores.ptx");
const PIPES: &str = include_str!("../../../../tools/limits/ptx/17_pipes.ptx");
const ATOMICS: &str = include_str!("../../../../tools/limits/ptx/13_atomics.ptx");
const CONSTANTS: &str = include_str!("../../../../tools/limits/ptx/12_constants.ptx");
const STRIDES: &str = include_str!("../../../../tools/limits/ptx/18_strides.ptx");
const ENDS: &str = include_str!("../../../../tools/limits/ptx/19_ends.ptx");
const COPIES: &str = include_str!("../../../../tools/limits/ptx/20_copies.ptx");
const SCATTER: &str = include_str!("../../../../tools/limits/ptx/21_scatter.ptx");
const ASYNCHRONOUS: &str = include_str!("../../../../tools/limits/ptx/22_asynchronous.ptx");
const BULK: &str = include_str!("../../../../tools/limits/ptx/23_bulk.ptx");
const WARPGROUP: &str = include_str!("../../../../common/ptx/16_warpgroup.ptx");
const ANSWERS: &str = include_str!("../../../../tools/limits/ptx/08_answers.ptx");

/// The additions, multiply-adds or roots of each chain in a turn.
const STEPS: u64 = 32;

/// The links or dependent operations of a turn of `08_answers.cu`.
const ANSWERS_OF_A_TURN: u64 = 16;

fn estimate(ptx: &str, entry: &str, shape: (u32, u32), bytes: usize, arguments: &[Argument]) -> Estimate {
    predict(&H200, &scene(ptx, entry, shape, bytes, arguments), None)
        .unwrap_or_else(|refusal| panic!("{entry}: {refusal}"))
}

/// Asserts that a value is within a share of the measured one.
fn near(what: &str, value: f64, measured: f64, share: f64) {
    assert!((value / measured - 1.0).abs() <= share, "{what}: estimated {value:.3}, measured {measured:.3}");
}

/// Returns the instructions per cycle of a scheduler in a kernel with a loop of `turns` turns of `work` operations: the
/// difference of two launches, so that beginning and end cancel.
fn rate(ptx: &str, entry: &str, threads: u32, work: u64) -> f64 {
    let one = 1.0_f32.to_bits();
    let cycles = |turns| {
        let arguments = [Pointer(0), Pointer(8192), Word(one), Word(one), Word(turns)];
        estimate(ptx, entry, (132, threads), 1 << 20, &arguments).cycles
    };
    let warps = u64::from(threads / 32).div_ceil(4);
    (warps * work * 32) as f64 / (cycles(40) - cycles(8)) as f64
}

/// Returns the cycles of one of a chain of dependent operations of a warp.
fn answer(ptx: &str, entry: &str) -> f64 {
    answer_of(ptx, entry, 32)
}

fn answer_of(ptx: &str, entry: &str, threads: u32) -> f64 {
    let cycles = |turns| {
        let arguments = [Pointer(0), Pointer(8192), Pointer(16384), Word(turns)];
        estimate(ptx, entry, (1, threads), 1 << 15, &arguments).cycles
    };
    (cycles(40) - cycles(8)) as f64 / (32 * ANSWERS_OF_A_TURN) as f64
}

/// `results/nvidia-h200/latency.json`, quantity `issue`.
#[test]
fn chains_of_additions_issue_as_often_as_on_the_gpu() {
    for (chains, measured) in [(1, [0.236, 0.460, 0.860]), (2, [0.462, 0.904, 0.946]), (4, [0.898, 0.975, 0.968])] {
        for (threads, measured) in [128, 256, 512].into_iter().zip(measured) {
            let entry = format!("addChains{chains}");
            let value = rate(CHAINS, &entry, threads, chains * STEPS);
            near(&format!("{entry} with {threads} threads"), value, measured, 0.1);
        }
    }
}

/// `results/nvidia-h200/limits.json`: the rates of 132 multiprocessors with four schedulers at 1.98 GHz.
#[test]
fn register_ports_and_special_functions_are_as_slow_as_on_the_gpu() {
    let per_scheduler = |rate: f64| rate / (132.0 * 4.0 * 1.98e9);
    near("fmaRate", rate(FMA, "fmaRate", 256, 8 * STEPS), per_scheduler(1.0296e12), 0.1);
    near("registerRate", rate(FMA, "registerRate", 256, 8 * STEPS), per_scheduler(0.6929e12), 0.1);
    near("rootRate", rate(SPECIAL, "rootRate", 256, 8 * STEPS), per_scheduler(0.1302e12), 0.1);
}

/// `results/nvidia-h200/latency.json`, quantity `answer`.
#[test]
fn answers_take_as_long_as_on_the_gpu() {
    near("chaseGlobal", answer(ANSWERS, "chaseGlobal"), 47.4, 0.03);
    near("chaseShared", answer(ANSWERS, "chaseShared"), 29.1, 0.03);
    near("chainShuffle", answer(ANSWERS, "chainShuffle"), 26.1, 0.03);
    near("chainRoot", answer(ANSWERS, "chainRoot"), 17.0, 0.03);
}

/// `results/nvidia-h200/limits.json`, limit `blocks`: 2^20 empty blocks take 0.636 ms.
#[test]
fn empty_blocks_start_as_fast_as_on_the_gpu() {
    let estimate = estimate(EMPTY, "emptyKernel", (1 << 20, 32), 0, &[]);
    near("emptyKernel", H200.nanoseconds(estimate.cycles) as f64 / 1e6, 0.636, 0.05);
    assert_eq!(estimate.limiter, predict::Limiter::BlockStarts);
}

/// `results/nvidia-h200/costs.json`, cost `start`: the nanoseconds between the ends of two blocks, of 2^26 threads and less the
/// time of the launch. Blocks of up to 128 threads are limited by their starts; larger ones by what happens in them, and by the
/// time until the next one takes their place.
#[test]
fn short_blocks_follow_each_other_as_fast_as_on_the_gpu() {
    let measured = [
        ("startEmpty", 128, 0.603),
        ("startEmpty", 1024, 0.693),
        ("startReading", 128, 0.606),
        ("startReading", 512, 1.158),
        ("startReading", 1024, 2.586),
        ("startTree", 128, 0.608),
        ("startTree", 256, 1.132),
        ("startTree", 512, 2.611),
        ("startTree", 1024, 6.369),
    ];
    for (entry, threads, measured) in measured {
        // More than the L2 cache holds.
        let blocks = (1 << 24) / threads;
        let arguments = [Pointer(0), Pointer(1 << 26)];
        let estimate = estimate(STARTS, entry, (blocks, threads), (1 << 26) + (1 << 20), &arguments);
        let each = H200.nanoseconds(estimate.cycles) as f64 / f64::from(blocks);
        // Trees are estimated too fast: what divergent halves cost besides their instructions is not modeled.
        near(&format!("{entry} of {threads}"), each, measured, if entry == "startTree" { 0.2 } else { 0.05 });
    }
}

/// `results/nvidia-h200/costs.json`, cost `store`: bytes per second over 1.98 GHz, by the log of the stride.
#[test]
fn strided_stores_are_as_slow_as_on_the_gpu() {
    let blocks = 4096;
    let bytes = 1 << 24;
    for (log_stride, measured) in [(0, 2381.0), (2, 519.0), (3, 262.0), (4, 200.0), (5, 140.0)] {
        let arguments = [Pointer(0), Word(bytes as u32 / 4), Word(log_stride)];
        let estimate = estimate(STORES, "storeStrided", (blocks, 256), bytes, &arguments);
        let stored = f64::from(blocks) * 4096.0 * 4.0;
        near(&format!("stride 2^{log_stride}"), stored / estimate.cycles as f64, measured, 0.15);
    }
}

/// Quantity `answer`. That of a load of matrices has the addition to its address in it.
#[test]
fn answers_of_further_units_take_as_long_as_on_the_gpu() {
    near("chainDouble", answer(PIPES, "chainDouble"), 8.3, 0.1);
    near("chainTensor", answer(PIPES, "chainTensor"), 25.0, 0.1);
    near("chainTensorBf16", answer(PIPES, "chainTensorBf16"), 25.0, 0.1);
    near("chainMatrix", answer(PIPES, "chainMatrix"), 34.4, 0.15);
}

/// Cost `load`: gigabytes per second of the lanes' words, by the stride; of 16 MB, and of more than the L2 cache holds.
#[test]
fn strided_loads_are_as_slow_as_on_the_gpu() {
    let small = [(8, 1200.0), (16, 1200.0), (24, 830.0), (32, 633.0), (64, 633.0)];
    let large = [(8, 564.0), (16, 285.0), (24, 269.0), (32, 236.0), (64, 172.0)];
    for (log_bytes, measured) in [(24, small), (27, large)] {
        for (stride, measured) in measured {
            let span: u32 = 1 << (log_bytes - 2);
            let blocks = 4096;
            let arguments = [Pointer(0), Pointer(1 << log_bytes), Word(span / stride), Word(stride)];
            let estimate = estimate(STRIDES, "loadStrided", (blocks, 256), (1 << log_bytes) + (1 << 22), &arguments);
            let rate = f64::from(blocks * 256 * 8 * 4) / H200.nanoseconds(estimate.cycles) as f64;
            near(&format!("stride {stride} in 2^{log_bytes} bytes"), rate, measured, 0.25);
        }
    }
}

/// Cost `sparse-store`: gigabytes per second of the words.
#[test]
fn sparse_stores_are_as_slow_as_on_the_gpu() {
    for (stride, measured) in [(32, 89.6), (64, 65.8)] {
        let blocks = 1024;
        let arguments = [Pointer(0), Word((1 << 26) / stride), Word(stride)];
        let estimate = estimate(STRIDES, "storeSparse", (blocks, 256), 1 << 28, &arguments);
        let rate = f64::from(blocks * 256 * 8 * 4) / H200.nanoseconds(estimate.cycles) as f64;
        near(&format!("stride {stride}"), rate, measured, 0.25);
    }
}

/// Cost `copy`: gigabytes per second that are read and written, by the arrays that are read for one that is written.
#[test]
fn copies_are_as_slow_as_on_the_gpu() {
    for (reads, measured) in [(1, 3740.0), (2, 3920.0), (3, 4180.0)] {
        let bytes: u32 = 1 << 26;
        let arguments = [Pointer(0), Pointer(u64::from(reads * bytes)), Word(bytes / 16), Word(reads)];
        let all = (reads + 1) as usize * bytes as usize;
        let estimate = estimate(COPIES, "copyMemory", (8 * 132, 256), all, &arguments);
        near(&format!("{reads} arrays"), all as f64 / H200.nanoseconds(estimate.cycles) as f64, measured, 0.1);
    }
}

/// Cost `start`, bodies `storing` and `copying`: millions of blocks per second. A block ends when memory has what it stored.
#[test]
fn blocks_that_store_end_as_late_as_on_the_gpu() {
    let measured = [("endStoring", 1024, 798.0), ("endCopying", 512, 1140.0), ("endCopying", 1024, 505.0)];
    for (entry, threads, measured) in measured {
        let blocks = (1 << 22) / threads;
        let estimate = estimate(ENDS, entry, (blocks, threads), 1 << 25, &[Pointer(0), Pointer(1 << 24)]);
        let rate = 1e3 * f64::from(blocks) / H200.nanoseconds(estimate.cycles) as f64;
        near(&format!("{entry} of {threads}"), rate, measured, 0.15);
    }
}

/// Costs `atomic` and `scatter`: millions of warp instructions per second.
#[test]
fn atomics_are_as_slow_as_on_the_gpu() {
    let one = 1.0_f32.to_bits();
    let common = [("addGlobalIntegers", 1, 42.6), ("addGlobalFloats", one, 17.8)];
    for (entry, term, measured) in common {
        let arguments = [Pointer(0), Word(1), Word(0), Word(term), Word(16)];
        let estimate = estimate(ATOMICS, entry, (264, 1024), 1 << 22, &arguments);
        let rate = 1e3 * f64::from(264 * 32 * 16) / H200.nanoseconds(estimate.cycles) as f64;
        near(entry, rate, measured, 0.1);
    }
    for (entry, cells, measured) in [
        ("leadIntegers", 1, 1350.0),
        ("leadFloats", 1, 566.0),
        ("scatterGlobal", 256, 121.0),
        ("scatterGlobal", 65_536, 2880.0),
        ("scatterShared", 256, 36_800.0),
    ] {
        let estimate = estimate(SCATTER, entry, (264, 1024), 1 << 22, &[Pointer(0), Word(cells), Word(64)]);
        let rate = 1e3 * f64::from(264 * 32 * 64) / H200.nanoseconds(estimate.cycles) as f64;
        near(&format!("{entry} to {cells} cells"), rate, measured, 0.25);
    }
}

/// Cost `constant-stream`: gigabytes per second that warps read, with 16 warps on each multiprocessor.
#[test]
fn constants_are_read_as_fast_as_on_the_gpu() {
    for (bytes, measured) in [(256, 1480.0), (1024, 1150.0)] {
        let turns = (1 << 14) / (bytes / 16);
        let arguments = [Pointer(0), Word(bytes / 4), Word(turns)];
        let estimate = estimate(CONSTANTS, "streamConstant", (4 * 132, 128), 1 << 20, &arguments);
        let read = 132.0 * 16.0 * f64::from(bytes * turns);
        near(&format!("{bytes} bytes"), read / H200.nanoseconds(estimate.cycles) as f64, measured, 0.25);
    }
}

/// Quantity `answer`. Of eight products before a wait, each.
#[test]
fn answers_of_asynchronous_operations_take_as_long_as_on_the_gpu() {
    near("chainArrival", answer(ASYNCHRONOUS, "chainArrival"), 49.4, 0.1);
    near("chaseBulk", answer(ASYNCHRONOUS, "chaseBulk"), 381.0, 0.1);
    near("chainWarpgroup", answer_of(ASYNCHRONOUS, "chainWarpgroup", 128), 85.7, 0.1);
    near("chainWarpgroup8", answer_of(ASYNCHRONOUS, "chainWarpgroup8", 128), 39.4, 0.1);
    near("chainWarpgroupRegisters8", answer_of(ASYNCHRONOUS, "chainWarpgroupRegisters8", 128), 45.6, 0.1);
}

/// `results/nvidia-h200/limits.json`, limit `warpgroup`: operations per cycle of a multiprocessor at the 1.74 GHz that it ran at.
#[test]
fn warpgroups_multiply_as_fast_as_on_the_gpu() {
    let one = 1.0_f32.to_bits();
    let cycles = |turns| {
        let arguments = [Pointer(0), Pointer(1 << 19), Word(one), Word(one), Word(turns)];
        estimate(WARPGROUP, "warpgroupRate", (132, 256), 1 << 20, &arguments).cycles
    };
    let operations = 2 * 16 * 2 * 64 * 16 * 256 * 32;
    near("warpgroupRate", f64::from(operations) / (cycles(40) - cycles(8)) as f64, 4057.0, 0.1);
}

/// Cost `bulk-copy`: gigabytes per second, of 16 MB and of more than the L2 cache holds. Several multiprocessors that copy the same get
/// as much as each asks for.
#[test]
fn bulk_copies_are_as_fast_as_on_the_gpu() {
    let measured = [
        (24, 16_384, 1, 8860.0),
        (28, 16_384, 1, 4560.0),
        (24, 32_768, 1, 9040.0),
        (24, 16_384, 2, 16_000.0),
        (24, 16_384, 4, 18_800.0),
    ];
    for (log_bytes, chunk, sharing, measured) in measured {
        let (count, turns) = (1 << (log_bytes - 2), 64);
        let arguments = [Pointer(0), Pointer(1 << log_bytes), Word(count), Word(chunk), Word(sharing), Word(turns)];
        let scene = scene(BULK, "copyBulk", (132, 32), (1 << log_bytes) + (1 << 20), &arguments);
        let scene = emulator::Scene { shared_bytes: 4 * chunk, ..scene };
        let estimate = predict(&H200, &scene, None).unwrap_or_else(|refusal| panic!("copyBulk: {refusal}"));
        let rate = f64::from(132 * chunk * turns) / H200.nanoseconds(estimate.cycles) as f64;
        near(&format!("{chunk} bytes of 2^{log_bytes}, {sharing} alike"), rate, measured, 0.15);
    }
}
