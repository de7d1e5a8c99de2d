//! Checks of a kernel's use of shared memory: races, and reads of what nobody wrote.
//!
//! Warps run in lockstep here, so a race is never judged by the values that were seen: two accesses of different
//! threads to one byte, one of them a write and not both atomic, race unless a barrier of the block, or of their warp,
//! stands between them. Inside a warp that is so since Volta, whose threads are scheduled each by itself.
//!
//! Of the readers of a byte the last one is remembered, and the last one of another warp: a race with an earlier
//! reader of the same warp may go unseen. A warp-level instruction orders all lanes of its warp that are alive.

use crate::counters::{Access, AccessKind, Observer};
use crate::fault::Place;
use crate::ptx::tree::Space;
use std::collections::BTreeMap;

/// What is wrong with an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum FindingKind {
    /// Two threads access the same byte without a barrier between them, and one of them writes.
    Race {
        /// What the earlier access was, and whether the threads are of one warp.
        hazard: Hazard,
        /// Both threads are of one warp: only lanes in lockstep would keep the order.
        inside_warp: bool,
    },
    /// A read of shared memory that no thread of the block has written.
    Uninitialised,
}

/// The order of the two accesses of a race, as it happened here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Hazard {
    /// Read after write.
    ReadAfterWrite,
    /// Write after read.
    WriteAfterRead,
    /// Write after write, of another value.
    WriteAfterWrite,
}

/// A place where a kernel is wrong, though this run may have given the right result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What is wrong.
    pub kind: FindingKind,
    /// Name of the kernel.
    pub kernel: String,
    /// First byte of shared memory where it was seen.
    pub address: u64,
    /// The access that completed it.
    pub access: Place,
    /// The earlier access of a race.
    pub earlier: Option<Place>,
    /// How often it happened, counted in lanes of accesses.
    pub count: u64,
}

impl std::fmt::Display for Finding {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { kernel, address, access, count, .. } = self;
        match (self.kind, &self.earlier) {
            (FindingKind::Race { hazard, inside_warp }, Some(earlier)) => {
                let (first, second) = match hazard {
                    Hazard::ReadAfterWrite => ("write", "read"),
                    Hazard::WriteAfterRead => ("read", "write"),
                    Hazard::WriteAfterWrite => ("write", "write"),
                };
                let between = if inside_warp { "inside a warp, without __syncwarp" } else { "between warps" };
                write!(
                    formatter,
                    "race {between} in kernel `{kernel}`: shared memory at byte {address}, {count} times\n  \
                     {first} {earlier}\n  {second} {access}"
                )
            }
            _ => write!(
                formatter,
                "read of shared memory that nobody wrote in kernel `{kernel}`: byte {address}, {count} times\n  read {access}"
            ),
        }
    }
}

/// One access to a byte.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Touch {
    thread: u32,
    position: u32,
    /// Barriers of the block, and of the warp, that the thread had passed.
    block_epoch: u32,
    warp_epoch: u32,
    atomic: bool,
}

/// What is known of a byte of shared memory.
#[derive(Clone, Copy, Debug, Default)]
struct Cell {
    /// The last plain store, and the last atomic.
    writers: [Option<Touch>; 2],
    /// What the last write stored, where that is known.
    value: Option<u8>,
    /// The last reader, and the last one of another warp.
    readers: [Option<Touch>; 2],
}

/// A finding before its positions are looked up: kind, earlier position, position.
pub(crate) type Key = (FindingKind, u32, u32);

/// Where a finding was seen first, and how often it was.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sighting {
    pub(crate) block: u64,
    pub(crate) address: u64,
    pub(crate) thread: u32,
    pub(crate) earlier_thread: u32,
    pub(crate) count: u64,
}

/// Observes a launch for races and uninitialised reads.
#[derive(Debug)]
pub(crate) struct Checking {
    cells: Vec<Cell>,
    block: u64,
    block_epoch: u32,
    warp_epochs: Vec<u32>,
    findings: BTreeMap<Key, Sighting>,
}

impl Checking {
    pub(crate) fn into_findings(self) -> BTreeMap<Key, Sighting> {
        self.findings
    }

