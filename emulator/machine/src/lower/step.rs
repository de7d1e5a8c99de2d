//! Steps, the decoded instructions that the machine executes, and programs, which are lists of steps.

use super::listing::Listing;
use super::special::Special;
use super::transfers::Uses;
use crate::ground::refusal::LoadError;
use crate::isa::asynchronous::Asynchronous;
use crate::isa::barrier::Barrier;
use crate::isa::class::{Class, InstructionClasses};
use crate::isa::cluster::ClusterBarrier;
use crate::isa::exchange::Exchange;
use crate::isa::mbarrier::Mbarrier;
use crate::isa::memory::{MemoryOperation, Scope};
use crate::isa::operation::Arithmetic;
use crate::isa::texture::Texture;
use crate::isa::warpgroup::Warpgroup;
use crate::ptx::tree::SourceLine;
use crate::vector::apply::Handler;
use crate::vector::registers::OperandKind;
use crate::vector::simd::Simd;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// A position that no step has. As a reconvergence point: the lanes do not reconverge.
pub(crate) const NOWHERE: u32 = u32::MAX;

/// The action of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Action {
    /// Starts the basic block with this number: counts it, and reconverges the lanes that wait there.
    Enter(u32),
    Arithmetic(Arithmetic),
    /// Accesses memory. The address and the values are among the places. `visible` is false for the parameters of inlined calls,
    /// which are registers in hardware.
    Memory {
        operation: MemoryOperation,
        offset: i64,
        visible: bool,
    },
    /// Jumps to the step `target`. Divergent lanes reconverge at the step `reconverge`. `visible` is false if the PTX has a
    /// predicated instruction instead of a branch.
    Branch {
        target: u32,
        reconverge: u32,
        visible: bool,
    },
    /// Counts a branch to one of several labels, which its operand selects. Invisible branches follow.
    CountBranch,
    Exit,
    /// Makes the frame behind the caller's the current one, and keeps the caller's registers. `None` is the kernel.
    EnterFrame {
        caller: Option<u32>,
    },
    /// Calls subroutine `function`.
    Call {
        function: u32,
    },
    /// Calls the subroutine whose address is its operand. It must take this many bytes of arguments.
    CallPointer {
        argument_bytes: u32,
    },
    /// Returns from a subroutine.
    Return,
    /// Makes the caller's frame the current one again, and restores its registers.
    LeaveFrame {
        caller: Option<u32>,
    },
    Trap,
    /// Calls `__assertfail`, CUDA's function for failed assertions. Not counted as an instruction.
    AssertionFailed,
    /// Calls `vprintf`, CUDA's function for `printf`. Not counted as an instruction.
    Print,
    /// Calls `malloc`. Not counted as an instruction.
    Allocate,
    /// Calls `free`. Not counted as an instruction.
    Free,
    /// Executes a memory fence. The machine is sequentially consistent, so only the checks observe it.
    Fence(Scope),
    /// Executes a fence between accesses of threads and asynchronous operations, likewise.
    ProxyFence,
    /// Sets the number of registers per thread, and waits for those that are not there.
    SetRegisters {
        count: u32,
    },
    /// Does nothing: a sleep, a prefetch, or the start of an inlined function.
    Nothing,
    /// Reads the step counter, which serves as `%clock` and all other clocks, or its high half.
    Clock {
        high: bool,
    },
    Barrier(Barrier),
    Exchange(Exchange),
    Asynchronous(Asynchronous),
    Mbarrier(Mbarrier),
    ClusterBarrier(ClusterBarrier),
    /// Reads a texture at coordinates that the step before has set aside. The operands are the results and the handle.
    Texture(Texture),
    /// Saves its operands for the next collective step of the warp, as registers from `first` on.
    SetAside {
        first: u8,
    },
    /// Saves `count` matrices in shared memory for the next collective step. Its operand is the address of a row.
    SetRowsAside {
        count: u8,
    },
    Warpgroup(Warpgroup),
    /// Saves its operands for the next product of the warpgroup, as registers of D from `first` on.
    SetSumsAside {
        first: u8,
    },
    /// Writes the registers of D from `first` on to its results.
    TakeSums {
        first: u8,
    },
    /// Stores `count` matrices to shared memory. Its operands are the address of a row, and the four words of the row.
    StoreRows {
        count: u8,
    },
}

