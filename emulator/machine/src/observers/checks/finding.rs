//! The findings of the checks, by the tools of compute-sanitizer.

use crate::ground::fault::{Fault, FaultKind, Place};
use crate::ground::lanes::WARP_SIZE;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The tool of compute-sanitizer that detects a kind of mistake.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Tool {
    /// Detects out-of-bounds and misaligned accesses.
    Memcheck,
    /// Detects reads of uninitialized memory.
    Initcheck,
    /// Detects data races.
    Racecheck,
    /// Detects invalid uses of barriers and warp-level instructions.
    Synccheck,
}

impl fmt::Display for Tool {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(match self {
            Self::Memcheck => "memcheck",
            Self::Initcheck => "initcheck",
            Self::Racecheck => "racecheck",
            Self::Synccheck => "synccheck",
        })
    }
}

/// The memory of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MemorySpace {
    /// Shared memory of the block; addresses are offsets from its start.
    Shared,
    /// Global memory.
    Global,
}

/// The distance between the threads of a race.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Distance {
    /// Two lanes of one warp, which are ordered only in lockstep.
    InsideWarp,
    /// Threads in two warps of one block.
    BetweenWarps,
    /// Threads in two blocks.
    BetweenBlocks,
}

/// The kinds of the two accesses of a race, in the order in which they were executed here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Hazard {
    /// Read after write.
    ReadAfterWrite,
    /// Write after read.
    WriteAfterRead,
    /// Write after write of a different value.
    WriteAfterWrite,
}

/// The kind of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum FindingKind {
    /// A race: two threads access the same byte, one of them writes, and the accesses are not ordered.
    Race {
        /// The memory that contains the byte.
        memory: MemorySpace,
        /// The kinds of the two accesses.
        hazard: Hazard,
        /// The distance between the threads.
        distance: Distance,
    },
    /// Atomics of two blocks on one word, one of which is an atomic for its own block only.
    ScopeOfBlock {
        /// The memory that contains the word.
        memory: MemorySpace,
        /// The kinds of the two accesses.
        hazard: Hazard,
    },
    /// A read of global memory by the read-only path (`ld.global.nc`), although the launch writes it.
    WrittenReadOnly {
        /// The kinds of the two accesses.
        hazard: Hazard,
    },
    /// A read behind the load of a flag, which is volatile or relaxed, without a fence between them.
    MissingAcquire {
        /// The memory that was read.
        memory: MemorySpace,
    },
    /// A read of uninitialized memory: shared memory that no thread of the block, or global memory that neither the host nor
    /// a kernel has written.
    Uninitialized {
        /// The memory that was read.
        memory: MemorySpace,
    },
    /// An access to shared memory that a pending asynchronous copy will write: no thread has waited for the copy.
    PendingCopy {
        /// The kinds of the copy's write and the access.
        hazard: Hazard,
    },
    /// A use of a register that a pending product of a warpgroup will write: the warp has not waited for the product.
    PendingProduct,
    /// A write to shared memory that a pending product of a warpgroup reads: no warp of the warpgroup has waited for the product.
    PendingRead,
    /// A write to shared memory that a pending asynchronous copy reads: its thread has not waited for the copy.
    PendingStore,
    /// A read of shared memory by a product of a warpgroup or by a copy of a tensor, without a `fence.proxy.async` after the write
    /// of a thread.
    MissingProxyFence,
    /// A load of an address of another thread's local memory, which the thread takes for an address of its own.
    LentAddress {
        /// The memory that contains the address.
        memory: MemorySpace,
    },
    /// An access to shared memory of another block of the cluster, which may not have begun: no barrier of the cluster is before it.
    BlockMayNotHaveBegun,
    /// An access to shared memory of another block of the cluster, which may have ended: nothing orders the access before its end.
    BlockMayHaveEnded,
    /// A barrier of the block that only some lanes of a warp reach.
    DivergentBarrier,
    /// A barrier for a number of threads that is not a multiple of the warp size.
    PartOfWarp {
        /// The number of threads.
        threads: u32,
    },
    /// Barriers of the block at which whole warps wait for each other, though they are not one barrier of the source.
    DifferentBarriers,
    /// A warp-level instruction whose member mask omits a lane that executes it.
    MaskWithoutCaller,
    /// A shuffle from an inactive lane, whose result is undefined.
    ShuffleFromInactive,
    /// A warp-level instruction whose mask names lanes that go on without it: they have parted from the lanes that execute it, have
    /// stored or synchronized elsewhere, and have exited.
    AbsentLanes,
    /// A warp-level instruction whose lanes name each other in different masks.
    DifferentMasks,
    /// A warp-level instruction that lanes execute in another round of a loop than those that wait for them there.
    DifferentRounds,
    /// A warp-level instruction that parts of a warp execute at different lines. They meet there and exchange values, as on
    /// hardware since Volta.
    DifferentLines,
}

