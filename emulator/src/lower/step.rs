//! What the machine executes: a flat list of decoded steps.

use crate::ground::refusal::LoadError;
use crate::isa::asynchronous::Asynchronous;
use crate::isa::barrier::Barrier;
use crate::isa::class::{Class, InstructionClasses};
use crate::isa::exchange::Exchange;
use crate::isa::mbarrier::Mbarrier;
use crate::isa::memory::MemoryOperation;
use crate::isa::operation::Arithmetic;
use crate::ptx::tree::SourceLine;
use crate::vector::registers::OperandKind;

/// A position that no step has: no reconvergence.
pub(crate) const NOWHERE: u32 = u32::MAX;

/// What a step does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Action {
    /// Begins the basic block of that number: counts it, and reunites lanes that wait for each other.
    Enter(u32),
    Arithmetic(Arithmetic),
    /// Address and values are among the places. `visible` is false for parameters of inlined calls,
    /// which are registers on hardware.
    Memory {
        operation: MemoryOperation,
        offset: i64,
        visible: bool,
    },
    /// To the step `target`; lanes that part meet again at the step `reconverge`. `visible` is false where PTX has a
    /// predicate and no branch.
    Branch {
        target: u32,
        reconverge: u32,
        visible: bool,
    },
    Exit,
    Trap,
    /// A call of `__assertfail`, CUDA's function for an assertion that does not hold. No instruction of its own.
    AssertionFailed,
    /// Orders memory accesses for the device; they are in order here.
    Fence,
    /// Changes nothing: a sleep, a prefetch, the begin of an inlined function.
    Nothing,
    /// Reads the step counter that stands for `%clock` and the like, or its high half.
    Clock {
        high: bool,
    },
    Barrier(Barrier),
    Exchange(Exchange),
    Asynchronous(Asynchronous),
    Mbarrier(Mbarrier),
    /// Sets its operands aside for the step of the warp behind it, as registers from that number on.
    SetAside {
        first: u8,
    },
    /// Sets matrices in shared memory aside, whose rows it has the addresses of.
    SetRowsAside {
        count: u8,
    },
}

/// The predicate that lets a step happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Guard<P> {
    pub(crate) place: P,
    pub(crate) negated: bool,
}

/// Operands of a step at most, results and sources.
pub(crate) const OPERANDS: usize = 6;

/// One decoded step: part of a PTX instruction, or all of it. `P` says where its operands are: in the values of the
/// kernel while it is expanded, then in slots, and in rows when a launch has bound them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step<P> {
    pub(crate) action: Action,
    pub(crate) guard: Option<Guard<P>>,
    /// Results, then sources.
    pub(crate) places: [P; OPERANDS],
    pub(crate) kinds: [Option<OperandKind>; OPERANDS],
    pub(crate) results: u8,
    /// Whether this is the first step of its PTX instruction.
    pub(crate) first: bool,
    /// Index into [`Program::origins`].
    pub(crate) origin: u32,
}

impl<P: Copy> Step<P> {
    /// A step without operands.
    pub(crate) fn plain(action: Action, origin: u32) -> Self
    where
        P: Default,
    {
        let (places, kinds) = ([P::default(); OPERANDS], [None; OPERANDS]);
        Self { action, guard: None, places, kinds, results: 0, first: false, origin }
    }

    /// The same step with its operands elsewhere.
    pub(crate) fn moved<Q: Default>(&self, mut place: impl FnMut(P, OperandKind) -> Q) -> Step<Q> {
        let Self { action, guard, kinds, results, first, origin, .. } = *self;
        let guard =
            guard.map(|guard| Guard { place: place(guard.place, OperandKind::Predicate), negated: guard.negated });
        let places = std::array::from_fn(|index| match kinds[index] {
            Some(kind) => place(self.places[index], kind),
            None => Q::default(),
        });
        Step { action, guard, places, kinds, results, first, origin }
    }

    /// Calls `visit(place, is_result)` for every operand, the guard aside.
    pub(crate) fn for_each_place(&self, mut visit: impl FnMut(P, bool)) {
        for (index, (&place, kind)) in self.places.iter().zip(self.kinds).enumerate() {
            if kind.is_some() {
                visit(place, index < usize::from(self.results));
            }
        }
    }
}

/// Where an operand is before registers have slots: a virtual register, or a value that all warps share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    Register(u32),
    Uniform(u32),
}

/// Where an operand is in a program: a slot of its register file in each warp, or a value that all warps share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Slot {
    Register(u32),
    Uniform(u32),
}

impl Default for Value {
    /// Of no meaning, for operands that a step does not have.
    fn default() -> Self {
        Self::Uniform(0)
    }
}

impl Default for Slot {
    /// Likewise.
    fn default() -> Self {
        Self::Uniform(0)
    }
}

/// Where a step comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Origin {
    /// Line of the PTX text.
    pub(crate) line: u32,
    pub(crate) source: SourceLine,
    pub(crate) class: Class,
}

