//! The two ways to the work of a launch: from PTX on the emulator, and from machine code.

use crate::code::compile;
use crate::code::operation::Operation;
use crate::code::predicate::Heads;
use crate::machine_code::{Followed, MachineCode, SCOREBOARDS};
use crate::refusal::{self, Refusal};
use emulator::{BlockStream, Replay, Scene, stream};
use serde::{Deserialize, Serialize};

/// What an estimate was made from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Way {
    /// What ptxas made of the kernel.
    #[serde(rename = "machine code")]
    MachineCode,
    /// The PTX alone, as of all estimates in older records.
    #[default]
    #[serde(rename = "ptx")]
    Ptx,
}

impl Way {
    /// Returns the way in words, as a heading has it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::MachineCode => "machine code",
            Self::Ptx => "the PTX",
        }
    }
}

/// Why a source gives no estimate.
pub(crate) enum Stop {
    /// There is none at all.
    Refused(Refusal),
    /// The machine code cannot be followed, for this reason, but the PTX may be.
    NotFollowed(String),
}

impl<E: Into<Refusal>> From<E> for Stop {
    fn from(error: E) -> Self {
        Self::Refused(error.into())
    }
}

/// The work of a launch.
pub(crate) struct Source<'a> {
    replay: &'a Replay<'a>,
    /// The operations of each basic block.
    pub(crate) code: Vec<Vec<Operation>>,
    /// The basic blocks that are one with an earlier one, whose operations have theirs.
    pub(crate) heads: Heads,
    followed: Option<Followed>,
}

impl<'a> Source<'a> {
    /// Returns the work by the PTX.
    pub(crate) fn from_ptx(replay: &'a Replay<'a>) -> Self {
        let (code, heads) = compile(replay.kernel.listing());
        Self { replay, code, heads, followed: None }
    }

    /// Returns the work by machine code.
    pub(crate) fn from_machine_code(replay: &'a Replay<'a>, scene: &Scene, code: &MachineCode) -> Result<Self, Stop> {
        let followed = Followed::new(code, scene).map_err(Stop::NotFollowed)?;
        let code = followed.code().to_vec();
        Ok(Self { replay, heads: (0..code.len()).collect(), code, followed: Some(followed) })
    }

    pub(crate) fn way(&self) -> Way {
        if self.followed.is_some() { Way::MachineCode } else { Way::Ptx }
    }

    /// Returns how often the warps of a block enter each basic block, or as often as shows that it has work.
    pub(crate) fn beginning(&self, block: u64) -> Result<BlockStream, Stop> {
        match &self.followed {
            Some(followed) => followed.beginning(block).map_err(Stop::NotFollowed),
            None => self.stream(block, 0),
        }
    }

    /// Returns the stream of a block.
    pub(crate) fn stream(&self, block: u64, most_events: usize) -> Result<BlockStream, Stop> {
        if let Some(followed) = &self.followed {
            return followed.stream(block, most_events).map_err(Stop::NotFollowed);
        }
        let Replay { kernel, memory, .. } = self.replay;
        let streams = stream(kernel, memory, &self.replay.launch(), &[block], most_events)?;
        Ok(streams.into_iter().next().unwrap_or_default())
    }

    /// Refuses what is not modeled.
    pub(crate) fn check(&self, streams: &[BlockStream]) -> Result<(), Refusal> {
        match &self.followed {
            Some(followed) => refusal::check_machine_code(followed.opcodes(), streams)?,
            None => refusal::check_code(self.replay.kernel.listing(), streams)?,
        }
        Ok(())
    }

    /// Returns the registers of a thread, which limit the resident blocks.
    pub(crate) fn registers(&self) -> u32 {
        self.followed.as_ref().map_or_else(|| self.replay.kernel.registers(), |followed| followed.registers)
    }

    /// Returns the number of registers of the operations: virtual ones, or scoreboards.
    pub(crate) fn places(&self) -> usize {
        let all = self.code.iter().flatten().flat_map(|operation| operation.reads.iter().chain(&operation.writes));
        let least = if self.followed.is_some() { SCOREBOARDS } else { 0 };
        all.max().map_or(0, |&last| last as usize + 1).max(least)
    }
}