impl FindingKind {
    /// Returns the tool that detects it.
    #[must_use]
    pub fn tool(self) -> Tool {
        match self {
            Self::Race { .. }
            | Self::ScopeOfBlock { .. }
            | Self::MissingAcquire { .. }
            | Self::WrittenReadOnly { .. }
            | Self::PendingCopy { .. }
            | Self::PendingProduct
            | Self::PendingRead
            | Self::PendingStore
            | Self::MissingProxyFence => Tool::Racecheck,
            Self::Uninitialized { .. } => Tool::Initcheck,
            Self::LentAddress { .. } | Self::BlockMayNotHaveBegun | Self::BlockMayHaveEnded => Tool::Memcheck,
            Self::DivergentBarrier
            | Self::PartOfWarp { .. }
            | Self::DifferentBarriers
            | Self::MaskWithoutCaller
            | Self::ShuffleFromInactive
            | Self::AbsentLanes
            | Self::DifferentMasks
            | Self::DifferentRounds
            | Self::DifferentLines => Tool::Synccheck,
        }
    }

    /// Returns whether it involves two places.
    pub(crate) fn has_two_sides(self) -> bool {
        self.tool() == Tool::Racecheck
            || matches!(
                self,
                Self::LentAddress { .. } | Self::AbsentLanes | Self::DifferentLines | Self::DifferentBarriers
            )
    }

    /// Returns the memory of which the kind tells. The other kinds that have an address concern shared memory.
    #[must_use]
    pub fn memory(self) -> Option<MemorySpace> {
        match self {
            Self::Race { memory, .. }
            | Self::ScopeOfBlock { memory, .. }
            | Self::MissingAcquire { memory }
            | Self::LentAddress { memory }
            | Self::Uninitialized { memory } => Some(memory),
            Self::WrittenReadOnly { .. } => Some(MemorySpace::Global),
            _ => None,
        }
    }

    /// Returns whether one of the two accesses is asynchronous, to shared memory.
    #[must_use]
    pub fn is_asynchronous(self) -> bool {
        matches!(self, Self::PendingCopy { .. } | Self::PendingRead | Self::PendingStore | Self::MissingProxyFence)
    }

    /// Returns the distance between the threads of a race.
    pub(super) fn distance(self) -> Option<Distance> {
        if let Self::Race { distance, .. } = self { Some(distance) } else { None }
    }

    /// Returns the same kind with the smallest distance, so that races that differ only in distance compare equal.
    pub(super) fn without_distance(self) -> Self {
        match self {
            Self::Race { memory, hazard, .. } => Self::Race { memory, hazard, distance: Distance::InsideWarp },
            other => other,
        }
    }

