//! The shares of units in the time of a run.

use super::demand::PerUnit;
use super::origin::RatesBy;
use super::unit::Unit;
use crate::problem::{Facts, Size};
use serde::{Deserialize, Serialize};

/// The tool that counted the instructions of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CountedBy {
    /// A profiler, in machine code.
    MachineCode,
    /// A profiler, in the machine code of another compute capability.
    OtherMachineCode,
    /// The emulator, in PTX.
    Emulator,
}

/// For each unit, the time that it needs at its measured rate, divided by the time of the run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Shares {
    /// The shares of the measured units.
    pub of_limit: PerUnit,
    /// The unit with the largest share.
    #[serde(rename = "limiter")]
    pub busiest: Unit,
    /// The tool that counted the instructions.
    pub counted_by: CountedBy,
    /// Machine instructions of all warps in a step; `None` if others were counted, and in older records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instructions: Option<f64>,
    /// The tool that counted the wavefronts of shared memory. Those of PTX are an upper bound, which may exceed 1: machine code
    /// may read several words at a time.
    #[serde(default = "by_emulator")]
    pub wavefronts_by: CountedBy,
    /// The GPU on which the rates were measured.
    #[serde(default, skip_serializing_if = "RatesBy::is_record")]
    pub rates_by: RatesBy,
}

fn by_emulator() -> CountedBy {
    CountedBy::Emulator
}

impl Shares {
    /// Returns the tool that counted the work of a unit, if it did not count what the device executes: its machine code.
    #[must_use]
    pub fn roughly_counted_by(&self, unit: Unit) -> Option<CountedBy> {
        let counted_by = match unit {
            // Inputs, outputs and blocks are known without counting instructions.
            Unit::Memory | Unit::Blocks | Unit::Launch => CountedBy::MachineCode,
            Unit::Shared => self.wavefronts_by,
            _ => self.counted_by,
        };
        Some(counted_by).filter(|tool| *tool != CountedBy::MachineCode)
    }

    /// Returns the share of the busiest unit.
    #[must_use]
    pub fn largest(&self) -> f64 {
        self.of_limit.get(&self.busiest).copied().unwrap_or(0.0)
    }
}

/// The measured part of a run, from which shares follow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimedRun {
    /// Bytes that the run must move: inputs and outputs, once per launch.
    pub bytes: f64,
    /// Blocks of all launches.
    pub blocks: f64,
    /// Duration.
    pub seconds: f64,
}

impl TimedRun {
    /// Returns a run of a kernel at a size, with this many blocks in a launch, which must move this many bytes.
    #[must_use]
    pub fn new(facts: &Facts, size: &Size, blocks: u32, bytes_needed_by_a_launch: f64, seconds: f64) -> Self {
        let launches = f64::from(facts.launches_of_a_run(size));
        Self { bytes: bytes_needed_by_a_launch * launches, blocks: f64::from(blocks) * launches, seconds }
    }
}
