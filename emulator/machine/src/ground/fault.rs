//! Faults: what a kernel did wrong, and where.

use super::dimensions::Dim3;
use serde::{Deserialize, Serialize};

/// The kind of a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FaultKind {
    /// An access outside every allocation, or outside the block's shared memory.
    OutOfBounds,
    /// An access whose address is not a multiple of its size.
    Misaligned,
    /// Threads that wait for each other, or for a value that no thread writes.
    Deadlock,
    /// An invalid operation on an mbarrier.
    Barrier,
    /// An invalid use of the barrier of a cluster.
    Cluster,
    /// An invalid product of a warpgroup.
    Warpgroup,
    /// An invalid tensor map, or one that does not fit the copy.
    TensorMap,
    /// An invalid pointer to a function, or calls that are too deep.
    Call,
    /// A `free` of an address that is not a block of the heap.
    Heap,
    /// A `trap` instruction.
    Trap,
    /// A failed `assert`.
    Assertion,
    /// More instructions than [`crate::Options::instruction_budget`] allows.
    Budget,
}

impl FaultKind {
    fn name(self) -> &'static str {
        match self {
            Self::OutOfBounds => "out-of-bounds access",
            Self::Misaligned => "misaligned access",
            Self::Deadlock => "deadlock",
            Self::Barrier => "invalid use of an mbarrier",
            Self::Cluster => "invalid use of the barrier of a cluster",
            Self::Warpgroup => "invalid use of a warpgroup",
            Self::TensorMap => "invalid tensor map",
            Self::Call => "invalid call",
            Self::Heap => "invalid use of the heap",
            Self::Trap => "trap",
            Self::Assertion => "failed assertion",
            Self::Budget => "instruction budget used up",
        }
    }
}

/// A thread and an instruction that it executes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// The index of the block in the grid.
    pub block: Dim3,
    /// The index of the thread in the block.
    pub thread: Dim3,
    /// The number of the warp in the block.
    pub warp: u32,
    /// The lane in the warp.
    pub lane: u32,
    /// The line in the PTX, counted from 1.
    pub line: u32,
    /// The source file and line, if the PTX has line information. For a function of a header in a folder that is not
    /// the kernel's or below it, that of the call.
    pub location: Option<(String, u32)>,
    /// The file and the line of a header that are inlined there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inlined: Option<(String, u32)>,
    /// The text of the PTX line.
    pub instruction: String,
}

impl std::fmt::Display for Place {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { block, thread, warp, lane, line, instruction, .. } = self;
        let location = self.location.as_ref().map_or(String::new(), |(file, line)| format!("{file}:{line}, "));
        write!(
            formatter,
            "at {location}PTX line {line}: {instruction}\n  by thread {thread} (warp {warp}, lane {lane}) of block {block}"
        )
    }
}

/// An error of a kernel, with its place. `Display` writes the whole message.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.message())]
pub struct Fault {
    /// The kind of fault.
    pub kind: FaultKind,
    /// The name of the kernel.
    pub kernel: String,
    /// The thread and the instruction.
    pub place: Place,
    /// The address and the nearest allocation, or the threads that wait.
    pub detail: String,
}

impl Fault {
    fn message(&self) -> String {
        format!("{}\n  {}", self.title(), self.place)
    }

    /// Returns the first line of the message: everything but the place.
    pub(crate) fn title(&self) -> String {
        let Self { kind, kernel, detail, .. } = self;
        format!("{} in kernel `{kernel}`: {detail}", kind.name())
    }
}
