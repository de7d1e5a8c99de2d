//! The entries of the factors on the device, and the facts of the problem that depend on them.

use crate::problem::facts::in_a_square;
use crate::problem::{Facts, Rate};
use cudarc::driver::DeviceRepr;
use reference::matmul::{Bf16, Matrices, Precision, Single, bf16_bits};
use reference::padding::padded;
use std::borrow::Cow;
use std::fmt::Debug;

/// A precision of factors on the device.
pub trait Stored: Precision + Sized {
    /// An entry of a factor.
    type Entry: DeviceRepr + Clone + Debug;

    /// The problem of factors with these entries.
    const FACTS: &'static Facts;

    /// Returns the entries of both factors, padded with zeros to `n` rows and columns.
    fn entries(matrices: &Matrices<Self>, n: usize) -> [Cow<'_, [Self::Entry]>; 2];
}

impl Stored for Single {
    type Entry = f32;

    const FACTS: &'static Facts = &PRODUCT;

    fn entries(matrices: &Matrices<Self>, n: usize) -> [Cow<'_, [f32]>; 2] {
        [&matrices.a, &matrices.b].map(|factor| padded(factor, matrices.n, [n, n], 0.0))
    }
}

impl Stored for Bf16 {
    /// The bits of a number: the high half of those of single precision.
    type Entry = u16;

    const FACTS: &'static Facts = &OF_BF16;

    fn entries(matrices: &Matrices<Self>, n: usize) -> [Cow<'_, [u16]>; 2] {
        if n == matrices.n {
            return matrices.bits().each_ref().map(Cow::from);
        }
        [&matrices.a, &matrices.b].map(|factor| bf16_bits(&padded(factor, matrices.n, [n, n], 0.0)).into())
    }
}

const PRODUCT: Facts = Facts {
    emulated_n: 1 << 8,
    checked_n: 130,
    work: |size| multiply_adds(size.n),
    small: [70, 128],
    extents: in_a_square,
    // 2^12 rows fill a large chip several times; up to 2^14, places fit 31 bits with room.
    ..Facts::new(
        "G",
        "product of two square matrices",
        ["row", "rows"],
        [1 << 12, 1 << 14],
        Rate::arithmetic("GFLOP/s, 2 operations per multiply-add."),
    )
};

static OF_BF16: Facts = Facts {
    letter: "G16",
    title: "product of two square matrices of bf16",
    rate: Rate {
        limit: |attributes| attributes.tensor_flops_per_second,
        limit_name: "dense products of bf16 on tensor cores, where a multiply-add counts as two operations",
        ..Rate::arithmetic("GFLOP/s, 2 operations per multiply-add; limit: dense products of bf16 on tensor cores.")
    },
    ..PRODUCT
};

/// Returns the number of multiply-adds of a product of n rows.
pub(super) fn multiply_adds(n: usize) -> f64 {
    (n as f64).powi(3)
}
