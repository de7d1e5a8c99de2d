//! The arithmetic of each data type.

use half::{bf16, f16};

/// A value of a data type. Integers wrap around. Every floating-point operation is rounded once, to nearest even.
pub(super) trait Element: Copy {
    const BYTES: usize;

    /// Reads a value from exactly [`Self::BYTES`] bytes.
    fn load(bytes: &[u8]) -> Self;
    /// Writes the value to exactly [`Self::BYTES`] bytes.
    fn store(self, bytes: &mut [u8]);
    fn sum(self, other: Self) -> Self;
    fn product(self, other: Self) -> Self;
    /// Returns the larger value, or the number if the other value is NaN.
    fn larger(self, other: Self) -> Self;
    /// Returns the smaller value, or the number if the other value is NaN.
    fn smaller(self, other: Self) -> Self;
    /// Divides by the number of ranks. Integers are rounded toward zero.
    fn divide(self, ranks: usize) -> Self;
}

macro_rules! bytes_of {
    ($kind:ty) => {
        const BYTES: usize = size_of::<$kind>();

        fn load(bytes: &[u8]) -> Self {
            let mut own = [0; size_of::<$kind>()];
            own.copy_from_slice(bytes);
            Self::from_le_bytes(own)
        }

        fn store(self, bytes: &mut [u8]) {
            bytes.copy_from_slice(&self.to_le_bytes());
        }
    };
}

macro_rules! integers {
    ($($kind:ty),*) => {$(
        impl Element for $kind {
            bytes_of!($kind);

            fn sum(self, other: Self) -> Self {
                self.wrapping_add(other)
            }

            fn product(self, other: Self) -> Self {
                self.wrapping_mul(other)
            }

            fn larger(self, other: Self) -> Self {
                self.max(other)
            }

            fn smaller(self, other: Self) -> Self {
                self.min(other)
            }

            // In 128 bits, because neither type can represent all values of the other.
            fn divide(self, ranks: usize) -> Self {
                (self as i128 / ranks as i128) as Self
            }
        }
    )*};
}

macro_rules! floats {
    ($($kind:ty),*) => {$(
        impl Element for $kind {
            bytes_of!($kind);

            fn sum(self, other: Self) -> Self {
                self + other
            }

            fn product(self, other: Self) -> Self {
                self * other
            }

            fn larger(self, other: Self) -> Self {
                self.max(other)
            }

            fn smaller(self, other: Self) -> Self {
                self.min(other)
            }

            fn divide(self, ranks: usize) -> Self {
                self / ranks as Self
            }
        }
    )*};
}

integers!(i8, u8, i32, u32, i64, u64);
floats!(f32, f64);

/// Implements the arithmetic of floats of 16 bits. It is computed in f32 and rounded again, which equals a single rounding,
/// because the significand of f32 has at least twice as many bits plus two.
macro_rules! small_floats {
    ($($kind:ty),*) => {$(
        impl Element for $kind {
            bytes_of!($kind);

            fn sum(self, other: Self) -> Self {
                Self::from_f32(self.to_f32() + other.to_f32())
            }

            fn product(self, other: Self) -> Self {
                Self::from_f32(self.to_f32() * other.to_f32())
            }

            fn larger(self, other: Self) -> Self {
                Self::from_f32(self.to_f32().max(other.to_f32()))
            }

            fn smaller(self, other: Self) -> Self {
                Self::from_f32(self.to_f32().min(other.to_f32()))
            }

            fn divide(self, ranks: usize) -> Self {
                Self::from_f32(self.to_f32() / ranks as f32)
            }
        }
    )*};
}

small_floats!(f16, bf16);
