//! The ranges of global memory that a launch accessed.

use super::shadow::{Readers, Shadow, Writes};
use super::touch::{Moments, Stamp, Touch};
use super::traits::Traits;

/// The largest number of ranges that are divided by source lines.
const MAX_RANGES: usize = 1 << 12;

/// Consecutive bytes that a launch accessed in the same way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Accessed {
    /// The address of the first byte.
    pub address: u64,
    /// The number of bytes.
    pub bytes: u64,
    /// Whether they were written; otherwise they were read.
    pub writes: bool,
    /// Whether all accesses were atomic, volatile or ordered, as used for synchronization.
    pub strong: bool,
    /// The index in [`crate::Accesses::places`] of the line that accessed them; `None` if there are too many ranges.
    pub place: Option<usize>,
}

/// The four kinds of access: whether it writes, and whether it is strong.
const KINDS: [(bool, bool); 4] = [(false, false), (false, true), (true, false), (true, true)];

/// Returns the last access of each kind to a cell.
fn touches(readers: Readers, writes: Writes) -> [Option<Stamp>; 4] {
    let reader = |strong: bool| readers.0.into_iter().flatten().find(|touch| touch.has(Traits::ATOMIC) == strong);
    [reader(false), reader(true), writes.by[0], writes.by[1]]
}

/// Ranges by kind of access and source line, each with one of its accesses.
struct Ranges<L> {
    all: Vec<(Accessed, Stamp)>,
    /// The index of the last range of each kind, its line, and the step of its last access.
    open: [Option<(usize, L, u32)>; 4],
}

impl<L: PartialEq> Ranges<L> {
    fn collect(shadow: &Shadow, line_of: impl Fn(u32) -> L) -> Vec<(Accessed, Stamp)> {
        let mut ranges = Self { all: Vec::new(), open: [const { None }; 4] };
        for (address, bytes, readers, writes) in shadow.cells() {
            for (kind, touch) in touches(readers, writes).into_iter().enumerate() {
                let Some(touch) = touch else { continue };
                ranges.add(kind, address, bytes, touch, &line_of);
            }
        }
        ranges.all
    }

    fn add(&mut self, kind: usize, address: u64, bytes: u64, touch: Stamp, line_of: impl Fn(u32) -> L) {
        if let Some((index, line, position)) = &mut self.open[kind] {
            let range = &mut self.all[*index].0;
            if range.address + range.bytes == address
                && (*position == touch.position() || *line == line_of(touch.position()))
            {
                range.bytes += bytes;
                *position = touch.position();
                return;
            }
        }
        let (writes, strong) = KINDS[kind];
        self.open[kind] = Some((self.all.len(), line_of(touch.position()), touch.position()));
        self.all.push((Accessed { address, bytes, writes, strong, place: None }, touch));
    }
}

/// Returns the accessed ranges, and one access for each line of source.
pub(crate) fn collect_ranges<L: PartialEq>(
    (shadow, moments): &(Shadow, Moments),
    line_of: impl Fn(u32) -> L,
) -> (Vec<Accessed>, Vec<Touch>) {
    let ranges = Ranges::collect(shadow, &line_of);
    if ranges.len() > MAX_RANGES {
        let without_lines = Ranges::collect(shadow, |_| ());
        return (without_lines.into_iter().map(|(range, _)| range).collect(), Vec::new());
    }
    let mut places: Vec<Stamp> = Vec::new();
    let mut place = |touch: Stamp| {
        let line = line_of(touch.position());
        places.iter().position(|known| line_of(known.position()) == line).unwrap_or_else(|| {
            places.push(touch);
            places.len() - 1
        })
    };
    let ranges = ranges.into_iter().map(|(range, touch)| Accessed { place: Some(place(touch)), ..range }).collect();
    (ranges, places.into_iter().map(|stamp| moments.touch(stamp)).collect())
}
