//! Products of small matrices whose elements are distributed over the lanes of a warp, and loads and stores of such matrices.

use super::class::Class;
use super::form::{Form, Modifiers};

/// The number of columns of B, C and D.
pub(crate) const COLUMNS: usize = 8;
/// The number of rows of A, C and D.
pub(crate) const ROWS: usize = 16;
/// The maximum number of columns of A and rows of B, for floats and doubles.
pub(crate) const MAX_DEPTH: usize = 16;

/// The type of floating-point factors. The sums are singles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Factor {
    /// The high 19 bits of a single. The others are ignored.
    Tf32,
    F16,
    Bf16,
}

/// The elements of the factors and of the sums.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Elements {
    /// Factors whose sums are singles.
    Floats(Factor),
    /// Factors of `f16`, whose sums are `f16` too.
    Halves,
    /// Doubles.
    Doubles {
        /// The number of rows of A and D: 8 or 16.
        rows: u8,
    },
    /// Factors of 8 bits, whose sums have 32 bits and a sign.
    Integers {
        /// Whether the elements of A and of B have a sign.
        signed: [bool; 2],
        /// Whether sums are clamped to the range of their type, and not taken modulo 2^32.
        clamped: bool,
        /// The number of rows of A and D: 8 or 16.
        rows: u8,
    },
}

/// `D = A B + C`, where D has 16 rows, or 8 for some doubles and integers, and 8 columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Multiply {
    pub(crate) elements: Elements,
    /// The number of columns of A and rows of B: 4, 8, 16 or 32.
    pub(crate) depth: u16,
}

/// A matrix instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Matrix {
    Multiply(Multiply),
    /// Loads 8×8 matrices of 16-bit elements from shared memory.
    Load {
        count: u8,
        transposed: bool,
        generic: bool,
    },
    /// Stores 8×8 matrices of 16-bit elements to shared memory.
    Store {
        count: u8,
        transposed: bool,
        generic: bool,
    },
    /// Transposes a matrix in registers.
    Transpose,
}

impl Multiply {
    /// Returns the number of elements in a register.
    pub(crate) fn packed(self) -> usize {
        match self.elements {
            Elements::Floats(Factor::Tf32) | Elements::Doubles { .. } => 1,
            Elements::Floats(_) | Elements::Halves => 2,
            Elements::Integers { .. } => 4,
        }
    }

    fn has_eight_rows(self) -> bool {
        match self.elements {
            Elements::Doubles { rows } | Elements::Integers { rows, .. } => rows == 8,
            Elements::Floats(_) | Elements::Halves => false,
        }
    }

    /// Returns the number of registers of C, and of D, in each lane.
    pub(crate) fn sums(self) -> usize {
        match self.elements {
            Elements::Halves => 2,
            _ if self.has_eight_rows() => 2,
            _ => 4,
        }
    }

    /// Returns the number of registers of A and of B in each lane.
    pub(crate) fn registers(self) -> (usize, usize) {
        let b = usize::from(self.depth) / 4 / self.packed();
        (if self.has_eight_rows() { b } else { 2 * b }, b)
    }

    /// Returns whether the registers have 64 bits.
    pub(crate) fn is_wide(self) -> bool {
        matches!(self.elements, Elements::Doubles { .. })
    }

    /// Returns the row and column in A of element `part` of a lane's register.
    pub(crate) fn place_in_a(self, lane: usize, register: usize, part: usize) -> (usize, usize) {
        (lane / 4 + 8 * (register % 2), self.depth_of(lane, register / 2, part))
    }

    /// Returns the row and column in B of element `part` of a lane's register.
    pub(crate) fn place_in_b(self, lane: usize, register: usize, part: usize) -> (usize, usize) {
        (self.depth_of(lane, register, part), lane / 4)
    }

    fn depth_of(self, lane: usize, quarter: usize, part: usize) -> usize {
        (4 * quarter + lane % 4) * self.packed() + part
    }
}

/// Returns the row and column in C and D of a lane's register.
#[inline(always)]
pub(crate) fn place_in_sum(lane: usize, register: usize) -> (usize, usize) {
    (lane / 4 + 8 * (register / 2), 2 * (lane % 4) + register % 2)
}

