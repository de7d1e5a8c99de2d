//! Streams of one block: for each warp, the basic blocks that it enters and its accesses to memory, in the order of
//! execution.
//!
//! A stream is much smaller than a trace: it omits results, and accesses are reduced to what they cost. After a given number
//! of events, only the entries of basic blocks are counted.

use super::trace::{AccessedSpace, Direction};
use super::traffic::SECTOR_BYTES;
use crate::ground::space::Space;
use crate::lower::step::Program;
use crate::machine::addresses::{Addresses, Pattern};
use crate::machine::events::{Access, AccessKind, Arriving, Observer};
use crate::memory::view::MemoryView;
use std::collections::HashMap;

/// An access of a warp to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StreamedAccess {
    /// The instruction: [`crate::ListedInstruction::number`].
    pub instruction: u32,
    /// The memory space.
    pub space: AccessedSpace,
    /// The kind of the access.
    pub direction: Direction,
    /// The number of bytes per lane, at most 65,535.
    pub bytes: u16,
    /// The lanes that access memory, one bit per lane.
    pub active: u32,
    /// The number of different addresses of these lanes.
    pub addresses: u8,
    /// The number of wavefronts, for shared memory.
    pub wavefronts: u16,
    /// The sectors, for global memory and constants: the index of the first in [`BlockStream::sectors`].
    pub first_sector: u32,
    /// The number of sectors, at most 65,535.
    pub sectors: u16,
}

/// What a warp does at a barrier that counts its arrivals by phases: an mbarrier, or a barrier for part of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PhaseStep {
    /// So many threads of an mbarrier, or one warp at a barrier of part of a block, arrive.
    Arrive {
        /// The number of arrivals.
        count: u32,
    },
    /// The copies that the instruction starts will arrive when they are complete.
    Copy,
    /// It waits for the end of the phase.
    Wait,
}

/// A step of a warp at a barrier with phases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StreamedPhase {
    /// The instruction: [`crate::ListedInstruction::number`].
    pub instruction: u32,
    /// The byte of shared memory at which an mbarrier is, or [`StreamedPhase::PART`] and the number of a barrier for part of a block.
    pub barrier: u32,
    /// The number of phases of the barrier that were complete before this one.
    pub phase: u32,
    /// What the warp does.
    pub step: PhaseStep,
}

impl StreamedPhase {
    /// The bit of barriers for part of a block.
    pub const PART: u32 = 1 << 31;
}

/// An event of a warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamedEvent {
    /// It enters a basic block of the kernel's listing.
    Enter {
        /// The number of the basic block.
        block: u32,
        /// The active lanes, one bit per lane.
        active: u32,
    },
    /// It accesses memory in the basic block that it entered last.
    Access(StreamedAccess),
    /// It takes a step at a barrier with phases in that basic block.
    Phase(StreamedPhase),
}

impl StreamedEvent {
    /// Returns the access, if it is one.
    #[must_use]
    pub fn access(&self) -> Option<&StreamedAccess> {
        match self {
            Self::Access(access) => Some(access),
            Self::Enter { .. } | Self::Phase(_) => None,
        }
    }

    /// Returns the step at a barrier with phases, if it is one.
    #[must_use]
    pub fn phase(&self) -> Option<&StreamedPhase> {
        match self {
            Self::Phase(phase) => Some(phase),
            Self::Enter { .. } | Self::Access(_) => None,
        }
    }
}

/// The streams of the warps of a block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BlockStream {
    /// The number of the block in the grid.
    pub block: u64,
    /// The events of each warp.
    pub warps: Vec<Vec<StreamedEvent>>,
    /// The numbers of the 32-byte sectors that the accesses refer to. The accesses of a warp are in ascending order.
    pub sectors: Vec<u64>,
    /// How often the warps enter each basic block, including entries that are not among the events.
    pub entries: Vec<u64>,
    /// Whether the events of each warp end before it does.
    pub cut: Vec<bool>,
}

