//! Suspended blocks, and the clusters to which they belong.

use super::clock::ClockState;
use super::memories::{Arrivals, AtCluster, MatrixOperands, Sums};
use super::pending_copies::PendingCopies;
use super::spin_detection::SpinHistory;
use super::split::Warp;
use crate::vector::registers::Registers;

/// A suspended block, with the whole state of its threads.
#[derive(Debug)]
pub(crate) struct SuspendedBlock {
    /// The number of the block in the grid.
    pub(crate) block: u64,
    pub(super) warps: Vec<Warp>,
    pub(super) registers: Registers,
    pub(super) shared: Vec<u32>,
    pub(super) local: Vec<u32>,
    pub(super) arrivals: Arrivals,
    pub(super) copies: PendingCopies,
    pub(super) at_cluster: Vec<AtCluster>,
    /// The rest of the cluster, for a block that stands for it.
    pub(super) cluster: Cluster,
    /// The fingerprint at the last timeout, while other blocks of the cluster run.
    pub(super) last_timeout: Option<u64>,
    pub(super) operands: Vec<MatrixOperands>,
    pub(super) sums: Vec<Sums>,
    pub(super) clock: ClockState,
    pub(crate) history: SpinHistory,
}

/// The blocks of a cluster.
#[derive(Debug, Default)]
pub(crate) struct Cluster {
    /// The number of the cluster in the grid.
    pub(super) number: u64,
    /// The rank of the running block.
    pub(super) rank: usize,
    /// The other blocks by rank; `None` for the running one, and for those that have ended.
    pub(super) peers: Vec<Option<SuspendedBlock>>,
    /// The number of turns since a block changed something.
    pub(super) quiet: usize,
    /// How blocks left their turns since then.
    pub(super) leaves: Leaves,
}

/// How blocks left their turns.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Leaves {
    pub(super) yields: bool,
    /// The least number of changes of device memory since which a block spins.
    pub(super) spins: Option<u64>,
}

impl Cluster {
    /// Returns whether there are other blocks that have not ended.
    pub(super) fn has_peers(&self) -> bool {
        self.peers.iter().any(Option::is_some)
    }

    /// Returns whether waits for phases of mbarriers may time out: every block has had its turn, and nothing has changed.
    pub(super) fn is_quiet(&self) -> bool {
        self.quiet > self.peers.len()
    }

    /// Returns the rank of the next block that has not ended.
    pub(super) fn next(&self) -> Option<usize> {
        let count = self.peers.len();
        (1..count).map(|step| (self.rank + step) % count).find(|&rank| self.peers[rank].is_some())
    }
}

impl SuspendedBlock {
    /// Returns the blocks of a suspended cluster that have not ended, the block itself first.
    pub(crate) fn each(&self) -> impl Iterator<Item = &Self> {
        std::iter::once(self).chain(self.cluster.peers.iter().flatten())
    }
}
