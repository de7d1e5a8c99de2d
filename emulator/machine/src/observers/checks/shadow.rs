//! Shadow memory: the last writes and reads of each piece of memory.

use super::touch::{Moments, Stamp};
use super::traits::Traits;
use rustc_hash::FxHashMap;

/// The bytes of memory described by a page.
const PAGE_BYTES: u64 = 4096;

/// The number of consecutive cells that are reset together when another block uses its shared memory.
const LINE: usize = 32;

/// The last reader of a word, or of a byte if bytes are accessed individually, the last reader in another lane of its warp, and
/// the last reader in another warp. Whichever thread writes next, one of them is a different thread.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Readers(pub(super) [Option<Stamp>; 3]);

impl Readers {
    /// Records a read.
    #[inline(always)]
    pub(super) fn add(&mut self, stamp: Stamp, moments: &Moments) {
        let [last, of_other_lane, of_other_warp] = self.0;
        self.0 = match last {
            Some(last) if !moments.are_of_one_warp(last, stamp) => [Some(stamp), None, Some(last)],
            Some(last) if !last.has_lane_of(stamp) => [Some(stamp), Some(last), of_other_warp],
            _ => [Some(stamp), of_other_lane, of_other_warp],
        };
    }
}

/// The last writes of a word or byte.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Writes {
    /// The last plain store, and the last atomic.
    pub(super) by: [Option<Stamp>; 2],
    /// The value of the last write, if known.
    pub(super) value: Option<u32>,
}

impl Writes {
    /// Returns whether one of them has initialized it.
    #[inline(always)]
    pub(super) fn are_defined(&self) -> bool {
        self.by.into_iter().flatten().any(|writer| !writer.has(Traits::UNDEFINED))
    }
}

/// The last accesses to a word or byte.
pub(super) struct Cell<'a> {
    pub(super) readers: &'a mut Readers,
    pub(super) writes: &'a mut Writes,
}

/// The cells of one access. There are no `writes` if no access that may write has reached the page.
pub(super) struct Cells<'a> {
    shift: u32,
    pub(super) readers: &'a mut [Readers],
    pub(super) writes: &'a mut [Writes],
}

impl Cells<'_> {
    /// Returns the part of the access at `address` that a cell describes.
    #[inline(always)]
    pub(super) fn piece(&self, address: u64, index: usize) -> Piece {
        let offset = (index as u64) << self.shift;
        Piece { address: address + offset, offset, bytes: 1 << self.shift }
    }
}

/// The cells of one page of memory.
#[derive(Debug)]
struct Page {
    /// The binary logarithm of the bytes described by a cell: 2 or 0. A division takes longer than the rest of a visit.
    cell_shift: u32,
    readers: Vec<Readers>,
    /// Empty until it is needed: most pages are only read.
    writes: Vec<Writes>,
    /// The block whose shared memory each line describes. A line of another block counts as empty.
    blocks: Vec<u64>,
}

impl Page {
    fn new() -> Self {
        let cells = PAGE_BYTES as usize / 4;
        Self {
            cell_shift: 2,
            readers: vec![Readers::default(); cells],
            writes: Vec::new(),
            blocks: vec![0; cells / LINE],
        }
    }

    /// Changes from cells of words to cells of bytes.
    #[inline(never)]
    fn split(&mut self) {
        let byte = |writes: &Writes, byte: u32| Writes {
            value: writes.value.map(|value| value >> (8 * byte) & 0xFF),
            ..*writes
        };
        self.readers = self.readers.iter().flat_map(|&readers| [readers; 4]).collect();
        self.writes = self.writes.iter().flat_map(|writes| [0, 1, 2, 3].map(|index| byte(writes, index))).collect();
        self.blocks = self.blocks.iter().flat_map(|&block| [block; 4]).collect();
        self.cell_shift = 0;
    }

    /// Returns the cells of a line of the page with this number, each with its address and size in bytes.
    fn cells(&self, number: u64, line: usize) -> impl Iterator<Item = (u64, u64, Readers, Writes)> {
        (line * LINE..(line + 1) * LINE).map(move |index| {
            let address = number * PAGE_BYTES + ((index as u64) << self.cell_shift);
            let writes = self.writes.get(index).copied().unwrap_or_default();
            (address, 1 << self.cell_shift, self.readers[index], writes)
        })
    }

    #[inline(never)]
    fn add_writes(&mut self) {
        self.writes = vec![Writes::default(); self.readers.len()];
    }

    /// Resets a line for another block.
    #[inline(never)]
    fn reset(&mut self, line: usize, block: u64) {
        self.blocks[line] = block;
        let cells = line * LINE..(line + 1) * LINE;
        self.readers[cells.clone()].fill(Readers::default());
        if !self.writes.is_empty() {
            self.writes[cells].fill(Writes::default());
        }
    }
}