    fn find(&mut self, kind: FindingKind, address: u64, touch: Touch, earlier: Touch) {
        let key = (kind, earlier.position, touch.position);
        let new =
            Sighting { block: self.block, address, thread: touch.thread, earlier_thread: earlier.thread, count: 0 };
        self.findings.entry(key).or_insert(new).count += 1;
    }

    /// Whether nothing orders two accesses of different threads.
    fn unordered(earlier: &Touch, touch: &Touch) -> bool {
        let one_warp = earlier.thread / 32 == touch.thread / 32;
        earlier.thread != touch.thread
            && earlier.block_epoch == touch.block_epoch
            && !(one_warp && earlier.warp_epoch < touch.warp_epoch)
            && !(earlier.atomic && touch.atomic)
    }

    fn race(&mut self, hazard: Hazard, address: u64, earlier: Option<Touch>, touch: Touch) {
        if let Some(earlier) = earlier.filter(|earlier| Self::unordered(earlier, &touch)) {
            let inside_warp = earlier.thread / 32 == touch.thread / 32;
            self.find(FindingKind::Race { hazard, inside_warp }, address, touch, earlier);
        }
    }

    fn read(&mut self, address: u64, touch: Touch) {
        let Some(cell) = self.cells.get(address as usize).copied() else { return };
        if cell.writers == [None; 2] {
            self.find(FindingKind::Uninitialised, address, touch, touch);
        }
        for writer in cell.writers {
            self.race(Hazard::ReadAfterWrite, address, writer, touch);
        }
        let other_warp = cell.readers[0].filter(|reader| reader.thread / 32 != touch.thread / 32);
        self.cells[address as usize].readers = [Some(touch), other_warp.or(cell.readers[1])];
    }

    fn write(&mut self, address: u64, value: Option<u8>, touch: Touch) {
        let Some(cell) = self.cells.get(address as usize).copied() else { return };
        // The same value twice leaves no doubt about the result.
        if value.is_none() || value != cell.value {
            for writer in cell.writers {
                self.race(Hazard::WriteAfterWrite, address, writer, touch);
            }
        }
        for reader in cell.readers {
            self.race(Hazard::WriteAfterRead, address, reader, touch);
        }
        let cell = &mut self.cells[address as usize];
        cell.writers[usize::from(touch.atomic)] = Some(touch);
        cell.value = value;
    }
}

impl Observer for Checking {
    const ON: bool = true;
    const EVERY_ACCESS: bool = true;

    fn new(_: usize) -> Self {
        Self { cells: Vec::new(), block: 0, block_epoch: 0, warp_epochs: Vec::new(), findings: BTreeMap::new() }
    }

    fn begin(&mut self, block: u64, warps: usize, shared_bytes: usize) {
        self.block = block;
        self.block_epoch = 0;
        self.warp_epochs.clear();
        self.warp_epochs.resize(warps, 0);
        self.cells.clear();
        self.cells.resize(shared_bytes, Cell::default());
    }

    fn enter(&mut self, _: u32, _: u64, _: u64) {}

    fn access(&mut self, access: &Access<'_>) {
        if access.space != Space::Shared {
            return;
        }
        for lane in (0..32).filter(|lane| access.addresses.mask >> lane & 1 != 0) {
            let touch = Touch {
                thread: access.warp as u32 * 32 + lane,
                position: access.position,
                block_epoch: self.block_epoch,
                warp_epoch: self.warp_epochs[access.warp],
                atomic: access.kind == AccessKind::Atomic,
            };
            let address = access.addresses.of(lane as usize);
            for byte in 0..u64::from(access.addresses.bytes) {
                if access.kind == AccessKind::Load {
                    self.read(address + byte, touch);
                } else {
                    let stored = access.stored.filter(|_| byte < 8);
                    let value = stored.map(|values| (values[lane as usize] >> (8 * byte)) as u8);
                    self.write(address + byte, value, touch);
                }
            }
        }
    }

    fn uniform_loads(&mut self, _: Space, _: u64, _: u64) {}
    fn branches(&mut self, _: u64, _: u64) {}
    fn barriers(&mut self, _: u64) {}
    fn shuffles(&mut self, _: u64) {}

    fn block_synchronised(&mut self) {
        self.block_epoch += 1;
    }

    fn warp_synchronised(&mut self, warp: usize) {
        self.warp_epochs[warp] += 1;
    }
}
