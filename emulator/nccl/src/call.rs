//! Calls, as ranks announce them to each other and as messages name them.

use crate::arithmetic::{Datatype, Reduction};
use serde::{Deserialize, Serialize};
use std::fmt::{Display, Formatter, Result};

/// The operation of a call, with the arguments on which all ranks must agree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Operation {
    AllGather,
    AllReduce(Reduction),
    Broadcast { root: usize },
    Reduce { reduction: Reduction, root: usize },
    ReduceScatter(Reduction),
    Send { to: usize },
    Receive { from: usize },
}

/// One call of a rank on a communicator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Call {
    pub(crate) operation: Operation,
    /// The count argument, in elements.
    pub(crate) count: u64,
    pub(crate) datatype: Datatype,
    /// The number of the call among all calls of the rank on this communicator, from 1.
    pub(crate) number: u64,
}

impl Operation {
    /// Returns the name of the C function.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::AllGather => "ncclAllGather",
            Self::AllReduce(_) => "ncclAllReduce",
            Self::Broadcast { .. } => "ncclBroadcast",
            Self::Reduce { .. } => "ncclReduce",
            Self::ReduceScatter(_) => "ncclReduceScatter",
            Self::Send { .. } => "ncclSend",
            Self::Receive { .. } => "ncclRecv",
        }
    }

    /// Returns the rank among the arguments: the root or the peer.
    pub(crate) fn named_rank(self) -> Option<usize> {
        match self {
            Self::Broadcast { root } | Self::Reduce { root, .. } => Some(root),
            Self::Send { to: peer } | Self::Receive { from: peer } => Some(peer),
            Self::AllGather | Self::AllReduce(_) | Self::ReduceScatter(_) => None,
        }
    }

    /// Returns the reduction, `None` for operations without one.
    pub(crate) fn reduction(self) -> Option<Reduction> {
        match self {
            Self::AllReduce(reduction) | Self::ReduceScatter(reduction) | Self::Reduce { reduction, .. } => {
                Some(reduction)
            }
            _ => None,
        }
    }
}

impl Call {
    /// Returns whether another rank's collective is the same call.
    pub(crate) fn agrees(&self, other: &Self) -> bool {
        (self.operation, self.count, self.datatype) == (other.operation, other.count, other.datatype)
    }

    /// Returns the call with its arguments, such as `ncclSend(count 4, f32, to rank 1)`.
    pub(crate) fn name(&self) -> String {
        let name = self.operation.name();
        let count = self.count;
        let datatype = self.datatype;
        let reduction = self.operation.reduction().map(|reduction| format!(", {reduction}")).unwrap_or_default();
        let rank = match self.operation {
            Operation::Send { to: peer } => format!(", to rank {peer}"),
            Operation::Receive { from } => format!(", from rank {from}"),
            operation => operation.named_rank().map(|root| format!(", root {root}")).unwrap_or_default(),
        };
        format!("{name}(count {count}, {datatype}{reduction}{rank})")
    }
}

impl Display for Call {
    fn fmt(&self, to: &mut Formatter) -> Result {
        write!(to, "{}, its {} call", self.name(), Ordinal(self.number))
    }
}

/// An ordinal number: `1st`, `2nd`, `3rd`, `4th`.
struct Ordinal(u64);

impl Display for Ordinal {
    fn fmt(&self, to: &mut Formatter) -> Result {
        let suffix = match (self.0 % 100, self.0 % 10) {
            (11..=13, _) => "th",
            (_, 1) => "st",
            (_, 2) => "nd",
            (_, 3) => "rd",
            _ => "th",
        };
        write!(to, "{}{suffix}", self.0)
    }
}
