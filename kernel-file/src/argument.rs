//! Arguments of a kernel, written as text: `i32=5`, `f32[1024]`, `f32[1024]=random`.

use std::str::FromStr;

/// A type of values: letter and bits of its name.
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
}

/// An argument: a value, or a buffer whose address is passed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Argument {
    /// The bytes of a value or a structure.
    Value(Vec<u8>),
    /// Device memory.
    Buffer(Buffer),
}

/// Device memory with its first contents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Buffer {
    /// As it was written, without the contents: `f32[1024]`.
    pub shown: String,
    element: Element,
    /// How many elements, 1 or more.
    pub count: u64,
    contents: Contents,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Contents {
    Unwritten,
    Freed,
    /// Repeated up to the end.
    Values(Vec<u8>),
    Index,
    Random,
}

impl Buffer {
    /// Size in bytes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.element_bytes() * self.count
    }

    /// Size of one element.
    #[must_use]
    pub fn element_bytes(&self) -> u64 {
        self.element.bytes as u64
    }

    /// The elements in `bytes`, with blanks between.
    #[must_use]
    pub fn text_of(&self, bytes: &[u8]) -> String {
        let elements: Vec<String> =
            bytes.chunks_exact(self.element.bytes).map(|bytes| self.element.show(bytes)).collect();
        elements.join(" ")
    }

    /// Whether it is given back before the launch.
    #[must_use]
    pub fn is_freed(&self) -> bool {
        self.contents == Contents::Freed
    }

    /// The elements in `bytes` as numbers; 64-bit integers are rounded.
    #[must_use]
    pub fn numbers(&self, bytes: &[u8]) -> Vec<f64> {
        bytes.chunks_exact(self.element.bytes).map(|bytes| self.element.number(bytes)).collect()
    }

    /// What the host writes into it, if anything. Random contents depend on `seed` alone.
    #[must_use]
    pub fn contents(&self, seed: u64) -> Option<Vec<u8>> {
        match &self.contents {
            Contents::Unwritten | Contents::Freed => None,
            Contents::Values(values) => Some(values.iter().copied().cycle().take(self.bytes() as usize).collect()),
            Contents::Index => Some((0..self.count).flat_map(|index| self.element.of_index(index)).collect()),
            Contents::Random => {
                let mut random = SplitMix(seed);
                Some((0..self.count).flat_map(|_| self.element.of_random(random.next())).collect())
            }
        }
    }
}

