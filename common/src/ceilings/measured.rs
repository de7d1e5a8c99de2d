//! One measured ceiling, as `limits.json` stores it.

use crate::timing::Timing;
use serde::{Deserialize, Serialize};

/// A quantity that the program `limits` measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Quantity {
    /// Single-precision warp instructions per second.
    Fp32,
    /// Single-precision warp instructions per second, each reading three registers that the previous one did not read.
    Registers,
    /// Warp instructions per second, in a mix that only the schedulers limit.
    Issue,
    /// Warp instructions per second on the special-function units.
    Special,
    /// Matrix instructions of warps per second, 16 x 8 x 8 in TF32.
    Tensor,
    /// Matrix instructions of warps per second, 16 x 8 x 16 in bf16.
    TensorBf16,
    /// Multiplications and additions per second of products of warpgroups, 64 x 256 x 16 in bf16.
    Warpgroup,
    /// Warp instructions per second on the load/store units.
    LoadStore,
    /// Bytes read from shared memory per second.
    Shared,
    /// Bytes read from device memory per second.
    Memory,
    /// Blocks of an empty kernel started per second.
    Blocks,
    /// One launch of an empty kernel, between two events.
    Launch,
    /// Consecutive launches of an empty kernel.
    Launches,
}

impl Quantity {
    /// Returns the name used in tables, and what [`Measured::amount`] counts.
    fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Fp32 => ("FP32", "warp instructions"),
            Self::Registers => ("FP32, 3 registers", "warp instructions"),
            Self::Issue => ("issue slots", "warp instructions"),
            Self::Special => ("special functions", "warp instructions"),
            Self::Tensor => ("tensor cores", "warp instructions"),
            Self::TensorBf16 => ("tensor cores, bf16", "warp instructions"),
            Self::Warpgroup => ("wgmma", "operations"),
            Self::LoadStore => ("load/store units", "warp instructions"),
            Self::Shared => ("shared memory", "bytes"),
            Self::Memory => ("memory", "bytes"),
            Self::Blocks => ("block starts", "blocks"),
            Self::Launch => ("launch", "launches"),
            Self::Launches => ("launches in a row", "launches"),
        }
    }

    /// Returns the name used in tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.words().0
    }

    /// Returns what [`Measured::amount`] counts.
    #[must_use]
    pub fn unit(self) -> &'static str {
        self.words().1
    }
}

/// A measured ceiling. Fields without a value are null.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// The quantity that was measured.
    pub limit: Quantity,
    /// The kernel that measured it.
    pub kernel: String,
    /// The work of one timed run, in `unit`.
    pub amount: f64,
    /// `warp instructions`, `operations`, `bytes`, `blocks` or `launches`.
    pub unit: String,
    /// Time of a run in milliseconds; null on the emulator.
    pub time_ms: Option<Timing>,
    /// `unit` per second, at the median time.
    pub rate: Option<f64>,
    /// Clock of a multiprocessor during the run, in Hz.
    pub clock_hz: Option<f64>,
    /// Clock reported by the driver, in Hz.
    pub nominal_clock_hz: Option<f64>,
    /// Number of multiprocessors.
    pub multiprocessors: Option<u32>,
    /// Device, driver, kernel version and date; flattened into the same JSON object.
    #[serde(flatten)]
    pub made: Provenance,
    /// Whether the kernel's results were correct.
    pub verified: bool,
}

/// The device, software and date of a measurement.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Provenance {
    /// The device's name, as the driver reports it.
    pub device: String,
    /// Compute capability, such as `9.0`.
    pub compute_capability: String,
    /// `580.65.06 (CUDA 13.0)`, or `emulator`.
    pub driver: String,
    /// `prebuilt PTX`, or the compiler.
    pub code: String,
    /// Hash of the kernel's source; null if the kernel was compiled on the machine.
    pub kernel_sha256: Option<String>,
    /// UTC time of the measurement.
    pub date: String,
}

impl Measured {
    /// Returns the amount per clock of one multiprocessor, at the clock that the run had.
    #[must_use]
    pub fn per_clock(&self) -> Option<f64> {
        Some(self.rate? / self.clock_hz? / f64::from(self.multiprocessors?))
    }
}
