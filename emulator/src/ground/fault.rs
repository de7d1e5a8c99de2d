//! A kernel that did something wrong, and where.

use super::dimensions::Dim3;
use serde::{Deserialize, Serialize};

/// What the kernel did wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FaultKind {
    /// An access outside of every allocation, or of the block's shared memory.
    OutOfBounds,
    /// An access that is not aligned to its size.
    Misaligned,
    /// Threads wait for others that never come.
    Deadlock,
    /// A barrier in shared memory is used as none can be.
    Barrier,
    /// The kernel executed `trap`.
    Trap,
    /// An `assert` of the kernel does not hold.
    Assertion,
    /// The instruction budget of the launch is used up.
    Budget,
}

impl FaultKind {
    fn name(self) -> &'static str {
        match self {
            Self::OutOfBounds => "out-of-bounds access",
            Self::Misaligned => "misaligned access",
            Self::Deadlock => "deadlock",
            Self::Barrier => "wrong use of an mbarrier",
            Self::Trap => "trap",
            Self::Assertion => "failed assertion",
            Self::Budget => "instruction budget used up",
        }
    }
}

/// A thread at an instruction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// Block in the grid.
    pub block: Dim3,
    /// Thread in the block.
    pub thread: Dim3,
    /// Warp in the block.
    pub warp: u32,
    /// Lane in the warp.
    pub lane: u32,
    /// Line of the PTX text, from 1.
    pub line: u32,
    /// File and line that was compiled to it, where the PTX has line information.
    pub location: Option<(String, u32)>,
    /// Text of the PTX line.
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

/// A kernel that did something wrong, and where. `Display` is the whole message.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.message())]
pub struct Fault {
    /// What it did.
    pub kind: FaultKind,
    /// Name of the kernel.
    pub kernel: String,
    /// Who did it, at which instruction.
    pub place: Place,
    /// Address and neighborhood, or who waits for whom.
    pub detail: String,
}

impl Fault {
    fn message(&self) -> String {
        format!("{}\n  {}", self.title(), self.place)
    }

    /// What is wrong and where, without the thread.
    pub(crate) fn title(&self) -> String {
        let Self { kind, kernel, detail, .. } = self;
        format!("{} in kernel `{kernel}`: {detail}", kind.name())
    }
}
