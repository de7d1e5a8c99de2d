//! What is known of each piece of memory: who wrote and read it last.

use super::order::Touch;
use rustc_hash::FxHashMap;

/// Bytes of memory that a page describes.
const PAGE_BYTES: u64 = 4096;

/// What is known of a piece of memory: a word, or a byte where bytes are accessed by themselves.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Cell {
    /// The last plain store, and the last atomic.
    pub(super) writers: [Option<Touch>; 2],
    /// What the last write stored, where that is known.
    pub(super) value: Option<u32>,
    /// The last reader, the last one of another lane of its warp, and the last one of another warp: one of them is not
    /// who writes next.
    pub(super) readers: [Option<Touch>; 3],
}

/// The cells of 4096 bytes, each for as many bytes.
#[derive(Debug)]
struct Page {
    cell_bytes: u64,
    cells: Vec<Cell>,
    /// The block whose cells these are, for memory of a block.
    block: u64,
}

impl Page {
    fn new(block: u64) -> Self {
        Self { cell_bytes: 4, cells: vec![Cell::default(); PAGE_BYTES as usize / 4], block }
    }

    /// Goes over from words to bytes.
    fn split(&mut self) {
        let byte = |cell: &Cell, byte: u32| Cell { value: cell.value.map(|value| value >> (8 * byte) & 0xFF), ..*cell };
        self.cells = self.cells.iter().flat_map(|cell| (0..4).map(move |index| byte(cell, index))).collect();
        self.cell_bytes = 1;
    }
}

/// The cells of a memory.
#[derive(Debug, Default)]
pub(crate) struct Shadow {
    pages: FxHashMap<u64, Page>,
    /// Whether each block has such a memory of its own.
    of_blocks: bool,
}

/// Part of an access that one cell describes: its first byte, and how far into the access that is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    pub(super) address: u64,
    pub(super) offset: u64,
    pub(super) bytes: u64,
}

impl Shadow {
    pub(super) fn of_blocks() -> Self {
        Self { of_blocks: true, ..Self::default() }
    }

    /// All cells that there are, ascending by address: address, bytes, and what is known.
    pub(super) fn cells(&self) -> impl Iterator<Item = (u64, u64, &Cell)> {
        let mut pages: Vec<_> = self.pages.iter().collect();
        pages.sort_unstable_by_key(|(number, _)| **number);
        pages.into_iter().flat_map(|(number, page)| {
            let address = move |index: usize| number * PAGE_BYTES + index as u64 * page.cell_bytes;
            page.cells.iter().enumerate().map(move |(index, cell)| (address(index), page.cell_bytes, cell))
        })
    }

    /// Visits the cells of `bytes` bytes at `address`, an access of block `block`. An access is aligned and lies in
    /// one page.
    pub(super) fn visit(&mut self, block: u64, address: u64, bytes: u64, mut visit: impl FnMut(Piece, &mut Cell)) {
        let page = self.pages.entry(address / PAGE_BYTES).or_insert_with(|| Page::new(block));
        if self.of_blocks && page.block != block {
            // What another block did to its own memory.
            page.cells.fill(Cell::default());
            page.block = block;
        }
        if page.cell_bytes == 4 && !(address | bytes).is_multiple_of(4) {
            page.split();
        }
        let size = page.cell_bytes;
        let first = address % PAGE_BYTES / size;
        for (index, cell) in page.cells[first as usize..(first + bytes / size) as usize].iter_mut().enumerate() {
            let offset = index as u64 * size;
            visit(Piece { address: address + offset, offset, bytes: size }, cell);
        }
    }
}
