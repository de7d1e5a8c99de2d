//! The barrier of a cluster, at which a thread arrives, and later waits.

use super::block::BlockMachine;
use super::events::Observer;
use super::memories::AtCluster;
use super::split::{Wait, Warp};
use super::stop::Run;
use crate::ground::fault::FaultKind;
use crate::isa::cluster::ClusterBarrier;

impl<O: Observer> BlockMachine<'_, O> {
    /// Executes a step at the barrier of the cluster for the group and returns false if a split has to wait.
    pub(super) fn cluster_barrier(&mut self, barrier: ClusterBarrier) -> Run<bool> {
        let (ClusterBarrier::Arrive { aligned, .. } | ClusterBarrier::Wait { aligned }) = barrier;
        if O::EVERY_ACCESS && aligned {
            self.report_divergent_barrier();
        }
        self.complete_cluster_barrier();
        match barrier {
            ClusterBarrier::Arrive { releases, .. } => self.arrive_at_cluster(releases),
            ClusterBarrier::Wait { .. } => self.wait_for_cluster(),
        }
    }

    fn arrive_at_cluster(&mut self, releases: bool) -> Run<bool> {
        for index in 0..self.lanes.warps.len() {
            let warp = usize::from(self.lanes.warps[index]);
            let mask = self.lanes.masks[index];
            let AtCluster { arrived, released } = self.at_cluster[warp];
            let twice = mask & (arrived | released);
            if twice != 0 {
                let detail =
                    "a second `barrier.cluster.arrive` without a `barrier.cluster.wait` between them".to_owned();
                return Err(self.fault(FaultKind::Cluster, index, twice, detail));
            }
            self.at_cluster[warp].arrived |= mask;
            self.observer.arrives_at_cluster(self.cluster_number(), warp, releases);
        }
        self.spin.note_change(true);
        Ok(self.advance())
    }

    fn wait_for_cluster(&mut self) -> Run<bool> {
        let position = self.group.position;
        let mut waits = false;
        for index in 0..self.lanes.warps.len() {
            let warp = usize::from(self.lanes.warps[index]);
            let mask = self.lanes.masks[index];
            let AtCluster { arrived, released } = self.at_cluster[warp];
            let without = mask & !(arrived | released);
            if without != 0 {
                let detail = "a `barrier.cluster.wait` without a `barrier.cluster.arrive` before it".to_owned();
                return Err(self.fault(FaultKind::Cluster, index, without, detail));
            }
            waits |= mask & !released != 0;
        }
        if !waits {
            for index in 0..self.lanes.warps.len() {
                self.pass_cluster_barrier(usize::from(self.lanes.warps[index]), self.lanes.masks[index]);
            }
            return Ok(self.advance());
        }
        self.leave_at(position);
        for &(warp, split) in &self.group.members {
            if let Some(split) = &mut self.warps[warp].splits[split] {
                split.wait = Wait::Cluster;
            }
        }
        Ok(false)
    }

    fn pass_cluster_barrier(&mut self, warp: usize, mask: u32) {
        self.at_cluster[warp].released &= !mask;
        self.spin.note_change(true);
        self.observer.passes_cluster(self.cluster_number(), warp);
    }

    /// Releases the splits whose phase is complete, and returns whether there are any.
    pub(super) fn release_cluster(&mut self) -> bool {
        let parts = self.parts(&|wait| wait == Wait::Cluster);
        if parts.is_empty() {
            return false;
        }
        self.complete_cluster_barrier();
        let mut any = false;
        for part in parts {
            if part.mask & !self.at_cluster[part.warp].released == 0 {
                self.pass_cluster_barrier(part.warp, part.mask);
                self.wake(&part);
                any = true;
            }
        }
        any
    }

    /// Ends the phase if all threads of the cluster that have not exited have arrived.
    fn complete_cluster_barrier(&mut self) {
        let peers = || self.cluster.peers.iter().flatten();
        let complete = have_arrived(&self.warps, &self.at_cluster)
            && peers().all(|peer| have_arrived(&peer.warps, &peer.at_cluster));
        let some = self.at_cluster.iter().chain(peers().flat_map(|peer| &peer.at_cluster)).any(|at| at.arrived != 0);
        if complete && some {
            self.observer.completes_cluster(self.cluster_number());
            let peers = self.cluster.peers.iter_mut().flatten().flat_map(|peer| &mut peer.at_cluster);
            for at in self.at_cluster.iter_mut().chain(peers) {
                at.released |= std::mem::take(&mut at.arrived);
            }
        }
    }
}

/// Returns whether all lanes that have not exited have arrived.
fn have_arrived(warps: &[Warp], at_cluster: &[AtCluster]) -> bool {
    warps.iter().zip(at_cluster).all(|(warp, at)| warp.alive & !at.arrived == 0)
}
