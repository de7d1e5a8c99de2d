//! Asynchronous products of matrices by a warpgroup, which is four consecutive warps.

use super::class::Class;
use super::form::{Form, Modifiers};
use super::matrix::Factor;

/// The number of rows of A, C and D of each warp.
pub(crate) const WARP_ROWS: usize = 16;
/// The number of rows of A, C and D of the warpgroup.
pub(crate) const GROUP_ROWS: usize = WARPS * WARP_ROWS;
/// The number of warps of a warpgroup.
pub(crate) const WARPS: usize = 4;
/// The number of columns of A and rows of B.
pub(crate) const DEPTH: usize = 16;

/// `D = A B + D` or `D = A B`, where D has 64 rows. B is in shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct GroupProduct {
    pub(crate) factor: Factor,
    /// The number of columns of B and D: a multiple of 8 up to 256.
    pub(crate) columns: u16,
    /// Whether A is in registers, and not in shared memory.
    pub(crate) a_in_registers: bool,
    /// Whether the elements of A and of B are negated.
    pub(crate) negated: [bool; 2],
    /// Whether shared memory has the rows of A one after the other, and the columns of B, with `false`; or the columns of A and
    /// the rows of B, with `true`.
    pub(crate) transposed: [bool; 2],
}

impl GroupProduct {
    /// Returns the number of registers of D of each lane.
    pub(crate) fn sums(self) -> usize {
        usize::from(self.columns) / 2
    }

    /// Returns the multiplications and additions of one of the four warps.
    pub(crate) fn operations_of_a_warp(self) -> u64 {
        2 * (WARP_ROWS * DEPTH) as u64 * u64::from(self.columns)
    }
}

/// An instruction of a warpgroup. Products belong to groups, which a warp commits and waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Warpgroup {
    /// Orders earlier accesses to registers and to shared memory before products.
    Fence,
    /// Closes the open group of products.
    Commit,
    /// Waits until at most the given number of groups are in flight.
    Wait,
    Multiply(GroupProduct),
}

macro_rules! product {
    ($types:literal) => {
        concat!(
            "wgmma.mma_async.sync.aligned.{m64n8k16|m64n16k16|m64n24k16|m64n32k16|m64n40k16|m64n48k16|m64n56k16|m64n64k16",
            "|m64n72k16|m64n80k16|m64n88k16|m64n96k16|m64n104k16|m64n112k16|m64n120k16|m64n128k16",
            "|m64n136k16|m64n144k16|m64n152k16|m64n160k16|m64n168k16|m64n176k16|m64n184k16|m64n192k16",
            "|m64n200k16|m64n208k16|m64n216k16|m64n224k16|m64n232k16|m64n240k16|m64n248k16|m64n256k16}.",
            $types
        )
    };
}

/// The rows of the table.
pub(crate) const FORMS: &[Form<Warpgroup>] = &[
    Form::control("wgmma.fence.sync.aligned", "order accesses to registers and shared memory before products", |_| {
        Warpgroup::Fence
    }),
    Form::control("wgmma.commit_group.sync.aligned", "close the open group of products", |_| Warpgroup::Commit),
    Form::control("wgmma.wait_group.sync.aligned", "wait until at most a groups of products are in flight", |_| {
        Warpgroup::Wait
    }),
    multiply(product!("f32.f16.f16")),
    multiply(product!("f32.bf16.bf16")),
];

const fn multiply(pattern: &'static str) -> Form<Warpgroup> {
    let equation = "d = a * b, + d if c is true, asynchronously, for matrices of a warpgroup; descriptors give b and, unless it \
                    is in registers, a; the constants e, f negate a, b if -1; g, h transpose a, b if 1";
    Form::in_any_file(pattern, Class::Matrix, equation, |m| {
        Warpgroup::Multiply(GroupProduct {
            factor: if m.last() == "f16" { Factor::F16 } else { Factor::Bf16 },
            columns: columns(m),
            a_in_registers: false,
            negated: [false; 2],
            transposed: [false; 2],
        })
    })
}

/// Returns the number of columns in the shape of a product.
fn columns(modifiers: &Modifiers<'_>) -> u16 {
    let shape = modifiers.0[3].strip_prefix("m64n").and_then(|rest| rest.split_once('k'));
    shape.and_then(|(columns, _)| columns.parse().ok()).unwrap_or(8)
}
