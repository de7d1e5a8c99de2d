//! The barrier of a cluster, and the test for the block's own shared memory.

use super::class::Class;
use super::form::Form;

/// An instruction for the blocks of a cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cluster {
    Barrier(ClusterBarrier),
    /// Tests whether a generic address points into the block's own shared memory.
    IsOwnShared,
}

/// An instruction at the barrier of the cluster. Each thread arrives, and then waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ClusterBarrier {
    /// Arrives without waiting. `releases`: accesses before it are ordered before those after the wait of another thread.
    Arrive { releases: bool, aligned: bool },
    /// Waits until all threads of the cluster that have not exited have arrived.
    Wait { aligned: bool },
}

/// The rows of the table.
pub(crate) const FORMS: &[Form<Cluster>] = &[
    Form::control("barrier.cluster.arrive[.release|.relaxed][.aligned]", "arrive at the barrier of the cluster", |m| {
        let releases = !m.has("relaxed");
        let aligned = m.has("aligned");
        Cluster::Barrier(ClusterBarrier::Arrive { releases, aligned })
    }),
    Form::control(
        "barrier.cluster.wait[.acquire][.aligned]",
        "wait at the barrier of the cluster for all threads",
        |m| Cluster::Barrier(ClusterBarrier::Wait { aligned: m.has("aligned") }),
    ),
    Form::in_any_file(
        "isspacep.{shared|shared::cta}",
        Class::Move,
        "p = whether a points into shared memory of the block",
        |_| Cluster::IsOwnShared,
    ),
];
