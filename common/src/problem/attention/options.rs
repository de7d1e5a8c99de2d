//! The options that choose the heads.

use crate::problem::facts::{Accepted, Parameter};
use crate::problem::{Parameters, Size, as_u32};
use reference::attention::{Heads, OPTIONS};

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
pub(super) static PARAMETERS: [Parameter; 3] = [COUNT, SIZE, CAUSAL];

/// Returns positions and heads.
pub(super) fn extents(size: &Size) -> [u32; 2] {
    [as_u32(size.n), as_u32(Heads::from_parameters(&size.parameters).count)]
}

/// Returns `16 heads of 64`, or `16 heads of 64, causal`.
pub(super) fn describe(parameters: &Parameters) -> String {
    let Heads { count, size, is_causal } = Heads::from_parameters(parameters);
    format!("{count} heads of {size}{}", if is_causal { ", causal" } else { "" })
}
