//! Shadow memory: the last writes and reads of each piece of memory.

use super::touch::Stamp;
use rustc_hash::FxHashMap;

/// The bytes of memory described by a page.
const PAGE_BYTES: u64 = 4096;

/// The last accesses to a word, or to a byte if bytes are accessed individually.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Cell {
    /// The last plain store, and the last atomic.
    pub(super) writers: [Option<Stamp>; 2],
    /// The value of the last write, if known.
    pub(super) value: Option<u32>,
    /// The last reader, the last reader in another lane of its warp, and the last reader in another warp. Whichever thread
    /// writes next, one of them is a different thread.
    pub(super) readers: [Option<Stamp>; 3],
    /// The block whose shared memory the cell describes. A cell of another block counts as empty.
    block: u64,
}

/// The cells of one page of memory.
#[derive(Debug)]
struct Page {
    /// The binary logarithm of the bytes described by a cell: 2 or 0. A division takes longer than the rest of a visit.
    cell_shift: u32,
    cells: Vec<Cell>,
}

impl Page {
    fn new() -> Self {
        Self { cell_shift: 2, cells: vec![Cell::default(); PAGE_BYTES as usize / 4] }
    }

    /// Changes from cells of words to cells of bytes.
    fn split(&mut self) {
        let byte = |cell: &Cell, byte: u32| Cell { value: cell.value.map(|value| value >> (8 * byte) & 0xFF), ..*cell };
        self.cells = self.cells.iter().flat_map(|cell| (0..4).map(move |index| byte(cell, index))).collect();
        self.cell_shift = 0;
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
    pub(super) fn of_blocks() -> Self {
        Self { of_blocks: true, ..Self::default() }
    }

    /// Returns all cells in ascending order, each with its address and size in bytes.
    pub(super) fn cells(&self) -> impl Iterator<Item = (u64, u64, &Cell)> {
        let mut numbers: Vec<_> = self.indices.iter().collect();
        numbers.sort_unstable();
        numbers.into_iter().flat_map(|(number, &index)| {
            let page = &self.pages[index];
            let address = move |index: usize| number * PAGE_BYTES + ((index as u64) << page.cell_shift);
            page.cells.iter().enumerate().map(move |(index, cell)| (address(index), 1 << page.cell_shift, cell))
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

    /// Returns the cells of the shared memory of a block, as [`Self::cells`] does.
    pub(super) fn cells_of(&self, block: u64) -> impl Iterator<Item = (u64, u64, &Cell)> {
        self.cells().filter(move |(.., cell)| cell.block == block)
    }

    /// Visits the cells of `bytes` bytes at `address`, for an access of block `block`. The access must be aligned, and so is
    /// in one page.
    #[inline(always)]
    pub(super) fn visit(&mut self, block: u64, address: u64, bytes: u64, mut visit: impl FnMut(Piece, &mut Cell)) {
        let of_blocks = self.of_blocks;
        let page = self.page(address / PAGE_BYTES);
        if page.cell_shift == 2 && !(address | bytes).is_multiple_of(4) {
            page.split();
        }
        let (shift, size) = (page.cell_shift, 1 << page.cell_shift);
        let first = address % PAGE_BYTES >> shift;
        for (index, cell) in page.cells[first as usize..(first + (bytes >> shift)) as usize].iter_mut().enumerate() {
            if of_blocks && cell.block != block {
                *cell = Cell { block, ..Cell::default() };
            }
            let offset = (index as u64) << shift;
            visit(Piece { address: address + offset, offset, bytes: size }, cell);
        }
    }
}
