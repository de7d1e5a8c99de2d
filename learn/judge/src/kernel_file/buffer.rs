//! Buffers written as text: `f32[1024]`, `f32[1024]=random`.

use super::element::Element;
use emulator::Numbers;
use std::str::FromStr;

/// A buffer in device memory and its initial contents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Buffer {
    /// Element type and count as written, without the contents: `f32[1024]`.
    pub shown: String,
    pub(super) element: Element,
    /// The number of elements, at least 1.
    pub count: u64,
    pub(super) contents: Contents,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Contents {
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

    /// Returns the element that all elements are equal to, if the contents are written so.
    #[must_use]
    pub fn repeated(&self) -> Option<&[u8]> {
        match &self.contents {
            Contents::Values(values) if values.len() == self.element.bytes => Some(values),
            _ => None,
        }
    }

    /// Returns the initial contents, or `None` if the host writes nothing. Random contents depend only on `seed`.
    #[must_use]
    pub fn contents(&self, seed: u64) -> Option<Vec<u8>> {
        match &self.contents {
            Contents::Unwritten | Contents::Freed => None,
            Contents::Values(values) => Some(values.repeat(self.bytes() as usize / values.len())),
            Contents::Index => Some(self.element.numbers(Numbers::Index, self.count)),
            Contents::Random => Some(self.element.numbers(Numbers::Random(seed), self.count)),
        }
    }
}

impl FromStr for Buffer {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (declared, contents) = text.split_once('=').map_or((text, None), |(declared, rest)| (declared, Some(rest)));
        let (name, count) = declared.split_once('[').ok_or_else(|| format!("`{text}` is not a buffer"))?;
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
        Ok(Self { shown: declared.to_owned(), element, count, contents })
    }
}
