//! Branches, barriers, and what the lanes of a warp do together.

use super::{Form, Modifiers, Operation};

/// Where a shuffle reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shuffle {
    Up,
    Down,
    Butterfly,
    Index,
}

impl Shuffle {
    /// The lane that a lane reads, and whether it is in range, given the operands b (lane or distance) and c (clamp
    /// and segment).
    #[inline(always)]
    pub(crate) fn source(self, lane: usize, b: usize, c: usize) -> (usize, bool) {
        let (b, clamp, segment) = (b & 31, c & 31, c >> 8 & 31);
        let highest = (lane & segment) | (clamp & !segment);
        let (source, in_range) = match self {
            Self::Up => (lane.wrapping_sub(b), lane as isize - b as isize >= highest as isize),
            Self::Down => (lane + b, lane + b <= highest),
            Self::Butterfly => (lane ^ b, lane ^ b <= highest),
            Self::Index => {
                let source = (lane & segment) | (b & !segment);
                (source, source <= highest)
            }
        };
        (source & 31, in_range)
    }
}

/// What a vote answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Vote {
    All,
    Any,
    /// All the same.
    Uniform,
    Ballot,
}

/// How the values of all lanes or threads are combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Combine {
    Add,
    MinUnsigned,
    MinSigned,
    MaxUnsigned,
    MaxSigned,
    And,
    Or,
    Xor,
    /// Number of true predicates.
    Count,
}

/// What a control instruction does, operands aside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ControlOperation {
    Branch,
    Call,
    /// Leaves the function; at the top, the kernel.
    Return,
    Exit,
    Trap,
    /// A call of `__assertfail`, CUDA's function for an assertion that does not hold. No instruction of its own.
    AssertionFailed,
    /// Orders memory accesses for the device; they are in order here.
    Fence,
    /// Changes nothing here: sleeps, prefetches, fences for the block.
    Nothing,
    /// Waits for the threads of the block. One that is `aligned` must be reached by all lanes of a warp together.
    Barrier {
        aligned: bool,
    },
    /// Counts as arrived and goes on.
    BarrierArrive,
    /// Waits, and combines a predicate of all threads.
    BarrierReduce(Combine),
    /// Waits for the lanes of a mask.
    WarpBarrier,
    Shuffle(Shuffle),
    Vote(Vote),
    MatchAny,
    MatchAll,
    /// Combines a value of all lanes.
    Reduce(Combine),
    ActiveMask,
    /// Reads the step counter that stands for `%clock` and the like, or its high half.
    Clock {
        high: bool,
    },
}

use ControlOperation as C;

/// Rows of the table.
pub(crate) const FORMS: &[Form] = &[
    row("bra[.uni]", "go on at the label", |_| control(C::Branch)),
    row("call[.uni]", "run the function, then go on", |_| control(C::Call)),
    row("ret[.uni]", "leave the function", |_| control(C::Return)),
    row("exit", "end the thread", |_| control(C::Exit)),
    row("trap", "stop the launch with an error", |_| control(C::Trap)),
    row("membar.{cta|gl|sys}", "order memory accesses", |m| control(fence(m))),
    row("fence[.sc|.acq_rel|.acquire|.release].{cta|cluster|gpu|sys}", "order memory accesses", |m| control(fence(m))),
    row("nanosleep.u32", "wait about a nanoseconds", |_| control(C::Nothing)),
    row("prefetch[.global|.local].{L1|L2}", "bring memory at a nearer", |_| control(C::Nothing)),
    row("prefetchu.L1", "bring memory at a nearer", |_| control(C::Nothing)),
    row("bar[.cta].sync", "wait at barrier a for b threads, or all", |_| control(C::Barrier { aligned: true })),
    row("barrier[.cta].sync[.aligned]", "wait at barrier a for b threads, or all", |m| {
        control(C::Barrier { aligned: m.has("aligned") })
    }),
    row("bar[.cta].arrive", "arrive at barrier a of b threads", |_| control(C::BarrierArrive)),
    row("barrier[.cta].arrive[.aligned]", "arrive at barrier a of b threads", |_| control(C::BarrierArrive)),
    row("bar[.cta].red.popc.u32", "d = number of threads with c", |_| control(C::BarrierReduce(Combine::Count))),
    row("barrier[.cta].red.popc[.aligned].u32", "d = number of threads with c", |_| {
        control(C::BarrierReduce(Combine::Count))
    }),
    row("bar[.cta].red.{and|or}.pred", "p = c of all, or of any thread", |m| control(C::BarrierReduce(and_or(m)))),
    row("barrier[.cta].red.{and|or}[.aligned].pred", "p = c of all, or of any thread", |m| {
        control(C::BarrierReduce(and_or(m)))
    }),
    row("bar.warp.sync", "wait for the lanes of mask a", |_| control(C::WarpBarrier)),
    row("shfl.sync.{up|down|bfly|idx}.b32", "d = a of the lane that b and c name; p = in range", |m| {
        control(C::Shuffle(shuffle(m)))
    }),
    row("vote.sync.{all|any|uni}.pred", "p = a of all, any, or alike in mask b", |m| control(C::Vote(vote(m)))),
    row("vote.sync.ballot.b32", "d = bit mask of a in mask b", |_| control(C::Vote(Vote::Ballot))),
    row("match.any.sync.{b32|b64}", "d = lanes of mask b with the same a", |_| control(C::MatchAny)),
    row("match.all.sync.{b32|b64}", "d = mask b if all have the same a, else 0; p says which", |_| {
        control(C::MatchAll)
    }),
    row("redux.sync.{add|min|max}.{u32|s32}", "d = a of all lanes of mask b, combined", |m| {
        control(C::Reduce(reduce(m)))
    }),
    row("redux.sync.{and|or|xor}.b32", "d = a of all lanes of mask b, combined", |m| control(C::Reduce(reduce(m)))),
    row("activemask.b32", "d = lanes that execute this", |_| control(C::ActiveMask)),
];

const fn row(pattern: &'static str, equation: &'static str, build: fn(&Modifiers<'_>) -> Operation) -> Form {
    Form { pattern, equation, operands: &[], build }
}

fn control(operation: ControlOperation) -> Operation {
    Operation::Control(operation)
}

fn fence(modifiers: &Modifiers<'_>) -> ControlOperation {
    if modifiers.has("cta") { C::Nothing } else { C::Fence }
}

fn and_or(modifiers: &Modifiers<'_>) -> Combine {
    if modifiers.has("and") { Combine::And } else { Combine::Or }
}

fn shuffle(modifiers: &Modifiers<'_>) -> Shuffle {
    match modifiers.0[1] {
        "up" => Shuffle::Up,
        "down" => Shuffle::Down,
        "bfly" => Shuffle::Butterfly,
        _ => Shuffle::Index,
    }
}

fn vote(modifiers: &Modifiers<'_>) -> Vote {
    match modifiers.0[1] {
        "all" => Vote::All,
        "any" => Vote::Any,
        _ => Vote::Uniform,
    }
}

fn reduce(modifiers: &Modifiers<'_>) -> Combine {
    match (modifiers.0[1], modifiers.last()) {
        ("add", _) => Combine::Add,
        ("min", "u32") => Combine::MinUnsigned,
        ("min", _) => Combine::MinSigned,
        ("max", "u32") => Combine::MaxUnsigned,
        ("max", _) => Combine::MaxSigned,
        ("and", _) => Combine::And,
        ("or", _) => Combine::Or,
        _ => Combine::Xor,
    }
}
