//! Typed values in test data: decimal numbers, bits (`0x…`), sums of powers (`1+2^-23`), `inf`, `nan`, `true`.

/// The interpretation of the bits of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Bits,
    Unsigned,
    Signed,
    Float,
    /// `bf16`, and pairs of numbers, which test data contains as bits.
    Halves,
    Predicate,
}

/// A PTX type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Type {
    pub kind: Kind,
    pub bits: u32,
}

impl Type {
    pub const PREDICATE: Self = Self { kind: Kind::Predicate, bits: 1 };
    pub const U32: Self = Self { kind: Kind::Unsigned, bits: 32 };

    /// Parses a type such as `u32`, `f64` or `pred`.
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "pred" => return Some(Self::PREDICATE),
            "tf32" => return Some(Self { kind: Kind::Float, bits: 32 }),
            "bf16" => return Some(Self { kind: Kind::Halves, bits: 16 }),
            "e4m3x2" | "e5m2x2" => return Some(Self { kind: Kind::Halves, bits: 16 }),
            "f16x2" | "bf16x2" | "u16x2" | "s16x2" => return Some(Self { kind: Kind::Halves, bits: 32 }),
            _ => {}
        }
        let kind = match name.get(..1)? {
            "b" => Kind::Bits,
            "u" => Kind::Unsigned,
            "s" => Kind::Signed,
            "f" => Kind::Float,
            _ => return None,
        };
        let bits = name[1..].parse().ok().filter(|bits| [8, 16, 32, 64].contains(bits))?;
        Some(Self { kind, bits })
    }

    /// Returns the type of the same kind with a different width.
    pub fn with_bits(self, bits: u32) -> Self {
        Self { bits, ..self }
    }

    /// Returns the size in memory in bytes. A predicate is stored as a 32-bit integer.
    pub fn bytes(self) -> usize {
        if self.kind == Kind::Predicate { 4 } else { self.bits as usize / 8 }
    }

    /// Returns a mask of the bits of the type.
    pub fn mask(self) -> u64 {
        u64::MAX >> (64 - self.bits)
    }

    /// Parses a literal and returns the bits of its value.
    pub fn parse(self, text: &str) -> Result<u64, String> {
        let bits = match (self.kind, text.strip_prefix("0x")) {
            (Kind::Predicate, _) => text.parse::<bool>().ok().map(u64::from),
            (_, Some(digits)) => {
                u64::from_str_radix(&digits.replace('_', ""), 16).ok().filter(|bits| bits & !self.mask() == 0)
            }
            (Kind::Float, None) => self.parse_float(text),
            (Kind::Halves, None) => None,
            (_, None) => self.parse_integer(text),
        };
        bits.ok_or_else(|| format!("`{text}` is not a value of type {self:?}"))
    }

    fn parse_integer(self, text: &str) -> Option<u64> {
        let value: i128 = text.replace('_', "").parse().ok()?;
        let low = if self.kind == Kind::Unsigned { 0 } else { -(1 << (self.bits - 1)) };
        let high = if self.kind == Kind::Signed { (1 << (self.bits - 1)) - 1 } else { i128::from(self.mask()) };
        (low..=high).contains(&value).then_some(value as u64 & self.mask())
    }

    fn parse_float(self, text: &str) -> Option<u64> {
        match (self.bits, text.contains('^')) {
            (32, false) => text.parse::<f32>().ok().map(|value| u64::from(value.to_bits())),
            (64, false) => text.parse::<f64>().ok().map(f64::to_bits),
            (64, true) => sum_of_powers(text).map(f64::to_bits),
            (32, true) => {
                let value = sum_of_powers(text)?;
                let single = value as f32;
                (f64::from(single) == value).then_some(u64::from(single.to_bits()))
            }
            (_, false) if text == "nan" => Some(0x7FFF),
            (_, false) => half(text.parse().ok()?),
            (_, true) => half(sum_of_powers(text)?),
        }
    }

    /// Returns whether the bits are a NaN of this type.
    pub fn is_nan(self, bits: u64) -> bool {
        match (self.kind, self.bits) {
            (Kind::Float, 16) => bits & 0x7FFF > 0x7C00,
            (Kind::Float, 32) => f32::from_bits(bits as u32).is_nan(),
            (Kind::Float, _) => f64::from_bits(bits).is_nan(),
            _ => false,
        }
    }

    /// Returns the value of a single or double.
    pub fn to_f64(self, bits: u64) -> f64 {
        if self.bits == 32 { f64::from(f32::from_bits(bits as u32)) } else { f64::from_bits(bits) }
    }

    /// Returns the value for a message: in the notation of the type, followed by its bits.
    pub fn display(self, bits: u64) -> String {
        let bits = bits & self.mask();
        let unused = 64 - self.bits;
        match self.kind {
            Kind::Predicate => (bits != 0).to_string(),
            Kind::Signed => format!("{} ({bits:#x})", (bits << unused) as i64 >> unused),
            Kind::Float if self.bits != 16 => format!("{:e} ({bits:#x})", self.to_f64(bits)),
            _ => format!("{bits} ({bits:#x})"),
        }
    }
}

/// Returns the bits of the half-precision number that equals `value`, if there is one.
fn half(value: f64) -> Option<u64> {
    let number = |bits: &u64| {
        let exponent = (bits >> 10 & 31) as i32;
        let fraction = (bits & 1023) as f64;
        let magnitude = match exponent {
            0 => fraction * 2_f64.powi(-24),
            31 if fraction == 0.0 => f64::INFINITY,
            31 => f64::NAN,
            _ => (1024.0 + fraction) * 2_f64.powi(exponent - 25),
        };
        if bits & 0x8000 == 0 { magnitude } else { -magnitude }
    };
    (0..1 << 16).find(|bits| number(bits).to_bits() == value.to_bits())
}

/// Evaluates an expression such as `2^-149`, `-1+2^-23` or `3*2^-24`.
fn sum_of_powers(text: &str) -> Option<f64> {
    let mut sum = 0.0;
    let mut rest = text;
    while !rest.is_empty() {
        let negative = rest.starts_with('-');
        rest = rest.trim_start_matches(['+', '-']);
        // A sign ends a term, except after `^`.
        let ends = |(index, mark): (usize, char)| "+-".contains(mark) && !rest[..index].ends_with('^');
        let end = rest.char_indices().find(|&at| ends(at)).map_or(rest.len(), |(index, _)| index);
        let term = rest[..end].split('*').map(factor).try_fold(1.0, |product, factor| Some(product * factor?))?;
        sum += if negative { -term } else { term };
        rest = &rest[end..];
    }
    Some(sum)
}

fn factor(text: &str) -> Option<f64> {
    match text.strip_prefix("2^") {
        Some(exponent) => exponent.parse().ok().map(f64::exp2),
        None => text.parse().ok(),
    }
}
