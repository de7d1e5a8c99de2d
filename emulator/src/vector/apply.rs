//! The lane loop: fetches operands, applies a function lane by lane, writes the results.
//!
//! Everything here is inlined into code compiled for the machine's vector instructions (see
//! [`super::simd`]); eight lanes at a time keep the operands in registers, where whole rows would
//! travel through the stack (measured: 2.7 against 43 ns a warp instruction).

use super::registers::{OperandKind, Registers, Row, Rows};
use crate::ground::lanes::LANES;

/// Lanes that the arithmetic handles at a time: one AVX2 register of 32-bit values.
const CHUNK: usize = 8;

/// Where the operands of an arithmetic instruction are: the result first.
pub(crate) type Places = [Rows; 6];

/// Executes an instruction for all lanes of several warps.
///
/// One function an instruction and vector extension, found when a launch begins: in one function for all of
/// them, the lane loops are beyond what the compiler takes in reasonable time.
pub(crate) trait Execute: Send + Sync {
    fn execute(&self, places: &Places, registers: &mut Registers, warps: &[u8]);
}

impl<F: Fn(&Places, &mut Registers, &[u8]) + Send + Sync> Execute for F {
    fn execute(&self, places: &Places, registers: &mut Registers, warps: &[u8]) {
        self(places, registers, warps);
    }
}

/// What executes one instruction.
pub(crate) type Handler = Box<dyn Execute>;

/// The register files as the lane loop sees them.
pub(crate) struct Files<'a> {
    narrow: &'a mut [Row<u32>],
    wide: &'a mut [Row<u64>],
    predicates: &'a mut [u32],
}

/// A value of one lane, and how it lies in its register file.
pub(crate) trait Lane: Copy + Default {
    /// Register file.
    const KIND: OperandKind;

    /// Reads eight lanes from `offset` on.
    fn load(files: &Files<'_>, row: usize, offset: usize) -> [Self; CHUNK];

    /// Writes eight lanes from `offset` on.
    fn store(files: &mut Files<'_>, row: usize, offset: usize, values: [Self; CHUNK]);
}

/// Implements [`Lane`] for a type kept in the low bits of a register file.
macro_rules! lane {
    ($type:ty, $file:ident, $kind:ident, $from:expr, $into:expr) => {
        impl Lane for $type {
            const KIND: OperandKind = OperandKind::$kind;

            #[inline(always)]
            fn load(files: &Files<'_>, row: usize, offset: usize) -> [Self; CHUNK] {
                let words = &files.$file[row].0[offset..offset + CHUNK];
                let mut values = [Self::default(); CHUNK];
                for (value, &word) in values.iter_mut().zip(words) {
                    *value = $from(word);
                }
                values
            }

            #[inline(always)]
            fn store(files: &mut Files<'_>, row: usize, offset: usize, values: [Self; CHUNK]) {
                let words = &mut files.$file[row].0[offset..offset + CHUNK];
                for (word, value) in words.iter_mut().zip(values) {
                    *word = $into(value);
                }
            }
        }
    };
}

lane!(u32, narrow, Narrow, |word| word, |value| value);
lane!(i32, narrow, Narrow, |word| word as i32, |value| value as u32);
lane!(u16, narrow, Narrow, |word| word as u16, |value| value as u32);
lane!(i16, narrow, Narrow, |word| word as i16, |value| value as u16 as u32);
lane!(f32, narrow, Narrow, f32::from_bits, f32::to_bits);
lane!(u64, wide, Wide, |word| word, |value| value);
lane!(i64, wide, Wide, |word| word as i64, |value| value as u64);
lane!(f64, wide, Wide, f64::from_bits, f64::to_bits);

impl Lane for bool {
    const KIND: OperandKind = OperandKind::Predicate;

    #[inline(always)]
    fn load(files: &Files<'_>, row: usize, offset: usize) -> [Self; CHUNK] {
        let bits = files.predicates[row] >> offset;
        let mut values = [false; CHUNK];
        for (lane, value) in values.iter_mut().enumerate() {
            *value = bits >> lane & 1 != 0;
        }
        values
    }

    #[inline(always)]
    fn store(files: &mut Files<'_>, row: usize, offset: usize, values: [Self; CHUNK]) {
        let mut bits = 0;
        for (lane, value) in values.into_iter().enumerate() {
            bits |= u32::from(value) << lane;
        }
        let word = &mut files.predicates[row];
        *word = (*word & !(0xFF << offset)) | bits << offset;
    }
}

/// Defines the loop for a number of sources.
macro_rules! apply {
    ($name:ident, $($type:ident $value:ident $index:literal),*) => {
        #[inline(always)]
        pub(crate) fn $name<D: Lane, $($type: Lane),*>(
            registers: &mut Registers,
            warps: &[u8],
            places: &Places,
            function: impl Fn($($type),*) -> D,
        ) {
            let Registers { narrow, wide, predicates } = registers;
            let mut files = Files { narrow, wide, predicates };
            for &warp in warps {
                let rows = places.map(|rows| rows.of(usize::from(warp)));
                for chunk in 0..LANES / CHUNK {
                    let offset = chunk * CHUNK;
                    $(let $value = $type::load(&files, rows[$index], offset);)*
                    let mut result = [D::default(); CHUNK];
                    for lane in 0..CHUNK {
                        result[lane] = function($($value[lane]),*);
                    }
                    D::store(&mut files, rows[0], offset, result);
                }
            }
        }
    };
}

apply!(apply1, A a 1);
apply!(apply2, A a 1, B b 2);
apply!(apply3, A a 1, B b 2, C c 3);
apply!(apply4, A a 1, B b 2, C c 3, E e 4);