impl BlockStream {
    /// Returns whether the events of a warp end before it does.
    #[must_use]
    pub fn is_cut(&self) -> bool {
        self.cut.contains(&true)
    }
}

/// The observer that records the streams of one block.
#[derive(Debug)]
pub(crate) struct Streaming {
    pub(crate) stream: BlockStream,
    /// The instruction of each step.
    instructions: Vec<u32>,
    /// The number of events until the stream is cut.
    room: usize,
    /// The number of complete phases of each barrier.
    phases: HashMap<u32, u32>,
    /// The instruction with which each warp last accessed an mbarrier, and the place of that.
    at_barrier: HashMap<usize, (u32, u64)>,
}

impl Streaming {
    /// Sets the instruction of each step, and the largest number of events of a block.
    pub(crate) fn record(&mut self, instructions: Vec<u32>, max_events: usize) {
        (self.instructions, self.room) = (instructions, max_events);
    }

    fn instruction(&self, position: u32) -> u32 {
        self.instructions.get(position as usize).copied().unwrap_or(u32::MAX)
    }

    /// Records a step at a barrier. Lanes of a warp that take the same step are one event.
    fn add_phase(&mut self, warp: usize, added: StreamedPhase) {
        if self.room == 0 {
            return;
        }
        if let Some(StreamedEvent::Phase(last)) = self.stream.warps[warp].last_mut()
            && (last.instruction, last.barrier, last.phase) == (added.instruction, added.barrier, added.phase)
        {
            match (&mut last.step, added.step) {
                (PhaseStep::Arrive { count }, PhaseStep::Arrive { count: more }) => return *count += more,
                (PhaseStep::Wait, PhaseStep::Wait) => return,
                _ => {}
            }
        }
        self.push(warp, StreamedEvent::Phase(added));
    }

    /// Records a step of a lane at an mbarrier, at its last access.
    fn add_mbarrier_phase(&mut self, barrier: u64, warp: usize, phase: u32, step: PhaseStep) {
        let instruction = self.at_barrier.get(&warp).map_or(u32::MAX, |(instruction, _)| *instruction);
        self.add_phase(warp, StreamedPhase { instruction, barrier: barrier as u32, phase, step });
    }

    fn phase_of(&self, barrier: u64) -> u32 {
        self.phases.get(&(barrier as u32)).copied().unwrap_or(0)
    }

    fn push(&mut self, warp: usize, event: StreamedEvent) {
        self.stream.warps[warp].push(event);
        self.room -= 1;
    }

    /// Records the sectors of a global access. Returns the index of the first, and their number.
    fn add_sectors(&mut self, addresses: &Addresses<'_>) -> (u32, u16) {
        let first = self.stream.sectors.len();
        let mut sectors = sectors_of(addresses);
        sectors.sort_unstable();
        sectors.dedup();
        self.stream.sectors.extend(&sectors);
        (first as u32, sectors.len().min(usize::from(u16::MAX)) as u16)
    }
}

/// Returns the numbers of the sectors of each active lane.
fn sectors_of(addresses: &Addresses<'_>) -> Vec<u64> {
    let bytes = u64::from(addresses.bytes.max(1));
    if let Pattern::Uniform(address) = addresses.pattern {
        return (address / SECTOR_BYTES..=(address + bytes - 1) / SECTOR_BYTES).collect();
    }
    addresses.active().flat_map(|address| address / SECTOR_BYTES..=(address + bytes - 1) / SECTOR_BYTES).collect()
}

impl Observer for Streaming {
    const ON: bool = true;
    const EVERY_ACCESS: bool = true;
    const EVERY_ENTRY: bool = true;

    fn new(program: &Program, _: &MemoryView) -> Self {
        let stream = BlockStream { entries: vec![0; program.blocks.len()], ..BlockStream::default() };
        Self { stream, instructions: Vec::new(), room: 0, phases: HashMap::new(), at_barrier: HashMap::new() }
    }

