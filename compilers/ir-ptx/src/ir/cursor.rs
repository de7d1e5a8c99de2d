//! A text that is read from the left.

use super::types::Type;
use crate::space::Space;
use std::collections::HashMap;

/// The result of reading, or the construct that is not supported.
pub(crate) type Parsed<T> = Result<T, String>;

/// The rest of a line.
#[derive(Clone, Copy)]
pub(crate) struct Cursor<'a> {
    pub(crate) rest: &'a str,
}

fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || "._$-".contains(c)
}

/// Words that begin a value where attributes may stand before it.
const VALUES: [&str; 11] = [
    "true",
    "false",
    "null",
    "undef",
    "poison",
    "zeroinitializer",
    "getelementptr",
    "addrspacecast",
    "ptrtoint",
    "inttoptr",
    "splat",
];

impl<'a> Cursor<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self { rest: text.trim() }
    }

    /// Fails at what comes next.
    pub(crate) fn fail<T>(&self, wanted: &str) -> Parsed<T> {
        let shown: String = self.rest.chars().take(40).collect();
        Err(format!("`{shown}`, where {wanted} is expected,"))
    }

    /// Takes `text` if it comes next, and as a whole word if it ends like one.
    pub(crate) fn eat(&mut self, text: &str) -> bool {
        self.rest = self.rest.trim_start();
        let Some(rest) = self.rest.strip_prefix(text) else { return false };
        if text.ends_with(is_name) && rest.starts_with(is_name) {
            return false;
        }
        self.rest = rest;
        true
    }

    pub(crate) fn need(&mut self, text: &str) -> Parsed<()> {
        if self.eat(text) { Ok(()) } else { self.fail(&format!("`{text}`")) }
    }

    /// Returns the next word without taking it.
    pub(crate) fn peek(&self) -> &'a str {
        let rest = self.rest.trim_start();
        &rest[..rest.find(|c| !is_name(c)).unwrap_or(rest.len())]
    }

    pub(crate) fn word(&mut self) -> &'a str {
        let word = self.peek();
        self.rest = &self.rest.trim_start()[word.len()..];
        word
    }

    /// Takes a name behind `%` or `@`.
    pub(crate) fn name(&mut self) -> Parsed<&'a str> {
        if self.rest.starts_with('"') { self.quoted() } else { Ok(self.word()) }
    }

    pub(crate) fn quoted(&mut self) -> Parsed<&'a str> {
        self.need("\"")?;
        let Some((text, rest)) = self.rest.split_once('"') else { return self.fail("a closing quote") };
        self.rest = rest;
        Ok(text)
    }

    pub(crate) fn number(&mut self) -> Parsed<u64> {
        let mut ahead = *self;
        let Ok(number) = ahead.word().parse() else { return self.fail("a number") };
        *self = ahead;
        Ok(number)
    }

    /// Takes a parenthesis and all that is in it.
    fn skip_parenthesis(&mut self) {
        let mut depth = 0;
        for (at, c) in self.rest.char_indices() {
            depth += i32::from(c == '(') - i32::from(c == ')');
            if depth == 0 {
                self.rest = &self.rest[at + 1..];
                return;
            }
        }
    }

    /// Takes words, each with the parenthesis or the alignment behind it, up to one that ends them, and returns them.
    fn words_before(&mut self, ends: impl Fn(&str) -> bool) -> &'a str {
        let start = self.rest;
        loop {
            let word = self.peek();
            if ends(word) {
                return &start[..start.len() - self.rest.len()];
            }
            self.word();
            if self.rest.starts_with('(') {
                self.skip_parenthesis();
            } else if word == "align" {
                self.word();
            }
        }
    }

    /// Takes what is said about a parameter or an operand, such as `noundef align 16 range(…)`, and returns it.
    pub(crate) fn attributes(&mut self) -> &'a str {
        self.words_before(|word| !word.starts_with(|c: char| c.is_ascii_lowercase()) || VALUES.contains(&word))
    }

    /// Takes what stands between `call` and the type: flags, attributes of the result, the calling convention.
    pub(crate) fn attributes_before_type(&mut self) -> &'a str {
        self.words_before(|word| {
            let integer = word.strip_prefix('i').is_some_and(|bits| bits.parse::<u32>().is_ok());
            word.is_empty() || integer || ["void", "half", "bfloat", "float", "double", "ptr"].contains(&word)
        })
    }

    /// Takes what stands between `getelementptr` and its type.
    pub(crate) fn element_flags(&mut self) {
        while ["inbounds", "nuw", "nusw"].iter().any(|flag| self.eat(flag)) {}
        if self.peek() == "inrange" {
            self.attributes();
        }
    }

    /// Takes a type. `named` are the types that the module defines.
    pub(crate) fn ty(&mut self, named: &HashMap<String, Type>) -> Parsed<Type> {
        if self.eat("[") {
            let count = self.number()?;
            self.need("x")?;
            let of = self.ty(named)?;
            self.need("]")?;
            return Ok(Type::Array(count, of.into()));
        }
        let packed = self.eat("<{");
        if packed || self.eat("{") {
            let close = if packed { "}>" } else { "}" };
            let mut fields = Vec::new();
            while !self.eat(close) {
                fields.push(self.ty(named)?);
                if !self.eat(",") {
                    self.need(close)?;
                    break;
                }
            }
            return Ok(Type::structure(fields, packed));
        }
        if self.eat("<") {
            let count = self.number()?;
            self.need("x")?;
            let of = self.ty(named)?;
            self.need(">")?;
            return Ok(Type::Vector(count, of.into()));
        }
        if self.eat("%") {
            let name = self.name()?;
            return named.get(name).cloned().ok_or_else(|| format!("the type `%{name}`"));
        }
        self.scalar()
    }

    fn scalar(&mut self) -> Parsed<Type> {
        let word = self.peek();
        let bits = word.strip_prefix('i').and_then(|bits| bits.parse::<u32>().ok());
        let ty = match (word, bits) {
            ("void", _) => Type::Void,
            ("half", _) => Type::Half,
            ("float", _) => Type::Float,
            ("double", _) => Type::Double,
            ("ptr", _) => Type::Pointer(Space::Generic),
            (_, Some(bits @ 1..=64)) => Type::Integer(bits),
            ("", _) => return self.fail("a type"),
            _ => return Err(format!("the type `{word}`")),
        };
        self.word();
        if ty.is_pointer() && self.eat("addrspace(") {
            let number = self.number()? as u32;
            self.need(")")?;
            let space = Space::from_number(number).ok_or_else(|| format!("`addrspace({number})`"))?;
            return Ok(Type::Pointer(space));
        }
        Ok(ty)
    }
}

/// Replaces `\22` and the like by the bytes that they stand for.
pub(crate) fn unescape(text: &str) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        let digits = tail.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        match digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) if *first == b'\\' => {
                out.push(byte);
                rest = &tail[2..];
            }
            _ => {
                out.push(*first);
                rest = if tail.first() == Some(&b'\\') && *first == b'\\' { &tail[1..] } else { tail };
            }
        }
    }
    out
}