/// The rows of the table. ptxas accepts the modifiers of a load in two orders, of which the PTX manual has the first.
pub(crate) const FORMS: &[Form<Matrix>] = &[
    product("mma.sync.aligned.{m16n8k4|m16n8k8}.row.col.f32.tf32.tf32.f32"),
    product("mma.sync.aligned.{m16n8k8|m16n8k16}.row.col.f32.f16.f16.f32"),
    product("mma.sync.aligned.{m16n8k8|m16n8k16}.row.col.f32.bf16.bf16.f32"),
    Form::in_any_file(
        "mma.sync.aligned.{m16n8k8|m16n8k16}.row.col.f16.f16.f16.f16",
        Class::Matrix,
        "d = a * b + c, for matrices, with sums of f16",
        |m| Matrix::Multiply(Multiply { elements: Elements::Halves, depth: depth(m) }),
    ),
    Form::in_any_file(
        "mma.sync.aligned.{m8n8k16|m16n8k16|m16n8k32}.row.col[.satfinite].s32.{s8|u8}.{s8|u8}.s32",
        Class::Matrix,
        "d = a * b + c, for matrices of integers",
        |m| {
            let signed = [3, 2].map(|from_end| m.0[m.0.len() - from_end].starts_with('s'));
            let elements = Elements::Integers { signed, clamped: m.has("satfinite"), rows: rows(m) };
            Matrix::Multiply(Multiply { elements, depth: depth(m) })
        },
    ),
    Form::in_any_file(
        "mma.sync.aligned.{m8n8k4|m16n8k4|m16n8k8|m16n8k16}.row.col.f64.f64.f64.f64",
        Class::Matrix,
        "d = a * b + c, for matrices of doubles",
        |m| Matrix::Multiply(Multiply { elements: Elements::Doubles { rows: rows(m) }, depth: depth(m) }),
    ),
    load("ldmatrix.sync.aligned.m8n8.{x1|x2|x4}[.trans][.shared|.shared::cta].b16"),
    load("ldmatrix.sync.aligned.{x1|x2|x4}[.trans].m8n8[.shared|.shared::cta].b16"),
    Form::memory(
        "stmatrix.sync.aligned.m8n8.{x1|x2|x4}[.trans][.shared|.shared::cta].b16",
        "[a] = 1, 2 or 4 matrices b, with one row at the address a of each lane",
        |m| Matrix::Store { count: count(m), transposed: m.has("trans"), generic: is_generic(m) },
    ),
    Form::in_any_file("movmatrix.sync.aligned.m8n8.trans.b16", Class::Exchange, "d = a, transposed", |_| {
        Matrix::Transpose
    }),
];

const fn product(pattern: &'static str) -> Form<Matrix> {
    Form::in_any_file(pattern, Class::Matrix, "d = a * b + c, for matrices", |m| {
        let factor = match m.0[m.0.len() - 2] {
            "tf32" => Factor::Tf32,
            "f16" => Factor::F16,
            _ => Factor::Bf16,
        };
        Matrix::Multiply(Multiply { elements: Elements::Floats(factor), depth: depth(m) })
    })
}

const fn load(pattern: &'static str) -> Form<Matrix> {
    let equation = "d = 1, 2 or 4 matrices, with one row at the address a of each lane";
    Form::memory(pattern, equation, |m| Matrix::Load {
        count: count(m),
        transposed: m.has("trans"),
        generic: is_generic(m),
    })
}

/// Returns the number of rows of A in the shape of a product.
fn rows(modifiers: &Modifiers<'_>) -> u8 {
    if modifiers.0[2].starts_with("m8") { 8 } else { 16 }
}

/// Returns the number of columns of A in the shape of a product.
fn depth(modifiers: &Modifiers<'_>) -> u16 {
    modifiers.0[2].rsplit_once('k').and_then(|(_, depth)| depth.parse().ok()).unwrap_or(8)
}

/// Returns the number of matrices of a load or store.
fn count(modifiers: &Modifiers<'_>) -> u8 {
    ["x1", "x2", "x4"].iter().position(|name| modifiers.has(name)).map_or(1, |power| 1 << power)
}

fn is_generic(modifiers: &Modifiers<'_>) -> bool {
    !modifiers.0.iter().any(|name| name.starts_with("shared"))
}
