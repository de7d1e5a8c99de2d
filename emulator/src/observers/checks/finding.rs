//! What checks find, in the vocabulary of compute-sanitizer's tools.

use crate::ground::fault::{Fault, FaultKind, Place};
use serde::{Deserialize, Serialize};
use std::fmt;

/// The tool of compute-sanitizer that looks for a kind of mistake.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Tool {
    /// Bounds and alignment.
    Memcheck,
    /// Reads of uninitialized memory.
    Initcheck,
    /// Two threads at one place without an order.
    Racecheck,
    /// Barriers, and instructions for several lanes.
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

/// Where an access goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MemorySpace {
    /// The block's own memory; addresses count from its begin.
    Shared,
    /// Device memory.
    Global,
}

/// How near to each other the threads of a race are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Distance {
    /// Of one warp: only lanes in lockstep would keep the order.
    InsideWarp,
    /// Of two warps of one block.
    BetweenWarps,
    /// Of two blocks.
    BetweenBlocks,
}

/// The order of the two accesses of a race, as it happened here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Hazard {
    /// Read after write.
    ReadAfterWrite,
    /// Write after read.
    WriteAfterRead,
    /// Write after write, of another value.
    WriteAfterWrite,
}

/// What is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum FindingKind {
    /// Two threads access the same byte, one of them writes, and nothing orders them.
    Race {
        /// Whose memory.
        memory: MemorySpace,
        /// What the two accesses are.
        hazard: Hazard,
        /// How near the threads are.
        distance: Distance,
    },
    /// A read of uninitialized memory, written by no thread of the block, or by neither host nor kernel.
    Uninitialised {
        /// Whose memory.
        memory: MemorySpace,
    },
    /// An access of shared memory that an asynchronous copy is under way to: nobody has waited for the copy.
    CopyUnderWay {
        /// What the copy's write and the access are.
        hazard: Hazard,
    },
    /// A barrier of the block that some lanes of a warp reach without the others.
    DivergentBarrier,
    /// A warp-level instruction whose mask leaves out a lane that executes it.
    MaskWithoutCaller,
    /// A shuffle that takes the value of a lane that takes no part: that value is undefined.
    ShuffleFromInactive,
    /// A warp-level instruction that parts of a warp execute at different lines: they meet there, and hand each other
    /// values, as they do on hardware since Volta.
    MetApart,
}

impl FindingKind {
    /// The tool that looks for it.
    #[must_use]
    pub fn tool(self) -> Tool {
        match self {
            Self::Race { .. } | Self::CopyUnderWay { .. } => Tool::Racecheck,
            Self::Uninitialised { .. } => Tool::Initcheck,
            Self::DivergentBarrier | Self::MaskWithoutCaller | Self::ShuffleFromInactive | Self::MetApart => {
                Tool::Synccheck
            }
        }
    }

    /// Whether two places belong to it.
    pub(crate) fn has_two_sides(self) -> bool {
        matches!(self, Self::Race { .. } | Self::CopyUnderWay { .. } | Self::MetApart)
    }

    /// How near the threads of a race are.
    pub(super) fn distance(self) -> Option<Distance> {
        if let Self::Race { distance, .. } = self { Some(distance) } else { None }
    }

    /// The same for threads of one warp, for comparison.
    pub(super) fn without_distance(self) -> Self {
        match self {
            Self::Race { memory, hazard, .. } => Self::Race { memory, hazard, distance: Distance::InsideWarp },
            other => other,
        }
    }

    /// The mistake in words, without its place.
    fn describe(self) -> String {
        match self {
            Self::Race { distance: Distance::InsideWarp, .. } => "race inside a warp, without __syncwarp".into(),
            Self::Race { distance: Distance::BetweenWarps, .. } => "race between warps".into(),
            Self::Race { distance: Distance::BetweenBlocks, .. } => "race between blocks".into(),
            Self::Uninitialised { memory } => format!("read of uninitialized {} memory", memory.name()),
            Self::CopyUnderWay { .. } => "access before the wait for an asynchronous copy".into(),
            Self::DivergentBarrier => "barrier with divergent threads in a warp".into(),
            Self::MaskWithoutCaller => "mask that leaves out a lane that executes the instruction".into(),
            Self::ShuffleFromInactive => "shuffle from a lane that takes no part".into(),
            Self::MetApart => "warp-level instruction that parts of a warp execute at different lines".into(),
        }
    }

    /// What the earlier access and the last one do.
    fn verbs(self) -> (&'static str, &'static str) {
        match self {
            Self::Race { hazard: Hazard::ReadAfterWrite, .. } => ("write", "read"),
            Self::Race { hazard: Hazard::WriteAfterRead, .. } => ("read", "write"),
            Self::Race { .. } => ("write", "write"),
            Self::Uninitialised { .. } => ("", "read"),
            Self::CopyUnderWay { hazard: Hazard::ReadAfterWrite } => ("copy", "read"),
            Self::CopyUnderWay { .. } => ("copy", "write"),
            Self::MetApart => ("executed", "executed"),
            _ => ("", "executed"),
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
    /// The tool that looks for it; `None` for what ends a kernel without being a mistake of this kind.
    #[must_use]
    pub fn tool(self) -> Option<Tool> {
        match self {
            Self::OutOfBounds | Self::Misaligned => Some(Tool::Memcheck),
            Self::Deadlock | Self::Barrier => Some(Tool::Synccheck),
            Self::Trap | Self::Assertion | Self::Budget => None,
        }
    }
}

/// A place where a kernel is wrong, though this run may have given the right result. `Display` is the whole message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What is wrong.
    pub kind: FindingKind,
    /// Name of the kernel.
    pub kernel: String,
    /// First byte where it was seen; `None` for what concerns no memory.
    pub address: Option<u64>,
    /// The access that completed it.
    pub access: Place,
    /// The earlier access of a race; one side of a meeting at different lines.
    pub earlier: Option<Place>,
    /// How often it happened, counted in lanes.
    pub count: u64,
}

impl Finding {
    /// What is wrong and where, without the threads.
    fn title(&self) -> String {
        let Self { kind, kernel, address, count, .. } = self;
        let memory = match (kind, address) {
            (FindingKind::Race { memory, .. } | FindingKind::Uninitialised { memory }, Some(address)) => match memory {
                MemorySpace::Shared => format!(": shared memory at byte {address}"),
                MemorySpace::Global => format!(": global memory at {address:#x}"),
            },
            (FindingKind::CopyUnderWay { .. }, Some(address)) => format!(": shared memory at byte {address}"),
            _ => String::new(),
        };
        let times = if *count == 1 { "once".to_owned() } else { format!("{count} times") };
        format!("{} in kernel `{kernel}`{memory}, {times}", kind.describe())
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

/// A finding or a fault in a form that other programs read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Diagnosis {
    /// The tool that looks for it; `None` for a trap and for a kernel that does not end.
    pub tool: Option<Tool>,
    /// What is wrong and where, in one line.
    pub title: String,
    /// Who does it: the earlier access of a race first.
    pub sides: Vec<Side>,
}

/// A thread that takes part in a mistake.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Side {
    /// `read`, `write`, `executed`; empty for a fault.
    pub verb: String,
    /// Where.
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
