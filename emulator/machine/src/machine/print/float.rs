//! The text of floating-point numbers, digit for digit that of C's `printf`.

/// The number of digits after the point from which on all digits of every number are zero.
const MAX_DIGITS: usize = 1100;

/// The default precision of all notations but the hexadecimal.
const DEFAULT_PRECISION: usize = 6;

/// A notation of floating-point numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Float {
    notation: Notation,
    pub(super) upper: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Notation {
    /// `f`: without an exponent.
    Fixed,
    /// `e`: with an exponent.
    Exponent,
    /// `g`: the shorter of both.
    General,
    /// `a`: hexadecimal.
    Hexadecimal,
}

impl Float {
    pub(super) fn from_letter(letter: u8) -> Option<Self> {
        let notation = match letter.to_ascii_lowercase() {
            b'f' => Notation::Fixed,
            b'e' => Notation::Exponent,
            b'g' => Notation::General,
            b'a' => Notation::Hexadecimal,
            _ => return None,
        };
        Some(Self { notation, upper: letter.is_ascii_uppercase() })
    }

    /// Returns the prefix and the digits of a number that is not negative, in lower case. `alternate` keeps a point without
    /// digits after it, and the zeros of `g`.
    pub(super) fn digits(self, magnitude: f64, precision: Option<usize>, alternate: bool) -> (&'static str, String) {
        match self.notation {
            _ if magnitude.is_nan() => ("", "nan".to_owned()),
            _ if magnitude.is_infinite() => ("", "inf".to_owned()),
            Notation::Hexadecimal => ("0x", hexadecimal(magnitude, precision, alternate)),
            notation => ("", decimal(notation, magnitude, precision.unwrap_or(DEFAULT_PRECISION), alternate)),
        }
    }
}

fn decimal(notation: Notation, value: f64, precision: usize, alternate: bool) -> String {
    match notation {
        Notation::Fixed => format_fixed(value, precision, alternate),
        Notation::Exponent => {
            let (mantissa, exponent) = scientific(value, precision, alternate);
            with_exponent(&mantissa, exponent)
        }
        Notation::General | Notation::Hexadecimal => general(value, precision.max(1), alternate),
    }
}

/// Returns a number with `precision` digits after the point. `alternate` keeps a point without digits after it.
fn format_fixed(value: f64, precision: usize, alternate: bool) -> String {
    let mut text = format!("{value:.*}", precision.min(MAX_DIGITS));
    extend(&mut text, precision, alternate);
    text
}

/// Appends the zeros beyond [`MAX_DIGITS`], and a point if `alternate` demands one.
fn extend(text: &mut String, precision: usize, alternate: bool) {
    text.push_str(&"0".repeat(precision.saturating_sub(MAX_DIGITS)));
    if alternate && precision == 0 {
        text.push('.');
    }
}

/// Returns the mantissa with `precision` digits after the point, and the exponent of ten.
fn scientific(value: f64, precision: usize, alternate: bool) -> (String, i32) {
    let text = format!("{value:.*e}", precision.min(MAX_DIGITS));
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let mut mantissa = mantissa.to_owned();
    extend(&mut mantissa, precision, alternate);
    (mantissa, exponent.parse().unwrap_or_default())
}

fn with_exponent(mantissa: &str, exponent: i32) -> String {
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}e{sign}{:02}", exponent.unsigned_abs())
}

/// Returns a number with `precision` significant digits, without the zeros at its end unless `alternate`.
fn general(value: f64, precision: usize, alternate: bool) -> String {
    let (mantissa, exponent) = scientific(value, precision - 1, alternate);
    let without_zeros = |text: &str| {
        let shorter = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text };
        if alternate { text.to_owned() } else { shorter.to_owned() }
    };
    if exponent < -4 || i64::from(exponent) >= precision as i64 {
        return with_exponent(&without_zeros(&mantissa), exponent);
    }
    let digits = (precision as i64 - 1 - i64::from(exponent)) as usize;
    without_zeros(&format_fixed(value, digits, alternate))
}

/// The number of stored bits of a significand.
const SIGNIFICAND_BITS: u32 = 52;

/// Returns a number in hexadecimal without its `0x`. The digit before the point is 0 for zero and subnormal numbers, and
/// otherwise 1, or 2 after rounding to `precision` digits, ties to even.
fn hexadecimal(value: f64, precision: Option<usize>, alternate: bool) -> String {
    let bits = value.to_bits();
    let stored = (bits >> SIGNIFICAND_BITS) as i32;
    let fraction = bits & ((1 << SIGNIFICAND_BITS) - 1);
    let (leading, exponent) = match (stored, fraction) {
        (0, 0) => (0, 0),
        (0, _) => (0, -1022),
        _ => (1, stored - 1023),
    };
    let mut significand = leading << SIGNIFICAND_BITS | fraction;
    let all_digits = SIGNIFICAND_BITS as usize / 4;
    if let Some(precision) = precision.filter(|&precision| precision < all_digits) {
        let dropped = 4 * (all_digits - precision) as u32;
        let kept = significand >> dropped;
        let rest = significand & ((1 << dropped) - 1);
        let half = 1 << (dropped - 1);
        let up = rest > half || (rest == half && kept & 1 == 1);
        significand = (kept + u64::from(up)) << dropped;
    }
    let digits = format!("{:013x}", significand & ((1 << SIGNIFICAND_BITS) - 1));
    let digits = match precision {
        None => digits.trim_end_matches('0').to_owned(),
        Some(precision) => {
            format!("{digits}{}", "0".repeat(precision.saturating_sub(all_digits)))[..precision].to_owned()
        }
    };
    let point = if digits.is_empty() && !alternate { "" } else { "." };
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{}{point}{digits}p{sign}{}", significand >> SIGNIFICAND_BITS, exponent.unsigned_abs())
}
