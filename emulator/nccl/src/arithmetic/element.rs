//! The arithmetic of each data type.

use half::{bf16, f16};

/// A value of a data type. Integers wrap around. Every floating-point operation is rounded once, to nearest even.
pub(super) trait Element: Copy {
    const BYTES: usize;

    /// Reads a value from exactly [`Self::BYTES`] bytes.
    fn load(bytes: &[u8]) -> Self;
    /// Writes the value to exactly [`Self::BYTES`] bytes.
    fn store(self, bytes: &mut [u8]);
    fn sum(a: Self, b: Self) -> Self;
    fn product(a: Self, b: Self) -> Self;
    /// Returns the larger value, or the number if the other value is NaN.
    fn larger(a: Self, b: Self) -> Self;
    /// Returns the smaller value, or the number if the other value is NaN.
    fn smaller(a: Self, b: Self) -> Self;
    /// Divides by the number of ranks. Integers are rounded toward zero.
    fn divide(value: Self, ranks: usize) -> Self;
}

/// Implements the arithmetic of types, given its expressions of two values `a` and `b`, and of a value and the number of ranks.
macro_rules! elements {
    (
        $($kind:ty),*: |$a:ident, $b:ident, $ranks:ident|
        $sum:expr, $product:expr, $larger:expr, $smaller:expr, $quotient:expr
    ) => {$(
        impl Element for $kind {
            const BYTES: usize = size_of::<$kind>();

            fn load(bytes: &[u8]) -> Self {
                let mut own = [0; size_of::<$kind>()];
                own.copy_from_slice(bytes);
                Self::from_le_bytes(own)
            }

            fn store(self, bytes: &mut [u8]) {
                bytes.copy_from_slice(&self.to_le_bytes());
            }

            fn sum($a: Self, $b: Self) -> Self {
                $sum
            }

            fn product($a: Self, $b: Self) -> Self {
                $product
            }

            fn larger($a: Self, $b: Self) -> Self {
                $larger
            }

            fn smaller($a: Self, $b: Self) -> Self {
                $smaller
            }

            fn divide($a: Self, $ranks: usize) -> Self {
                $quotient
            }
        }
    )*};
}

// A quotient in 128 bits, because neither type can represent all values of the other.
elements!(i8, u8, i32, u32, i64, u64: |a, b, ranks|
    a.wrapping_add(b), a.wrapping_mul(b), a.max(b), a.min(b), (a as i128 / ranks as i128) as Self);
elements!(f32, f64: |a, b, ranks| a + b, a * b, a.max(b), a.min(b), a / ranks as Self);
// Floats of 16 bits are computed in f32 and rounded again, which equals a single rounding, because the significand of f32 has at
// least twice as many bits plus two.
elements!(f16, bf16: |a, b, ranks|
    Self::from_f32(a.to_f32() + b.to_f32()),
    Self::from_f32(a.to_f32() * b.to_f32()),
    Self::from_f32(a.to_f32().max(b.to_f32())),
    Self::from_f32(a.to_f32().min(b.to_f32())),
    Self::from_f32(a.to_f32() / ranks as f32));
