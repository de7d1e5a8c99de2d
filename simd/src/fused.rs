//! The fused multiply-add of WebAssembly, in a module of its own.
//!
//! The instruction belongs to relaxed SIMD, and browsers without that refuse each module that contains it. So it is alone in a
//! small module, [`MODULE`]. A page instantiates it with the memory of this module if it can, puts its function into the table of
//! this module's functions, and calls [`Fused::offer`] with its index. Calls from one module to another through a table take
//! a few nanoseconds.
//!
//! WebAssembly leaves open whether the instruction rounds once or twice, which is the same for all of its executions in a browser.
//! [`Fused::offer`] finds out.

use crate::{LANES, Row};
use std::sync::OnceLock;

/// The module: it imports the memory `main.memory`, and exports `fused(to, a, b, c)`, which writes `a * b + c` for the 32 lanes of
/// the rows at these addresses.
pub static MODULE: [u8; HEAD.len() + LANES / 4 * QUAD.len() + 1] = module();

/// The module before the instructions of its function.
const HEAD: &[u8] = b"\0asm\x01\0\0\0\
    \x01\x08\x01\x60\x04\x7F\x7F\x7F\x7F\x00\
    \x02\x10\x01\x04main\x06memory\x02\x00\x00\
    \x03\x02\x01\x00\
    \x07\x09\x01\x05fused\x00\x00\
    \x0A\xDD\x01\x01\xDA\x01\x00";

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

const fn module() -> [u8; MODULE.len()] {
    /// The instruction `end`.
    const END: u8 = 0x0B;
    let mut bytes = [END; MODULE.len()];
    bytes.split_at_mut(HEAD.len()).0.copy_from_slice(HEAD);
    let mut quad = 0;
    while quad < LANES / 4 {
        let (_, code) = bytes.split_at_mut(HEAD.len() + quad * QUAD.len());
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
type Function = extern "C" fn(*mut Row<u32>, *const Row<u32>, *const Row<u32>, *const Row<u32>);

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

    /// Writes `a * b + c` to row `to` for numbers of single precision. All are indices of `rows`.
    ///
    /// # Panics
    /// Panics if there is no such row.
    #[inline(always)]
    pub fn multiply_add(self, rows: &mut [Row<u32>], to: usize, [a, b, c]: [usize; 3]) {
        assert!(to.max(a).max(b).max(c) < rows.len(), "a row out of bounds");
        let first = rows.as_mut_ptr();
        // SAFETY: all four rows exist. The function loads four lanes of each source before it stores the four of the result, so
        // that rows may be the same.
        unsafe { (self.0)(first.add(to), first.add(a), first.add(b), first.add(c)) }
    }

    /// Returns whether the sums are rounded once, subnormal ones, too. With a + 2^-12 for a power of two a, the square
    /// is a^2 + 2^-11 a^2 + 2^-24 a^2, of which a product that is rounded keeps the first two terms.
    fn rounds_once(self) -> bool {
        const EPSILON: f32 = 1.0 / 4096.0;
        let powers: [f32; LANES] = std::array::from_fn(|lane| 2.0_f32.powi(3 * lane as i32 - 62));
        let factors = powers.map(|power| (power * (1.0 + EPSILON)).to_bits());
        let summands = powers.map(|power| (-power * (1.0 + 2.0 * EPSILON) * power).to_bits());
        let mut rows = [Row([0; LANES]), Row(factors), Row(summands)];
        self.multiply_add(&mut rows, 0, [1, 1, 2]);
        rows[0].0 == powers.map(|power| (power * EPSILON * (power * EPSILON)).to_bits())
    }
}
