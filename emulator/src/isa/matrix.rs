//! Products of small matrices whose elements are distributed over the lanes of a warp, and loads of such matrices.

use super::class::Class;
use super::form::Form;

/// The number of columns of B, C and D.
pub(crate) const COLUMNS: usize = 8;
/// The number of rows of A, C and D.
pub(crate) const ROWS: usize = 16;
/// The maximum number of columns of A and rows of B.
pub(crate) const MOST_DEPTH: usize = 16;

/// The type of the factors. The sums are singles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Factor {
    /// The high 19 bits of a single. The others are ignored.
    Tf32,
    F16,
    Bf16,
}

/// `D = A B + C`, where D has 16 rows and 8 columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Multiply {
    pub(crate) factor: Factor,
    /// The number of columns of A and rows of B: 4, 8 or 16.
    pub(crate) depth: u8,
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
    /// Transposes a matrix in registers.
    Transpose,
}

impl Multiply {
    /// Returns the number of elements in a register.
    pub(crate) fn packed(self) -> usize {
        if self.factor == Factor::Tf32 { 1 } else { 2 }
    }

    /// Returns the number of registers of A and of B in each lane. C and D have four.
    pub(crate) fn registers(self) -> (usize, usize) {
        let b = usize::from(self.depth) / 4 / self.packed();
        (2 * b, b)
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
pub(crate) fn place_in_sum(lane: usize, register: usize) -> (usize, usize) {
    (lane / 4 + 8 * (register / 2), 2 * (lane % 4) + register % 2)
}

/// The rows of the table.
pub(crate) const FORMS: &[Form<Matrix>] = &[
    product("mma.sync.aligned.{m16n8k4|m16n8k8}.row.col.f32.tf32.tf32.f32"),
    product("mma.sync.aligned.{m16n8k8|m16n8k16}.row.col.f32.f16.f16.f32"),
    product("mma.sync.aligned.{m16n8k8|m16n8k16}.row.col.f32.bf16.bf16.f32"),
    Form::row(
        "ldmatrix.sync.aligned.m8n8.{x1|x2|x4}[.trans][.shared|.shared::cta].b16",
        Class::Memory,
        "d = 1, 2 or 4 matrices, with one row at the address a of each lane",
        &[],
        &[],
        |m| Matrix::Load {
            count: ["x1", "x2", "x4"].iter().position(|name| m.has(name)).map_or(1, |power| 1 << power),
            transposed: m.has("trans"),
            generic: !m.0.iter().any(|name| name.starts_with("shared")),
        },
    ),
    Form::row("movmatrix.sync.aligned.m8n8.trans.b16", Class::Exchange, "d = a, transposed", &[], &[], |_| {
        Matrix::Transpose
    }),
];

const fn product(pattern: &'static str) -> Form<Matrix> {
    Form::row(pattern, Class::Matrix, "d = a * b + c, for matrices", &[], &[], |m| {
        let depth = m.0[2].rsplit_once('k').and_then(|(_, depth)| depth.parse().ok());
        let factor = match m.0[m.0.len() - 2] {
            "tf32" => Factor::Tf32,
            "f16" => Factor::F16,
            _ => Factor::Bf16,
        };
        Matrix::Multiply(Multiply { factor, depth: depth.unwrap_or(8) })
    })
}
