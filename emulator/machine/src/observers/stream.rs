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
use crate::machine::events::{Access, Observer};
use crate::memory::view::MemoryView;

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
    /// The number of sectors.
    pub sectors: u8,
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
}

impl StreamedEvent {
    /// Returns the access, if it is one.
    #[must_use]
    pub fn access(&self) -> Option<&StreamedAccess> {
        match self {
            Self::Access(access) => Some(access),
            Self::Enter { .. } => None,
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
    /// Whether the events end before the block does.
    pub is_cut: bool,
}

/// The observer that records the streams of one block.
#[derive(Debug)]
pub(crate) struct Streaming {
    pub(crate) stream: BlockStream,
    /// The instruction of each step.
    instructions: Vec<u32>,
    /// The number of events until the stream is cut.
    room: usize,
}

impl Streaming {
    /// Sets the instruction of each step, and the largest number of events of a block.
    pub(crate) fn record(&mut self, instructions: Vec<u32>, max_events: usize) {
        (self.instructions, self.room) = (instructions, max_events);
    }

    fn push(&mut self, warp: usize, event: StreamedEvent) {
        self.stream.warps[warp].push(event);
        self.room -= 1;
    }

    /// Records the sectors of a global access. Returns the index of the first, and their number.
    fn add_sectors(&mut self, addresses: &Addresses<'_>) -> (u32, u8) {
        let first = self.stream.sectors.len();
        let mut sectors = sectors_of(addresses);
        sectors.sort_unstable();
        sectors.dedup();
        self.stream.sectors.extend(&sectors);
        (first as u32, sectors.len().min(usize::from(u8::MAX)) as u8)
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
        Self { stream, instructions: Vec::new(), room: 0 }
    }

    fn begin(&mut self, block: u64, warps: usize) {
        self.stream.block = block;
        self.stream.warps = vec![Vec::new(); warps];
    }

    fn enter(&mut self, block: u32, warps: u64, _: u64) {
        self.stream.entries[block as usize] += warps;
    }

    fn enter_warp(&mut self, block: u32, warp: usize, active: u32) {
        if self.room == 0 {
            self.stream.is_cut = true;
            return;
        }
        self.push(warp, StreamedEvent::Enter { block, active });
    }

    fn access(&mut self, access: &Access<'_>) {
        if self.room == 0 {
            return;
        }
        let addresses = access.addresses;
        let space = AccessedSpace::from_space(access.space);
        let direction = Direction::from_kind(access.kind);
        // Bulk copies do not access the banks by lane.
        let wavefronts = match (access.space, direction) {
            (Space::Shared, _) if addresses.bytes > 16 => 0,
            (Space::Shared, Direction::Atomic) => addresses.atomic_passes().0,
            (Space::Shared, _) => addresses.wavefronts(direction == Direction::Load).0,
            _ => 0,
        };
        let is_cached = matches!(space, AccessedSpace::Global | AccessedSpace::Constant) && addresses.bytes <= 16;
        let (first_sector, sectors) = if is_cached { self.add_sectors(addresses) } else { (0, 0) };
        let streamed = StreamedAccess {
            instruction: self.instructions.get(access.position as usize).copied().unwrap_or(u32::MAX),
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
}
