//! One block of a launch, instruction by instruction: who executed what, what it wrote, and what it accessed.
//!
//! An observer like counters and checks, with the machine taking one step at a time. Results are read when a lane's
//! next step begins, since lanes may have to wait for the others of a shuffle or a barrier.

use crate::ground::fault::Fault;
use crate::ground::lanes::LANES;
use crate::ground::space::Space;
use crate::lower::step::Action;
use crate::machine::bind::BoundStep;
use crate::machine::events::{Access, AccessKind, Observer};
use crate::memory::view::MemoryView;
use crate::module::kernel::Kernel;
use crate::vector::registers::OperandKind;
use crate::vector::registers::{Registers, Rows};
use serde::Serialize;

/// What one block did, up to a number of instructions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trace {
    /// In the order in which the machine executed them.
    pub steps: Vec<TracedStep>,
    /// Whether the block would have gone on.
    pub cut: bool,
    /// What ended it, if it did something wrong.
    pub fault: Option<Box<Fault>>,
}

/// One PTX instruction, executed by one warp.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TracedStep {
    /// Warp in the block.
    pub warp: u32,
    /// Line of the PTX text, from 1.
    pub line: u32,
    /// File and line that was compiled to it, where the PTX has line information.
    pub location: Option<(String, u32)>,
    /// A bit for each lane that executed it. A branch is executed by all lanes that come to it.
    pub active: u32,
    /// Its results.
    pub written: Vec<Written>,
    /// Its accesses to memory: one, unless generic addresses point into several spaces.
    pub accesses: Vec<TracedAccess>,
}

/// A register after an instruction that wrote it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// Name in the PTX, `%f1`.
    pub register: String,
    /// Its width, and the values.
    pub values: Values,
}

/// A register's value in each lane, those that are not active included.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Values {
    /// A predicate: a bit a lane.
    Predicate(u32),
    /// Up to 32 bits wide.
    Narrow([u32; LANES]),
    /// 64 bits wide.
    Wide([u64; LANES]),
}

/// The memory spaces that a kernel accesses; as text, `global` and so on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum AccessedSpace {
    /// Device memory.
    Global,
    /// Memory of the block.
    Shared,
    /// Constant memory.
    Constant,
    /// Memory of a thread.
    Local,
    /// The parameter block, where the address is computed.
    Parameter,
}

/// What an access does; as text, `load` and so on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// It reads.
    Load,
    /// It writes.
    Store,
    /// It reads and writes in one.
    Atomic,
}

/// An access to memory by a warp.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TracedAccess {
    /// Where to.
    pub space: AccessedSpace,
    /// What it does.
    pub direction: Direction,
    /// Bytes that each lane accesses.
    pub bytes: u32,
    /// A bit for each lane that accesses.
    pub active: u32,
    /// The address of each lane; of no meaning for the others.
    pub addresses: [u64; LANES],
    /// Sectors of 32 bytes that it touches, in global memory.
    pub sectors: Option<u64>,
    /// Wavefronts that it takes and conflicts among them, in shared memory.
    pub wavefronts: Option<(u64, u64)>,
}

/// A step with what is known of it so far.
#[derive(Debug)]
pub(crate) struct Seen {
    position: u32,
    warp: usize,
    active: u32,
    results: Vec<(OperandKind, Rows)>,
    values: Vec<Values>,
    accesses: Vec<TracedAccess>,
}

impl Seen {
    fn read(&mut self, registers: &Registers) {
        let warp = self.warp;
        let read = |&(kind, place): &(OperandKind, Rows)| match kind {
            OperandKind::Narrow => Values::Narrow(registers.narrow[place.of(warp)].0),
            OperandKind::Wide => Values::Wide(registers.wide[place.of(warp)].0),
            OperandKind::Predicate => Values::Predicate(registers.predicates[place.of(warp)]),
        };
        self.values = self.results.iter().map(read).collect();
    }

