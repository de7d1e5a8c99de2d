//! The parts of a GPU whose rates are measured.

use super::measured::Quantity;
use serde::{Deserialize, Serialize};

/// Share of its measured rate from which a unit counts as busy.
pub const BUSY: f64 = 0.6;

/// A part of the GPU that can limit a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unit {
    /// The warp schedulers: every instruction of a warp takes one issue slot.
    Issue,
    /// Single-precision arithmetic.
    Fp32,
    /// The special-function units: roots, reciprocals, exponentials, logarithms.
    Special,
    /// The tensor cores, by instructions of a warp.
    Tensor,
    /// The tensor cores, by instructions of a warpgroup, which reach a higher rate.
    Warpgroup,
    /// The load/store units: accesses of any memory but constants, and shuffles.
    LoadStore,
    /// The banks of shared memory.
    Shared,
    /// Device memory.
    Memory,
    /// The distribution of blocks to multiprocessors.
    Blocks,
    /// The beginning and end of a launch, during which no unit works.
    Launch,
}

impl Unit {
    /// All units in the order of the tables, each with the quantity whose measurement gives its rate.
    pub const ALL: [(Self, Quantity); 10] = [
        (Self::Issue, Quantity::Issue),
        (Self::Fp32, Quantity::Fp32),
        (Self::Special, Quantity::Special),
        (Self::Tensor, Quantity::Tensor),
        (Self::Warpgroup, Quantity::Warpgroup),
        (Self::LoadStore, Quantity::LoadStore),
        (Self::Shared, Quantity::Shared),
        (Self::Memory, Quantity::Memory),
        (Self::Blocks, Quantity::Blocks),
        (Self::Launch, Quantity::Launch),
    ];

    /// Returns the name used in tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        Self::ALL[self as usize].1.name()
    }
}
