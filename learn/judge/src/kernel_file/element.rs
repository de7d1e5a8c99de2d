//! The types of elements: their names, and values as text, as numbers and as bytes.

use emulator::{NumberFormat, Numbers};
use half::{bf16, f16};

/// An element type: `i`, `u`, `f` or `bf` with a width in bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Element {
    kind: Kind,
    /// The size in bytes.
    pub(super) bytes: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Signed,
    Unsigned,
    Float,
    /// A float of 32 bits without its lower half.
    BrainFloat,
}

impl Element {
    pub(super) fn from_name(name: &str) -> Result<Self, String> {
        let kind = match name.get(..1) {
            Some("i") => Kind::Signed,
            Some("u") => Kind::Unsigned,
            Some("b") => Kind::BrainFloat,
            _ => Kind::Float,
        };
        match (kind, name) {
            (_, "i8" | "u8") => Ok(Self { kind, bytes: 1 }),
            (_, "i16" | "u16" | "f16" | "bf16") => Ok(Self { kind, bytes: 2 }),
            (_, "i32" | "u32" | "f32") => Ok(Self { kind, bytes: 4 }),
            (_, "i64" | "u64" | "f64") => Ok(Self { kind, bytes: 8 }),
            _ => Err(format!(
                "`{name}` is not a type; the types are i8, i16, i32, i64, u8, u16, u32, u64, f16, bf16, f32, f64"
            )),
        }
    }

    pub(super) fn name(self) -> String {
        let letter = match self.kind {
            Kind::Signed => "i",
            Kind::Unsigned => "u",
            Kind::Float => "f",
            Kind::BrainFloat => "bf",
        };
        format!("{letter}{}", 8 * self.bytes)
    }

    /// Parses one value for all elements, or one per element.
    pub(super) fn parse_all(self, text: &str, count: u64) -> Result<Vec<u8>, String> {
        let values = self.parse_list(text)?;
        match (values.len() / self.bytes) as u64 {
            given if given == 1 || given == count => Ok(values),
            given => Err(format!("{given} values for {count} elements; give one value, or one per element")),
        }
    }

    pub(super) fn parse_list(self, text: &str) -> Result<Vec<u8>, String> {
        let values = text.split(',').map(|value| self.parse(value)).collect::<Result<Vec<_>, _>>()?;
        Ok(values.concat())
    }

    fn parse(self, text: &str) -> Result<Vec<u8>, String> {
        let refused = || format!("`{text}` is not a value of type {}", self.name());
        let bits = 8 * self.bytes as u32;
        match (self.kind, bits) {
            // Rounded once.
            (Kind::Float, 32) => return Ok(text.parse::<f32>().map_err(|_| refused())?.to_le_bytes().into()),
            (Kind::Float | Kind::BrainFloat, _) => return Ok(self.float_bytes(text.parse().map_err(|_| refused())?)),
            _ => {}
        }
        let value = match text.strip_prefix("0x") {
            Some(digits) => i128::from_str_radix(digits, 16).map_err(|_| refused())?,
            None => text.parse().map_err(|_| refused())?,
        };
        let range = match self.kind {
            Kind::Signed => -(1_i128 << (bits - 1))..1 << (bits - 1),
            _ => 0..1 << bits,
        };
        if range.contains(&value) { Ok(value.to_le_bytes()[..self.bytes].to_vec()) } else { Err(refused()) }
    }

    /// Formats the value stored in `bytes`.
    pub(super) fn show(self, bytes: &[u8]) -> String {
        match (self.kind, self.bytes) {
            (Kind::BrainFloat, _) => bf16::from_bits(self.bits(bytes) as u16).to_string(),
            (Kind::Float, 2) => f16::from_bits(self.bits(bytes) as u16).to_string(),
            (Kind::Float, 4) => f32::from_bits(self.bits(bytes) as u32).to_string(),
            (Kind::Float, _) => f64::from_bits(self.bits(bytes)).to_string(),
            (Kind::Signed, _) => self.signed(bytes).to_string(),
            (Kind::Unsigned, _) => self.bits(bytes).to_string(),
        }
    }

    /// Returns the value stored in `bytes` as a number.
    pub(super) fn number(self, bytes: &[u8]) -> f64 {
        match (self.kind, self.bytes) {
            (Kind::BrainFloat, _) => bf16::from_bits(self.bits(bytes) as u16).into(),
            (Kind::Float, 2) => f16::from_bits(self.bits(bytes) as u16).into(),
            (Kind::Float, 4) => f64::from(f32::from_bits(self.bits(bytes) as u32)),
            (Kind::Float, _) => f64::from_bits(self.bits(bytes)),
            (Kind::Signed, _) => self.signed(bytes) as f64,
            (Kind::Unsigned, _) => self.bits(bytes) as f64,
        }
    }

    fn bits(self, bytes: &[u8]) -> u64 {
        let mut whole = [0; 8];
        whole[..bytes.len()].copy_from_slice(bytes);
        u64::from_le_bytes(whole)
    }

    fn signed(self, bytes: &[u8]) -> i64 {
        let unused = 64 - 8 * self.bytes as u32;
        (self.bits(bytes) << unused) as i64 >> unused
    }

    fn is_float(self) -> bool {
        matches!(self.kind, Kind::Float | Kind::BrainFloat)
    }

    /// Returns a float of this type.
    fn float_bytes(self, value: f64) -> Vec<u8> {
        match (self.kind, self.bytes) {
            (_, 2) => self.short(value).into(),
            (_, 4) => (value as f32).to_le_bytes().into(),
            _ => value.to_le_bytes().into(),
        }
    }

    /// Returns the first `count` elements: their indices, as integers that wrap or as floats, or random bits.
    pub(super) fn numbers(self, numbers: Numbers, count: u64) -> Vec<u8> {
        let format = match (self.is_float(), self.bytes) {
            (true, 4) => NumberFormat::Single,
            (true, 8) => NumberFormat::Double,
            (true, _) => return self.short_floats(numbers, count),
            (false, bytes) => NumberFormat::Integer(bytes),
        };
        numbers.bytes(count as usize, format)
    }

    /// Returns floats of 16 bits.
    fn short_floats(self, numbers: Numbers, count: u64) -> Vec<u8> {
        match numbers {
            Numbers::Index => {
                let mut bytes: Vec<u8> = (0..count.min(FINE)).flat_map(|index| self.short(index as f64)).collect();
                for start in (FINE..count).step_by(RUN as usize) {
                    bytes.extend(self.short(start as f64));
                    bytes.extend(self.short((start + 1) as f64).repeat(RUN as usize - 1));
                }
                bytes.truncate(2 * count as usize);
                bytes
            }
            Numbers::Random(seed) => {
                // As many digits as the types have, so that no number rounds to 1.
                let all = 1_u32 << if self.kind == Kind::BrainFloat { 8 } else { 11 };
                let choices: Vec<[u8; 2]> =
                    (0..all).map(|digits| self.short(f64::from(digits) / f64::from(all))).collect();
                emulator::random_choices(seed, count as usize, &choices)
            }
        }
    }

    /// Returns a float of 16 bits.
    fn short(self, value: f64) -> [u8; 2] {
        match self.kind {
            Kind::BrainFloat => bf16::from_f64(value).to_le_bytes(),
            _ => f16::from_f64(value).to_le_bytes(),
        }
    }
}

/// The index from which on [`RUN`] indices in a row are the same float of 16 bits, but for the first, which may be rounded down.
const FINE: u64 = 1 << 16;

const RUN: u64 = 256;
