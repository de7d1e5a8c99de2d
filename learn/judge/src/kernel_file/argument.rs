//! Kernel arguments written as text: `i32=5`, `f32[1024]`, `f32[1024]=random`.

use crate::random::SplitMix;
use half::{bf16, f16};
use std::str::FromStr;

/// An element type: `i`, `u`, `f` or `bf` with a width in bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Element {
    kind: Kind,
    bytes: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Signed,
    Unsigned,
    Float,
    /// A float of 32 bits without its lower half.
    BrainFloat,
}

/// An argument of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Argument {
    /// The bytes of a scalar or a structure, passed by value, and the name of the type, `i32`.
    Value {
        /// The bytes.
        bytes: Vec<u8>,
        /// The name of the type.
        element: String,
    },
    /// A buffer in device memory, whose address is passed.
    Buffer(Buffer),
}

/// A buffer in device memory and its initial contents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Buffer {
    /// Element type and count as written, without the contents: `f32[1024]`.
    pub shown: String,
    element: Element,
    /// The number of elements, at least 1.
    pub count: u64,
    contents: Contents,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Contents {
    Unwritten,
    Freed,
    /// One value, repeated, or one per element.
    Values(Vec<u8>),
    Index,
    Random,
}

impl Buffer {
    /// Returns the size in bytes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.element_bytes() * self.count
    }

    /// Returns the size of an element in bytes.
    #[must_use]
    pub fn element_bytes(&self) -> u64 {
        self.element.bytes as u64
    }

    /// Formats the elements in `bytes`, separated by spaces.
    #[must_use]
    pub fn text_of(&self, bytes: &[u8]) -> String {
        let elements: Vec<String> =
            bytes.chunks_exact(self.element.bytes).map(|bytes| self.element.show(bytes)).collect();
        elements.join(" ")
    }

    /// Returns whether the buffer is freed before the launch.
    #[must_use]
    pub fn is_freed(&self) -> bool {
        self.contents == Contents::Freed
    }

    /// Returns the elements in `bytes` as numbers; 64-bit integers are rounded.
    #[must_use]
    pub fn numbers(&self, bytes: &[u8]) -> Vec<f64> {
        bytes.chunks_exact(self.element.bytes).map(|bytes| self.element.number(bytes)).collect()
    }

    /// Returns the initial contents, or `None` if the host writes nothing. Random contents depend only on `seed`.
    #[must_use]
    pub fn contents(&self, seed: u64) -> Option<Vec<u8>> {
        match &self.contents {
            Contents::Unwritten | Contents::Freed => None,
            Contents::Values(values) => Some(values.iter().copied().cycle().take(self.bytes() as usize).collect()),
            Contents::Index => Some((0..self.count).flat_map(|index| self.element.index_bytes(index)).collect()),
            Contents::Random => {
                let mut random = SplitMix::new(seed);
                Some((0..self.count).flat_map(|_| self.element.random_bytes(random.next())).collect())
            }
        }
    }
}

impl Argument {
    /// Returns the name of the type of the value or of an element: `f32`.
    #[must_use]
    pub fn element_name(&self) -> &str {
        match self {
            Self::Value { element, .. } => element,
            Self::Buffer(buffer) => buffer.shown.split('[').next().unwrap_or_default(),
        }
    }
}

impl FromStr for Argument {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (declared, contents) = text.split_once('=').map_or((text, None), |(declared, rest)| (declared, Some(rest)));
        let Some((name, count)) = declared.split_once('[') else {
            let element = Element::from_name(declared)?;
            let values = contents.ok_or_else(|| {
                format!("the value is missing; write {declared}=VALUE, or {declared}[COUNT] for a buffer")
            })?;
            return Ok(Self::Value { bytes: element.parse_list(values)?, element: element.name() });
        };
        let element = Element::from_name(name)?;
        let count: u64 = count
            .strip_suffix(']')
            .and_then(|count| count.parse().ok())
            .filter(|count| (1..=1 << 40).contains(count))
            .ok_or_else(|| format!("`[{count}` is not a number of elements in brackets"))?;
        let contents = match contents {
            None => Contents::Unwritten,
            Some("freed") => Contents::Freed,
            Some("index") => Contents::Index,
            Some("random") => Contents::Random,
            Some(values) => Contents::Values(element.parse_all(values, count)?),
        };
        Ok(Self::Buffer(Buffer { shown: declared.to_owned(), element, count, contents }))
    }
}

impl Element {
    fn from_name(name: &str) -> Result<Self, String> {
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

    fn name(self) -> String {
        let letter = match self.kind {
            Kind::Signed => "i",
            Kind::Unsigned => "u",
            Kind::Float => "f",
            Kind::BrainFloat => "bf",
        };
        format!("{letter}{}", 8 * self.bytes)
    }

    /// Parses one value for all elements, or one per element.
    fn parse_all(self, text: &str, count: u64) -> Result<Vec<u8>, String> {
        let values = self.parse_list(text)?;
        match (values.len() / self.bytes) as u64 {
            given if given == 1 || given == count => Ok(values),
            given => Err(format!("{given} values for {count} elements; give one value, or one per element")),
        }
    }

    fn parse_list(self, text: &str) -> Result<Vec<u8>, String> {
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
    fn show(self, bytes: &[u8]) -> String {
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
    fn number(self, bytes: &[u8]) -> f64 {
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
            (Kind::BrainFloat, _) => bf16::from_f64(value).to_le_bytes().into(),
            (_, 2) => f16::from_f64(value).to_le_bytes().into(),
            (_, 4) => (value as f32).to_le_bytes().into(),
            _ => value.to_le_bytes().into(),
        }
    }

    /// Returns the index as an element; integers wrap.
    fn index_bytes(self, index: u64) -> Vec<u8> {
        if self.is_float() { self.float_bytes(index as f64) } else { index.to_le_bytes()[..self.bytes].to_vec() }
    }

    /// Returns an element made of random bits: a float in [0, 1), or any integer.
    fn random_bytes(self, bits: u64) -> Vec<u8> {
        if !self.is_float() {
            return bits.to_le_bytes()[..self.bytes].to_vec();
        }
        // As many digits as the types have, so that no number rounds to 1.
        let digits = match (self.kind, self.bytes) {
            (Kind::BrainFloat, _) => 8,
            (_, 2) => 11,
            (_, 4) => 24,
            _ => 53,
        };
        self.float_bytes((bits >> (64 - digits)) as f64 * 2_f64.powi(-digits))
    }
}
