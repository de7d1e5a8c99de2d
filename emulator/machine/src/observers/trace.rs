//! Traces of one block of a launch: the instructions with their active lanes, results and memory accesses.
//!
//! The trace is an observer of every step. Results are read when the next step of a lane begins, because lanes may have to
//! wait for others at a shuffle or a barrier.

use crate::ground::fault::Fault;
use crate::ground::lanes::WARP_SIZE;
use crate::ground::space::Space;
use crate::lower::step::{Action, Program};
use crate::machine::bind::BoundStep;
use crate::machine::events::{Access, AccessKind, Observer};
use crate::memory::view::MemoryView;
use crate::module::kernel::Kernel;
use crate::vector::registers::{OperandKind, Registers, Rows};
use serde::Serialize;

/// The trace of one block, up to a given number of instructions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trace {
    /// The instructions in the order in which the machine executed them.
    pub steps: Vec<TracedStep>,
    /// Whether the trace ends before the block does.
    pub cut: bool,
    /// The fault that stopped the block, if any.
    pub fault: Option<Box<Fault>>,
}

/// One PTX instruction, executed by one warp.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TracedStep {
    /// The number of the warp in the block.
    pub warp: u32,
    /// The line of the PTX text, from 1.
    pub line: u32,
    /// File and line of the source, if the PTX has line information.
    pub location: Option<(String, u32)>,
    /// The lanes that executed it, one bit per lane. All lanes that reach a branch execute it.
    pub active: u32,
    /// The registers that it wrote.
    pub written: Vec<Written>,
    /// The memory accesses: at most one, unless generic addresses point into several spaces.
    pub accesses: Vec<TracedAccess>,
}

/// A register after an instruction that wrote it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// The name in the PTX, such as `%f1`.
    pub register: String,
    /// The values of all lanes.
    pub values: Values,
}

/// The values of a register in all lanes, inactive ones included.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Values {
    /// A predicate, one bit per lane.
    Predicate(u32),
    /// Up to 32 bits wide.
    Narrow([u32; WARP_SIZE]),
    /// 64 bits wide.
    Wide([u64; WARP_SIZE]),
}

/// A memory space of an access. It serializes as lower-case text, such as `global`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum AccessedSpace {
    /// Global memory.
    Global,
    /// Shared memory of the block.
    Shared,
    /// Constant memory.
    Constant,
    /// Local memory of a thread.
    Local,
    /// The parameter block, if the address is computed.
    Parameter,
}

/// The kind of an access. It serializes as lower-case text, such as `load`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// A read.
    Load,
    /// A write.
    Store,
    /// An atomic read-modify-write.
    Atomic,
}

impl AccessedSpace {
    pub(super) fn from_space(space: Space) -> Self {
        match space {
            Space::Global | Space::Generic => Self::Global,
            Space::Shared => Self::Shared,
            Space::Constant => Self::Constant,
            Space::Local => Self::Local,
            Space::Parameter => Self::Parameter,
        }
    }
}

impl Direction {
    pub(super) fn from_kind(kind: AccessKind) -> Self {
        match kind {
            AccessKind::Load | AccessKind::CopyFrom { .. } | AccessKind::Product => Self::Load,
            AccessKind::Store | AccessKind::CopyInto { .. } => Self::Store,
            AccessKind::Atomic { .. } | AccessKind::Barrier { .. } => Self::Atomic,
        }
    }
}

/// A memory access of a warp.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TracedAccess {
    /// The memory space.
    pub space: AccessedSpace,
    /// The kind of the access.
    pub direction: Direction,
    /// The number of bytes accessed per lane.
    pub bytes: u32,
    /// The lanes that access memory, one bit per lane.
    pub active: u32,
    /// The address of each lane; unspecified for inactive lanes.
    pub addresses: [u64; WARP_SIZE],
    /// The number of 32-byte sectors, for global memory.
    pub sectors: Option<u64>,
    /// The number of wavefronts, and how many of them are due to bank conflicts, for shared memory.
    pub wavefronts: Option<(u64, u64)>,
}

/// A step whose results may not have been read yet.
#[derive(Debug)]
pub(crate) struct PendingStep {
    position: u32,
    warp: usize,
    active: u32,
    results: Vec<(OperandKind, Rows)>,
    values: Vec<Values>,
    accesses: Vec<TracedAccess>,
}

impl PendingStep {
    fn read(&mut self, registers: &Registers) {
        let warp = self.warp;
        let read = |&(kind, place): &(OperandKind, Rows)| match kind {
            OperandKind::Narrow => Values::Narrow(registers.narrow[place.row(warp)].0),
            OperandKind::Wide => Values::Wide(registers.wide[place.row(warp)].0),
            OperandKind::Predicate => Values::Predicate(registers.predicates[place.row(warp)]),
        };
        self.values = self.results.iter().map(read).collect();
    }

    pub(crate) fn finish(self, kernel: &Kernel) -> TracedStep {
        let origin = kernel.origin(self.position);
        let names = destinations(kernel.ptx_line(origin.line));
        // If an instruction consists of several steps, the last ones write the registers named in the PTX.
        let values = self.values.into_iter().rev().take(names.len()).collect::<Vec<_>>().into_iter().rev();
        let written = names.iter().zip(values).filter(|(name, _)| **name != "_");
        TracedStep {
            warp: self.warp as u32,
            line: origin.line,
            location: kernel.location(self.position),
            active: self.active,
            written: written.map(|(name, values)| Written { register: (*name).to_owned(), values }).collect(),
            accesses: self.accesses,
        }
    }
}

