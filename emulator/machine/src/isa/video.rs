//! Video instructions: arithmetic with bytes and halves of words ("Video Instructions" of the PTX manual).
//!
//! No GPU of compute capability 9.0 has them: ptxas translates them to others. For 256 operands of each of 2,695 combinations of
//! modifiers and parts, results on an H200 (ptxas 13.0) were compared with these functions. Those of halves and bytes, and of
//! the others without `.sat`, `.shr`, `.min`, `.max` and `.h1` of the result are as in the manual. [`VideoStep::finished`],
//! [`VideoStep::extreme`], [`VideoStep::merged`] and [`VideoStep::sum`] describe where ptxas departs from it, and have the bits of
//! the H200, too.

use super::class::Class;
use super::form::{Form, Modifiers};
use super::packed::{extend, of_words};
use crate::vector::apply::Handler;

/// A function of two parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Function {
    Add,
    Subtract,
    /// The average, rounded up if it is positive.
    Average,
    /// The absolute value of the difference.
    Difference,
    Minimum,
    Maximum,
    ShiftLeft {
        /// Whether the distance is taken modulo 32, and not clamped to 32.
        wraps: bool,
    },
    ShiftRight {
        wraps: bool,
    },
    /// Whether `a` is less than, equal to, or greater than `b`: 1 in the cases that are listed as true.
    Compare([bool; 3]),
    /// The product plus the third operand.
    MultiplyAdd {
        /// The distance of the right shift of the sum.
        shift: u8,
        plus_one: bool,
    },
}

/// A second function: of the result and the third operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Second {
    /// The sum of all parts and the operand.
    Add,
    Minimum,
    Maximum,
}

/// A video instruction, without its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Video {
    function: Function,
    /// The number of results in a word: 1, 2 or 4.
    results: u8,
    /// Whether the result, `a` and `b` have a sign.
    signed: [bool; 3],
    saturates: bool,
    second: Option<Second>,
}

/// The parts of the words `b:a` that are read for each result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Sources {
    bits: u32,
    /// The numbers of the parts, counted from the lowest.
    numbers: [u8; 4],
}

/// The parts of a word that are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Written {
    bits: u32,
    /// A mask of the numbers of the parts.
    mask: u8,
}

/// A video instruction with the parts of its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct VideoStep {
    video: Video,
    written: Written,
    sources: [Sources; 2],
    /// Whether the product and `c` are negated.
    negated: [bool; 2],
}

