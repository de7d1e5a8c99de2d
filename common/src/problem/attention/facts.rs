//! The facts of the problem, for both precisions, and the options that choose the heads.

use crate::problem::facts::{Accepted, Parameter};
use crate::problem::{Facts, Parameters, Rate, Size, as_u32};
use reference::attention::{Heads, OPTIONS};

pub(super) const OF_SINGLES: Facts = Facts {
    emulated_n: 128,
    checked_n: 70,
    work: |size| multiply_adds(&Heads::from_parameters(&size.parameters), size.n),
    small: [5, 70],
    parameters: &PARAMETERS,
    extents,
    describe,
    // 2^12 positions of 16 heads fill a large chip several times; up to 2^15, the places of a head fit 31 bits.
    ..Facts::new(
        "I",
        "attention",
        ["position", "positions"],
        [1 << 12, 1 << 15],
        Rate::arithmetic("GFLOP/s, 4 operations per element of a head for each pair of a query and a key."),
    )
};

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
    ..OF_SINGLES
};

/// Returns the number of multiply-adds of both products.
pub(super) fn multiply_adds(heads: &Heads, n: usize) -> f64 {
    2.0 * heads.pairs(n) * heads.size as f64
}

/// The accepted elements of a head, the default first.
pub const HEAD_SIZES: &[u32] = &[64, 128];

const COUNT: Parameter = Parameter {
    name: OPTIONS[0],
    value_name: "HEADS",
    help: "Heads of the attention",
    accepted: Accepted::Whole(1, 1 << 10),
    default: Heads::DEFAULT.count as f64,
    checked: 2.0,
};

const SIZE: Parameter = Parameter {
    name: OPTIONS[1],
    value_name: "ELEMENTS",
    help: "Elements of a query, key or value of a head, 64 or 128",
    accepted: Accepted::OneOf(HEAD_SIZES),
    default: Heads::DEFAULT.size as f64,
    checked: Heads::DEFAULT.size as f64,
};

const CAUSAL: Parameter = Parameter {
    name: OPTIONS[2],
    value_name: "0 or 1",
    help: "1: a query leaves out the keys after it",
    accepted: Accepted::OneOf(&[0, 1]),
    default: 0.0,
    checked: 1.0,
};

/// The options of problem I.
static PARAMETERS: [Parameter; 3] = [COUNT, SIZE, CAUSAL];

/// Returns positions and heads.
fn extents(size: &Size) -> [u32; 2] {
    [as_u32(size.n), as_u32(Heads::from_parameters(&size.parameters).count)]
}

/// Returns `16 heads of 64`, or `16 heads of 64, causal`.
fn describe(parameters: &Parameters) -> String {
    let Heads { count, size, is_causal } = Heads::from_parameters(parameters);
    format!("{count} heads of {size}{}", if is_causal { ", causal" } else { "" })
}
