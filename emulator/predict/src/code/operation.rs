//! Operations: what a scheduler issues.

/// The cycles until the result of an arithmetic operation can be used: chains of additions issue every fourth cycle
/// (`addChains1` in `results/nvidia-h200/latency.json`).
pub(super) const ARITHMETIC: u64 = 4;

/// The same for predicates (assumed: published for Volta and Turing, Jia et al. 2018, arXiv 1804.06826).
pub(super) const PREDICATE: u64 = 13;

/// The results of special functions, special registers and votes have the latencies of the GPU's table.
pub(super) const OF_THE_TABLE: u64 = 0;

/// The unit that executes an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    /// Nothing: the operation is part of another one. It passes the readiness of its sources on.
    None,
    /// Single-precision arithmetic.
    Fma,
    /// Integer multiplication.
    Multiply,
    /// Integers, comparisons, selections.
    Integer,
    /// Double-precision arithmetic.
    Double,
    /// Products of small matrices on the tensor cores.
    Tensor,
    /// Special functions.
    Special,
    /// Special registers.
    SpecialRegister,
    /// Votes.
    Vote,
    /// Loads of constants.
    Constant,
    /// Loads and stores of shared memory.
    Shared,
    /// Shuffles.
    Shuffle,
    /// Loads of global memory.
    Load,
    /// Copies from global to shared memory.
    Copy,
    /// The end of a group of copies.
    CommitCopies,
    /// A wait for groups of copies.
    WaitForCopies,
    /// Copies by the unit that copies whole tiles (TMA), which arrive at an mbarrier.
    BulkCopy,
    /// Arrivals at an mbarrier, or at a barrier for part of a block.
    Arrival,
    /// A wait for the phase of an mbarrier.
    Phase,
    /// Products of a warpgroup.
    Warpgroup,
    /// The end of a group of them.
    CommitProducts,
    /// A wait for groups of them.
    WaitForProducts,
    /// Stores to global memory.
    Store,
    /// Atomics on global memory.
    Atomic,
    /// Barriers of the block.
    Barrier,
    /// Branches.
    Branch,
    /// Exits, and instructions without a result.
    Other,
}

/// An operation of a warp.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Operation {
    pub(crate) unit: Unit,
    /// The cycles until the result can be used, for units whose latency does not depend on memory.
    pub(crate) latency: u64,
    /// The thousandths of a cycle that it occupies its pipe, for products on the tensor cores, whose sizes differ.
    pub(crate) occupies: u64,
    /// The number of groups that a wait leaves in flight.
    pub(crate) leaves: u64,
    /// The number of issue slots.
    pub(crate) slots: u64,
    /// The cycles until the warp may issue its next operation, if it is more than the slots.
    pub(crate) stall: u64,
    pub(crate) reads: Vec<u32>,
    pub(crate) writes: Vec<u32>,
    /// The register that is ready when the operation has read its operands: a scoreboard of machine code.
    pub(crate) releases: Option<u32>,
    /// The registers that it reads from each of the two banks of the register file.
    pub(crate) ports: [u64; 2],
    /// The PTX instructions whose accesses it performs; several if loads were joined.
    pub(crate) instructions: Vec<u32>,
    /// The access, for units of memory.
    pub(crate) access: Option<Address>,
    /// Whether it is executed under a predicate.
    pub(crate) is_guarded: bool,
}

/// The address of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Address {
    /// The base register; `None` for an absolute address.
    pub(crate) base: Option<u32>,
    /// The offset in bytes.
    pub(crate) offset: i64,
    /// The number of bytes per lane.
    pub(crate) bytes: u16,
    /// Whether it writes memory.
    pub(crate) stores: bool,
    /// Whether it must not read from the L1 cache.
    pub(crate) bypasses: bool,
    /// Whether it adds floating-point numbers atomically, which takes longer than integers if lanes share an address.
    pub(crate) adds_floats: bool,
}

impl Operation {
    /// Returns an operation that takes one issue slot.
    pub(crate) fn new(unit: Unit, latency: u64, reads: &[u32], writes: &[u32]) -> Self {
        Self {
            unit,
            latency,
            occupies: 0,
            leaves: 0,
            slots: u64::from(unit != Unit::None),
            stall: 0,
            reads: reads.to_vec(),
            writes: writes.to_vec(),
            releases: None,
            ports: [0; 2],
            instructions: Vec::new(),
            access: None,
            is_guarded: false,
        }
    }

    /// Returns the same operation with more issue slots.
    pub(crate) fn with_more_slots(mut self, more: u64) -> Self {
        self.slots += more;
        self
    }

    /// Returns whether it is issued at all.
    pub(crate) fn is_issued(&self) -> bool {
        self.unit != Unit::None
    }

    /// Returns whether it accesses memory at an address that the stream has: constants at fixed offsets have none.
    pub(crate) fn accesses_memory(&self) -> bool {
        let is_indexed = self.unit == Unit::Constant && self.access.is_some();
        is_indexed || matches!(self.unit, Unit::Shared | Unit::Load | Unit::Copy | Unit::Store | Unit::Atomic)
    }

    /// Returns whether all operations before it are issued before, and all after it after it.
    pub(crate) fn is_fence(&self) -> bool {
        matches!(
            self.unit,
            Unit::Barrier
                | Unit::Other
                | Unit::Branch
                | Unit::CommitCopies
                | Unit::WaitForCopies
                | Unit::BulkCopy
                | Unit::Arrival
                | Unit::Phase
                | Unit::Warpgroup
                | Unit::CommitProducts
                | Unit::WaitForProducts
        )
    }

    /// Returns whether it loads from shared memory.
    pub(crate) fn loads_shared(&self) -> bool {
        self.unit == Unit::Shared && self.access.is_some_and(|access| !access.stores)
    }
}
