//! Rows of the instruction table, and the matching of opcodes with them.

use super::class::Class;
use crate::vector::registers::OperandKind;

/// The parts of an opcode after its name.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Modifiers<'a>(pub(crate) &'a [&'a str]);

impl Modifiers<'_> {
    /// Returns whether the opcode has the modifier.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.0.contains(&name)
    }

    /// Returns the number of dimensions of a tensor or texture.
    pub(crate) fn dimensions(&self) -> u8 {
        ["1d", "2d", "3d"].iter().position(|name| self.has(name)).map_or(1, |index| index as u8 + 1)
    }

    /// Returns the last part, which is the type of most instructions.
    pub(crate) fn last(&self) -> &str {
        self.0.last().copied().unwrap_or_default()
    }
}

/// The properties of an instruction that do not depend on its operation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    /// The spelling: `[.a|.b]` is optional, and `{a|b}` requires one alternative.
    pub(crate) pattern: &'static str,
    pub(crate) class: Class,
    /// The equation: `d` or `p` is the result, and `a`, `b`, `c` are the sources in order.
    pub(crate) equation: &'static str,
    /// The register files of the results, unless they depend on modifiers.
    pub(crate) results: &'static [OperandKind],
    /// The register files of the sources, unless they depend on modifiers.
    pub(crate) sources: &'static [OperandKind],
}

/// A row of a table whose operations are of type `T`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Form<T: 'static> {
    pub(crate) shape: Shape,
    /// Returns the operation for the modifiers of a matching opcode.
    pub(crate) build: fn(&Modifiers<'_>) -> T,
}

impl<T> Form<T> {
    /// Returns a row.
    pub(crate) const fn row(
        pattern: &'static str,
        class: Class,
        equation: &'static str,
        results: &'static [OperandKind],
        sources: &'static [OperandKind],
        build: fn(&Modifiers<'_>) -> T,
    ) -> Self {
        Self { shape: Shape { pattern, class, equation, results, sources }, build }
    }

    /// Returns a row whose result and operands are in the same register file.
    pub(crate) const fn in_one_file(
        pattern: &'static str,
        class: Class,
        equation: &'static str,
        sources: &'static [OperandKind],
        build: fn(&Modifiers<'_>) -> T,
    ) -> Self {
        Self::row(pattern, class, equation, sources.split_at(1).0, sources, build)
    }

    /// Returns a row whose register files depend on modifiers.
    pub(crate) const fn in_any_file(
        pattern: &'static str,
        class: Class,
        equation: &'static str,
        build: fn(&Modifiers<'_>) -> T,
    ) -> Self {
        Self::row(pattern, class, equation, &[], &[], build)
    }

    /// Returns such a row of control flow or synchronization.
    pub(crate) const fn control(pattern: &'static str, equation: &'static str, build: fn(&Modifiers<'_>) -> T) -> Self {
        Self::in_any_file(pattern, Class::Control, equation, build)
    }

    /// Returns such a row of accesses to memory.
    pub(crate) const fn memory(pattern: &'static str, equation: &'static str, build: fn(&Modifiers<'_>) -> T) -> Self {
        Self::in_any_file(pattern, Class::Memory, equation, build)
    }
}

impl Shape {
    /// Returns the opcode up to its first modifier.
    pub(crate) fn name(&self) -> &'static str {
        self.pattern.split(['.', '[']).next().unwrap_or_default()
    }

    /// Returns whether an opcode is this instruction. `parts` are its modifiers.
    pub(crate) fn matches(&self, parts: &[&str]) -> bool {
        let mut pattern = &self.pattern[self.name().len()..];
        let mut rest = parts;
        while !pattern.is_empty() {
            let (element, tail) = split_element(pattern);
            pattern = tail;
            let found = rest.first().is_some_and(|part| alternatives(element).any(|name| name == *part));
            if found {
                rest = &rest[1..];
            } else if !element.starts_with('[') {
                return false;
            }
        }
        rest.is_empty()
    }
}

/// Splits off the first element of a spelling: `.name`, `.{a|b}` or `[.a|.b]`.
fn split_element(pattern: &str) -> (&str, &str) {
    let end = match pattern.as_bytes() {
        [b'[', ..] => pattern.find(']').map(|end| end + 1),
        [b'.', b'{', ..] => pattern.find('}').map(|end| end + 1),
        _ => pattern[1..].find(['.', '[']).map(|end| end + 1),
    };
    pattern.split_at(end.unwrap_or(pattern.len()))
}

/// Returns the alternatives of an element.
fn alternatives(element: &str) -> impl Iterator<Item = &str> {
    let names = element.trim_matches(|mark| "[]{}.".contains(mark));
    names.split('|').map(|name| name.trim_start_matches('.'))
}
