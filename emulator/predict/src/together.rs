//! What blocks access together: several multiprocessors work on the same lines, and the memory behind them is not used twice.

use crate::source::{Source, Stop};
use emulator::{AccessedSpace, BlockStream, Direction, StreamedAccess, StreamedEvent};
use std::collections::{HashMap, HashSet};

/// The size of a sector in bytes, and the number of them in a line of 128 bytes and in the part of device memory that is opened
/// at a time.
pub(crate) const SECTOR_BYTES: u64 = 32;
pub(crate) const SECTORS_OF_A_LINE: u64 = 4;
pub(crate) const SECTORS_OPENED: u64 = 8;

/// The largest number of events of the blocks beside the one that is simulated.
const MAX_EVENTS: usize = 1 << 14;

/// All, in thousandths.
const ALL: u64 = 1000;

/// What blocks access together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Together {
    /// The lines of 128 bytes to which warps of several blocks add atomically.
    pub(crate) shared_lines: HashSet<u64>,
    /// The sectors of global memory that a block leaves partly written, and those beside it, too.
    pub(crate) partial: HashSet<u64>,
    /// Whether a block and one beside it read most of the same parts of device memory that are opened at a time.
    pub(crate) share_reads: bool,
    /// Whether they write most of the same lines.
    pub(crate) share_writes: bool,
    /// Whether they read a quarter of the same sectors or more.
    pub(crate) share_sectors: bool,
    /// The part of the sectors that a block reads which others read at about the same time, in thousandths. The L2 cache answers
    /// several multiprocessors at once.
    pub(crate) read_alike: u64,
    /// Whether half of a warp's lanes add to one address, of more lines that blocks share than a few: where all blocks are at a
    /// time decides how fast they go on.
    pub(crate) many_lanes_share_addresses: bool,
    /// Whether most loads that touch many sectors touch them at irregular distances.
    pub(crate) is_irregular: bool,
    /// The bytes of constants that are read by computed addresses.
    pub(crate) constant_bytes: u64,
}

/// The sectors from which on a load touches many.
const MANY_SECTORS: usize = 8;

/// The lines to which blocks add that are a few.
const FEW_LINES: usize = 4;

impl Together {
    /// Compares blocks of one multiprocessor, and one of them with those beside it.
    pub(crate) fn new(streams: &[BlockStream], block: &BlockStream, beside: &[Vec<BlockStream>]) -> Self {
        let along_axes = beside.iter().map(|axis| shared_part(block, axis, Direction::Load, 1));
        let read_alike = along_axes.sum::<u64>().min(ALL);
        let beside: Vec<&BlockStream> = beside.iter().flatten().collect();
        let written: HashSet<u64> = beside.iter().flat_map(|stream| places(stream, Direction::Store, 1)).collect();
        let partial = streams.iter().flat_map(partial_sectors).filter(|sector| !written.contains(sector));
        let part = |direction, sectors| shared_part(block, beside.iter().copied(), direction, sectors);
        let shared_lines = shared_lines(streams, &beside);
        Self {
            many_lanes_share_addresses: shared_lines.len() > FEW_LINES && shares_addresses(block),
            is_irregular: is_irregular(block),
            shared_lines,
            partial: partial.collect(),
            share_reads: part(Direction::Load, SECTORS_OPENED) > ALL / 2,
            share_writes: part(Direction::Store, SECTORS_OF_A_LINE) > ALL / 2,
            share_sectors: part(Direction::Load, 1) >= ALL / 4,
            read_alike,
            constant_bytes: constant_bytes(streams),
        }
    }
}

/// Returns the streams of the blocks beside one, for each axis of the grid, which run at about the same time on other
/// multiprocessors: among so many that follow.
pub(crate) fn beside(
    source: &Source<'_>,
    first: u64,
    [x, y, z]: [u32; 3],
    resident: u64,
) -> Result<Vec<Vec<BlockStream>>, Stop> {
    let (row, plane) = (u64::from(x), u64::from(x) * u64::from(y));
    let all = plane * u64::from(z);
    let mut distances = vec![1, row, plane];
    distances.dedup();
    let along = |distance: u64| {
        let follows = Some(first + distance).filter(|block| *block < all && distance <= 2 * resident);
        let precedes = first.checked_sub(1).filter(|_| distance == 1);
        precedes.into_iter().chain(follows).map(|block| source.stream(block, MAX_EVENTS)).collect()
    };
    distances.into_iter().map(along).collect()
}

