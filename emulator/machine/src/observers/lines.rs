//! Counters of each instruction, for a launch under checks.

use super::counters::Counters;
use super::traffic::SECTOR_BYTES;
use crate::ground::space::Space;
use crate::lower::step::{Action, Program};
use crate::machine::addresses::Addresses;
use crate::machine::events::{Access, AccessKind};

/// The counters of an instruction, summed over all warps. Barriers, shuffles and votes are counted by class alone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InstructionCounters {
    /// The line in the PTX, counted from 1.
    pub line: u32,
    /// The source file and line, as findings name them; `None` without line information.
    pub location: Option<(String, u32)>,
    /// The counters.
    pub counters: Counters,
    /// The counts beside them.
    pub shape: Shape,
}

/// Counts of an instruction that tell how well its lanes' addresses lie.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shape {
    /// The global memory that loads and copies use.
    pub loaded: Used,
    /// The global memory that stores use.
    pub stored: Used,
    /// The lanes of atomics on global memory.
    pub atomic_lanes: u64,
    /// Their distinct addresses, request by request.
    pub atomic_addresses: u64,
}

/// The part of the touched sectors that requests use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Used {
    /// The accessed bytes, those at one address once for each request.
    pub bytes: u64,
    /// The sectors that they would fill without gaps, request by request: the least possible.
    pub least_sectors: u64,
}

impl Used {
    fn add_request(&mut self, addresses: &Addresses<'_>) {
        let bytes = addresses.distinct_addresses() * u64::from(addresses.bytes);
        self.bytes += bytes;
        self.least_sectors += bytes.div_ceil(SECTOR_BYTES);
    }
}

impl Shape {
    /// Adds the counts of another instruction.
    pub fn add(&mut self, other: &Self) {
        self.loaded.bytes += other.loaded.bytes;
        self.loaded.least_sectors += other.loaded.least_sectors;
        self.stored.bytes += other.stored.bytes;
        self.stored.least_sectors += other.stored.least_sectors;
        self.atomic_lanes += other.atomic_lanes;
        self.atomic_addresses += other.atomic_addresses;
    }
}

/// The counters of all instructions, by the index in [`Program::origins`].
#[derive(Debug)]
pub(crate) struct Lines {
    instructions: Vec<(Counters, Shape)>,
    /// The instruction of each step.
    origins: Vec<u32>,
    /// The warps and lanes that entered each basic block.
    blocks: Vec<(u64, u64)>,
    /// Counts without a step.
    unplaced: Counters,
    /// Whether accesses to shared memory are to that of another block of the cluster.
    away: bool,
}

impl Lines {
    pub(super) fn new(program: &Program) -> Self {
        Self {
            instructions: vec![<(Counters, Shape)>::default(); program.origins.len()],
            origins: program.steps.iter().map(|step| step.origin).collect(),
            blocks: vec![(0, 0); program.blocks.len()],
            unplaced: Counters::default(),
            away: false,
        }
    }

    pub(super) fn enter(&mut self, block: u32, warps: u64, lanes: u64) {
        let counts = &mut self.blocks[block as usize];
        counts.0 += warps;
        counts.1 += lanes;
    }

    pub(super) fn set_away(&mut self, away: bool) {
        self.away = away;
    }

    pub(super) fn access(&mut self, access: &Access<'_>) {
        let away = self.away;
        let (counters, shape) = &mut self.instructions[self.origins[access.position as usize] as usize];
        counters.add_access(access, away);
        let is_global = matches!(access.space, Space::Global | Space::Generic);
        let addresses = access.addresses;
        match access.kind {
            AccessKind::Load | AccessKind::CopyFrom { bulk: false } if is_global => shape.loaded.add_request(addresses),
            AccessKind::Store if is_global => shape.stored.add_request(addresses),
            AccessKind::Atomic { .. } if is_global => {
                shape.atomic_lanes += u64::from(addresses.mask.count_ones());
                shape.atomic_addresses += addresses.distinct_addresses();
            }
            _ => {}
        }
    }

    pub(super) fn branches(&mut self, warps: u64, divergent: u64, position: u32) {
        let (counters, _) = &mut self.instructions[self.origins[position as usize] as usize];
        counters.branches += warps;
        counters.divergent_branches += divergent;
    }

    /// Returns what is counted without a step: barriers, shuffles and votes.
    pub(super) fn unplaced(&mut self) -> &mut Counters {
        &mut self.unplaced
    }

    /// Returns the counters of the launch, and those of each instruction that a warp executed.
    pub(crate) fn finish(mut self, program: &Program) -> (Counters, Vec<(u32, Counters, Shape)>) {
        let mut entered = (0, 0);
        for step in &program.steps {
            if let Action::Enter(block) = step.action {
                entered = self.blocks[block as usize];
            }
            let (warps, lanes) = entered;
            let counters = &mut self.instructions[step.origin as usize].0;
            counters.warpgroup_operations += warps * step.action.warpgroup_operations();
            if step.first {
                counters.warp_instructions += warps;
                counters.thread_instructions += lanes;
                counters.classes.count(program.origins[step.origin as usize].class, warps);
            }
        }
        let mut total = self.unplaced;
        self.instructions.iter().for_each(|(counters, _)| total.add(counters, 1));
        let executed = (0..).zip(self.instructions).filter(|(_, (counters, _))| *counters != Counters::default());
        (total, executed.map(|(origin, (counters, shape))| (origin, counters, shape)).collect())
    }
}
