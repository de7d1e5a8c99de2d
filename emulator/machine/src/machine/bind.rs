//! A program bound to a launch: register slots become rows, and uniform values are computed.

use crate::ground::cluster::{Clusters, at_rank};
use crate::ground::dimensions::{Dim3, Launch};
use crate::ground::lanes::WARP_SIZE;
use crate::isa::asynchronous::Asynchronous;
use crate::isa::memory::MemoryOperation;
use crate::isa::operation::Arithmetic;
use crate::lower::special::{RESERVED_SHARED_BYTES, Special};
use crate::lower::step::{Action, FileSizes, Guard, Program, Slot, Step, Uniform};
use crate::vector::apply::Handler;
use crate::vector::lanes::Lanes;
use crate::vector::masked::{self, Operands, SPARE_OPERANDS};
use crate::vector::registers::{Operand, OperandKind, Registers, Row, Rows};
use crate::vector::simd::Simd;
use std::sync::Arc;

/// A step whose operands are rows of a block's registers.
pub(crate) type BoundStep = Step<Rows>;

impl BoundStep {
    /// Returns operand `index`, which must exist.
    #[inline(always)]
    pub(crate) fn operand(&self, index: usize) -> Operand {
        Operand { kind: self.kinds[index].unwrap_or(OperandKind::Narrow), rows: self.places[index] }
    }
}

impl Guard<Rows> {
    /// Returns the lanes of a warp for which the guard is true.
    #[inline(always)]
    pub(crate) fn lanes(self, registers: &Registers, warp: usize) -> u32 {
        let bits = registers.predicates[self.place.row(warp)];
        if self.negated { !bits } else { bits }
    }
}

/// The steps and register files of a kernel for blocks of a given shape.
pub(crate) struct Bound<'a> {
    pub(crate) program: &'a Program,
    pub(crate) launch: &'a Launch<'a>,
    pub(crate) clusters: Clusters,
    /// Whether clusters have several blocks.
    pub(crate) has_clusters: bool,
    pub(crate) steps: Vec<BoundStep>,
    /// The handlers of the arithmetic steps.
    pub(crate) handlers: Arc<[Option<Handler>]>,
    /// For each step, the first from it on that a block executes: invariant steps are executed before.
    pub(crate) not_invariant: &'a [u32],
    pub(crate) warps: usize,
    /// The numbers of all warps.
    all_warps: Vec<u8>,
    /// Whether there are products of warpgroups, or waits for copies out of shared memory.
    pub(crate) has_products: bool,
    /// The address of the workspace of a cooperative launch, 0 if there is none.
    workspace: u64,
    /// The size of the shared memory of a block in bytes, without what CUDA reserves and with it.
    shared_bytes: [usize; 2],
    /// The rows in use of each register file; the spare rows follow them.
    rows: FileSizes,
}

impl<'a> Bound<'a> {
    pub(crate) fn new(
        program: &'a Program,
        launch: &'a Launch<'a>,
        clusters: Clusters,
        simd: Simd,
        workspace: u64,
    ) -> Self {
        let threads = launch.block.volume() as usize;
        let warps = threads.div_ceil(WARP_SIZE);
        let rows_of = |uniforms: &[Uniform], slots: u32| uniforms.len() as u32 + slots * warps as u32;
        let rows = FileSizes {
            narrow: rows_of(&program.uniforms.narrow, program.slots.narrow),
            wide: rows_of(&program.uniforms.wide, program.slots.wide),
            predicate: rows_of(&program.uniforms.predicate, program.slots.predicate),
        };
        let handlers = program.handlers(simd);
        let has_products = program.steps.iter().any(|step| {
            matches!(step.action, Action::Warpgroup(_) | Action::Asynchronous(Asynchronous::WaitForStores))
        });
        let steps = Vec::new();
        let shared_bytes = [0; 2];
        let mut bound = Self {
            program,
            launch,
            clusters,
            has_clusters: clusters.blocks() > 1,
            steps,
            handlers,
            not_invariant: &program.not_invariant,
            warps,
            all_warps: (0..warps).map(|warp| warp as u8).collect(),
            has_products,
            workspace,
            shared_bytes,
            rows,
        };
        bound.shared_bytes = bound.sizes_of_shared_memory();
        bound.steps = program.steps.iter().map(|step| step.map_places(|slot, kind| bound.rows(slot, kind))).collect();
        bound
    }

