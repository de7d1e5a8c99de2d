//! The fused multiply-add of WebAssembly, in a module of its own.
//!
//! The instruction belongs to relaxed SIMD, and browsers without that refuse each module that contains it. So it is alone in a
//! small module, [`MODULE`]. A page instantiates it with the memory of this module if it can, puts its function into the table of
//! this module's functions, and calls [`Fused::offer`] with its index. Calls from one module to another through a table take
//! a few nanoseconds.
//!
//! WebAssembly leaves open whether the instruction rounds once or twice, which is the same for all of its executions in a browser.
//! [`Fused::offer`] finds out.

use crate::{Row, WARP_SIZE};
use std::sync::OnceLock;

/// The module: it imports the memory `main.memory`, and exports `fused(to, a, b, c, count, step_a, step_b, step_c)`, which writes
/// `a * b + c` for the 32 lanes of `count` rows, at least one. `to` is the address of the first of adjacent rows, and those of the
/// sources increase by the steps.
pub static MODULE: [u8; HEAD.len() + WARP_SIZE / 4 * QUAD.len() + TAIL.len()] = module();

/// The module up to the first instruction in the loop of its function.
const HEAD: &[u8] = b"\0asm\x01\0\0\0\
    \x01\x0C\x01\x60\x08\x7F\x7F\x7F\x7F\x7F\x7F\x7F\x7F\x00\
    \x02\x10\x01\x04main\x06memory\x02\x00\x00\
    \x03\x02\x01\x00\
    \x07\x09\x01\x05fused\x00\x00\
    \x0A\x86\x02\x01\x83\x02\x00\x03\x40";

/// The instructions for four lanes: `local.get` of the addresses, `v128.load` of a, b and c, `f32x4.relaxed_madd`, and `v128.store`.
/// The last byte of each load and store is the offset of the lanes.
const QUAD: [u8; 27] = *b"\x20\x00\
    \x20\x01\xFD\x00\x04\x00\
    \x20\x02\xFD\x00\x04\x00\
    \x20\x03\xFD\x00\x04\x00\
    \xFD\x85\x02\
    \xFD\x0B\x04\x00";

/// The places of the offset in [`QUAD`].
const OFFSETS: [usize; 4] = [7, 13, 19, 26];

/// The rest of the loop: `i32.add` of 128 bytes to the address of the result and of the steps to the others, `i32.sub` of 1 from the
/// count, and `br_if`; then the ends of the loop and of the function.
const TAIL: &[u8] = b"\x20\x00\x41\x80\x01\x6A\x21\x00\
    \x20\x01\x20\x05\x6A\x21\x01\
    \x20\x02\x20\x06\x6A\x21\x02\
    \x20\x03\x20\x07\x6A\x21\x03\
    \x20\x04\x41\x01\x6B\x22\x04\x0D\x00\
    \x0B\x0B";

const fn module() -> [u8; MODULE.len()] {
    let mut bytes = [0; MODULE.len()];
    let (head, code) = bytes.split_at_mut(HEAD.len());
    head.copy_from_slice(HEAD);
    let (quads, tail) = code.split_at_mut(WARP_SIZE / 4 * QUAD.len());
    tail.copy_from_slice(TAIL);
    let mut quad = 0;
    while quad < WARP_SIZE / 4 {
        let (_, code) = quads.split_at_mut(quad * QUAD.len());
        code.split_at_mut(QUAD.len()).0.copy_from_slice(&QUAD);
        let mut index = 0;
        while index < OFFSETS.len() {
            code[OFFSETS[index]] = 16 * quad as u8;
            index += 1;
        }
        quad += 1;
    }
    bytes
}

/// The function of [`MODULE`].
type Function = extern "C" fn(
    *mut Row<u32>,
    *const Row<u32>,
    *const Row<u32>,
    *const Row<u32>,
    count: usize,
    step_a: usize,
    step_b: usize,
    step_c: usize,
);

static FUNCTION: OnceLock<Function> = OnceLock::new();

/// Proof that there is a fused multiply-add, which rounds once.
#[derive(Clone, Copy, Debug)]
pub struct Fused(Function);

impl Fused {
    /// Takes the function at an index of the table of functions if it rounds once, and returns whether it does.
    ///
    /// # Safety
    /// The function must be that of [`MODULE`], instantiated with the memory of this module.
    pub unsafe fn offer(index: usize) -> bool {
        // SAFETY: pointers to functions are indices of the table, and the caller promises that the function has this type.
        let fused = Self(unsafe { std::mem::transmute::<usize, Function>(index) });
        let rounds_once = fused.rounds_once();
        if rounds_once {
            let _ = FUNCTION.set(fused.0);
        }
        rounds_once
    }

    /// Returns the proof if the page has offered such a function.
    #[must_use]
    pub fn detect() -> Option<Self> {
        FUNCTION.get().copied().map(Self)
    }

    /// Writes `a * b + c` to `count` rows from row `to` on, for numbers of single precision. Each source is the index of its first
    /// row, and the increase from one row to the next, 0 or 1.
    ///
    /// # Panics
    /// Panics if there are no such rows.
    #[inline(always)]
    pub fn multiply_add(self, rows: &mut [Row<u32>], to: usize, sources: [(usize, usize); 3], count: usize) {
        if count == 0 {
            return;
        }
        let last = |(first, step): (usize, usize)| first + step * (count - 1);
        let [a, b, c] = sources;
        let highest = last((to, 1)).max(last(a)).max(last(b)).max(last(c));
        assert!(highest < rows.len(), "a row out of bounds");
        let first = rows.as_mut_ptr();
        let bytes = |(_, step): (usize, usize)| step * size_of::<Row<u32>>();
        // SAFETY: all rows exist. The function loads four lanes of each source before it stores the four of the result, so rows
        // may be the same.
        unsafe {
            (self.0)(
                first.add(to),
                first.add(a.0),
                first.add(b.0),
                first.add(c.0),
                count,
                bytes(a),
                bytes(b),
                bytes(c),
            );
        }
    }

    /// Returns whether the sums are rounded once, subnormal ones, too. With a + 2^-12 for a power of two a, the square
    /// is a^2 + 2^-11 a^2 + 2^-24 a^2, of which a product that is rounded keeps the first two terms.
    fn rounds_once(self) -> bool {
        const EPSILON: f32 = 1.0 / 4096.0;
        let powers: [f32; WARP_SIZE] = std::array::from_fn(|lane| 2.0_f32.powi(3 * lane as i32 - 62));
        let factors = powers.map(|power| (power * (1.0 + EPSILON)).to_bits());
        let summands = powers.map(|power| (-power * (1.0 + 2.0 * EPSILON) * power).to_bits());
        let mut rows = [Row([0; WARP_SIZE]), Row(factors), Row(summands)];
        self.multiply_add(&mut rows, 0, [(1, 0), (1, 0), (2, 0)], 1);
        rows[0].0 == powers.map(|power| (power * EPSILON * (power * EPSILON)).to_bits())
    }
}
