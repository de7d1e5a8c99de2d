//! The facts of the problem, for both precisions.

use super::options;
use crate::problem::{Facts, Rate};
use reference::attention::Heads;

const FACTS: Facts = Facts {
    emulated_n: 100,
    checked_n: 70,
    work: |size| multiply_adds(&Heads::from_parameters(&size.parameters), size.n),
    small: [5, 70],
    parameters: &options::PARAMETERS,
    extents: options::extents,
    describe: options::describe,
    // 2^12 positions of 16 heads fill a large chip several times; up to 2^15, the places of a head fit 31 bits.
    ..Facts::new(
        "I",
        "attention",
        ["position", "positions"],
        [1 << 12, 1 << 15],
        Rate::arithmetic("GFLOP/s, 4 operations per element of a head for each pair of a query and a key."),
    )
};

pub(super) static OF_SINGLES: Facts = FACTS;

pub(super) static OF_BF16: Facts = Facts {
    letter: "I16",
    title: "attention of bf16",
    rate: Rate {
        limit: |attributes| attributes.tensor_flops_per_second,
        limit_name: "dense products of bf16 on tensor cores, where a multiply-add counts as two operations",
        ..Rate::arithmetic(
            "GFLOP/s, 4 operations per element of a head for each pair of a query and a key;\n\
             limit: dense products of bf16 on tensor cores.",
        )
    },
    ..FACTS
};

/// Returns the number of multiply-adds of both products.
pub(super) fn multiply_adds(heads: &Heads, n: usize) -> f64 {
    2.0 * heads.pairs(n) * heads.size as f64
}
