//! The kernels that measure the highest rates of a GPU's units, and their expected results.

use super::super::measured::Quantity;
use crate::kernel::KernelSource;
use crate::kernel_source;

/// A rate and the way to measure it.
#[derive(Clone, Copy, Debug)]
pub struct Measurement {
    /// The quantity that is measured.
    pub limit: Quantity,
    /// The kernel's entry point.
    pub kernel: &'static str,
    /// The kernel's file.
    pub source: KernelSource,
    /// The launch and the expected result.
    pub method: Method,
}

impl Measurement {
    /// Returns whether a device of this compute capability has what the kernel needs.
    #[must_use]
    pub fn runs_on(&self, compute_capability: (i32, i32)) -> bool {
        let needed = self.source.compute_capability();
        needed == compute_capability || !self.source.is_specific() && needed < compute_capability
    }
}

/// A way to launch a kernel.
#[derive(Clone, Copy, Debug)]
pub enum Method {
    /// As many blocks as the GPU holds at a time, each thread running a loop.
    Arithmetic(Arithmetic),
    /// One read of a large array.
    Memory,
    /// One launch of this many empty blocks.
    Blocks(u32),
    /// This many launches of an empty kernel.
    Empty(u32),
}

/// A loop of chained instructions.
#[derive(Clone, Copy, Debug)]
pub struct Arithmetic {
    /// Work of a warp per iteration, in the quantity's unit.
    pub per_turn: u32,
    /// Iterations on a GPU; they take a few milliseconds on an H200.
    pub turns: u32,
    /// Computes a thread's result from the number of iterations.
    pub expected: fn(u32) -> f32,
    /// The largest accepted difference from the expected result.
    pub tolerance: f32,
}

/// All measurements, in the order of the table.
pub static MEASUREMENTS: [Measurement; 15] = [
    exact(Quantity::Fp32, "fmaRate", kernel_source!("01_fma"), (256, 1024), sum_of_counts),
    exact(Quantity::Registers, "registerRate", kernel_source!("01_fma"), (256, 1024), sum_of_counts),
    exact(Quantity::Issue, "issueRate", kernel_source!("02_issue"), (384, 512), counts_and_words),
    roots("rootRate", |_| 8.0),
    roots("powerRate", |_| 8.0 * 0.641_185_74),
    exact(Quantity::Tensor, "tensorRate", kernel_source!("04_tensor"), (64, 1024), sum_of_products),
    exact(Quantity::TensorBf16, "tensorBf16Rate", kernel_source!("04_tensor"), (64, 1024), |turns| {
        2.0 * sum_of_products(turns)
    }),
    exact(
        Quantity::Warpgroup,
        "warpgroupRate",
        kernel_source!("16_warpgroup"),
        (STEPS_OF_WARPGROUPS * OPERATIONS_OF_A_QUARTER, 1024),
        sum_of_a_quarter,
    ),
    exact(Quantity::LoadStore, "sharedRate", kernel_source!("10_load_store"), (256, 256), sum_of_rows),
    exact(Quantity::LoadStore, "shuffleRate", kernel_source!("10_load_store"), (256, 256), sum_of_counts),
    exact(
        Quantity::Shared,
        "sharedWideRate",
        kernel_source!("10_load_store"),
        (256 * BYTES_OF_A_WIDE_LOAD, 64),
        sum_of_rows,
    ),
    Measurement {
        limit: Quantity::Memory,
        kernel: "readMemory",
        source: kernel_source!("05_memory"),
        method: Method::Memory,
    },
    empty(Quantity::Blocks, Method::Blocks(1 << 20)),
    empty(Quantity::Launch, Method::Empty(1)),
    empty(Quantity::Launches, Method::Empty(1000)),
];

/// Returns the measurement of a loop with an exact result.
const fn exact(
    limit: Quantity,
    kernel: &'static str,
    source: KernelSource,
    (per_turn, turns): (u32, u32),
    expected: fn(u32) -> f32,
) -> Measurement {
    let arithmetic = Arithmetic { per_turn, turns, expected, tolerance: 0.0 };
    Measurement { limit, kernel, source, method: Method::Arithmetic(arithmetic) }
}

/// Returns the measurement of a loop of roots or powers.
const fn roots(kernel: &'static str, expected: fn(u32) -> f32) -> Measurement {
    let arithmetic = Arithmetic { per_turn: 256, turns: 128, expected, tolerance: CHAINS_OF_ROOTS };
    let source = kernel_source!("03_special");
    Measurement { limit: Quantity::Special, kernel, source, method: Method::Arithmetic(arithmetic) }
}

/// Returns a measurement of launches of the empty kernel.
const fn empty(limit: Quantity, method: Method) -> Measurement {
    Measurement { limit, kernel: "emptyKernel", source: kernel_source!("06_empty"), method }
}

/// The bound on the error of the chains of roots and powers. Each of the eight values has an error of 2⁻²², which every step
/// at least halves, so at most twice that in total; their sum, below 8, is rounded eight times. After 32 steps, the starting
/// value contributes less than 2⁻³¹.
const CHAINS_OF_ROOTS: f32 = 1e-5;

const STEPS: u32 = 32;

/// Bytes that a warp loads from shared memory with 16 bytes per lane.
const BYTES_OF_A_WIDE_LOAD: u32 = 32 * 16;

/// Returns the result of `01_fma.cu` and `shuffleRate`: chains that start at 0 … 7 and grow by 1 per step. It is below 2²⁴, so exact.
fn sum_of_counts(turns: u32) -> f32 {
    (28 + 8 * STEPS * turns) as f32
}

/// Returns the result of `sharedRate` and `sharedWideRate`: 8 chains that start in the rows 0 … 7 of 24 and go down by a row per
/// step.
fn sum_of_rows(turns: u32) -> f32 {
    (0..8).map(|chain| (chain + STEPS * turns) % 24).sum::<u32>() as f32
}

/// Returns the result of `02_issue.cu`: the same sum, plus the low byte of its words, which are mixed step by step as in the
/// kernel.
fn counts_and_words(turns: u32) -> f32 {
    let mut words = [1_u32, 2, 3, 4];
    for _ in 0..STEPS * turns {
        for k in 0..words.len() {
            words[k] ^= words[(k + 1) % words.len()];
        }
    }
    let all = words.into_iter().fold(0, |all, word| all ^ word);
    sum_of_counts(turns) + (all % 256) as f32
}

/// Returns the result of `tensorRate`: 8 chains of 4 elements, each growing by 8 per step, with 8 steps per iteration. The
/// sum and its double, of `tensorBf16Rate`, are below 2²⁴, so exact.
fn sum_of_products(turns: u32) -> f32 {
    (8 * 4 * 8 * 8 * turns) as f32
}

/// Products of a warpgroup per iteration of `16_warpgroup.cu`.
const STEPS_OF_WARPGROUPS: u32 = 16;

/// The multiplications and additions of one of the four warps in a product of 64 x 16 and 16 x 256 numbers.
const OPERATIONS_OF_A_QUARTER: u32 = 2 * 64 * 16 * 256 / 4;

/// Returns the result of `16_warpgroup.cu`: 128 elements, each growing by 16 per step. With a power of two as the number of
/// iterations, all partial sums are exact.
fn sum_of_a_quarter(turns: u32) -> f32 {
    (128 * 16 * STEPS_OF_WARPGROUPS * turns) as f32
}