/// The shadow of a memory.
#[derive(Debug, Default)]
pub(crate) struct Shadow {
    pages: Vec<Page>,
    /// The indices in `pages` by the number of the page, which is its address divided by its size.
    indices: FxHashMap<u64, usize>,
    /// The number and the index of the page that was used last.
    last: Option<(u64, usize)>,
    /// Whether each block has a separate memory.
    of_blocks: bool,
}

/// The part of an access that one cell describes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    /// The address of its first byte.
    pub(super) address: u64,
    /// The offset from the start of the access.
    pub(super) offset: u64,
    pub(super) bytes: u64,
}

impl Shadow {
    pub(super) fn for_blocks() -> Self {
        Self { of_blocks: true, ..Self::default() }
    }

    /// Returns all cells in ascending order, each with its address and size in bytes.
    pub(super) fn cells(&self) -> impl Iterator<Item = (u64, u64, Readers, Writes)> {
        self.lines().flat_map(|(page, number, line)| page.cells(number, line))
    }

    /// Returns the cells of the shared memory of a block, as [`Self::cells`] does.
    pub(super) fn cells_of(&self, block: u64) -> impl Iterator<Item = (u64, u64, Readers, Writes)> {
        let lines = self.lines().filter(move |(page, _, line)| page.blocks[*line] == block);
        lines.flat_map(|(page, number, line)| page.cells(number, line))
    }

    /// Returns all lines in ascending order: the page, its number, and the index of the line in the page.
    fn lines(&self) -> impl Iterator<Item = (&Page, u64, usize)> {
        let mut numbers: Vec<_> = self.indices.iter().collect();
        numbers.sort_unstable();
        numbers.into_iter().flat_map(|(&number, &index)| {
            let page = &self.pages[index];
            (0..page.blocks.len()).map(move |line| (page, number, line))
        })
    }

    /// Returns the page with a number.
    #[inline(always)]
    fn page(&mut self, number: u64) -> &mut Page {
        let index = match self.last {
            Some((last, index)) if last == number => index,
            _ => self.turn_to(number),
        };
        &mut self.pages[index]
    }

    /// Returns the index of another page than the last one.
    #[inline(never)]
    fn turn_to(&mut self, number: u64) -> usize {
        let index = *self.indices.entry(number).or_insert_with(|| {
            self.pages.push(Page::new());
            self.pages.len() - 1
        });
        self.last = Some((number, index));
        index
    }

    /// Returns the cells of `bytes` bytes at `address`, for an access of block `block` that may write if `writes`. The access
    /// must be aligned, and so is in one page.
    #[inline(always)]
    pub(super) fn cells_at(&mut self, block: u64, address: u64, bytes: u64, writes: bool) -> Cells<'_> {
        let of_blocks = self.of_blocks;
        let page = self.page(address / PAGE_BYTES);
        if page.cell_shift == 2 && !(address | bytes).is_multiple_of(4) {
            page.split();
        }
        if writes && page.writes.is_empty() {
            page.add_writes();
        }
        let shift = page.cell_shift;
        let first = (address % PAGE_BYTES >> shift) as usize;
        let cells = first..first + (bytes >> shift) as usize;
        if of_blocks {
            for line in first / LINE..cells.end.div_ceil(LINE) {
                if page.blocks[line] != block {
                    page.reset(line, block);
                }
            }
        }
        let writes = if page.writes.is_empty() { &mut [][..] } else { &mut page.writes[cells.clone()] };
        Cells { shift, readers: &mut page.readers[cells], writes }
    }

    /// Returns the cells of consecutive words from `address` on, as [`Self::cells_at`] does for one access. Returns `None` if they
    /// are not in one page, or not cells of words.
    #[inline(always)]
    pub(super) fn row_at(&mut self, block: u64, address: u64, words: usize, writes: bool) -> Option<Cells<'_>> {
        let bytes = 4 * words as u64;
        let in_page = address % PAGE_BYTES + bytes <= PAGE_BYTES;
        (in_page && self.page(address / PAGE_BYTES).cell_shift == 2)
            .then(|| self.cells_at(block, address, bytes, writes))
    }

    /// Changes the page at an address to cells of bytes.
    pub(super) fn split_at(&mut self, address: u64) {
        let page = self.page(address / PAGE_BYTES);
        if page.cell_shift == 2 {
            page.split();
        }
    }

    /// Visits the cells of an access, as [`Self::cells_at`] finds them.
    pub(super) fn visit(&mut self, block: u64, address: u64, bytes: u64, mut visit: impl FnMut(Piece, Cell<'_>)) {
        let cells = self.cells_at(block, address, bytes, true);
        for index in 0..cells.readers.len() {
            let piece = cells.piece(address, index);
            visit(piece, Cell { readers: &mut cells.readers[index], writes: &mut cells.writes[index] });
        }
    }
}

/// Divides a copy into pieces at multiples of 16 bytes, each of which is in one page.
pub(super) fn pieces(address: u64, bytes: u64) -> impl Iterator<Item = (u64, u64)> {
    let end = address + bytes;
    let starts = (address & !15..end).step_by(16).map(move |start| start.max(address));
    starts.map(move |start| (start, ((start & !15) + 16).min(end) - start))
}
