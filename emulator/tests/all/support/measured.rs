//! Kernels that each do one kind of instruction, and launches of them: run on a GPU under Nsight Compute by
//! `emulator-driver/examples/measure`, and on the emulator by `tests/hardware.rs`.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt::Write as _;

const FRAME: &str = include_str!("../../hardware/frame.ptx");
const BODIES: &str = include_str!("../../hardware/bodies.ptx");

/// Bytes of global memory that a kernel is given, zeroed but for the table at its start.
pub const MEMORY_BYTES: usize = 64 << 10;

/// One launch of a measured kernel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Case {
    /// Name in `bodies.ptx`.
    pub kernel: String,
    pub table: Table,
    /// Lanes that execute the measured part.
    #[serde(default = "all_lanes", skip_serializing_if = "is_all_lanes")]
    pub mask: u32,
    #[serde(default = "one_warp", skip_serializing_if = "is_one_warp")]
    pub threads: u32,
    #[serde(default = "one_block", skip_serializing_if = "is_one_block")]
    pub blocks: u32,
    /// Bytes between the addresses of one warp and the next.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub warp_bytes: u32,
}

/// What Nsight Compute read of a launch.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Reading {
    #[serde(flatten)]
    pub case: Case,
    /// By the emulator's name; those that are zero are left out.
    pub counts: BTreeMap<String, u64>,
    /// Counts that the PTX cannot give, each with its reason.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub differs: BTreeMap<String, String>,
}

/// A file of readings.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Readings {
    /// Device, driver, profiler, date.
    pub recorded: String,
    /// What was read of every launch.
    pub counters: Vec<String>,
    pub readings: Vec<Reading>,
}

/// A number for each lane: byte offsets, or the trips of a loop.
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

/// The PTX module with all measured kernels.
pub fn module() -> String {
    let mut text = String::from(".version 8.1\n.target sm_80\n.address_size 64\n.const .align 16 .b8 bank[32768];\n");
    for section in BODIES.split("//: ").skip(1) {
        let (name, body) = section.split_once('\n').unwrap_or((section, ""));
        // A replacement's result is not searched again: no body holds the word NAME.
        let _ = writeln!(text, "{}", FRAME.replace("NAME", name).replace("BODY", body));
    }
    text
}