macro_rules! row {
    ($pattern:expr, $equation:expr, $results:literal, $types:literal, $function:expr) => {
        Form::row($pattern, Class::Integer, $equation, &[], &[], |m| {
            let function: fn(&Modifiers<'_>) -> Function = $function;
            video(m, function(m), $results, $types)
        })
    };
}

/// The row of a function of two parts of words.
macro_rules! scalar {
    ($name:literal, $function:ident, $equation:literal) => {
        row!(
            concat!($name, ".{u32|s32}.{u32|s32}.{u32|s32}[.sat][.add|.min|.max]"),
            concat!("d = ", $equation, ", clamped with .sat; then the sum, minimum or maximum with c"),
            1,
            3,
            |_| Function::$function
        )
    };
}

/// The row of a function of the halves or bytes of words.
macro_rules! simd {
    ($name:literal, $function:ident, $results:literal, $equation:literal) => {
        row!(
            concat!($name, ".{u32|s32}.{u32|s32}.{u32|s32}[.sat|.add]"),
            concat!("parts of d = ", $equation, ", clamped with .sat; with .add, d = c + their sum"),
            $results,
            3,
            |_| Function::$function
        )
    };
}

macro_rules! shift {
    ($name:literal, $function:ident, $equation:literal) => {
        row!(
            concat!($name, ".{u32|s32}.{u32|s32}.u32[.sat].{clamp|wrap}[.add|.min|.max]"),
            concat!(
                "d = ",
                $equation,
                " min(b, 32) or b mod 32, clamped with .sat; then the sum, minimum or maximum with c"
            ),
            1,
            3,
            |m| Function::$function { wraps: m.has("wrap") }
        )
    };
}

/// The row of a comparison of halves or bytes.
macro_rules! compare {
    ($name:literal, $results:literal) => {
        row!(
            concat!($name, ".{u32|s32}.{u32|s32}.{eq|ne|lt|le|gt|ge}[.add]"),
            "parts of d = 1 if the part of a compares with that of b, else 0; with .add, d = c + their sum",
            $results,
            2,
            comparison
        )
    };
}

/// The rows of the table. The parts that are read and written are in the operands.
pub(crate) const FORMS: &[Form<Video>] = &[
    scalar!("vadd", Add, "a + b"),
    scalar!("vsub", Subtract, "a - b"),
    scalar!("vabsdiff", Difference, "|a - b|"),
    scalar!("vmin", Minimum, "min(a, b)"),
    scalar!("vmax", Maximum, "max(a, b)"),
    shift!("vshl", ShiftLeft, "a <<"),
    shift!("vshr", ShiftRight, "a >>"),
    row!(
        "vmad.{u32|s32}.{u32|s32}.{u32|s32}[.po][.sat][.shr7|.shr15]",
        "d = (a * b + c, + 1 with .po) >> 7 or >> 15, clamped with .sat",
        1,
        3,
        |m| Function::MultiplyAdd { shift: shift(m), plus_one: m.has("po") }
    ),
    row!(
        "vset.{u32|s32}.{u32|s32}.{eq|ne|lt|le|gt|ge}[.add|.min|.max]",
        "d = 1 if a compares with b, else 0; then the sum, minimum or maximum with c",
        1,
        2,
        comparison
    ),
    simd!("vadd2", Add, 2, "a + b"),
    simd!("vsub2", Subtract, 2, "a - b"),
    simd!("vavrg2", Average, 2, "average of a and b"),
    simd!("vabsdiff2", Difference, 2, "|a - b|"),
    simd!("vmin2", Minimum, 2, "min(a, b)"),
    simd!("vmax2", Maximum, 2, "max(a, b)"),
    compare!("vset2", 2),
    simd!("vadd4", Add, 4, "a + b"),
    simd!("vsub4", Subtract, 4, "a - b"),
    simd!("vavrg4", Average, 4, "average of a and b"),
    simd!("vabsdiff4", Difference, 4, "|a - b|"),
    simd!("vmin4", Minimum, 4, "min(a, b)"),
    simd!("vmax4", Maximum, 4, "max(a, b)"),
    compare!("vset4", 4),
];

/// Returns the instruction. The first `types` modifiers are the types: those of a comparison lack that of the result.
fn video(modifiers: &Modifiers<'_>, function: Function, results: u8, types: usize) -> Video {
    let signed = |index: usize| modifiers.0.get(index) == Some(&"s32");
    let second = match modifiers.last() {
        "add" => Some(Second::Add),
        "min" => Some(Second::Minimum),
        "max" => Some(Second::Maximum),
        _ => None,
    };
    let signed = [types == 3 && signed(0), signed(types - 2), signed(types - 1)];
    Video { function, results, signed, saturates: modifiers.has("sat"), second }
}

fn shift(modifiers: &Modifiers<'_>) -> u8 {
    [("shr7", 7), ("shr15", 15)].into_iter().find(|(name, _)| modifiers.has(name)).map_or(0, |(_, shift)| shift)
}

fn comparison(modifiers: &Modifiers<'_>) -> Function {
    Function::Compare(match modifiers.0[2] {
        "eq" => [false, true, false],
        "ne" => [true, false, true],
        "lt" => [true, false, false],
        "le" => [true, true, false],
        "gt" => [false, false, true],
        _ => [false, true, true],
    })
}

/// Returns the bits of a part and the numbers of the parts of a name such as `h10`, lowest first.
fn parts_of(name: &str) -> Option<(u32, Vec<u8>)> {
    let bits = match name.get(..1)? {
        "b" => 8,
        "h" => 16,
        _ => return None,
    };
    let numbers = name[1..].chars().rev().map(|digit| digit.to_digit(10).map(|digit| digit as u8));
    Some((bits, numbers.collect::<Option<_>>()?))
}

impl Video {
    /// Returns the number of parts in a word, and of their bits, for an operand without a name of parts.
    fn whole(self) -> Written {
        Written { bits: 32 / u32::from(self.results), mask: (1 << self.results) - 1 }
    }

    /// Returns whether the third operand is an operand of the function.
    pub(crate) fn adds(self) -> bool {
        matches!(self.function, Function::MultiplyAdd { .. })
    }

    /// Returns whether the instruction has a third operand in any case.
    pub(crate) fn takes_three(self) -> bool {
        self.adds() || self.results > 1 || self.second.is_some()
    }

    /// Returns whether operands may be negated.
    pub(crate) fn may_negate(self) -> bool {
        matches!(self.function, Function::MultiplyAdd { plus_one: false, .. })
    }

    /// Returns whether the result may be a part of a word.
    pub(crate) fn may_merge(self) -> bool {
        !self.adds() && (self.results > 1 || self.second.is_none())
    }

    fn sources(self, operand: u8, name: &str) -> Option<Sources> {
        let Written { bits, .. } = self.whole();
        if name.is_empty() {
            let numbers = std::array::from_fn(|position| operand * self.results + position as u8 % self.results);
            return Some(Sources { bits, numbers });
        }
        let (bits_of_part, found) = parts_of(name)?;
        let in_word = (32 / bits_of_part) as u8;
        let (first, end) = if self.results == 1 { (operand * in_word, in_word) } else { (0, 2 * in_word) };
        let valid = (self.results == 1 || bits_of_part == bits)
            && found.len() == usize::from(self.results)
            && found.iter().all(|number| *number < end);
        let numbers = |position: usize| first + found[position % found.len()];
        valid.then(|| Sources { bits: bits_of_part, numbers: std::array::from_fn(numbers) })
    }

    fn written(self, name: &str) -> Option<Written> {
        if name.is_empty() {
            return Some(self.whole());
        }
        let (bits, found) = parts_of(name)?;
        let fits = if self.results == 1 { found.len() == 1 } else { bits == self.whole().bits };
        let inside = found.iter().all(|number| u32::from(*number) < 32 / bits);
        let rises = found.windows(2).all(|pair| pair[0] < pair[1]);
        let valid = fits && !found.is_empty() && inside && rises;
        valid.then(|| Written { bits, mask: found.iter().fold(0, |mask, number| mask | 1 << number) })
    }

    /// Returns the instruction with the names of the parts of the result, `a` and `b`, of which each may be empty, and with whether
    /// the product and `c` are negated. `None` if the instruction does not take such parts.
    pub(crate) fn step(self, [result, a, b]: [&str; 3], negated: [bool; 2]) -> Option<VideoStep> {
        let sources = [self.sources(0, a)?, self.sources(1, b)?];
        Some(VideoStep { video: self, written: self.written(result)?, sources, negated })
    }
}

impl Function {
    fn shifts(self) -> bool {
        matches!(self, Self::ShiftLeft { .. } | Self::ShiftRight { .. })
    }

    /// Returns the value for two parts. It has at most 65 bits.
    fn of(self, a: i128, b: i128) -> i128 {
        let distance = |wraps: bool| if wraps { b & 31 } else { b.min(32) };
        match self {
            Self::Add => a + b,
            Self::Subtract => a - b,
            Self::Average => (a + b + i128::from(a + b >= 0)) >> 1,
            Self::Difference => (a - b).abs(),
            Self::Minimum => a.min(b),
            Self::Maximum => a.max(b),
            Self::ShiftLeft { wraps } => a << distance(wraps),
            Self::ShiftRight { wraps } => a >> distance(wraps),
            Self::Compare(cases) => i128::from(cases[(a.cmp(&b) as i8 + 1) as usize]),
            Self::MultiplyAdd { .. } => a * b,
        }
    }
}

/// Returns the nearest value of an integer type.
fn clamped(value: i128, bits: u32, signed: bool) -> i128 {
    match signed {
        true => value.clamp(-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
        false => value.clamp(0, (1 << bits) - 1),
    }
}

impl VideoStep {
    /// Returns the function that executes the instruction.
    pub(crate) fn handler(self) -> Handler {
        of_words(Box::new(move |a, b, c| self.of(a, b, c)))
    }

    fn of(self, a: u32, b: u32, c: u32) -> u32 {
        let Video { function, signed, second, .. } = self.video;
        let words = u64::from(b) << 32 | u64::from(a);
        let parts = |position: usize| {
            [0, 1].map(|operand| {
                let Sources { bits, numbers } = self.sources[operand];
                extend(words >> (bits * u32::from(numbers[position])), bits, signed[operand + 1])
            })
        };
        if let Function::MultiplyAdd { shift, plus_one } = function {
            return self.sum(parts(0), c, plus_one, shift);
        }
        let value = |position: usize| {
            let [a, b] = parts(position);
            function.of(a.into(), b.into())
        };
        let positions = (0..4).filter(|position| self.written.mask >> position & 1 != 0);
        let finished = |position: usize| self.finished(value(position));
        match second {
            Some(Second::Add) => positions.fold(c, |sum, position| sum.wrapping_add(finished(position) as u32)),
            Some(second) => self.extreme(finished(0), c, second == Second::Minimum),
            None => positions.fold(c, |word, position| self.merged(word, finished(position), position)),
        }
    }

    /// Returns a result after `.sat`. For one part of a word, ptxas takes the largest number for any that is outside, also for
    /// negative ones. For an unsigned word, it does not clamp sums beyond 32 bits. It clamps 34 bits of a shifted word, the
    /// highest of which is the sign, to those of a word, also for a part of one.
    fn finished(self, value: i128) -> i128 {
        let Video { function, results, signed: [signed, ..], saturates, .. } = self.video;
        let Written { bits, .. } = self.written;
        let nearest = clamped(value, bits, signed);
        match (saturates, results, bits) {
            (false, ..) => value,
            _ if function.shifts() => clamped(value << (128 - 34) >> (128 - 34), 32, signed),
            (_, 1, 32) if !signed => value.max(0) & i128::from(u32::MAX),
            (_, 1, 8 | 16) if value != nearest || value < 0 => (1 << (bits - u32::from(signed))) - 1,
            _ => nearest,
        }
    }

    /// Returns the minimum or maximum of a result and the third operand. For unsigned results, ptxas compares 64 bits, of which the
    /// upper ones may be copies of bit 31.
    fn extreme(self, value: i128, c: u32, smaller: bool) -> u32 {
        let Video { function, signed, saturates, .. } = self.video;
        let signed = if matches!(function, Function::Compare(_)) { signed[1] } else { signed[0] };
        let value = match function {
            Function::Add | Function::Subtract | Function::Minimum => i128::from(value as i32),
            Function::ShiftLeft { .. } if saturates => i128::from(value as i32),
            _ => value,
        };
        let (value, c) = match signed {
            true => (i128::from(value as i64), i128::from(c as i32)),
            false => (i128::from(value as u64), i128::from(c)),
        };
        (if smaller { value.min(c) } else { value.max(c) }) as u32
    }

    /// Returns a word with one part replaced by a result. Of a single result, ptxas writes the upper half to the upper half.
    fn merged(self, word: u32, value: i128, position: usize) -> u32 {
        let Written { bits, .. } = self.written;
        let (place, ones) = (bits * position as u32, u32::MAX >> (32 - bits));
        let upper = self.video.results == 1 && (bits, position) == (16, 1);
        let value = if upper { value >> 16 } else { value };
        word & !(ones << place) | (value as u32 & ones) << place
    }

    /// Returns the sum of a product and a word, which have a sign if a factor has one or if one of them is negated. ptxas takes the
    /// highest bit of all words for a sign, which shows with `.sat` and `.shr`.
    fn sum(self, factors: [i64; 2], c: u32, plus_one: bool, shift: u8) -> u32 {
        let [negative_product, negative_c] = self.negated;
        let signed = self.video.signed[1..].contains(&true) || negative_product || negative_c;
        let [a, b] = factors.map(|factor| i128::from(factor as i32));
        let product = self.video.function.of(a, b);
        let c = i128::from(c as i32);
        let sum = if negative_product { -product } else { product } + if negative_c { -c } else { c };
        let sum = sum + i128::from(plus_one);
        let sum = if signed || shift == 0 { sum >> shift } else { i128::from(sum as u64 >> shift) };
        (if self.video.saturates { clamped(sum, 32, signed) } else { sum }) as u32
    }
}
