//! Which bytes of global memory a launch accessed, and how.

use super::order::Touch;
use super::shadow::{Cell, Shadow};

/// Ranges of a launch up to which those of different lines are told apart.
const MOST_RANGES: usize = 1 << 12;

/// Bytes in a row that a launch accessed in the same way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Accessed {
    /// The first of them.
    pub address: u64,
    /// How many.
    pub bytes: u64,
    /// Whether they were written; else read.
    pub writes: bool,
    /// Whether all accesses were atomic, volatile, or ordered: as threads hand over what others wrote.
    pub strong: bool,
    /// Which of [`crate::Accesses::places`] did so; `None` where many lines take turns.
    pub place: Option<usize>,
}

/// The four ways of access.
const WAYS: [(bool, bool); 4] = [(false, false), (false, true), (true, false), (true, true)];

/// The last access to a cell of each way.
fn touches(cell: &Cell) -> [Option<Touch>; 4] {
    let reader = |strong: bool| cell.readers.iter().flatten().find(|touch| touch.atomic == strong).copied();
    [reader(false), reader(true), cell.writers[0], cell.writers[1]]
}

/// Ranges by way of access and source line, each with one of the accesses of the line.
struct Ranges<L> {
    all: Vec<(Accessed, Touch)>,
    /// The range of each way that may go on, its line, and the step that had it last.
    open: [Option<(usize, L, u32)>; 4],
}

impl<L: PartialEq> Ranges<L> {
    fn of(shadow: &Shadow, line_of: impl Fn(u32) -> L) -> Vec<(Accessed, Touch)> {
        let mut ranges = Self { all: Vec::new(), open: [const { None }; 4] };
        for (address, bytes, cell) in shadow.cells() {
            for (way, touch) in touches(cell).into_iter().enumerate() {
                let Some(touch) = touch else { continue };
                ranges.add(way, address, bytes, touch, &line_of);
            }
        }
        ranges.all
    }

    fn add(&mut self, way: usize, address: u64, bytes: u64, touch: Touch, line_of: impl Fn(u32) -> L) {
        if let Some((index, line, position)) = &mut self.open[way] {
            let range = &mut self.all[*index].0;
            if range.address + range.bytes == address
                && (*position == touch.position || *line == line_of(touch.position))
            {
                range.bytes += bytes;
                *position = touch.position;
                return;
            }
        }
        let (writes, strong) = WAYS[way];
        self.open[way] = Some((self.all.len(), line_of(touch.position), touch.position));
        self.all.push((Accessed { address, bytes, writes, strong, place: None }, touch));
    }
}

/// What a launch accessed, and the accesses that stand for those of their lines.
pub(crate) fn accessed<L: PartialEq>(shadow: &Shadow, line_of: impl Fn(u32) -> L) -> (Vec<Accessed>, Vec<Touch>) {
    let ranges = Ranges::of(shadow, &line_of);
    if ranges.len() > MOST_RANGES {
        let without_lines = Ranges::of(shadow, |_| ());
        return (without_lines.into_iter().map(|(range, _)| range).collect(), Vec::new());
    }
    let mut places: Vec<Touch> = Vec::new();
    let mut place = |touch: Touch| {
        let line = line_of(touch.position);
        places.iter().position(|known| line_of(known.position) == line).unwrap_or_else(|| {
            places.push(touch);
            places.len() - 1
        })
    };
    let ranges = ranges.into_iter().map(|(range, touch)| Accessed { place: Some(place(touch)), ..range }).collect();
    (ranges, places)
}