    pub(crate) fn finish(self, kernel: &Kernel) -> TracedStep {
        let origin = kernel.origin(self.position);
        let names = destinations(kernel.ptx_line(origin.line));
        // Of an instruction in several steps, the last ones write what the PTX names.
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

/// The registers that an instruction names as its results: what stands before the first comma.
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

/// Observes every step of a block.
#[derive(Debug)]
pub(crate) struct Tracing {
    most_steps: usize,
    /// The block that is watched, and whether it is at hand.
    watched: u64,
    here: bool,
    /// Whether there were more steps.
    pub(crate) full: bool,
    pub(crate) steps: Vec<Seen>,
    /// The steps of each warp whose results are not read yet: lanes may have to wait for them.
    pending: Vec<Vec<usize>>,
}

impl Tracing {
    /// Watches a block, for a number of steps.
    pub(crate) fn watch(&mut self, block: u64, most_steps: usize) {
        (self.watched, self.most_steps) = (block, most_steps);
    }

    /// Reads the results of the steps of a warp's lanes `mask`.
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

    /// The step that a further part of the same instruction belongs to.
    fn part_of(&self, step: &BoundStep, warp: usize) -> Option<usize> {
        let last = self.steps.len().checked_sub(1)?;
        (!step.first).then_some(())?;
        // The warps of a group take a step one after the other.
        (0..=last).rev().take(LANES).find(|&index| self.steps[index].warp == warp)
    }
}

impl Observer for Tracing {
    const ON: bool = true;
    const EVERY_ACCESS: bool = true;
    const EVERY_STEP: bool = true;

    fn new(_: usize, _: &MemoryView) -> Self {
        Self { most_steps: 0, watched: 0, here: false, full: false, steps: Vec::new(), pending: Vec::new() }
    }

    fn begin(&mut self, block: u64, warps: usize) {
        self.here = block == self.watched;
        if self.here {
            self.pending = vec![Vec::new(); warps];
        }
    }

    fn take_up(&mut self, block: u64) {
        self.here = block == self.watched;
    }

    fn enter(&mut self, _: u32, _: u64, _: u64) {}

    fn step(&mut self, position: u32, step: &BoundStep, warp: usize, active: u32, registers: &Registers) -> bool {
        if !self.here || matches!(step.action, Action::Enter(_)) {
            return true;
        }
        let results = (0..usize::from(step.results)).filter_map(|index| Some((step.kinds[index]?, step.places[index])));
        if let Some(index) = self.part_of(step, warp) {
            self.steps[index].results.extend(results);
            return true;
        }
        if self.steps.len() >= self.most_steps {
            self.full = true;
            return false;
        }
        self.settle(warp, active, registers);
        self.pending[warp].push(self.steps.len());
        let (values, accesses) = (Vec::new(), Vec::new());
        self.steps.push(Seen { position, warp, active, results: results.collect(), values, accesses });
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
        let direction = match access.kind {
            AccessKind::Load | AccessKind::CopyFrom { .. } => Direction::Load,
            AccessKind::Store | AccessKind::CopyInto { .. } => Direction::Store,
            AccessKind::Atomic { .. } | AccessKind::Barrier { .. } => Direction::Atomic,
        };
        let space = match access.space {
            Space::Global | Space::Generic => AccessedSpace::Global,
            Space::Shared => AccessedSpace::Shared,
            Space::Constant => AccessedSpace::Constant,
            Space::Local => AccessedSpace::Local,
            Space::Parameter => AccessedSpace::Parameter,
        };
        let sectors = match direction {
            Direction::Atomic => addresses.atomic_sectors(),
            _ => addresses.sectors(),
        };
        // The banks are not asked by the lanes of a warp.
        let is_bulk = addresses.bytes > 16;
        let wavefronts = match direction {
            _ if is_bulk => (0, 0),
            Direction::Atomic => addresses.atomic_passes(),
            _ => addresses.wavefronts(direction == Direction::Load),
        };
        let traced = TracedAccess {
            space,
            direction,
            bytes: addresses.bytes,
            active: addresses.mask,
            addresses: std::array::from_fn(|lane| addresses.of(lane)),
            sectors: (space == AccessedSpace::Global).then_some(sectors),
            wavefronts: (space == AccessedSpace::Shared && !is_bulk).then_some(wavefronts),
        };
        if let Some(step) = self.steps.iter_mut().rev().find(|step| step.warp == access.warp) {
            step.accesses.push(traced);
        }
    }

    /// With [`Observer::EVERY_ACCESS`] the machine takes each access by itself.
    fn uniform_loads(&mut self, _: Space, _: u64, _: u64) {}
    fn branches(&mut self, _: u64, _: u64) {}
    fn barriers(&mut self, _: u64) {}
    fn shuffles(&mut self, _: u64) {}
}

#[cfg(test)]
mod tests {
    use super::destinations;

    #[test]
    fn results_are_what_stands_before_the_first_comma() {
        assert_eq!(destinations("\tadd.f32 \t%f1, %f2, %f3;"), ["%f1"]);
        assert_eq!(destinations("@%p1 ld.shared.v2.f32 {%f1, %f2}, [%r1];"), ["%f1", "%f2"]);
        assert_eq!(destinations("shfl.sync.down.b32 \t%r7|%p2, %r6, 16, 31, -1;"), ["%r7", "%p2"]);
        assert_eq!(destinations("mov.b64 {_, %r2}, %rd1;"), ["_", "%r2"]);
        assert!(destinations("st.shared.f32 \t[%r1], %f1;").is_empty());
        assert!(destinations("bar.sync \t0;").is_empty());
        assert!(destinations("ret;").is_empty());
    }
}