    /// Returns the rows of a slot or of a uniform value.
    pub(crate) fn rows(&self, slot: Slot, kind: OperandKind) -> Rows {
        let uniforms = self.program.uniforms.by_kind(kind).len();
        match slot {
            Slot::Uniform(number) => Rows { first: number, stride: 0 },
            Slot::Register(slot) => Rows { first: uniforms as u32 + slot * self.warps as u32, stride: 1 },
        }
    }

    /// Executes an arithmetic step for the active lanes only.
    #[inline(never)]
    pub(crate) fn execute_masked(
        &self,
        handler: &Handler,
        step: &BoundStep,
        simd: Simd,
        registers: &mut Registers,
        lanes: &Lanes,
    ) {
        let floats = matches!(step.action, Action::Arithmetic(Arithmetic::Float(_) | Arithmetic::Rounded(_)));
        let operands = Operands { places: &step.places, kinds: &step.kinds, floats };
        masked::execute(handler, simd, operands, |kind, operand| self.spare(kind, operand), registers, lanes);
    }

    /// Returns the spare rows of a register file for an operand of an instruction.
    #[inline(always)]
    fn spare(&self, kind: OperandKind, operand: usize) -> Rows {
        let behind = match kind {
            OperandKind::Narrow => self.rows.narrow,
            OperandKind::Wide => self.rows.wide,
            OperandKind::Predicate => self.rows.predicate,
        };
        Rows { first: behind + (operand * self.warps) as u32, stride: 1 }
    }

    /// Returns new register files with all values that do not depend on the block.
    pub(crate) fn registers(&self) -> Registers {
        let spare = SPARE_OPERANDS * self.warps;
        let mut registers = Registers {
            narrow: vec![Row([0; WARP_SIZE]); self.rows.narrow as usize + spare],
            wide: vec![Row([0; WARP_SIZE]); self.rows.wide as usize + spare],
            predicates: vec![0; self.rows.predicate as usize + spare],
        };
        self.set_uniforms(&mut registers, Dim3 { x: 0, y: 0, z: 0 }, |_| true);
        for (slot, &special) in self.program.warp_specials.iter().enumerate() {
            let rows = self.rows(Slot::Register(slot as u32), OperandKind::Narrow);
            for warp in 0..self.warps {
                let row = &mut registers.narrow[rows.row(warp)];
                for (lane, value) in row.0.iter_mut().enumerate() {
                    *value = self.thread_value(special, warp, lane);
                }
            }
        }
        self.execute_in_advance(&self.program.invariants[0], &mut registers);
        registers
    }

    /// Executes invariant steps.
    fn execute_in_advance(&self, positions: &[u32], registers: &mut Registers) {
        for &position in positions {
            let step = &self.steps[position as usize];
            let all_warps = if step.places[0].stride == 0 { &self.all_warps[..1] } else { &self.all_warps };
            if let Some(handler) = &self.handlers[position as usize] {
                handler.execute(&step.places, registers, all_warps);
            }
        }
    }

    /// Sets those rows that all warps share and for which a test holds, for the block at `index`.
    fn set_uniforms(&self, registers: &mut Registers, index: Dim3, is_set: impl Fn(Uniform) -> bool) {
        let uniforms = &self.program.uniforms;
        for (row, &uniform) in
            registers.narrow.iter_mut().zip(&uniforms.narrow).filter(|(_, uniform)| is_set(**uniform))
        {
            *row = Row(self.uniform_row(uniform, index).map(|value| value as u32));
        }
        for (row, &uniform) in registers.wide.iter_mut().zip(&uniforms.wide).filter(|(_, uniform)| is_set(**uniform)) {
            *row = Row(self.uniform_row(uniform, index));
        }
        for (row, &uniform) in
            registers.predicates.iter_mut().zip(&uniforms.predicate).filter(|(_, uniform)| is_set(**uniform))
        {
            *row = if self.uniform(uniform, index, 0) != 0 { u32::MAX } else { 0 };
        }
    }