    fn begin(&mut self, block: u64, warps: usize) {
        self.stream.block = block;
        self.stream.warps = vec![Vec::new(); warps];
        self.stream.cut = vec![false; warps];
    }

    fn enter(&mut self, block: u32, warps: u64, _: u64) {
        self.stream.entries[block as usize] += warps;
    }

    fn enter_warp(&mut self, block: u32, warp: usize, active: u32) {
        if self.room == 0 {
            self.stream.cut[warp] = true;
            return;
        }
        self.push(warp, StreamedEvent::Enter { block, active });
    }

    fn access(&mut self, access: &Access<'_>) {
        if self.room == 0 {
            return;
        }
        let addresses = access.addresses;
        let instruction = self.instruction(access.position);
        match access.kind {
            AccessKind::Barrier { .. } => {
                let place = addresses.active().next().unwrap_or(0);
                self.at_barrier.insert(access.warp, (instruction, place));
                return;
            }
            // A bulk copy accesses its mbarrier before it writes.
            AccessKind::CopyInto { bulk: true } if access.space == Space::Shared => {
                let barrier = self.at_barrier.get(&access.warp).map_or(0, |(_, place)| *place);
                let phase = self.phase_of(barrier);
                return self.add_mbarrier_phase(barrier, access.warp, phase, PhaseStep::Copy);
            }
            AccessKind::Product => return,
            _ => {}
        }
        let space = AccessedSpace::from_space(access.space);
        let direction = Direction::from_kind(access.kind);
        // Bulk copies do not access the banks by lane.
        let wavefronts = match (access.space, direction) {
            (Space::Shared, _) if addresses.bytes > 16 => 0,
            (Space::Shared, Direction::Atomic) => addresses.atomic_passes(access.kind.counts()).0,
            (Space::Shared, _) => addresses.wavefronts(direction == Direction::Load).0,
            _ => 0,
        };
        let is_cached = matches!(space, AccessedSpace::Global | AccessedSpace::Constant);
        let (first_sector, sectors) = if is_cached { self.add_sectors(addresses) } else { (0, 0) };
        let streamed = StreamedAccess {
            instruction,
            space,
            direction,
            bytes: addresses.bytes.min(u32::from(u16::MAX)) as u16,
            active: addresses.mask,
            addresses: addresses.distinct_addresses() as u8,
            wavefronts: wavefronts as u16,
            first_sector,
            sectors,
        };
        self.push(access.warp, StreamedEvent::Access(streamed));
    }

    fn arrives(&mut self, barrier: u64, by: Arriving, ends: bool) {
        let phase = self.phase_of(barrier);
        if let Arriving::Thread(warp, _) = by {
            self.add_mbarrier_phase(barrier, warp, phase, PhaseStep::Arrive { count: 1 });
        }
        self.phases.insert(barrier as u32, phase + u32::from(ends));
    }

    fn passes(&mut self, barrier: u64, warp: usize, _: usize) {
        // Before the first phase is complete, the one before it counts as complete.
        if let Some(phase) = self.phase_of(barrier).checked_sub(1) {
            self.add_mbarrier_phase(barrier, warp, phase, PhaseStep::Wait);
        }
    }

    fn arrives_at_part(&mut self, number: u32, warp: usize, waits: bool, position: u32) {
        let barrier = StreamedPhase::PART | number;
        let phase = self.phase_of(barrier.into());
        let instruction = self.instruction(position);
        let steps = [Some(PhaseStep::Arrive { count: 1 }), waits.then_some(PhaseStep::Wait)];
        for step in steps.into_iter().flatten() {
            self.add_phase(warp, StreamedPhase { instruction, barrier, phase, step });
        }
    }

    fn part_synchronized(&mut self, number: u32) {
        *self.phases.entry(StreamedPhase::PART | number).or_default() += 1;
    }
}
