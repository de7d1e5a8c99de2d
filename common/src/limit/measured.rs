//! One measured limit, as it is recorded.

use crate::timing::Timing;
use serde::{Deserialize, Serialize};

/// What was measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Quantity {
    /// Single-precision instructions of warps per second.
    Fp32,
    /// The same, where each instruction reads three registers that the one before has not read.
    Registers,
    /// Instructions of warps per second, of a mix that no unit but the schedulers limits.
    Issue,
    /// Instructions of warps per second to the special-function unit.
    Special,
    /// Matrix instructions of warps per second, 16 x 8 x 8 in TF32.
    Tensor,
    /// Bytes per second read from memory.
    Memory,
    /// One launch of an empty kernel, from the event before it to the event after it.
    Launch,
    /// Launches of an empty kernel in a row.
    Launches,
}

impl Quantity {
    /// What an amount counts.
    #[must_use]
    pub fn unit(self) -> &'static str {
        match self {
            Self::Fp32 | Self::Registers | Self::Issue | Self::Special | Self::Tensor => "warp instructions",
            Self::Memory => "bytes",
            Self::Launch | Self::Launches => "launches",
        }
    }

    /// As tables name it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Fp32 => "fp32",
            Self::Registers => "fp32, 3 registers",
            Self::Issue => "issue slots",
            Self::Special => "special functions",
            Self::Tensor => "tensor",
            Self::Memory => "memory",
            Self::Launch => "a launch",
            Self::Launches => "launches in a row",
        }
    }
}

/// A measured limit. A field that cannot be had is null.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// What was measured.
    pub limit: Quantity,
    /// The kernel that did it.
    pub kernel: String,
    /// How many of `unit` a timed run has.
    pub amount: f64,
    /// What `amount` counts: `warp instructions`, `bytes` or `launches`.
    pub unit: String,
    /// Time of a run in milliseconds; null on the emulator.
    pub time_ms: Option<Timing>,
    /// `unit` per second, at the median.
    pub rate: Option<f64>,
    /// Clock of a multiprocessor while it ran, in Hz.
    pub clock_hz: Option<f64>,
    /// The clock that the driver reports, in Hz.
    pub nominal_clock_hz: Option<f64>,
    /// Streaming multiprocessors.
    pub multiprocessors: Option<u32>,
    /// On what, by what and when; its fields stand among these.
    #[serde(flatten)]
    pub made: Provenance,
    /// Whether the results were right.
    pub verified: bool,
}

/// On what, by what and when something was measured.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Provenance {
    /// The device's own name.
    pub device: String,
    /// Compute capability, `9.0`.
    pub compute_capability: String,
    /// `580.65.06 (CUDA 13.0)`, or `emulator`.
    pub driver: String,
    /// `prebuilt PTX`, or the compiler.
    pub code: String,
    /// Which version of the kernel ran; null where it was compiled on the machine.
    pub kernel_sha256: Option<String>,
    /// When, in UTC.
    pub date: String,
}

impl Measured {
    /// Amount per clock of a multiprocessor, at the clock that it ran with.
    #[must_use]
    pub fn per_clock(&self) -> Option<f64> {
        Some(self.rate? / self.clock_hz? / f64::from(self.multiprocessors?))
    }
}