/// A register that holds its value before the first step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Special {
    /// Thread in the block, by axis 0 to 2.
    Thread(u8),
    BlockSize(u8),
    Block(u8),
    GridSize(u8),
    Lane,
    Warp,
    Warps,
    /// Multiprocessor, their number, and the grid: one of each, numbered 0.
    Zero,
    One,
    LanesEqual,
    LanesBelow,
    LanesBelowOrEqual,
    LanesAbove,
    LanesAboveOrEqual,
    DynamicSharedBytes,
    TotalSharedBytes,
    /// Address of the workspace of a cooperative launch, in two halves: as NVIDIA's drivers hand it to `grid.sync()`.
    WorkspaceHigh,
    WorkspaceLow,
}

impl Special {
    /// Finds a special register by its name without the percent sign.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        let axis = |rest: &str| ["x", "y", "z"].iter().position(|axis| *axis == rest).map(|axis| axis as u8);
        if let Some((register, rest)) = name.split_once('.') {
            let axis = axis(rest)?;
            return match register {
                "tid" => Some(Self::Thread(axis)),
                "ntid" => Some(Self::BlockSize(axis)),
                "ctaid" => Some(Self::Block(axis)),
                "nctaid" => Some(Self::GridSize(axis)),
                _ => None,
            };
        }
        Some(match name {
            "laneid" => Self::Lane,
            "warpid" => Self::Warp,
            "nwarpid" => Self::Warps,
            "smid" | "gridid" => Self::Zero,
            "nsmid" => Self::One,
            "lanemask_eq" => Self::LanesEqual,
            "lanemask_lt" => Self::LanesBelow,
            "lanemask_le" => Self::LanesBelowOrEqual,
            "lanemask_gt" => Self::LanesAbove,
            "lanemask_ge" => Self::LanesAboveOrEqual,
            "dynamic_smem_size" => Self::DynamicSharedBytes,
            "total_smem_size" => Self::TotalSharedBytes,
            "envreg1" => Self::WorkspaceHigh,
            "envreg2" => Self::WorkspaceLow,
            _ => return None,
        })
    }

    /// Whether warps of one block see different values.
    pub(crate) fn differs_by_warp(self) -> bool {
        matches!(self, Self::Thread(_) | Self::Warp)
    }
}

/// A value that all warps of a block share, with one row for all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Uniform {
    Literal(u64),
    /// Part of the parameter block.
    Parameter {
        offset: u32,
        bytes: u8,
        signed: bool,
    },
    /// Address behind the static shared memory, where the dynamic begins.
    DynamicShared(i64),
    Special(Special),
}

/// The values of a program that all warps share, by register file.
#[derive(Clone, Debug, Default)]
pub(crate) struct Uniforms {
    pub(crate) narrow: Vec<Uniform>,
    pub(crate) wide: Vec<Uniform>,
    pub(crate) predicate: Vec<Uniform>,
}

impl Uniforms {
    /// Adds a value and returns its number.
    pub(crate) fn add(&mut self, kind: OperandKind, value: Uniform) -> u32 {
        let list = match kind {
            OperandKind::Narrow => &mut self.narrow,
            OperandKind::Wide => &mut self.wide,
            OperandKind::Predicate => &mut self.predicate,
        };
        list.push(value);
        list.len() as u32 - 1
    }
}

/// Number of rows or slots of each register file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct FileSizes {
    pub(crate) narrow: u32,
    pub(crate) wide: u32,
    pub(crate) predicate: u32,
}

/// A basic block, for counting.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct BlockInfo {
    /// PTX instructions in it.
    pub(crate) instructions: u32,
    /// Whether it is part of a loop that reads what other threads may write meanwhile: with an atomic, or a load that is
    /// volatile or ordered. Such a loop may wait for another lane.
    pub(crate) polls: bool,
    /// The same, by what they do.
    pub(crate) classes: InstructionClasses,
}

/// A kernel's code.
#[derive(Clone, Debug, Default)]
pub(crate) struct Program {
    pub(crate) steps: Vec<Step<Slot>>,
    pub(crate) origins: Vec<Origin>,
    pub(crate) blocks: Vec<BlockInfo>,
    pub(crate) uniforms: Uniforms,
    /// Special registers that differ by warp: slot `i` of the narrow file each.
    pub(crate) warp_specials: Vec<Special>,
    /// Slots of a warp, the special registers included.
    pub(crate) slots: FileSizes,
    /// Registers that may be read before they are written; cleared so that results do not depend on
    /// what ran before.
    pub(crate) undefined: Vec<(OperandKind, Slot)>,
    pub(crate) static_shared_bytes: u32,
    pub(crate) local_bytes: u32,
}

/// The refusal of a kernel that is larger or more tangled than the machine takes, at its first line.
pub(super) fn too_much(origins: &[Origin], what: &str) -> LoadError {
    let line = origins.first().map_or(1, |origin| origin.line);
    LoadError::Unsupported(format!("line {line}: a kernel with {what}"))
}
