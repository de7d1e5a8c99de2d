//! Special registers, whose values are constant during a launch.

/// A special register, whose value is constant during a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Special {
    /// The index of the thread in the block, by axis (0 to 2).
    Thread(u8),
    BlockSize(u8),
    Block(u8),
    GridSize(u8),
    /// The index of the block in its cluster.
    BlockInCluster(u8),
    ClusterSize(u8),
    Cluster(u8),
    Clusters(u8),
    /// The number of the block in its cluster.
    ClusterRank,
    ClusterBlocks,
    /// Whether the launch has clusters, a predicate.
    HasClusters,
    Lane,
    Warp,
    Warps,
    /// `%smid` and `%gridid`, which are 0. `%nsmid` is [`Self::One`].
    Zero,
    One,
    LanesEqual,
    LanesBelow,
    LanesBelowOrEqual,
    LanesAbove,
    LanesAboveOrEqual,
    DynamicSharedBytes,
    /// An address in the shared memory of a block that CUDA reserves, by its offset there. Cooperative groups of several warps
    /// use it.
    ReservedShared(u16),
    ReservedSharedBytes,
    TotalSharedBytes,
    /// The address of a cooperative launch's workspace, in two halves, as NVIDIA's drivers pass it to `grid.sync()`.
    WorkspaceHigh,
    WorkspaceLow,
}

/// The bytes of shared memory that CUDA reserves in each block. Here they are behind those of the kernel, and only if it asks for
/// them.
pub(crate) const RESERVED_SHARED_BYTES: u16 = 1024;

impl Special {
    /// Finds a special register by its name, without the percent sign.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        let axis = |rest: &str| ["x", "y", "z"].iter().position(|axis| *axis == rest).map(|axis| axis as u8);
        if let Some((register, rest)) = name.split_once('.') {
            let axis = axis(rest)?;
            return match register {
                "tid" => Some(Self::Thread(axis)),
                "ntid" => Some(Self::BlockSize(axis)),
                "ctaid" => Some(Self::Block(axis)),
                "nctaid" => Some(Self::GridSize(axis)),
                "cluster_ctaid" => Some(Self::BlockInCluster(axis)),
                "cluster_nctaid" => Some(Self::ClusterSize(axis)),
                "clusterid" => Some(Self::Cluster(axis)),
                "nclusterid" => Some(Self::Clusters(axis)),
                _ => None,
            };
        }
        Some(match name {
            "cluster_ctarank" => Self::ClusterRank,
            "cluster_nctarank" => Self::ClusterBlocks,
            "is_explicit_cluster" => Self::HasClusters,
            "laneid" => Self::Lane,
            "warpid" => Self::Warp,
            "nwarpid" => Self::Warps,
            "smid" | "gridid" => Self::Zero,
            "nsmid" => Self::One,
            "lanemask_eq" => Self::LanesEqual,
            "lanemask_lt" => Self::LanesBelow,
            "lanemask_le" => Self::LanesBelowOrEqual,
            "lanemask_gt" => Self::LanesAbove,
            "lanemask_ge" => Self::LanesAboveOrEqual,
            "dynamic_smem_size" => Self::DynamicSharedBytes,
            // As on an H200: 288 bytes, which are those for cooperative groups.
            "reserved_smem_offset_begin" | "reserved_smem_offset_0" | "reserved_smem_offset_1" => {
                Self::ReservedShared(0)
            }
            "reserved_smem_offset_end" => Self::ReservedShared(288),
            "reserved_smem_offset_cap" => Self::ReservedSharedBytes,
            "total_smem_size" => Self::TotalSharedBytes,
            "envreg1" => Self::WorkspaceHigh,
            "envreg2" => Self::WorkspaceLow,
            _ => return None,
        })
    }

    /// Returns whether the value differs between blocks.
    pub(crate) fn differs_by_block(self) -> bool {
        matches!(
            self,
            Self::Block(_) | Self::BlockInCluster(_) | Self::Cluster(_) | Self::ClusterRank | Self::ReservedShared(_)
        )
    }

    /// Returns whether the value differs between the lanes of a warp, in the same way in every warp.
    pub(crate) fn differs_by_lane(self) -> bool {
        matches!(
            self,
            Self::Lane
                | Self::LanesEqual
                | Self::LanesBelow
                | Self::LanesBelowOrEqual
                | Self::LanesAbove
                | Self::LanesAboveOrEqual
        )
    }

    /// Returns whether the value differs between the warps of a block.
    pub(crate) fn differs_by_warp(self) -> bool {
        matches!(self, Self::Thread(_) | Self::Warp)
    }
}