    /// Sets the rows that differ between blocks.
    pub(crate) fn set_block(&self, registers: &mut Registers, index: Dim3) {
        self.set_uniforms(registers, index, |uniform| match uniform {
            Uniform::Special(special) => special.differs_by_block(),
            Uniform::Shared(_) | Uniform::DynamicShared(_) => self.has_clusters,
            _ => false,
        });
        let [of_all_blocks, of_block] = &self.program.invariants;
        // Addresses in shared memory differ between the blocks of a cluster.
        if self.has_clusters {
            self.execute_in_advance(of_all_blocks, registers);
        }
        self.execute_in_advance(of_block, registers);
    }

    fn thread_value(&self, special: Special, warp: usize, lane: usize) -> u32 {
        let size = self.launch.block;
        let thread = (warp * WARP_SIZE + lane) as u32;
        match special {
            Special::Thread(0) => thread % size.x,
            Special::Thread(1) => thread / size.x % size.y,
            Special::Thread(_) => thread / (size.x * size.y),
            _ => warp as u32,
        }
    }

    /// Returns the value of each lane. Most values are computed once, because short launches spend much of their time here.
    fn uniform_row(&self, uniform: Uniform, index: Dim3) -> [u64; WARP_SIZE] {
        match uniform {
            Uniform::Special(special) if special.differs_by_lane() => {
                std::array::from_fn(|lane| self.uniform(uniform, index, lane))
            }
            _ => [self.uniform(uniform, index, 0); WARP_SIZE],
        }
    }

    fn uniform(&self, uniform: Uniform, index: Dim3, lane: usize) -> u64 {
        match uniform {
            Uniform::Literal(value) => value,
            Uniform::Parameter { offset, bytes, signed } => self.parameter(offset as usize, bytes, signed),
            Uniform::Shared(offset) => self.shared_base(index).wrapping_add(offset),
            Uniform::DynamicShared(offset) => {
                self.shared_base(index).wrapping_add(self.dynamic_shared_start()).wrapping_add(offset as u64)
            }
            Uniform::Special(special) => u64::from(self.special(special, index, lane as u32)),
            Uniform::Computed => 0,
        }
    }

    /// Returns the address of the first byte of the shared memory of the block at `index`.
    fn shared_base(&self, index: Dim3) -> u64 {
        at_rank(0, self.special(Special::ClusterRank, index, 0))
    }

    fn parameter(&self, offset: usize, bytes: u8, signed: bool) -> u64 {
        let mut value = [0; 8];
        // The parameter block is padded, so a read past its end returns zeros.
        for (target, source) in
            value.iter_mut().zip(self.launch.parameters.iter().skip(offset)).take(usize::from(bytes))
        {
            *target = *source;
        }
        let unused = 64 - 8 * u32::from(bytes);
        let bits = u64::from_le_bytes(value) << unused;
        if signed { (bits as i64 >> unused) as u64 } else { bits >> unused }
    }

    /// Returns the start of dynamic shared memory: the next multiple of 16 bytes after static shared memory.
    fn dynamic_shared_start(&self) -> u64 {
        u64::from(self.program.static_shared_bytes.next_multiple_of(16))
    }

    /// Returns the step at which the loops around `position` poll: the innermost load or atomic of memory that other threads
    /// may write, or test of an mbarrier. Ordered and volatile accesses take precedence over plain loads.
    pub(crate) fn polled_step(&self, position: u32) -> Option<u32> {
        let ends = self.steps.iter().zip(0..);
        let mut loops: Vec<(u32, u32)> = ends
            .filter_map(|(step, end)| match step.action {
                Action::Branch { target, .. } if target <= position && position <= end => Some((target, end)),
                _ => None,
            })
            .collect();
        loops.sort_by_key(|(begin, end)| end - begin);
        let first = |reads: &dyn Fn(Action) -> bool| {
            let mut positions = loops.iter().flat_map(|&(begin, end)| begin..=end);
            positions.find(|&position| reads(self.steps[position as usize].action))
        };
        let polls = |action| match action {
            Action::Memory { operation, visible: true, .. } => operation.polls(),
            Action::Mbarrier(operation) => operation.polls(),
            _ => false,
        };
        let loads =
            |action| matches!(action, Action::Memory { operation: MemoryOperation::Load { .. }, visible: true, .. });
        first(&polls).or_else(|| first(&loads))
    }

