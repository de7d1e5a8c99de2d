//! The lane loop: reads operands, applies a function to each lane, and writes the results.
//!
//! Everything here is inlined into code that is compiled for the processor's vector instructions (see [`super::simd`]).

use super::lanes::Lanes;
use super::registers::{OperandKind, Registers, Row, Rows};
use crate::ground::lanes::{WARP_SIZE, active, select};

/// The number of lanes that are processed at a time: those of an AVX2 register of 32-bit values. Whole rows would be passed on
/// the stack, which takes 16 times as long.
pub(crate) const CHUNK: usize = 8;

/// The rows of the operands of an arithmetic instruction, the result first.
pub(crate) type Places = [Rows; 6];

/// An instruction that can be executed for the lanes of several warps.
pub(crate) trait Execute: Send + Sync {
    /// Executes it for all lanes.
    fn execute(&self, places: &Places, registers: &mut Registers, warps: &[u8]);

    /// Executes it for the active lanes, one by one, if that takes less time, and returns whether it did.
    fn execute_lanes(&self, _: &Places, _: &mut Registers, _: &Lanes) -> bool {
        false
    }
}

impl<F: Fn(&Places, &mut Registers, &[u8]) + Send + Sync> Execute for F {
    fn execute(&self, places: &Places, registers: &mut Registers, warps: &[u8]) {
        self(places, registers, warps);
    }
}

/// The function that executes one instruction.
pub(crate) type Handler = Box<dyn Execute>;

impl std::fmt::Debug for dyn Execute {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("a function")
    }
}

/// The register files, borrowed for a lane loop.
pub(crate) struct Files<'a> {
    narrow: &'a mut [Row<u32>],
    wide: &'a mut [Row<u64>],
    predicates: &'a mut [u32],
}

/// A type of values of one lane, and its representation in a register file.
pub(crate) trait Lane: Copy + Default {
    /// The register file.
    const KIND: OperandKind;

    /// Whether it is the count of a shift.
    const IS_COUNT: bool = false;

