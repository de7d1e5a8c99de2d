//! Machine instructions, as Nsight Compute counted them by opcode.

use super::devices::Device;
use super::kernels::Kernel;
use super::notation::three_digits;
use super::records::read;
use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use std::collections::BTreeMap;

/// Lanes of a warp: a warp's instruction serves this many pairs.
const LANES: f64 = 32.0;

/// The device's file.
#[derive(Deserialize)]
struct Recording {
    kernels: Vec<Counted>,
}

/// One launch under the profiler.
#[derive(Deserialize)]
struct Counted {
    kernel: String,
    options: BTreeMap<String, u64>,
    /// Warp instructions.
    opcodes: BTreeMap<String, u64>,
}

/// The machine instructions of a lane for one pair of bodies: `18.3`.
///
/// # Errors
/// When the kernel's instructions were not counted, or it has no bodies.
pub fn per_pair(device: &Device, kernel: &Kernel) -> Result<String> {
    ensure!(kernel.rung.work.facts().units() == "bodies", "{} has no pairs of bodies", kernel.name);
    let recording: Recording = read(&device.folder.join("opcodes.json"))?;
    let counted = recording.kernels.iter().find(|counted| counted.kernel == kernel.name);
    let counted = counted.with_context(|| format!("there are no opcodes of {} in opcodes.json", kernel.name))?;
    let bodies = *counted.options.get("n").context("opcodes.json does not say how many bodies there were")? as f64;
    let instructions = counted.opcodes.values().sum::<u64>() as f64;
    Ok(three_digits(instructions * LANES / (bodies * bodies)))
}
