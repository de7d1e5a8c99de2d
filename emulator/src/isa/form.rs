//! A row of the instruction table, and how an opcode is matched with it.

use super::class::Class;
use crate::vector::registers::OperandKind;

/// The parts of an opcode after its name.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Modifiers<'a>(pub(crate) &'a [&'a str]);

impl Modifiers<'_> {
    /// Whether the modifier is there.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.0.contains(&name)
    }

    /// The last part: the type of most instructions.
    pub(crate) fn last(&self) -> &str {
        self.0.last().copied().unwrap_or_default()
    }
}

/// What a row says of its instruction, whatever it does.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    /// Spelling: `[.a|.b]` may stand, one of `{a|b}` must.
    pub(crate) pattern: &'static str,
    pub(crate) class: Class,
    /// What the instruction does; `d` is the result, `a`, `b`, `c` the sources in order.
    pub(crate) equation: &'static str,
    /// Register files of the results, where they do not depend on modifiers.
    pub(crate) results: &'static [OperandKind],
    /// Likewise of the sources.
    pub(crate) sources: &'static [OperandKind],
}

/// One row of a table, whose operations are `T`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Form<T: 'static> {
    pub(crate) shape: Shape,
    /// The operation for the modifiers of a matching opcode.
    pub(crate) build: fn(&Modifiers<'_>) -> T,
}

impl<T> Form<T> {
    /// A row; its fields in the order of the table.
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
}

impl Shape {
    /// The opcode up to its first modifier.
    pub(crate) fn name(&self) -> &'static str {
        self.pattern.split(['.', '[']).next().unwrap_or_default()
    }

    /// Whether `parts`, the opcode after its name split at the dots, is this instruction.
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

/// Takes `.name`, `.{a|b}` or `[.a|.b]` off the front.
pub(super) fn split_element(pattern: &str) -> (&str, &str) {
    let end = match pattern.as_bytes() {
        [b'[', ..] => pattern.find(']').map(|end| end + 1),
        [b'.', b'{', ..] => pattern.find('}').map(|end| end + 1),
        _ => pattern[1..].find(['.', '[']).map(|end| end + 1),
    };
    pattern.split_at(end.unwrap_or(pattern.len()))
}

/// The names in such an element.
pub(super) fn alternatives(element: &str) -> impl Iterator<Item = &str> {
    let names = element.trim_matches(|mark| "[]{}.".contains(mark));
    names.split('|').map(|name| name.trim_start_matches('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn optional_and_alternative_parts_match_in_order() {
        let row = |pattern| Form::row(pattern, Class::Memory, "", &[], &[], |_| ());
        let form = row("ld[.volatile][.global|.shared][.v2|.v4].{u32|f32}");
        for (opcode, expected) in [
            ("u32", true),
            ("global.f32", true),
            ("volatile.shared.v4.u32", true),
            ("global.volatile.u32", false),
            ("global.f64", false),
            ("global", false),
            ("global.u32.u32", false),
        ] {
            assert_eq!(form.shape.matches(&opcode.split('.').collect::<Vec<_>>()), expected, "ld.{opcode}");
        }
    }
}