    /// Describes the mistake, without its place.
    fn describe(self) -> String {
        match self {
            Self::Race { distance: Distance::InsideWarp, hazard, .. } => {
                format!("race within a warp (no __syncwarp between the {})", hazard.accesses())
            }
            Self::Race { distance: Distance::BetweenWarps, .. } => "race between warps".into(),
            Self::Race { distance: Distance::BetweenBlocks, .. } => "race between blocks".into(),
            Self::ScopeOfBlock { .. } => {
                "race between blocks (an atomic of the scope of a block is none for the other blocks)".into()
            }
            Self::WrittenReadOnly { .. } => {
                "read-only load (__ldg or const __restrict__) of memory that the launch writes, \
                 which it need not see,"
                    .into()
            }
            Self::MissingAcquire { .. } => {
                "race (no __threadfence between the load of a flag and the read of what it announces)".into()
            }
            Self::Uninitialized { memory } => format!("read of uninitialized {} memory", memory.name()),
            Self::PendingCopy { .. } => "access without a wait for an asynchronous copy".into(),
            Self::PendingProduct => "use of a result without a wait for the product of the warpgroup".into(),
            Self::PendingRead => "write without a wait for the product of a warpgroup that reads it".into(),
            Self::PendingStore => "write without a wait for the asynchronous copy that reads it".into(),
            Self::MissingProxyFence => "asynchronous read without a fence.proxy.async after the write".into(),
            Self::LentAddress { .. } => {
                "use of an address of another thread's local memory (each thread has its own there)".into()
            }
            Self::BlockMayNotHaveBegun => "access to shared memory of a block that may not have begun".into(),
            Self::BlockMayHaveEnded => "access to shared memory of a block that may have ended".into(),
            Self::DivergentBarrier => "barrier with divergent threads in a warp".into(),
            Self::PartOfWarp { threads } => {
                format!(
                    "barrier for {threads} threads (the number must be a multiple of {WARP_SIZE}, the size of a warp)"
                )
            }
            Self::DifferentBarriers => {
                "barriers of different branches (all threads of the block must take the branch of a __syncthreads)"
                    .into()
            }
            Self::MaskWithoutCaller => "member mask that omits the calling lane".into(),
            Self::ShuffleFromInactive => "shuffle from an inactive lane".into(),
            Self::AbsentLanes => "warp-level instruction whose mask names lanes that go on without it".into(),
            Self::DifferentMasks => "warp-level instruction whose lanes name each other in different masks".into(),
            Self::DifferentRounds => "warp-level instruction executed in different rounds of a loop".into(),
            Self::DifferentLines => "warp-level instruction executed at different lines by parts of a warp".into(),
        }
    }

    /// Returns the verbs for the earlier and the later access.
    fn verbs(self) -> (&'static str, &'static str) {
        match self {
            Self::Race { hazard, .. } | Self::ScopeOfBlock { hazard, .. } | Self::WrittenReadOnly { hazard } => {
                match hazard {
                    Hazard::ReadAfterWrite => ("write", "read"),
                    Hazard::WriteAfterRead => ("read", "write"),
                    Hazard::WriteAfterWrite => ("write", "write"),
                }
            }
            Self::Uninitialized { .. } => ("", "read"),
            Self::PendingCopy { hazard: Hazard::ReadAfterWrite } => ("copy", "read"),
            Self::PendingCopy { .. } => ("copy", "write"),
            Self::PendingProduct => ("product", "read"),
            Self::PendingRead => ("product", "write"),
            Self::PendingStore => ("copy", "write"),
            Self::MissingProxyFence | Self::MissingAcquire { .. } | Self::LentAddress { .. } => ("write", "read"),
            Self::AbsentLanes | Self::DifferentLines | Self::DifferentBarriers => ("executed", "executed"),
            _ => ("", "executed"),
        }
    }
}

impl Hazard {
    fn accesses(self) -> &'static str {
        match self {
            Self::ReadAfterWrite => "write and the read",
            Self::WriteAfterRead => "read and the write",
            Self::WriteAfterWrite => "two writes",
        }
    }
}

impl MemorySpace {
    fn name(self) -> &'static str {
        match self {
            Self::Shared => "shared",
            Self::Global => "global",
        }
    }
}

