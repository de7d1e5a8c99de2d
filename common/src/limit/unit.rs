//! The parts of a chip, and what is measured of each.

use super::measured::Quantity;
use serde::{Deserialize, Serialize};

/// A part of the chip that kernels may wait for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unit {
    /// The schedulers: an instruction of a warp takes an issue slot, whatever it does.
    Issue,
    /// Single precision.
    Fp32,
    /// Roots, reciprocals, powers, logarithms.
    Special,
    /// Products of matrices.
    Tensor,
    /// Memory of the device.
    Memory,
}

impl Unit {
    /// All of them, in the order of tables.
    pub const ALL: [Self; 5] = [Self::Issue, Self::Fp32, Self::Special, Self::Tensor, Self::Memory];

    /// As a limiter is called.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.quantity().name()
    }

    /// What is measured of it.
    #[must_use]
    pub fn quantity(self) -> Quantity {
        match self {
            Self::Issue => Quantity::Issue,
            Self::Fp32 => Quantity::Fp32,
            Self::Special => Quantity::Special,
            Self::Tensor => Quantity::Tensor,
            Self::Memory => Quantity::Memory,
        }
    }

    /// What its limits and needs count, as a column says it.
    #[must_use]
    pub fn heading(self) -> &'static str {
        match self {
            Self::Issue => "issue\nslots",
            Self::Fp32 => "fp32",
            Self::Special => "special\nfunct.",
            Self::Tensor => "tensor",
            Self::Memory => "memory",
        }
    }
}