impl FromStr for Argument {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (declared, contents) = text.split_once('=').map_or((text, None), |(declared, rest)| (declared, Some(rest)));
        let Some((name, count)) = declared.split_once('[') else {
            let element = Element::from_name(declared)?;
            let values = contents
                .ok_or_else(|| format!("no value; write {declared}=VALUE, or {declared}[COUNT] for a buffer"))?;
            return Ok(Self::Value(element.parse_list(values)?));
        };
        let element = Element::from_name(name)?;
        let count: u64 = count
            .strip_suffix(']')
            .and_then(|count| count.parse().ok())
            .filter(|count| (1..=1 << 40).contains(count))
            .ok_or_else(|| format!("`[{count}` is not a count of elements in brackets"))?;
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
            _ => Kind::Float,
        };
        match (kind, name) {
            (_, "i8" | "u8") => Ok(Self { kind, bytes: 1 }),
            (_, "i16" | "u16") => Ok(Self { kind, bytes: 2 }),
            (_, "i32" | "u32" | "f32") => Ok(Self { kind, bytes: 4 }),
            (_, "i64" | "u64" | "f64") => Ok(Self { kind, bytes: 8 }),
            _ => Err(format!("`{name}` is not a type; there are i8, i16, i32, i64, u8, u16, u32, u64, f32, f64")),
        }
    }

    fn name(self) -> String {
        let letter = match self.kind {
            Kind::Signed => 'i',
            Kind::Unsigned => 'u',
            Kind::Float => 'f',
        };
        format!("{letter}{}", 8 * self.bytes)
    }

    /// One value for all elements, or one for each.
    fn parse_all(self, text: &str, count: u64) -> Result<Vec<u8>, String> {
        let values = self.parse_list(text)?;
        match (values.len() / self.bytes) as u64 {
            given if given == 1 || given == count => Ok(values),
            given => Err(format!("{given} values for {count} elements; give one for all, or one for each")),
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
            (Kind::Float, 32) => return Ok(text.parse::<f32>().map_err(|_| refused())?.to_le_bytes().into()),
            (Kind::Float, _) => return Ok(text.parse::<f64>().map_err(|_| refused())?.to_le_bytes().into()),
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

    /// The value that these bytes are, as text.
    fn show(self, bytes: &[u8]) -> String {
        match (self.kind, self.bytes) {
            (Kind::Float, 4) => f32::from_bits(self.bits(bytes) as u32).to_string(),
            (Kind::Float, _) => f64::from_bits(self.bits(bytes)).to_string(),
            (Kind::Signed, _) => self.signed(bytes).to_string(),
            (Kind::Unsigned, _) => self.bits(bytes).to_string(),
        }
    }

    /// The value that these bytes are.
    fn number(self, bytes: &[u8]) -> f64 {
        match (self.kind, self.bytes) {
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

    /// The index, cut to the width of an integer.
    fn of_index(self, index: u64) -> Vec<u8> {
        match (self.kind, self.bytes) {
            (Kind::Float, 4) => (index as f32).to_le_bytes().into(),
            (Kind::Float, _) => (index as f64).to_le_bytes().into(),
            _ => index.to_le_bytes()[..self.bytes].to_vec(),
        }
    }

    fn of_random(self, bits: u64) -> Vec<u8> {
        match (self.kind, self.bytes) {
            (Kind::Float, 4) => ((bits >> 40) as f32 * 2_f32.powi(-24)).to_le_bytes().into(),
            (Kind::Float, _) => ((bits >> 11) as f64 * 2_f64.powi(-53)).to_le_bytes().into(),
            _ => bits.to_le_bytes()[..self.bytes].to_vec(),
        }
    }
}

/// SplitMix64 (Steele, Lea, Flood 2014): the same numbers on every machine.
struct SplitMix(u64);

impl SplitMix {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Result<Vec<u8>, String> {
        match text.parse()? {
            Argument::Value(bytes) => Ok(bytes),
            Argument::Buffer(buffer) => Err(format!("{text} is a buffer: {buffer:?}")),
        }
    }

    fn buffer(text: &str) -> Buffer {
        match text.parse() {
            Ok(Argument::Buffer(buffer)) => buffer,
            other => panic!("{text}: {other:?}"),
        }
    }

    fn error(text: &str) -> String {
        text.parse::<Argument>().expect_err("it is wrong")
    }

    #[test]
    fn values_are_passed_in_the_width_of_their_type() {
        assert_eq!(value("i32=-2"), Ok(vec![0xFE, 0xFF, 0xFF, 0xFF]));
        assert_eq!(value("f32=1.5"), Ok(1.5_f32.to_le_bytes().into()));
        assert_eq!(value("u64=0x7f"), Ok(0x7F_u64.to_le_bytes().into()));
        assert_eq!(value("u8=1,2,3"), Ok(vec![1, 2, 3]), "a structure");
    }

    #[test]
    fn values_out_of_range_are_refused() {
        assert!(value("u8=255").is_ok() && value("i8=-128").is_ok());
        assert_eq!(error("u8=256"), "`256` is not a value of type u8");
        assert_eq!(error("i8=128"), "`128` is not a value of type i8");
        assert_eq!(error("u32=1.5"), "`1.5` is not a value of type u32");
    }

    #[test]
    fn buffers_have_the_contents_that_are_asked_for() {
        assert_eq!((buffer("f32[8]").bytes(), buffer("f32[8]").contents(1)), (32, None));
        assert_eq!(buffer("u16[3]=7").contents(1), Some(vec![7, 0, 7, 0, 7, 0]));
        assert_eq!(buffer("u8[3]=1,2,3").contents(1), Some(vec![1, 2, 3]));
        assert_eq!(buffer("f32[2]=index").contents(1), Some([0_f32.to_le_bytes(), 1_f32.to_le_bytes()].concat()));
        assert!(buffer("f32[2]=freed").is_freed() && !buffer("f32[2]").is_freed());
    }

    #[test]
    fn elements_are_shown_as_they_are_written() {
        for (text, elements) in [("i8[2]=-1,127", "-1 127"), ("u8[1]=255", "255"), ("f32[2]=1.5,-3", "1.5 -3")] {
            assert_eq!(buffer(text).text_of(&buffer(text).contents(1).expect("contents")), elements);
        }
    }

    #[test]
    fn elements_as_numbers_have_their_sign() {
        for (text, numbers) in
            [("i16[2]=-1,7", [-1.0, 7.0]), ("u16[2]=65535,7", [65535.0, 7.0]), ("f64[2]=0.5,-3", [0.5, -3.0])]
        {
            assert_eq!(buffer(text).numbers(&buffer(text).contents(1).expect("contents")), numbers);
        }
    }

    #[test]
    fn random_contents_depend_on_the_seed_alone_and_floats_are_below_one() {
        let random = buffer("f32[1000]=random");
        assert_eq!(random.contents(1), random.contents(1));
        assert_ne!(random.contents(1), random.contents(2));
        let bytes = random.contents(1).expect("contents");
        let mut floats = bytes.chunks_exact(4).map(|word| f32::from_le_bytes(word.try_into().expect("4 bytes")));
        assert!(floats.all(|value| (0.0..1.0).contains(&value)));
    }

    #[test]
    fn what_is_no_argument_is_said() {
        assert!(error("int=5").starts_with("`int` is not a type; there are i8"));
        assert_eq!(error("f32"), "no value; write f32=VALUE, or f32[COUNT] for a buffer");
        assert_eq!(error("f32[0]"), "`[0]` is not a count of elements in brackets");
        assert_eq!(error("f32[8"), "`[8` is not a count of elements in brackets");
        assert_eq!(error("f32[8]=1,2"), "2 values for 8 elements; give one for all, or one for each");
    }
}
