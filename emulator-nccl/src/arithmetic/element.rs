//! What values of each data type are as numbers.

use super::small_float::Format;

/// A value of a data type. Integers wrap around; floating-point results are rounded once an operation, to nearest even.
pub(super) trait Element: Copy {
    const BYTES: usize;

    /// Reads it from exactly [`Self::BYTES`] bytes.
    fn load(bytes: &[u8]) -> Self;
    /// Writes it to exactly [`Self::BYTES`] bytes.
    fn store(self, bytes: &mut [u8]);
    fn sum(self, other: Self) -> Self;
    fn product(self, other: Self) -> Self;
    /// The larger one; of a number and a NaN the number.
    fn larger(self, other: Self) -> Self;
    /// The smaller one; of a number and a NaN the number.
    fn smaller(self, other: Self) -> Self;
    /// Divided by a number of ranks; integers are rounded toward zero.
    fn divided(self, ranks: usize) -> Self;
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

            // In 128 bits, where every number of ranks and every value fit.
            fn divided(self, ranks: usize) -> Self {
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

            fn divided(self, ranks: usize) -> Self {
                self / ranks as Self
            }
        }
    )*};
}

integers!(i8, u8, i32, u32, i64, u64);
floats!(f32, f64);

/// A float of 8 or 16 bits. Its operations are those of f32, rounded again: f32 has more than twice its digits and two, so
/// that the second rounding changes nothing that one rounding would not.
#[derive(Clone, Copy)]
pub(super) struct Small<F>(f32, std::marker::PhantomData<F>);

impl<F: Format> Small<F> {
    fn rounded(value: f32) -> Self {
        Self(F::LAYOUT.decode(F::LAYOUT.encode(value)), std::marker::PhantomData)
    }
}

impl<F: Format> Element for Small<F> {
    const BYTES: usize = F::LAYOUT.bytes();

    fn load(bytes: &[u8]) -> Self {
        let bits = bytes.iter().rev().fold(0, |bits, byte| bits << 8 | u16::from(*byte));
        Self(F::LAYOUT.decode(bits), std::marker::PhantomData)
    }

    fn store(self, bytes: &mut [u8]) {
        let bits = F::LAYOUT.encode(self.0).to_le_bytes();
        bytes.copy_from_slice(&bits[..bytes.len()]);
    }

    fn sum(self, other: Self) -> Self {
        Self::rounded(self.0 + other.0)
    }

    fn product(self, other: Self) -> Self {
        Self::rounded(self.0 * other.0)
    }

    fn larger(self, other: Self) -> Self {
        Self(self.0.max(other.0), self.1)
    }

    fn smaller(self, other: Self) -> Self {
        Self(self.0.min(other.0), self.1)
    }

    fn divided(self, ranks: usize) -> Self {
        Self::rounded(self.0 / ranks as f32)
    }
}
