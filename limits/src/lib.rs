//! What the units of a GPU do at most, measured by kernels that do little else.
//!
//! [`MEASUREMENTS`] is the table; `cargo x record` keeps the result as `results/DEVICE/limits.json`. On the emulator the
//! kernels run at a small size, and only their results are shown. [`latency`] is how long the units take to answer.

mod bench;
pub mod latency;
mod launch;

pub use bench::Bench;

use common::kernel::KernelSource;
use common::kernel_source;
use common::limit::Quantity;

/// One limit, and how it is measured.
#[derive(Clone, Copy, Debug)]
pub struct Measurement {
    /// What is measured.
    pub limit: Quantity,
    /// Entry point.
    pub kernel: &'static str,
    /// Its file.
    pub source: KernelSource,
    /// How it is launched, and what must come out.
    pub method: Method,
}

/// How a kernel is launched.
#[derive(Clone, Copy, Debug)]
pub enum Method {
    /// Blocks that fill the chip once, each thread in a loop.
    Arithmetic(Arithmetic),
    /// A large array, read once.
    Memory,
    /// Launches of nothing, their number.
    Empty(u32),
}

/// Chains of instructions, in a loop.
#[derive(Clone, Copy, Debug)]
pub struct Arithmetic {
    /// Counted instructions of a thread in a turn of the loop.
    pub per_turn: u32,
    /// Turns on a GPU: a few milliseconds on an H200.
    pub turns: u32,
    /// What each thread has after some turns.
    pub expected: fn(u32) -> f32,
    /// How far it may be from that.
    pub tolerance: f32,
}

/// Every limit, in the order of the table.
pub static MEASUREMENTS: [Measurement; 9] = [
    Measurement {
        limit: Quantity::Fp32,
        kernel: "fmaRate",
        source: kernel_source!("01_fma"),
        method: Method::Arithmetic(Arithmetic { per_turn: 256, turns: 1024, expected: sum_of_counts, tolerance: 0.0 }),
    },
    Measurement {
        limit: Quantity::Registers,
        kernel: "registerRate",
        source: kernel_source!("01_fma"),
        method: Method::Arithmetic(Arithmetic { per_turn: 256, turns: 1024, expected: sum_of_counts, tolerance: 0.0 }),
    },
    Measurement {
        limit: Quantity::Issue,
        kernel: "issueRate",
        source: kernel_source!("02_issue"),
        method: Method::Arithmetic(Arithmetic {
            per_turn: 384,
            turns: 512,
            expected: counts_and_words,
            tolerance: 0.0,
        }),
    },
    Measurement {
        limit: Quantity::Special,
        kernel: "rootRate",
        source: kernel_source!("03_special"),
        method: Method::Arithmetic(Arithmetic {
            per_turn: 256,
            turns: 128,
            expected: |_| 8.0,
            tolerance: CHAINS_OF_ROOTS,
        }),
    },
    Measurement {
        limit: Quantity::Special,
        kernel: "powerRate",
        source: kernel_source!("03_special"),
        method: Method::Arithmetic(Arithmetic {
            per_turn: 256,
            turns: 128,
            expected: |_| 8.0 * 0.641_185_74,
            tolerance: CHAINS_OF_ROOTS,
        }),
    },
    Measurement {
        limit: Quantity::Tensor,
        kernel: "tensorRate",
        source: kernel_source!("04_tensor"),
        method: Method::Arithmetic(Arithmetic { per_turn: 64, turns: 1024, expected: sum_of_products, tolerance: 0.0 }),
    },
    Measurement {
        limit: Quantity::Memory,
        kernel: "readMemory",
        source: kernel_source!("05_memory"),
        method: Method::Memory,
    },
    Measurement {
        limit: Quantity::Launch,
        kernel: "emptyKernel",
        source: kernel_source!("06_empty"),
        method: Method::Empty(1),
    },
    Measurement {
        limit: Quantity::Launches,
        kernel: "emptyKernel",
        source: kernel_source!("06_empty"),
        method: Method::Empty(1000),
    },
];

/// Eight values, each with an error of 2⁻²² that every step halves at least, so twice that in all; and eight roundings
/// of a sum below 8. What is left of the first value after 32 steps is less than 2⁻³¹.
const CHAINS_OF_ROOTS: f32 = 1e-5;

const STEPS: u32 = 32;

/// Chains of `01_fma.cu`: 0 … 7 at first, each one more per step; below 2²⁴, so that all is exact.
fn sum_of_counts(turns: u32) -> f32 {
    (28 + 8 * STEPS * turns) as f32
}

/// What `02_issue.cu` adds to these: a byte of its words, step by step as there.
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

/// 8 chains of 4 elements, each 8 more per step; 8 steps a turn. A sum below 2²⁴.
fn sum_of_products(turns: u32) -> f32 {
    (8 * 4 * 8 * 8 * turns) as f32
}
