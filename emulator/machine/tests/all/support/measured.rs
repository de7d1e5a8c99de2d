//! Kernels that each execute one kind of instruction, and their launches. `emulator/driver/examples/measure` runs them on a GPU
//! under Nsight Compute, and `tests/all/hardware.rs` runs them on the emulator.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt::Write as _;

const FRAME: &str = include_str!("../../hardware/frame.ptx");
const BODIES: &str = include_str!("../../hardware/bodies.ptx");

/// The size of a kernel's global memory in bytes. It is zero except for the table at its start.
pub const MEMORY_BYTES: usize = 64 << 10;

/// A launch of a measured kernel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Case {
    /// The name in `bodies.ptx`.
    pub kernel: String,
    pub table: Table,
    /// The lanes that execute the measured part.
    #[serde(default = "all_lanes", skip_serializing_if = "is_all_lanes")]
    pub mask: u32,
    #[serde(default = "one_warp", skip_serializing_if = "is_one_warp")]
    pub threads: u32,
    #[serde(default = "one_block", skip_serializing_if = "is_one_block")]
    pub blocks: u32,
    /// The distance in bytes between the addresses of consecutive warps.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub warp_bytes: u32,
}

/// The readings of Nsight Compute for a launch.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Reading {
    #[serde(flatten)]
    pub case: Case,
    /// The nonzero counts by the emulator's names.
    pub counts: BTreeMap<String, u64>,
    /// The counts that do not follow from the PTX, with the reasons.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub differs: BTreeMap<String, String>,
}

/// A file of readings.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Readings {
    /// The device, driver, profiler and date.
    pub recorded: String,
    /// The readings of all launches.
    pub counters: Vec<String>,
    pub readings: Vec<Reading>,
}

/// A number for each lane: a byte offset, or the number of iterations of a loop.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Table {
    /// `start + lane * stride`.
    Stride {
        #[serde(default, skip_serializing_if = "is_zero")]
        start: u32,
        stride: u32,
    },
    Lanes(Vec<u32>),
}

impl Table {
    pub fn lanes(&self) -> [u32; 32] {
        match self {
            Self::Stride { start, stride } => std::array::from_fn(|lane| start + lane as u32 * stride),
            Self::Lanes(lanes) => std::array::from_fn(|lane| lanes[lane]),
        }
    }
}

fn all_lanes() -> u32 {
    u32::MAX
}

fn is_all_lanes(mask: &u32) -> bool {
    *mask == u32::MAX
}

fn one_warp() -> u32 {
    32
}

fn is_one_warp(threads: &u32) -> bool {
    *threads == 32
}

fn one_block() -> u32 {
    1
}

fn is_one_block(blocks: &u32) -> bool {
    *blocks == 1
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// Returns the PTX of a module with all measured kernels.
pub fn module() -> String {
    let mut text = String::from(".version 8.1\n.target sm_80\n.address_size 64\n.const .align 16 .b8 bank[32768];\n");
    for section in BODIES.split("//: ").skip(1) {
        let (name, body) = section.split_once('\n').unwrap_or((section, ""));
        // No body contains the word NAME, so the order of replacements does not matter.
        let _ = writeln!(text, "{}", FRAME.replace("NAME", name).replace("BODY", body));
    }
    text
}
