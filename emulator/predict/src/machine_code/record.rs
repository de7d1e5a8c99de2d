//! Streams of blocks from machine code, as the emulator has them from PTX.

use super::bind::{Kind, Program, Step};
use super::execute::{Listener, MAX_ENTRIES, Unknown, Warp};
use crate::code::operation::Unit;
use emulator::{AccessedSpace, BlockStream, Direction, StreamedAccess, StreamedEvent, WARP_SIZE, WarpAccess};

/// The size of a sector in bytes.
const SECTOR_BYTES: u64 = 32;

/// The shape of a launch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    pub(super) grid: [u32; 3],
    pub(super) block: [u32; 3],
}

/// Records the streams of one warp after the other.
struct Recorder {
    stream: BlockStream,
    events: Vec<StreamedEvent>,
    /// The number of events until the stream is cut.
    room: usize,
    is_cut: bool,
}

/// The basic blocks that a warp enters before its block counts as one with work.
const ENTRIES_OF_WORK: u64 = 1 << 15;

/// Returns how often the warps of a block enter each basic block, up to as many entries as show that it has work.
pub(super) fn beginning(program: &Program, shape: &Shape, block: u64) -> Result<BlockStream, Unknown> {
    part(program, shape, block, 0, ENTRIES_OF_WORK)
}

/// Returns the stream of a block; events end after `most_events`, and entries of basic blocks are counted to the end.
pub(super) fn record(program: &Program, shape: &Shape, block: u64, most_events: usize) -> Result<BlockStream, Unknown> {
    part(program, shape, block, most_events, MAX_ENTRIES)
}

fn part(
    program: &Program,
    shape: &Shape,
    block: u64,
    most_events: usize,
    most_entries: u64,
) -> Result<BlockStream, Unknown> {
    let stream = BlockStream { block, entries: vec![0; program.blocks.len()], ..BlockStream::default() };
    let threads: u32 = shape.block.iter().product();
    let warps = threads.div_ceil(WARP_SIZE as u32);
    let mut recorder = Recorder { stream, events: Vec::new(), room: 0, is_cut: false };
    for warp in 0..warps {
        // Warps run one after the other here, so that each has its own part of the room.
        recorder.room = most_events / warps as usize;
        Warp::new(shape.block, place(shape.grid, block), warp * WARP_SIZE as u32).run(
            program,
            most_entries,
            &mut recorder,
        )?;
        let events = std::mem::take(&mut recorder.events);
        recorder.stream.warps.push(events);
        recorder.stream.cut.push(std::mem::take(&mut recorder.is_cut));
    }
    Ok(recorder.stream)
}

fn place([x, y, _]: [u32; 3], block: u64) -> [u32; 3] {
    let x = u64::from(x);
    let y = u64::from(y);
    [(block % x) as u32, (block / x % y) as u32, (block / x / y) as u32]
}

impl Recorder {
    fn push(&mut self, event: StreamedEvent) {
        self.events.push(event);
        self.room -= 1;
    }
}

impl Listener for Recorder {
    fn enter(&mut self, block: usize, active: u32) {
        self.stream.entries[block] += 1;
        if self.room == 0 {
            self.is_cut = true;
            return;
        }
        self.push(StreamedEvent::Enter { block: block as u32, active });
    }

    fn access(&mut self, step: &Step, addresses: &[u64; WARP_SIZE], active: u32) {
        let Kind::Access { unit, bytes, stores, is_local, lanes } = step.kind else { return };
        if self.room == 0 {
            return;
        }
        let active = active & lanes;
        let access = WarpAccess { addresses, active, bytes: bytes.into() };
        let space = match unit {
            Unit::Shared => AccessedSpace::Shared,
            Unit::Constant => AccessedSpace::Constant,
            _ if is_local => AccessedSpace::Local,
            _ => AccessedSpace::Global,
        };
        let direction = match unit {
            Unit::Atomic => Direction::Atomic,
            _ if stores && unit != Unit::Copy => Direction::Store,
            _ => Direction::Load,
        };
        let wavefronts = if space == AccessedSpace::Shared { access.wavefronts(!stores).0 } else { 0 };
        let first_sector = self.stream.sectors.len();
        if matches!(space, AccessedSpace::Global | AccessedSpace::Constant) {
            self.stream.sectors.extend(sectors(addresses, active, bytes.into()));
        }
        self.push(StreamedEvent::Access(StreamedAccess {
            instruction: step.number as u32,
            space,
            direction,
            bytes,
            active,
            addresses: different(addresses, active),
            wavefronts: wavefronts as u16,
            first_sector: first_sector as u32,
            sectors: (self.stream.sectors.len() - first_sector) as u16,
        }));
    }
}

fn active_lanes(active: u32) -> impl Iterator<Item = usize> {
    (0..WARP_SIZE).filter(move |lane| active >> lane & 1 == 1)
}

fn sectors(addresses: &[u64; WARP_SIZE], active: u32, bytes: u64) -> Vec<u64> {
    let of = |lane: usize| addresses[lane] / SECTOR_BYTES..=(addresses[lane] + bytes - 1) / SECTOR_BYTES;
    let mut sectors: Vec<u64> = active_lanes(active).flat_map(of).collect();
    sectors.sort_unstable();
    sectors.dedup();
    sectors
}

fn different(addresses: &[u64; WARP_SIZE], active: u32) -> u8 {
    let mut all: Vec<u64> = active_lanes(active).map(|lane| addresses[lane]).collect();
    all.sort_unstable();
    all.dedup();
    all.len() as u8
}
