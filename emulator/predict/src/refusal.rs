//! Launches for which there is no estimate, because estimates of their kind were not compared with a GPU, or were wrong.

use crate::code::operation::{Operation, Unit};
use crate::machine_code::HALVES_MOVED;
use emulator::{
    AccessedSpace, BlockStream, Direction, Listing, SceneError, StreamError, StreamedAccess, StreamedEvent,
};

/// The longest basic block in PTX instructions. Straight-line code of 2,048 instructions runs at full speed, and of 3,072 at half
/// (cost `code` of `results/nvidia-h200/costs.json`).
const LONGEST_BLOCK: usize = 2000;

/// The largest share of indexed loads of constants among all instructions: one in so many.
const CONSTANT_LOADS: u64 = 16;

/// The shortest time of a run that has an estimate, in nanoseconds: three empty launches.
pub(crate) const SHORTEST_NS: u64 = 15_000;

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
    /// It loads constants by computed addresses.
    #[error("misses of the constant cache by indexed constants are not modeled")]
    Constants,
    /// Several lanes of a warp update one address.
    #[error("atomics of a warp to one address are not modeled")]
    SameAddress,
    /// It uses local memory.
    #[error("local memory is not modeled")]
    Local,
    /// Warps of a block diverge at barriers.
    #[error("barriers that parts of a block pass are not modeled")]
    Barriers,
    /// The time is about that of an empty launch.
    #[error("a run of less than 15 us is mostly its launches")]
    Short,
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
        let is_new =
            ["mma", "wgmma", "ldmatrix", "stmatrix", "mbarrier", "cp.async.bulk", "cp.reduce", "nanosleep", "call"];
        let is_other_type = [".f64", ".f16", ".f16x2", ".bf16", ".bf16x2"].iter().any(|kind| opcode.ends_with(kind));
        let is_move = ["cvt.", "mov.", "ld.", "st."].iter().any(|name| opcode.starts_with(name));
        if is_new.iter().any(|name| opcode.starts_with(name)) || is_other_type && !is_move {
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
    let is_new = |opcode: &&String| {
        let name = opcode.split('.').next().unwrap_or(opcode);
        let is_moved = opcode.as_str() == HALVES_MOVED;
        name.ends_with("MMA") && !is_moved
            || name.starts_with('D') && name != "DEPBAR"
            || name.starts_with('H') && !is_moved
            || ["UBLKCP", "SYNCS", "NANOSLEEP", "LDSM", "STSM", "UTMALDG"].contains(&name)
    };
    if let Some(opcode) = entered().flatten().find(is_new) {
        return Err(Refusal::Instruction(opcode.clone()));
    }
    let longest = entered().map(Vec::len).max().unwrap_or(0);
    if longest > LONGEST_BLOCK { Err(Refusal::LongCode(longest)) } else { Ok(()) }
}

/// Refuses a launch whose accesses are not modeled.
pub(crate) fn check_streams(code: &[Vec<Operation>], streams: &[BlockStream]) -> Result<(), Refusal> {
    let mut operations = 0;
    let mut constants = 0;
    for (block, entries) in streams.iter().flat_map(|stream| stream.entries.iter().enumerate()) {
        // In machine code, parameters are loaded from fixed offsets, which hit.
        let is_indexed = |one: &&Operation| one.unit == Unit::Constant && (one.stall == 0 || one.access.is_some());
        operations += entries * code[block].len() as u64;
        constants += entries * code[block].iter().filter(is_indexed).count() as u64;
    }
    if constants * CONSTANT_LOADS > operations {
        return Err(Refusal::Constants);
    }
    let events = streams.iter().flat_map(|stream| stream.warps.iter().flatten());
    let accesses = events.filter_map(|event| match event {
        StreamedEvent::Access(access) => Some(access),
        StreamedEvent::Enter { .. } => None,
    });
    accesses.map(check_access).find(Result::is_err).unwrap_or(Ok(()))
}

fn check_access(access: &StreamedAccess) -> Result<(), Refusal> {
    let lanes = access.active.count_ones();
    let addresses = u32::from(access.addresses);
    match (access.space, access.direction) {
        (AccessedSpace::Local, _) => Err(Refusal::Local),
        (AccessedSpace::Constant, _) if addresses > 1 => Err(Refusal::Constants),
        (AccessedSpace::Global, Direction::Atomic) if addresses < lanes => Err(Refusal::SameAddress),
        _ => Ok(()),
    }
}