impl FaultKind {
    /// Returns the tool that detects it, or `None` if it is a trap, a failed assertion or an exceeded budget.
    #[must_use]
    pub fn tool(self) -> Option<Tool> {
        match self {
            Self::OutOfBounds | Self::Misaligned | Self::TensorMap | Self::Call | Self::Heap => Some(Tool::Memcheck),
            Self::Deadlock | Self::Barrier | Self::Cluster | Self::Warpgroup => Some(Tool::Synccheck),
            Self::Trap | Self::Assertion | Self::Budget => None,
        }
    }
}

/// A mistake in a kernel, even if the result of this run is right. `Display` writes the whole message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The kind of the mistake.
    pub kind: FindingKind,
    /// The name of the kernel.
    pub kernel: String,
    /// The address of the first occurrence; `None` if the mistake does not concern memory.
    pub address: Option<u64>,
    /// The access at which it was detected.
    pub access: Place,
    /// The earlier access of a race, or the other line of a warp-level instruction.
    pub earlier: Option<Place>,
    /// The number of occurrences, counted in lanes.
    pub count: u64,
}

impl Finding {
    /// Returns the kind of the mistake and its address, without the threads.
    fn title(&self) -> String {
        let Self { kind, kernel, address, count, .. } = self;
        let is_of_shared = kind.is_asynchronous() || *kind == FindingKind::BlockMayHaveEnded;
        let memory = kind.memory().or(is_of_shared.then_some(MemorySpace::Shared));
        let memory = match memory.zip(*address) {
            Some((MemorySpace::Shared, address)) => format!(": shared memory at byte {address}"),
            Some((MemorySpace::Global, address)) => format!(": global memory at {address:#x}"),
            None => String::new(),
        };
        let times = if *count == 1 { "once".to_owned() } else { format!("{count} times") };
        let line = if self.reads_and_writes_in_one_line() { "; the same line reads and writes it" } else { "" };
        format!("{} in kernel `{kernel}`{memory}, {times}{line}", kind.describe())
    }

    /// Returns whether it is a race between a read and a write of the same line of source, such as `x[i] = x[i + 1]`.
    fn reads_and_writes_in_one_line(&self) -> bool {
        let location = |place: &Place| place.location.clone();
        let is_mixed =
            matches!(self.kind, FindingKind::Race { hazard: Hazard::ReadAfterWrite | Hazard::WriteAfterRead, .. });
        is_mixed && self.access.location.is_some() && self.earlier.as_ref().and_then(location) == self.access.location
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (first, second) = self.kind.verbs();
        write!(formatter, "{}", self.title())?;
        if let Some(earlier) = &self.earlier {
            write!(formatter, "\n  {first} {earlier}")?;
        }
        write!(formatter, "\n  {second} {}", self.access)
    }
}

/// A finding or a fault in a common form that can be serialized.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Diagnosis {
    /// The tool that detects it; `None` for a trap, a failed assertion or an exceeded budget.
    pub tool: Option<Tool>,
    /// The mistake and its address, in one line. A deadlock has further lines, indented by four spaces, with the waiting
    /// threads.
    pub title: String,
    /// The threads involved, the earlier access of a race first.
    pub sides: Vec<Side>,
}

/// A thread that is involved in a mistake.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Side {
    /// `read`, `write`, `copy` or `executed`; empty for a fault.
    pub verb: String,
    /// The thread and its instruction.
    pub place: Place,
}

impl From<&Finding> for Diagnosis {
    fn from(finding: &Finding) -> Self {
        let (first, second) = finding.kind.verbs();
        let side = |verb: &str, place: &Place| Side { verb: verb.to_owned(), place: place.clone() };
        let earlier = finding.earlier.iter().map(|place| side(first, place));
        let sides = earlier.chain([side(second, &finding.access)]).collect();
        Self { tool: Some(finding.kind.tool()), title: finding.title(), sides }
    }
}

impl From<&Fault> for Diagnosis {
    fn from(fault: &Fault) -> Self {
        let sides = vec![Side { verb: String::new(), place: fault.place.clone() }];
        Self { tool: fault.kind.tool(), title: fault.title(), sides }
    }
}
