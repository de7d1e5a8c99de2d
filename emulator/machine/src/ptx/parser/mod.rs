//! The parser: one method per production, in the order of a PTX file.

mod body;
mod declarations;
mod labels;
mod locations;

use super::lexer::{Kind, Token, tokens};
use super::tree::{Literal, Tree};
use crate::ground::refusal::LoadError;
use std::collections::HashSet;

/// The maximum number of registers in a module. The largest kernels from NVRTC have less than a hundredth of it.
const MAX_REGISTERS: usize = 1 << 24;

/// The maximum depth of braces in a function body. A compiler writes at most one scope per inlined function.
const MAX_SCOPES: usize = 256;

/// The maximum depth of braces and parentheses in operands and initial values. PTX needs no more than three.
const MAX_DEPTH: u32 = 16;

/// The maximum size of a kernel's parameters in bytes since PTX 8.1.
const MAX_PARAMETER_BYTES: u64 = 32_764;

/// The maximum size of a kernel's parameters in bytes before PTX 8.1.
const MAX_PARAMETER_BYTES_BEFORE_81: u64 = 4352;

/// The maximum size of a variable in bytes.
const MAX_VARIABLE_BYTES: u64 = 1 << 32;

/// Parses a module.
pub(crate) fn parse(source: &str) -> Result<Tree, LoadError> {
    let tokens = tokens(source)?;
    let mut parser = Parser {
        tokens: &tokens,
        next: 0,
        depth: 0,
        declared_registers: 0,
        defined: HashSet::new(),
        tree: Tree::default(),
    };
    parser.module()?;
    Ok(parser.tree)
}

struct Parser<'a> {
    tokens: &'a [Token<'a>],
    next: usize,
    /// The depth of the next token in operands and initial values.
    depth: u32,
    declared_registers: usize,
    /// The names of the functions and variables that are defined, and not only declared.
    defined: HashSet<String>,
    tree: Tree,
}

type Parsed<T> = Result<T, LoadError>;

impl<'a> Parser<'a> {
    fn peek(&self) -> Option<Token<'a>> {
        self.tokens.get(self.next).copied()
    }

    fn line(&self) -> u32 {
        self.peek().or(self.tokens.last().copied()).map_or(1, |token| token.line)
    }

    fn error<T>(&self, message: impl Into<String>) -> Parsed<T> {
        Err(LoadError::Syntax { line: self.line(), message: message.into() })
    }

    fn unexpected<T>(&self, expected: &str) -> Parsed<T> {
        match self.peek() {
            Some(token) => self.error(format!("expected {expected}, found `{}`", token.text)),
            None => self.error(format!("expected {expected}, found the end of the text")),
        }
    }

    fn at(&self, text: &str) -> bool {
        self.peek().is_some_and(|token| token.text == text && token.kind != Kind::Text)
    }

    fn accept(&mut self, text: &str) -> bool {
        let found = self.at(text);
        self.next += usize::from(found);
        found
    }

    fn expect(&mut self, text: &str) -> Parsed<()> {
        if self.accept(text) { Ok(()) } else { self.unexpected(&format!("`{text}`")) }
    }

    fn take(&mut self, kind: Kind, what: &str) -> Parsed<&'a str> {
        match self.peek() {
            Some(token) if token.kind == kind => {
                self.next += 1;
                Ok(token.text)
            }
            _ => self.unexpected(what),
        }
    }

    fn word(&mut self, what: &str) -> Parsed<&'a str> {
        self.take(Kind::Word, what)
    }

    fn unsigned(&mut self, what: &str) -> Parsed<u64> {
        match self.literal()? {
            Literal::Integer(value) => Ok(value),
            _ => self.unexpected(what),
        }
    }

    fn small(&mut self, what: &str) -> Parsed<u32> {
        let value = self.unsigned(what)?;
        u32::try_from(value).or_else(|_| self.error(format!("{what} {value} is too large")))
    }

    /// Skips the rest of the line of the last token.
    fn skip_line(&mut self) {
        let line = self.tokens[self.next - 1].line;
        while self.peek().is_some_and(|token| token.line == line) {
            self.next += 1;
        }
    }

    fn skip_past(&mut self, text: &str) -> Parsed<()> {
        while self.peek().is_some() {
            self.next += 1;
            if self.tokens[self.next - 1].text == text {
                return Ok(());
            }
        }
        self.unexpected(&format!("`{text}`"))
    }

    /// Parses a list up to `close`, with commas between its items.
    fn until<T>(&mut self, close: &str, mut item: impl FnMut(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        let mut list = Vec::new();
        while !self.accept(close) {
            list.push(item(self)?);
            if !self.at(close) {
                self.expect(",")?;
            }
        }
        Ok(list)
    }

    /// Parses at least one item, and one more after each comma.
    fn separated<T>(&mut self, mut item: impl FnMut(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        let mut list = vec![item(self)?];
        while self.accept(",") {
            list.push(item(self)?);
        }
        Ok(list)
    }

    /// Runs `parse` one level deeper. Fails beyond [`MAX_DEPTH`].
    fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth == MAX_DEPTH {
            return self.error(format!("more than {MAX_DEPTH} levels of braces"));
        }
        self.depth += 1;
        let result = parse(self);
        self.depth -= 1;
        result
    }

    fn literal(&mut self) -> Parsed<Literal> {
        let negative = self.accept("-");
        let text = self.take(Kind::Number, "a number")?;
        let literal = parse_literal(text);
        match (literal, negative) {
            (Some(Literal::Integer(value)), true) => Ok(Literal::Integer(value.wrapping_neg())),
            (Some(Literal::Double(bits)), true) => Ok(Literal::Double((-f64::from_bits(bits)).to_bits())),
            (Some(literal), false) => Ok(literal),
            _ => self.error(format!("`{text}` is not a number")),
        }
    }
}

fn parse_literal(text: &str) -> Option<Literal> {
    let lower = text.to_ascii_lowercase();
    let exact =
        |digits: &str, length: usize| (digits.len() == length).then(|| u64::from_str_radix(digits, 16).ok()).flatten();
    if let Some(digits) = lower.strip_prefix("0f") {
        return exact(digits, 8).map(|bits| Literal::Single(bits as u32));
    }
    if let Some(digits) = lower.strip_prefix("0d") {
        return exact(digits, 16).map(Literal::Double);
    }
    if lower.contains('.') || (lower.contains('e') && !lower.starts_with("0x")) {
        return lower.parse::<f64>().ok().map(|value| Literal::Double(value.to_bits()));
    }
    let integer = lower.trim_end_matches('u');
    let value = match integer.as_bytes() {
        [b'0', b'x', ..] => u64::from_str_radix(&integer[2..], 16),
        [b'0', b'b', ..] => u64::from_str_radix(&integer[2..], 2),
        [b'0', _, ..] => u64::from_str_radix(&integer[1..], 8),
        _ => integer.parse(),
    };
    value.ok().map(Literal::Integer)
}

/// Returns the size in bytes of a fundamental type.
fn type_bytes(name: &str) -> Option<u64> {
    let digits = name.strip_prefix('.')?;
    match digits {
        "b8" | "u8" | "s8" => Some(1),
        "b16" | "u16" | "s16" | "f16" | "bf16" => Some(2),
        "b32" | "u32" | "s32" | "f32" | "f16x2" | "bf16x2" => Some(4),
        "b64" | "u64" | "s64" | "f64" | "f32x2" => Some(8),
        "b128" => Some(16),
        _ => None,
    }
}
