//! What a rank calls, as it tells the others and as messages name it.

use crate::arithmetic::{Datatype, Reduction};
use serde::{Deserialize, Serialize};
use std::fmt::{Display, Formatter, Result};

/// What a call does, with the arguments on which ranks must agree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Operation {
    AllGather,
    AllReduce(Reduction),
    AllToAll,
    Broadcast { root: usize },
    Gather { root: usize },
    Reduce { reduction: Reduction, root: usize },
    ReduceScatter(Reduction),
    Scatter { root: usize },
    Send { to: usize },
    Receive { from: usize },
    Split,
}

/// One call of a rank on a communicator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Call {
    pub(crate) operation: Operation,
    /// As the caller gives it, in elements.
    pub(crate) count: u64,
    pub(crate) datatype: Datatype,
    /// Which call of the rank on this communicator it is, from 1.
    pub(crate) number: u64,
}

impl Operation {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::AllGather => "ncclAllGather",
            Self::AllReduce(_) => "ncclAllReduce",
            Self::AllToAll => "ncclAlltoAll",
            Self::Broadcast { .. } => "ncclBroadcast",
            Self::Gather { .. } => "ncclGather",
            Self::Reduce { .. } => "ncclReduce",
            Self::ReduceScatter(_) => "ncclReduceScatter",
            Self::Scatter { .. } => "ncclScatter",
            Self::Send { .. } => "ncclSend",
            Self::Receive { .. } => "ncclRecv",
            Self::Split => "ncclCommSplit",
        }
    }

    /// Returns the rank that the caller names.
    pub(crate) fn named_rank(self) -> Option<usize> {
        match self {
            Self::Broadcast { root } | Self::Gather { root } | Self::Reduce { root, .. } | Self::Scatter { root } => {
                Some(root)
            }
            Self::Send { to: peer } | Self::Receive { from: peer } => Some(peer),
            Self::AllGather | Self::AllReduce(_) | Self::AllToAll | Self::ReduceScatter(_) | Self::Split => None,
        }
    }

    /// Returns how the values of ranks are combined.
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
    /// Returns whether another rank's collective is the same one.
    pub(crate) fn agrees(&self, other: &Self) -> bool {
        (self.operation, self.count, self.datatype) == (other.operation, other.count, other.datatype)
    }

    /// Returns it as it was written.
    pub(crate) fn name(&self) -> String {
        let (name, count, datatype) = (self.operation.name(), self.count, self.datatype);
        if self.operation == Operation::Split {
            return name.into();
        }
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

/// `1st`, `2nd`, `3rd`, `4th`.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_named_as_it_was_written() {
        let call = |operation, number| Call { operation, count: 4, datatype: Datatype::F32, number }.to_string();
        assert_eq!(call(Operation::AllGather, 1), "ncclAllGather(count 4, f32), its 1st call");
        assert_eq!(call(Operation::AllReduce(Reduction::Sum), 12), "ncclAllReduce(count 4, f32, sum), its 12th call");
        let reduce = Operation::Reduce { reduction: Reduction::Max, root: 2 };
        assert_eq!(call(reduce, 22), "ncclReduce(count 4, f32, max, root 2), its 22nd call");
        assert_eq!(call(Operation::Send { to: 3 }, 3), "ncclSend(count 4, f32, to rank 3), its 3rd call");
        assert_eq!(call(Operation::Split, 111), "ncclCommSplit, its 111th call");
    }
}