impl Action {
    /// Returns the multiplications and additions of one warp in a product of its warpgroup; 0 for other steps.
    pub(crate) fn warpgroup_operations(self) -> u64 {
        match self {
            Self::Warpgroup(Warpgroup::Multiply(product)) => product.operations_of_a_warp(),
            _ => 0,
        }
    }
}

/// The predicate of a guarded step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Guard<P> {
    pub(crate) place: P,
    pub(crate) negated: bool,
}

/// The maximum number of operands of a step, results and sources together.
pub(crate) const OPERANDS: usize = 6;

/// A decoded step: a PTX instruction, or a part of one. `P` is the representation of its operands, which depends on the phase:
/// [`Value`], [`Slot`], or the rows of a bound step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step<P> {
    pub(crate) action: Action,
    pub(crate) guard: Option<Guard<P>>,
    /// The results, followed by the sources.
    pub(crate) places: [P; OPERANDS],
    pub(crate) kinds: [Option<OperandKind>; OPERANDS],
    pub(crate) results: u8,
    /// Whether this is the first step of its PTX instruction.
    pub(crate) first: bool,
    /// The index in [`Program::origins`].
    pub(crate) origin: u32,
}

impl<P: Copy> Step<P> {
    /// Returns a step without operands.
    pub(crate) fn plain(action: Action, origin: u32) -> Self
    where
        P: Default,
    {
        let (places, kinds) = ([P::default(); OPERANDS], [None; OPERANDS]);
        Self { action, guard: None, places, kinds, results: 0, first: false, origin }
    }

    /// Returns the same step with each operand converted by `place`.
    pub(crate) fn map_places<Q: Default>(&self, mut place: impl FnMut(P, OperandKind) -> Q) -> Step<Q> {
        let Self { action, guard, kinds, results, first, origin, .. } = *self;
        let guard =
            guard.map(|guard| Guard { place: place(guard.place, OperandKind::Predicate), negated: guard.negated });
        let places = std::array::from_fn(|index| match kinds[index] {
            Some(kind) => place(self.places[index], kind),
            None => Q::default(),
        });
        Step { action, guard, places, kinds, results, first, origin }
    }

    /// Calls `visit(place, is_result)` for every operand except the guard.
    pub(crate) fn for_each_place(&self, mut visit: impl FnMut(P, bool)) {
        for (index, (&place, kind)) in self.places.iter().zip(self.kinds).enumerate() {
            if kind.is_some() {
                visit(place, index < usize::from(self.results));
            }
        }
    }
}

/// An operand before register allocation: a virtual register, or a value that all warps share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    Register(u32),
    Uniform(u32),
}

/// An operand after register allocation: a slot of its register file, or a value that all warps share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Slot {
    Register(u32),
    Uniform(u32),
}

impl Default for Value {
    /// Returns a placeholder for an operand that a step does not have.
    fn default() -> Self {
        Self::Uniform(0)
    }
}

impl Default for Slot {
    /// Returns a placeholder for an operand that a step does not have.
    fn default() -> Self {
        Self::Uniform(0)
    }
}

/// The PTX and source lines of a step, and the class of its instruction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Origin {
    /// The line in the PTX, counted from 1.
    pub(crate) line: u32,
    pub(crate) source: SourceLine,
    pub(crate) class: Class,
}

/// A value that all warps of a block share, so it has only one row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Uniform {
    Literal(u64),
    /// A part of the parameter block.
    Parameter {
        offset: u32,
        bytes: u8,
        signed: bool,
    },
    /// An address in the static shared memory of the block.
    Shared(u64),
    /// The address of the dynamic shared memory, which follows the static shared memory, plus an offset.
    DynamicShared(i64),
    Special(Special),
    /// The result of an invariant step.
    Computed,
}

/// The uniform values of a program by register file.
#[derive(Clone, Debug, Default)]
pub(crate) struct Uniforms {
    pub(crate) narrow: Vec<Uniform>,
    pub(crate) wide: Vec<Uniform>,
    pub(crate) predicate: Vec<Uniform>,
}

impl Uniforms {
    /// Returns the values of a register file.
    pub(crate) fn by_kind(&self, kind: OperandKind) -> &[Uniform] {
        match kind {
            OperandKind::Narrow => &self.narrow,
            OperandKind::Wide => &self.wide,
            OperandKind::Predicate => &self.predicate,
        }
    }