/// Returns the destination registers of an instruction: the operands before the first comma.
fn destinations(instruction: &str) -> Vec<&str> {
    let text = instruction.trim();
    let text =
        if text.starts_with('@') { text.split_once(char::is_whitespace).map_or("", |(_, rest)| rest) } else { text };
    let operands = text.trim_start().split_once(char::is_whitespace).map_or("", |(_, rest)| rest).trim_start();
    let first = match operands.strip_prefix('{') {
        Some(list) => list.split('}').next(),
        None => operands.split([',', ';']).next(),
    };
    let names = first.unwrap_or_default().split([',', '|']).map(str::trim);
    names.filter(|name| name.starts_with('%') || *name == "_").collect()
}

/// The observer that records every step of a block.
#[derive(Debug)]
pub(crate) struct Tracing {
    max_steps: usize,
    /// The block to trace.
    watched: u64,
    /// Whether it is the current block.
    here: bool,
    /// Whether there were more than `max_steps` steps.
    pub(crate) full: bool,
    pub(crate) steps: Vec<PendingStep>,
    /// The steps of each warp whose results have not been read.
    pending: Vec<Vec<usize>>,
}

impl Tracing {
    /// Sets the block to trace and the largest number of steps.
    pub(crate) fn watch(&mut self, block: u64, max_steps: usize) {
        (self.watched, self.max_steps) = (block, max_steps);
    }

    /// Reads the results of the pending steps of the lanes `mask` of a warp.
    fn settle(&mut self, warp: usize, mask: u32, registers: &Registers) {
        let steps = &mut self.steps;
        self.pending[warp].retain(|&index| {
            let done = steps[index].active & mask != 0 || steps[index].active == 0;
            if done {
                steps[index].read(registers);
            }
            !done
        });
    }

    /// Returns the recorded step that `step` continues, if it is not the first step of its instruction.
    fn part_of(&self, step: &BoundStep, warp: usize) -> Option<usize> {
        let last = self.steps.len().checked_sub(1)?;
        (!step.first).then_some(())?;
        // The warps of a group report a step one after the other.
        (0..=last).rev().take(WARP_SIZE).find(|&index| self.steps[index].warp == warp)
    }
}

impl Observer for Tracing {
    const ON: bool = true;
    const EVERY_ACCESS: bool = true;
    const EVERY_STEP: bool = true;

    fn new(_: &Program, _: &MemoryView) -> Self {
        Self { max_steps: 0, watched: 0, here: false, full: false, steps: Vec::new(), pending: Vec::new() }
    }

    fn begin(&mut self, block: u64, warps: usize) {
        self.here = block == self.watched;
        if self.here {
            self.pending = vec![Vec::new(); warps];
        }
    }

    fn resume(&mut self, block: u64) {
        self.here = block == self.watched;
    }

    fn step(&mut self, position: u32, step: &BoundStep, warp: usize, active: u32, registers: &Registers) -> bool {
        if !self.here || matches!(step.action, Action::Enter(_)) {
            return true;
        }
        let results = (0..usize::from(step.results)).filter_map(|index| Some((step.kinds[index]?, step.places[index])));
        if let Some(index) = self.part_of(step, warp) {
            self.steps[index].results.extend(results);
            return true;
        }
        if self.steps.len() >= self.max_steps {
            self.full = true;
            return false;
        }
        self.settle(warp, active, registers);
        self.pending[warp].push(self.steps.len());
        let values = Vec::new();
        let accesses = Vec::new();
        self.steps.push(PendingStep { position, warp, active, results: results.collect(), values, accesses });
        true
    }

    fn end(&mut self, registers: &Registers) {
        if !self.here {
            return;
        }
        (0..self.pending.len()).for_each(|warp| self.settle(warp, u32::MAX, registers));
    }

    fn access(&mut self, access: &Access<'_>) {
        if !self.here {
            return;
        }
        let addresses = access.addresses;
        let direction = Direction::from_kind(access.kind);
        let space = AccessedSpace::from_space(access.space);
        let sectors = match direction {
            Direction::Atomic => addresses.atomic_sectors(),
            _ => addresses.sectors(),
        };
        // Bulk copies do not access the banks by lane.
        let is_bulk = addresses.bytes > 16;
        let wavefronts = match direction {
            _ if is_bulk => (0, 0),
            Direction::Atomic => addresses.atomic_passes(access.kind.counts()),
            _ => addresses.wavefronts(direction == Direction::Load),
        };
        let traced = TracedAccess {
            space,
            direction,
            bytes: addresses.bytes,
            active: addresses.mask,
            addresses: std::array::from_fn(|lane| addresses.at(lane)),
            sectors: (space == AccessedSpace::Global).then_some(sectors),
            wavefronts: (space == AccessedSpace::Shared && !is_bulk).then_some(wavefronts),
        };
        if let Some(step) = self.steps.iter_mut().rev().find(|step| step.warp == access.warp) {
            step.accesses.push(traced);
        }
    }
}