/// Returns the lines to which several blocks add atomically. Those stand for all blocks: what two add to, all do.
fn shared_lines(streams: &[BlockStream], beside: &[&BlockStream]) -> HashSet<u64> {
    let mut shared = HashSet::new();
    let mut seen: HashSet<u64> = HashSet::new();
    for stream in streams.iter().chain(beside.iter().copied()) {
        let own: HashSet<u64> = places(stream, Direction::Atomic, SECTORS_OF_A_LINE).collect();
        shared.extend(own.intersection(&seen));
        seen.extend(own);
    }
    shared
}

/// Returns whether half of a warp's lanes add to one address.
fn shares_addresses(stream: &BlockStream) -> bool {
    let shares = |access: &StreamedAccess| access.active.count_ones() >= 16 * u32::from(access.addresses.max(1));
    accesses(stream).any(|(access, _)| is_of(access, AccessedSpace::Global, Direction::Atomic) && shares(access))
}

/// Returns whether most loads of many sectors touch them at irregular distances.
fn is_irregular(stream: &BlockStream) -> bool {
    let loads = accesses(stream).filter(|(access, sectors)| {
        is_of(access, AccessedSpace::Global, Direction::Load) && sectors.len() > MANY_SECTORS
    });
    let mut count = [0_u64; 2];
    for (_, sectors) in loads {
        let mut distances = sectors.windows(2).map(|pair| pair[1] - pair[0]);
        let first = distances.next();
        count[usize::from(distances.any(|distance| Some(distance) != first))] += 1;
    }
    count[1] > count[0]
}

/// Returns which part of the places, of so many sectors, that a block beside another accesses that one accesses, too, in
/// thousandths: the larger of both sides. The streams of those beside may be cut.
fn shared_part<'s>(
    block: &BlockStream,
    beside: impl IntoIterator<Item = &'s BlockStream>,
    direction: Direction,
    sectors: u64,
) -> u64 {
    let own: HashSet<u64> = places(block, direction, sectors).collect();
    let part = |stream: &BlockStream| {
        let theirs: HashSet<u64> = places(stream, direction, sectors).collect();
        theirs.intersection(&own).count() as u64 * ALL / (theirs.len() as u64).max(1)
    };
    beside.into_iter().map(part).max().unwrap_or(0)
}

/// Returns the accesses of a block, each with its sectors.
fn accesses(stream: &BlockStream) -> impl Iterator<Item = (&StreamedAccess, &[u64])> {
    stream.warps.iter().flatten().filter_map(StreamedEvent::access).map(|access| {
        let first = access.first_sector as usize;
        (access, &stream.sectors[first..first + usize::from(access.sectors)])
    })
}

/// Returns the places of global memory, of so many sectors, that a block accesses in one way.
fn places(stream: &BlockStream, direction: Direction, size: u64) -> impl Iterator<Item = u64> {
    let own = accesses(stream).filter(move |(access, _)| is_of(access, AccessedSpace::Global, direction));
    own.flat_map(move |(_, sectors)| sectors.iter().map(move |sector| sector / size))
}

/// Returns the sectors of global memory that a block writes in part: fewer bytes than they have, if lanes are spread evenly.
fn partial_sectors(stream: &BlockStream) -> Vec<u64> {
    let mut bytes: HashMap<u64, u64> = HashMap::new();
    for (access, sectors) in accesses(stream) {
        if is_of(access, AccessedSpace::Global, Direction::Store) {
            let each = u64::from(access.bytes) * u64::from(access.active.count_ones()) / (sectors.len() as u64).max(1);
            sectors.iter().for_each(|sector| *bytes.entry(*sector).or_default() += each);
        }
    }
    bytes.into_iter().filter(|(_, bytes)| *bytes < SECTOR_BYTES).map(|(sector, _)| sector).collect()
}

/// Returns the bytes of the sectors of constants that are read by computed addresses.
fn constant_bytes(streams: &[BlockStream]) -> u64 {
    let of_constants = |stream| accesses(stream).filter(|(access, _)| access.space == AccessedSpace::Constant);
    let sectors: HashSet<u64> =
        streams.iter().flat_map(of_constants).flat_map(|(_, sectors)| sectors.to_vec()).collect();
    sectors.len() as u64 * SECTOR_BYTES
}

fn is_of(access: &StreamedAccess, space: AccessedSpace, direction: Direction) -> bool {
    (access.space, access.direction) == (space, direction)
}
