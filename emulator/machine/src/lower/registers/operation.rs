//! The operations that remain of a kernel's instructions.

use crate::lower::listing::ListedInstruction;

/// An instruction as machine code has it: with the registers that it needs.
#[derive(Clone, Default)]
pub(super) struct Operation {
    pub(super) reads: Vec<u32>,
    pub(super) writes: Vec<u32>,
    /// Whether the old value of a result stays in some lanes.
    pub(super) keeps_old: bool,
    pub(super) order: Order,
    /// The cycles after which the scheduler expects the result.
    pub(super) latency: u64,
    pub(super) is_branch: bool,
}

/// The order that an operation keeps with others. The number is that of a state space.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Order {
    #[default]
    None,
    Load(usize),
    Store(usize),
    Fence,
}

/// The number of state spaces that loads and stores keep apart: shared, local, global and generic.
pub(super) const SPACES: usize = 3;

impl Order {
    pub(super) fn new(instruction: &ListedInstruction) -> Self {
        let opcode = instruction.opcode.as_str();
        let has = |part: &str| opcode.contains(part);
        let space = [".shared", ".local"].iter().position(|space| has(space)).unwrap_or(SPACES - 1);
        match name(opcode) {
            _ if instruction.is_argument => Self::None,
            "ld" | "ldu" if has(".param") || has(".const") || has(".nc") => Self::None,
            "ld" | "ldu" if !has("volatile") && !has("acquire") => Self::Load(space),
            "st" => Self::Store(space),
            "ld" | "ldu" | "red" | "atom" | "bar" | "barrier" | "mbarrier" | "membar" | "fence" | "cp" | "shfl"
            | "vote" => Self::Fence,
            "bra" | "brx" | "call" | "ret" | "exit" | "trap" => Self::Fence,
            _ => Self::None,
        }
    }
}

/// Returns the first part of an opcode.
pub(super) fn name(opcode: &str) -> &str {
    opcode.split('.').next().unwrap_or(opcode)
}

/// Returns roughly the cycles until a result can be used. Only the order of magnitude matters.
pub(super) fn latency(opcode: &str) -> u64 {
    match name(opcode) {
        "ld" if !opcode.contains(".shared") => 200,
        "atom" => 300,
        "ld" | "mma" | "wmma" | "shfl" => 30,
        "rsqrt" | "sqrt" | "rcp" | "lg2" | "ex2" | "sin" | "cos" | "div" => 40,
        _ => 4,
    }
}