    /// Returns the size of the state of a block in bytes: registers, shared and local memory.
    pub(crate) fn bytes_of_block(&self) -> u64 {
        let spare = (SPARE_OPERANDS * self.warps) as u64;
        let rows = (u64::from(self.rows.narrow) + spare) * 4 + (u64::from(self.rows.wide) + spare) * 8;
        let threads = (self.warps * WARP_SIZE) as u64;
        WARP_SIZE as u64 * rows + self.shared_bytes() as u64 + threads * u64::from(self.program.local_bytes)
    }

    /// Returns the size of the shared memory of a block in bytes.
    #[inline(always)]
    pub(crate) fn shared_bytes(&self) -> usize {
        self.shared_bytes[1]
    }

    /// Returns whether an address in shared memory is in the part that CUDA reserves.
    pub(crate) fn reserves(&self, address: u64) -> bool {
        let [of_kernel, end] = self.shared_bytes;
        end > of_kernel && address >= of_kernel as u64
    }

    fn sizes_of_shared_memory(&self) -> [usize; 2] {
        let of_kernel = match self.launch.dynamic_shared_bytes {
            0 => self.program.static_shared_bytes as usize,
            bytes => self.dynamic_shared_start() as usize + bytes as usize,
        };
        let is_reserved = |uniform: &Uniform| matches!(uniform, Uniform::Special(Special::ReservedShared(_)));
        let reserved = self.program.uniforms.narrow.iter().any(is_reserved);
        let end = of_kernel.next_multiple_of(16) + usize::from(RESERVED_SHARED_BYTES);
        [of_kernel, if reserved { end } else { of_kernel }]
    }

    fn special(&self, special: Special, index: Dim3, lane: u32) -> u32 {
        let grid = self.launch.grid;
        let block = self.launch.block;
        match special {
            Special::BlockSize(axis) => block.axis(axis),
            Special::Block(axis) => index.axis(axis),
            Special::GridSize(axis) => grid.axis(axis),
            Special::BlockInCluster(axis) => self.clusters.split(index).1.axis(axis),
            Special::ClusterSize(axis) => self.clusters.size.axis(axis),
            Special::Cluster(axis) => self.clusters.split(index).0.axis(axis),
            Special::Clusters(axis) => self.clusters.extent().axis(axis),
            Special::ClusterRank => self.clusters.size.number(self.clusters.split(index).1) as u32,
            Special::ClusterBlocks => self.clusters.blocks() as u32,
            Special::HasClusters => u32::from(self.has_clusters),
            Special::Lane => lane,
            Special::Warps => self.warps as u32,
            Special::Zero | Special::Thread(_) | Special::Warp => 0,
            Special::One => 1,
            Special::LanesEqual => 1 << lane,
            Special::LanesBelow => (1 << lane) - 1,
            Special::LanesBelowOrEqual => u32::MAX >> (31 - lane),
            Special::LanesAbove => !(u32::MAX >> (31 - lane)),
            Special::LanesAboveOrEqual => !((1 << lane) - 1),
            Special::DynamicSharedBytes => self.launch.dynamic_shared_bytes,
            Special::ReservedShared(offset) => {
                let start = self.shared_bytes[0].next_multiple_of(16) + usize::from(offset);
                self.shared_base(index) as u32 + start as u32
            }
            Special::ReservedSharedBytes => RESERVED_SHARED_BYTES.into(),
            Special::TotalSharedBytes => self.shared_bytes[0] as u32,
            Special::WorkspaceHigh => (self.workspace >> 32) as u32,
            Special::WorkspaceLow => self.workspace as u32,
        }
    }
}