    /// Adds a value and returns its index.
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

/// The number of rows or slots of each register file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct FileSizes {
    pub(crate) narrow: u32,
    pub(crate) wide: u32,
    pub(crate) predicate: u32,
}

/// Properties of a basic block.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct BlockInfo {
    /// The number of PTX instructions.
    pub(crate) instructions: u32,
    /// Whether it is part of a spin loop: a loop that reads what another thread may write, with an atomic or with a volatile or
    /// ordered load.
    pub(crate) polls: bool,
    /// The number of PTX instructions by class.
    pub(crate) classes: InstructionClasses,
    /// The operations of its products of warpgroups, as [`Action::warpgroup_operations`] counts them.
    pub(crate) warpgroup_operations: u64,
}

/// The code of a kernel.
#[derive(Clone, Debug, Default)]
pub(crate) struct Program {
    pub(crate) steps: Vec<Step<Slot>>,
    pub(crate) origins: Vec<Origin>,
    pub(crate) blocks: Vec<BlockInfo>,
    pub(crate) uniforms: Uniforms,
    /// The special registers that differ by warp. The one with index `i` is in slot `i` of the narrow file.
    pub(crate) warp_specials: Vec<Special>,
    /// The number of slots, including those of the special registers.
    pub(crate) slots: FileSizes,
    /// The positions of the arithmetic steps that are executed before the others, each after those that it depends on: those
    /// whose results are the same in every block, and the others, whose results all warps share. No other register shares their
    /// slots.
    pub(crate) invariants: [Vec<u32>; 2],
    /// For each step, the first from it on that is not invariant.
    pub(crate) not_invariant: Vec<u32>,
    /// The registers that may be read before they are written. They are cleared, so that results do not depend on earlier
    /// blocks.
    pub(crate) undefined: Vec<(OperandKind, Slot)>,
    pub(crate) static_shared_bytes: u32,
    pub(crate) shared_variables: Vec<SharedVariable>,
    /// The local memory of a thread, with its stack.
    pub(crate) local_bytes: u32,
    /// The stack of a thread, behind its variables: for the frames of subroutines.
    pub(crate) stack_bytes: u32,
    pub(crate) subroutines: Vec<Subroutine>,
    /// The number of registers that a launch reserves for each thread, if the kernel's directives determine it.
    pub(crate) reserved_registers: Option<u32>,
    /// The instructions before register allocation.
    pub(crate) listing: Arc<Listing>,
    /// The functions of [`Self::handlers`] for each set of vector instructions, once a launch has asked for them.
    pub(crate) known_handlers: [OnceLock<Arc<[Option<Handler>]>>; 2],
    /// The result of [`uses`](super::uses::uses), once a launch with checks has asked for it.
    pub(crate) known_uses: OnceLock<Arc<Uses>>,
}

impl Program {
    /// Returns the functions of the arithmetic steps. To make them takes a quarter of the time of a short launch.
    pub(crate) fn handlers(&self, simd: Simd) -> Arc<[Option<Handler>]> {
        let handler = |step: &Step<Slot>| match step.action {
            Action::Arithmetic(arithmetic) => Some(arithmetic.handler(simd)),
            _ => None,
        };
        let known = &self.known_handlers[usize::from(matches!(simd, Simd::Baseline))];
        Arc::clone(known.get_or_init(|| self.steps.iter().map(handler).collect()))
    }
}

/// A function that is called, and not inlined.
#[derive(Clone, Debug)]
pub(crate) struct Subroutine {
    pub(crate) name: String,
    /// The address that pointers to it hold.
    pub(crate) address: u64,
    /// Its first step.
    pub(crate) entry: u32,
    /// Whether it may be called again before it returns.
    pub(crate) recursive: bool,
    pub(crate) argument_bytes: u32,
    pub(crate) frame_bytes: u32,
    /// The slots of its registers, which no other function uses, by register file.
    pub(crate) slots: [Range<u32>; 3],
}

/// A variable in the static shared memory of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedVariable {
    /// The name in the PTX.
    pub name: String,
    /// The offset in shared memory in bytes.
    pub offset: u64,
    /// The size in bytes.
    pub bytes: u64,
}

/// Returns the refusal of a kernel that exceeds a limit, at its first line.
pub(super) fn too_much(origins: &[Origin], what: &str) -> LoadError {
    let line = origins.first().map_or(1, |origin| origin.line);
    LoadError::Unsupported(format!("line {line}: a kernel with {what}"))
}
