//! The lane loop: fetches operands, applies a function lane by lane, writes the active lanes.
//!
//! Everything here is inlined into code compiled for the machine's vector instructions (see
//! [`super::simd`]); eight lanes at a time keep the operands in registers, where whole rows would
//! travel through the stack (measured: 2.7 against 43 ns a warp instruction).

use super::registers::{CHUNK, Lanes, OperandKind, Place, Registers, Row};
use crate::ground::lanes::LANES;

/// A value of one lane, and how it lies in its register file.
pub(crate) trait Lane: Copy + Default {
    /// Register file.
    const KIND: OperandKind;

    /// Reads eight lanes from `offset` on.
    fn load(registers: &Registers, row: usize, offset: usize) -> [Self; CHUNK];

    /// Writes eight lanes from `offset` on, those with a set bit in `mask` where one is given.
    fn store(registers: &mut Registers, row: usize, offset: usize, values: [Self; CHUNK], mask: Option<&Row<u32>>);
}

/// Implements [`Lane`] for a type kept in the low bits of a register file.
macro_rules! lane {
    ($type:ty, $file:ident, $word:ty, $kind:ident, $from:expr, $into:expr) => {
        impl Lane for $type {
            const KIND: OperandKind = OperandKind::$kind;

            #[inline(always)]
            fn load(registers: &Registers, row: usize, offset: usize) -> [Self; CHUNK] {
                let words: &[$word] = &registers.$file[row].0[offset..offset + CHUNK];
                let mut values = [Self::default(); CHUNK];
                for (value, &word) in values.iter_mut().zip(words) {
                    *value = $from(word);
                }
                values
            }

            #[inline(always)]
            fn store(
                registers: &mut Registers,
                row: usize,
                offset: usize,
                values: [Self; CHUNK],
                mask: Option<&Row<u32>>,
            ) {
                let words: &mut [$word] = &mut registers.$file[row].0[offset..offset + CHUNK];
                match mask {
                    None => {
                        for (word, value) in words.iter_mut().zip(values) {
                            *word = $into(value);
                        }
                    }
                    Some(mask) => {
                        let mask = &mask.0[offset..offset + CHUNK];
                        for ((word, value), &keep) in words.iter_mut().zip(values).zip(mask) {
                            let keep = keep as i32 as $word;
                            *word = ($into(value) & keep) | (*word & !keep);
                        }
                    }
                }
            }
        }
    };
}

lane!(u32, narrow, u32, Narrow, |word| word, |value| value);
lane!(i32, narrow, u32, Narrow, |word| word as i32, |value| value as u32);
lane!(u16, narrow, u32, Narrow, |word| word as u16, |value| value as u32);
lane!(i16, narrow, u32, Narrow, |word| word as i16, |value| value as u16 as u32);
lane!(f32, narrow, u32, Narrow, f32::from_bits, f32::to_bits);
lane!(u64, wide, u64, Wide, |word| word, |value| value);
lane!(i64, wide, u64, Wide, |word| word as i64, |value| value as u64);
lane!(f64, wide, u64, Wide, f64::from_bits, f64::to_bits);

impl Lane for bool {
    const KIND: OperandKind = OperandKind::Predicate;

    #[inline(always)]
    fn load(registers: &Registers, row: usize, offset: usize) -> [Self; CHUNK] {
        let bits = registers.predicates[row] >> offset;
        let mut values = [false; CHUNK];
        for (lane, value) in values.iter_mut().enumerate() {
            *value = bits >> lane & 1 != 0;
        }
        values
    }

    #[inline(always)]
    fn store(registers: &mut Registers, row: usize, offset: usize, values: [Self; CHUNK], mask: Option<&Row<u32>>) {
        let (mut bits, mut keep) = (0, 0xFF_u32);
        for (lane, value) in values.into_iter().enumerate() {
            bits |= u32::from(value) << lane;
        }
        if let Some(mask) = mask {
            keep = 0;
            for (lane, &word) in mask.0[offset..offset + CHUNK].iter().enumerate() {
                keep |= word & 1 << lane;
            }
        }
        let word = &mut registers.predicates[row];
        *word = (*word & !(keep << offset)) | (bits & keep) << offset;
    }
}

/// Where the operands of an arithmetic instruction are: the destination first.
pub(crate) type Places = [Place; 6];

/// Runs `body(registers, warp, offset, mask)` for each chunk of each warp.
macro_rules! each_chunk {
    ($registers:ident, $lanes:ident, |$warp:ident, $offset:ident, $mask:ident| $body:expr) => {
        if $lanes.full {
            for &warp in &$lanes.warps {
                let ($warp, $mask) = (warp as usize, None);
                for chunk in 0..LANES / CHUNK {
                    let $offset = chunk * CHUNK;
                    $body
                }
            }
        } else {
            for (&warp, row) in $lanes.warps.iter().zip(&$lanes.spread) {
                let ($warp, $mask) = (warp as usize, Some(row));
                for chunk in 0..LANES / CHUNK {
                    let $offset = chunk * CHUNK;
                    $body
                }
            }
        }
    };
}

/// Defines the loop for a number of sources.
macro_rules! apply {
    ($name:ident, $($type:ident $value:ident $index:literal),*) => {
        #[inline(always)]
        #[allow(clippy::too_many_arguments)]
        pub(crate) fn $name<D: Lane, $($type: Lane),*>(
            registers: &mut Registers,
            lanes: &Lanes,
            places: &Places,
            function: impl Fn($($type),*) -> D,
        ) {
            each_chunk!(registers, lanes, |warp, offset, mask| {
                $(let $value = $type::load(registers, places[$index].of(warp), offset);)*
                let mut result = [D::default(); CHUNK];
                for lane in 0..CHUNK {
                    result[lane] = function($($value[lane]),*);
                }
                D::store(registers, places[0].of(warp), offset, result, mask);
            });
        }
    };
}

apply!(apply1, A a 1);
apply!(apply2, A a 1, B b 2);
apply!(apply3, A a 1, B b 2, C c 3);
apply!(apply4, A a 1, B b 2, C c 3, E e 4);
