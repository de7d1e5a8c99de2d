//! What a kernel asks of each unit of the chip, and how near the units come to their limits.
//!
//! Limits are measured: `results/DEVICE/limits.json`, written by the program `limits`. What a kernel asks for is counted:
//! instructions of its machine code by opcode, in `results/DEVICE/opcodes.json`, or where these were not read, the
//! emulator's counts of its PTX, in `results/emulator`. Need over rate is the shortest time in which a unit could do its
//! part; the unit with the longest is the *limiter*, and this time over the measured one its share.

mod known;
mod measured;
mod needs;

pub use known::{CountedBy, Known, Shares};
pub use measured::{Measured, Quantity};
pub use needs::PerUnit;

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

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

/// The highest rate that was measured of each unit, per second. An instruction to any unit takes an issue slot.
#[must_use]
pub fn rates(measured: &[Measured]) -> PerUnit {
    let mut rates = BTreeMap::new();
    for unit in Unit::ALL {
        let is_of = |quantity| quantity == unit.quantity() || (unit == Unit::Issue && quantity == Quantity::Fp32);
        let of_unit = measured.iter().filter(|one| one.verified && is_of(one.limit));
        if let Some(rate) = of_unit.filter_map(|one| one.rate).max_by(f64::total_cmp) {
            rates.insert(unit, rate);
        }
    }
    rates
}
