//! Launches for which there is no estimate, because estimates of their kind were not compared with a GPU, or were wrong.

use crate::code::tensor::Product;
use emulator::{BlockStream, Listing, SceneError, StreamError};

/// The longest basic block in PTX instructions. Straight-line code of 2,048 instructions runs at full speed, and of 3,072 at half
/// (cost `code` of `results/nvidia-h200/costs.json`).
const LONGEST_BLOCK: usize = 2048;

/// The reason why a launch has no estimate.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// It uses an instruction whose timing is not modeled.
    #[error("`{0}` is not modeled")]
    Instruction(String),
    /// A block waits for other blocks.
    #[error("its blocks wait for each other")]
    WaitsForBlocks,
    /// A basic block is longer than the instruction cache.
    #[error("{0} instructions without a branch exceed the instruction cache")]
    LongCode(usize),
    /// It loads many constants by computed addresses, with many warps.
    #[error("warps may displace each other's constants in their cache")]
    Constants,
    /// Many lanes of a warp add to one address, and then to the next one.
    #[error("atomics of a warp to one address after the other are not modeled")]
    SameAddress,
    /// Warps of a block diverge at barriers.
    #[error("barriers that parts of a block pass are not modeled")]
    Barriers,
    /// The launch cannot be repeated.
    #[error("{0}")]
    Launch(String),
}

impl From<StreamError> for Refusal {
    fn from(error: StreamError) -> Self {
        match error {
            StreamError::Waits(_) => Self::WaitsForBlocks,
            other => Self::Launch(other.to_string()),
        }
    }
}

impl From<SceneError> for Refusal {
    fn from(error: SceneError) -> Self {
        Self::Launch(error.to_string())
    }
}

/// Refuses a launch that executes instructions that are not modeled. Others do no harm, such as calls for failed assertions.
pub(crate) fn check_code(listing: &Listing, streams: &[BlockStream]) -> Result<(), Refusal> {
    let is_entered = |block: usize| streams.iter().any(|stream| stream.entries[block] > 0);
    let entered = || listing.blocks.iter().enumerate().filter(|(block, _)| is_entered(*block)).map(|(_, code)| code);
    for instruction in entered().flatten() {
        let opcode = &instruction.opcode;
        if !is_modeled(opcode) {
            return Err(Refusal::Instruction(opcode.clone()));
        }
    }
    let longest = entered().map(Vec::len).max().unwrap_or(0);
    if longest > LONGEST_BLOCK { Err(Refusal::LongCode(longest)) } else { Ok(()) }
}

/// Refuses machine code that is not modeled, if a block enters it.
pub(crate) fn check_machine_code(opcodes: &[Vec<String>], streams: &[BlockStream]) -> Result<(), Refusal> {
    let is_entered = |block: usize| streams.iter().any(|stream| stream.entries[block] > 0);
    let entered = || opcodes.iter().enumerate().filter(|(block, _)| is_entered(*block)).map(|(_, opcodes)| opcodes);
    if let Some(opcode) = entered().flatten().find(|opcode| !is_modeled_machine_code(opcode)) {
        return Err(Refusal::Instruction(opcode.clone()));
    }
    let longest = entered().map(Vec::len).max().unwrap_or(0);
    if longest > LONGEST_BLOCK { Err(Refusal::LongCode(longest)) } else { Ok(()) }
}

/// Returns whether the time of a PTX instruction is modeled.
fn is_modeled(opcode: &str) -> bool {
    let name = opcode.split('.').next().unwrap_or(opcode);
    let is_of = |kinds: &[&str]| kinds.iter().any(|kind| opcode.rsplit('.').next() == Some(kind));
    let is_plain = ["cvt", "mov", "ld", "st", "add", "sub", "mul", "fma", "neg", "abs", "min", "max", "setp", "selp"];
    match name {
        "mma" => Product::from_ptx(opcode).is_some(),
        "wgmma" if opcode.contains("mma_async") => Product::of_warpgroup(opcode, false).is_some(),
        "mbarrier" => !opcode.contains("relaxed"),
        "nanosleep" | "call" => false,
        // Stores of tiles, and arrivals for copies of threads.
        "cp" if opcode.starts_with("cp.async.bulk") => opcode.contains("complete_tx"),
        "cp" => !opcode.starts_with("cp.reduce") && !opcode.contains("mbarrier"),
        _ if is_of(&["f64", "f16", "f16x2", "bf16", "bf16x2"]) => is_plain.contains(&name),
        _ => true,
    }
}

/// Returns whether the time of an instruction of machine code is modeled.
fn is_modeled_machine_code(opcode: &str) -> bool {
    let name = opcode.split('.').next().unwrap_or(opcode);
    match name {
        "HMMA" => Product::from_machine_code(opcode).is_some(),
        "HFMA2" | "HADD2" | "HMUL2" | "HMNMX2" | "HSETP2" | "DADD" | "DMUL" | "DFMA" | "DSETP" | "DEPBAR" => true,
        "UBLKCP" | "SYNCS" | "NANOSLEEP" | "UTMALDG" => false,
        _ => !name.ends_with("MMA") && !name.starts_with('D') && !name.starts_with('H'),
    }
}
