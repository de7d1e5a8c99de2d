//! Clusters: blocks that run on one worker in turn, and access each other's shared memory.
//!
//! A worker runs a block of a cluster until it ends or no thread of it can continue, and then the next one. So the blocks of a
//! cluster are always resident together. The cluster leaves its worker if every block has had its turn twice and nothing that
//! another block can observe has changed.

use super::block::BlockMachine;
use super::events::Observer;
use super::stop::{Leave, Run};
use super::suspended::{Cluster, Leaves, SuspendedBlock};
use crate::ground::dimensions::Dim3;
use crate::ground::fault::FaultKind;

impl<O: Observer> BlockMachine<'_, O> {
    /// Starts the blocks of a cluster; without clusters, a block.
    pub(crate) fn start_cluster(&mut self, number: u64) {
        let clusters = self.bound.clusters;
        let count = clusters.blocks() as usize;
        if count == 1 {
            self.start(number);
            self.cluster.number = number;
            return;
        }
        let mut peers: Vec<Option<SuspendedBlock>> = Vec::new();
        for rank in (0..count).rev() {
            self.start(clusters.block(number, rank as u64));
            peers.push((rank > 0).then(|| self.suspend_block()));
        }
        peers.reverse();
        self.cluster = Cluster { number, peers, ..Cluster::default() };
    }

    /// Returns the number of the cluster in the grid.
    pub(crate) fn cluster_number(&self) -> u64 {
        self.cluster.number
    }

    /// Returns the running block's number in the grid, and its index.
    pub(crate) fn place(&self) -> (u64, Dim3) {
        (self.block, self.bound.launch.grid.at(self.block))
    }

    /// Runs the blocks of the cluster in turn until all have ended, or all wait for others.
    pub(crate) fn run(&mut self) -> Run<Leave> {
        loop {
            let leave = self.run_block()?;
            if self.cluster.peers.len() < 2 {
                return Ok(leave);
            }
            let Some(leave) = self.take_turns(leave)? else { continue };
            return Ok(leave);
        }
    }

    /// Goes on with the next block. Returns how the cluster leaves its worker, if it does.
    fn take_turns(&mut self, leave: Leave) -> Run<Option<Leave>> {
        let changed = self.spin.has_changed() || leave == Leave::Ended;
        let cluster = &mut self.cluster;
        cluster.quiet = if changed { 0 } else { cluster.quiet + 1 };
        if changed {
            cluster.leaves = Leaves::default();
        }
        match leave {
            Leave::Ended if !cluster.has_peers() => return Ok(Some(Leave::Ended)),
            Leave::Ended | Leave::Waits => {}
            Leave::Yields => cluster.leaves.yields = true,
            Leave::Spins { since } => {
                cluster.leaves.spins = Some(cluster.leaves.spins.map_or(since, |least| least.min(since)));
            }
        }
        if cluster.quiet > 2 * cluster.peers.len() {
            let leaves = std::mem::take(&mut cluster.leaves);
            cluster.quiet = 0;
            return match leaves {
                Leaves { yields: true, .. } => Ok(Some(Leave::Yields)),
                Leaves { spins: Some(since), .. } => Ok(Some(Leave::Spins { since })),
                _ => Err(self.deadlock()),
            };
        }
        self.go_on_with_next(leave == Leave::Ended);
        Ok(None)
    }

    fn go_on_with_next(&mut self, ended: bool) {
        let Some(next) = self.cluster.next() else { return };
        let timeout = self.last_timeout;
        let mut running = self.suspend_block();
        running.last_timeout = timeout;
        let rank = std::mem::replace(&mut self.cluster.rank, next);
        self.cluster.peers[rank] = (!ended).then_some(running);
        if let Some(next) = self.cluster.peers[next].take() {
            let timeout = next.last_timeout;
            self.resume_block(next);
            self.last_timeout = timeout;
        }
    }

    /// Runs `access` with the shared memory of the block with this rank in place of the running block's. Fails for lane `lane` of
    /// member `index` of the group if there is no such block, or if it has ended.
    pub(super) fn with_peer<T>(
        &mut self,
        rank: u64,
        (index, lane): (usize, usize),
        access: impl FnOnce(&mut Self) -> Run<T>,
    ) -> Run<T> {
        if rank == self.rank() {
            return access(self);
        }
        let clusters = self.bound.clusters;
        let fault = |machine: &Self, detail| Err(machine.fault(FaultKind::OutOfBounds, index, 1 << lane, detail));
        if rank >= clusters.blocks() {
            let blocks = clusters.blocks();
            return fault(self, format!("the shared memory of block {rank} of a cluster that has {blocks}"));
        }
        if !self.swap_with_peer(rank as usize) {
            let block = self.bound.launch.grid.at(clusters.block(self.cluster.number, rank));
            return fault(self, format!("the shared memory of block {block} of the cluster, which has ended"));
        }
        let block = clusters.block(self.cluster.number, rank);
        let warp = usize::from(self.lanes.warps[index]);
        self.observer.enter_peer(block, warp, 1 << lane, self.group.position);
        let result = access(self);
        self.observer.leave_peer();
        self.swap_with_peer(rank as usize);
        result
    }

    /// Returns the rank of the running block in its cluster.
    pub(super) fn rank(&self) -> u64 {
        self.cluster.rank as u64
    }

    /// Exchanges the shared memory of the running block and of another one, with its pending copies. Returns false if that has
    /// ended.
    fn swap_with_peer(&mut self, rank: usize) -> bool {
        let Some(Some(peer)) = self.cluster.peers.get_mut(rank) else { return false };
        std::mem::swap(&mut self.memories.shared, &mut peer.shared);
        std::mem::swap(&mut self.copies, &mut peer.copies);
        true
    }

    /// Suspends the cluster, or a block without one.
    pub(crate) fn suspend(&mut self) -> SuspendedBlock {
        let cluster = std::mem::take(&mut self.cluster);
        SuspendedBlock { cluster, ..self.suspend_block() }
    }

    /// Resumes a suspended cluster.
    pub(crate) fn resume(&mut self, mut suspended: SuspendedBlock) {
        self.cluster = std::mem::take(&mut suspended.cluster);
        self.resume_block(suspended);
    }
}