    /// Reads eight lanes, starting at lane `offset`.
    fn load(files: &Files<'_>, row: usize, offset: usize) -> [Self; CHUNK];

    /// Writes eight lanes, starting at lane `offset`.
    fn store(files: &mut Files<'_>, row: usize, offset: usize, values: [Self; CHUNK]);

    /// Returns the bit of a predicate in its row.
    #[inline(always)]
    fn bit(self, _lane: usize) -> u32 {
        0
    }

    /// Reads one lane.
    fn load_lane(files: &Files<'_>, row: usize, lane: usize) -> Self;

    /// Writes one lane.
    fn store_lane(self, files: &mut Files<'_>, row: usize, lane: usize);
}

/// Implements [`Lane`] for a type that is stored in the low bits of a register.
macro_rules! lane {
    ($type:ty, $file:ident, $kind:ident, $from:expr, $into:expr $(, $is_count:literal)?) => {
        impl Lane for $type {
            const KIND: OperandKind = OperandKind::$kind;
            $(const IS_COUNT: bool = $is_count;)?

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

            #[inline(always)]
            fn load_lane(files: &Files<'_>, row: usize, lane: usize) -> Self {
                $from(files.$file[row].0[lane % WARP_SIZE])
            }

            #[inline(always)]
            fn store_lane(self, files: &mut Files<'_>, row: usize, lane: usize) {
                files.$file[row].0[lane % WARP_SIZE] = $into(self);
            }
        }
    };
}

/// The count of a shift.
#[derive(Clone, Copy, Default)]
pub(crate) struct Count(pub(crate) u32);

lane!(u32, narrow, Narrow, |word| word, |value| value);
lane!(Count, narrow, Narrow, Count, |count: Count| count.0, true);
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
        // Masks of words, as vector instructions select by them.
        let masks: [u32; CHUNK] = std::array::from_fn(|lane| select(files.predicates[row], offset + lane));
        masks.map(|mask| mask != 0)
    }

    #[inline(always)]
    fn store(files: &mut Files<'_>, row: usize, offset: usize, values: [Self; CHUNK]) {
        let word = &mut files.predicates[row];
        *word = values
            .into_iter()
            .zip(offset..)
            .fold(*word & !(0xFF << offset), |word, (value, lane)| word | value.bit(lane));
    }

    #[inline(always)]
    fn bit(self, lane: usize) -> u32 {
        u32::from(self) << lane
    }

    #[inline(always)]
    fn load_lane(files: &Files<'_>, row: usize, lane: usize) -> Self {
        files.predicates[row] >> (lane % WARP_SIZE) & 1 != 0
    }

    #[inline(always)]
    fn store_lane(self, files: &mut Files<'_>, row: usize, lane: usize) {
        let word = &mut files.predicates[row];
        *word = (*word & !(1 << (lane % WARP_SIZE))) | u32::from(self) << (lane % WARP_SIZE);
    }
}

/// Returns the row of each operand for one warp.
///
/// Written out, because `places.map(…)` in the loop below is compiled again for each instruction: that was a fifth of
/// the time to compile this crate.
#[inline(always)]
fn rows_of(places: &Places, warp: usize) -> [usize; 6] {
    let [result, a, b, c, d, e] = places;
    [result.row(warp), a.row(warp), b.row(warp), c.row(warp), d.row(warp), e.row(warp)]
}

/// An instruction that calls a function for each lane. All functions of the same types share a lane loop.
pub(crate) struct Each<F>(pub(crate) F);

/// The average number of active lanes per warp up to which it takes less time to call a function for each of them than to
/// execute a lane loop and to copy the results of the active lanes.
const FEW: usize = 4;

/// An instruction with a lane loop of its own, and with a function that is called if few lanes are active.
pub(crate) struct Own<L, F> {
    pub(crate) lane_loop: L,
    pub(crate) each: Each<F>,
}

impl<L: Fn(&Places, &mut Registers, &[u8]) + Send + Sync, F> Execute for Own<L, F>
where
    Each<F>: Execute,
{
    fn execute(&self, places: &Places, registers: &mut Registers, warps: &[u8]) {
        (self.lane_loop)(places, registers, warps);
    }

    fn execute_lanes(&self, places: &Places, registers: &mut Registers, lanes: &Lanes) -> bool {
        lanes.active as usize <= FEW * lanes.warps.len() && self.each.execute_lanes(places, registers, lanes)
    }
}

/// Defines the lane loop for a number of sources.
macro_rules! apply {
    ($name:ident, $($type:ident $value:ident $index:literal),*) => {
        impl<D: Lane, $($type: Lane),*> Execute for Each<fn($($type),*) -> D> {
            fn execute(&self, places: &Places, registers: &mut Registers, warps: &[u8]) {
                $name(registers, warps, places, self.0);
            }

            #[inline(never)]
            fn execute_lanes(&self, places: &Places, registers: &mut Registers, lanes: &Lanes) -> bool {
                let Registers { narrow, wide, predicates } = registers;
                let mut files = Files { narrow, wide, predicates };
                for (warp, mask) in lanes.each() {
                    let rows = rows_of(places, warp);
                    for lane in active(mask) {
                        let result = (self.0)($($type::load_lane(&files, rows[$index], lane)),*);
                        result.store_lane(&mut files, rows[0], lane);
                    }
                }
                true
            }
        }

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
                let rows = rows_of(places, usize::from(warp));
                if D::KIND == OperandKind::Predicate {
                    // One loop over all lanes, because the compiler does not vectorize the packing of eight bits.
                    let mut bits = 0;
                    for lane in 0..WARP_SIZE {
                        bits |= function($($type::load_lane(&files, rows[$index], lane)),*).bit(lane);
                    }
                    files.predicates[rows[0]] = bits;
                    continue;
                }
                for chunk in 0..WARP_SIZE / CHUNK {
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
apply!(apply2_lanes, A a 1, B b 2);
apply!(apply3, A a 1, B b 2, C c 3);
apply!(apply4, A a 1, B b 2, C c 3, E e 4);

/// The lane loop for two sources.
#[inline(always)]
pub(crate) fn apply2<D: Lane, A: Lane, B: Lane>(
    registers: &mut Registers,
    warps: &[u8],
    places: &Places,
    function: impl Fn(A, B) -> D,
) {
    // WebAssembly shifts all lanes of a vector by the same count only.
    if cfg!(target_family = "wasm") && B::IS_COUNT && places[2].stride == 0 {
        let Registers { narrow, wide, predicates } = &mut *registers;
        let count = B::load_lane(&Files { narrow, wide, predicates }, places[2].first as usize, 0);
        return apply1(registers, warps, places, |a| function(a, count));
    }
    apply2_lanes(registers, warps, places, function);
}

/// Computes eight lanes at a time with `quick`, and again with `exact` if `quick` returns that a lane may be wrong.
#[inline(always)]
pub(crate) fn apply3_checked<D: Lane, A: Lane, B: Lane, C: Lane>(
    registers: &mut Registers,
    warps: &[u8],
    places: &Places,
    quick: impl Fn([A; CHUNK], [B; CHUNK], [C; CHUNK]) -> ([D; CHUNK], bool),
    exact: fn(A, B, C) -> D,
) {
    let Registers { narrow, wide, predicates } = registers;
    let mut files = Files { narrow, wide, predicates };
    for &warp in warps {
        let rows = rows_of(places, usize::from(warp));
        for offset in (0..WARP_SIZE).step_by(CHUNK) {
            let a = A::load(&files, rows[1], offset);
            let b = B::load(&files, rows[2], offset);
            let c = C::load(&files, rows[3], offset);
            let (mut result, is_doubtful) = quick(a, b, c);
            if is_doubtful {
                result = std::array::from_fn(|lane| exact(a[lane], b[lane], c[lane]));
            }
            D::store(&mut files, rows[0], offset, result);
        }
    }
}

/// Defines the handler with a lane loop of its own for a function of so many sources.
macro_rules! handler {
    ($name:ident, $apply:ident, $($type:ident),*) => {
        pub(crate) fn $name<D: Lane, $($type: Lane),*>(
            function: impl Fn($($type),*) -> D + Send + Sync + 'static,
        ) -> Handler {
            Box::new(move |places: &Places, registers: &mut Registers, warps: &[u8]| {
                $apply(registers, warps, places, &function);
            })
        }
    };
}

handler!(lanes1, apply1, A);
handler!(lanes2, apply2, A, B);
handler!(lanes3, apply3, A, B, C);
