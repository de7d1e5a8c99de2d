//! The lexer. A word with dots (`ld.global.f32`, `%tid.x`, `.reg`) is one token.

use crate::ground::refusal::LoadError;

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// An identifier, register, directive or opcode.
    Word,
    /// An integer or floating-point literal.
    Number,
    /// A string, without its quotes.
    Text,
    /// A punctuation character.
    Mark,
}

/// A token: a slice of the source, and its line, counted from 1.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token<'a> {
    pub(super) kind: Kind,
    pub(super) text: &'a str,
    pub(super) line: u32,
}

/// Splits `source` into tokens, without comments and white space.
pub(super) fn tokens(source: &str) -> Result<Vec<Token<'_>>, LoadError> {
    let mut lexer = Lexer { source, position: 0, line: 1, tokens: Vec::new() };
    while lexer.skip_blank()? {
        lexer.take_token()?;
    }
    Ok(lexer.tokens)
}

struct Lexer<'a> {
    source: &'a str,
    position: usize,
    line: u32,
    tokens: Vec<Token<'a>>,
}

impl<'a> Lexer<'a> {
    fn rest(&self) -> &'a str {
        &self.source[self.position..]
    }

    fn error(&self, message: impl Into<String>) -> LoadError {
        LoadError::Syntax { line: self.line, message: message.into() }
    }

    /// Moves `length` bytes forward and counts the lines.
    fn advance(&mut self, length: usize) {
        self.line += self.rest()[..length].bytes().filter(|&byte| byte == b'\n').count() as u32;
        self.position += length;
    }

    /// Skips white space and comments. Returns false at the end of the text.
    fn skip_blank(&mut self) -> Result<bool, LoadError> {
        loop {
            let rest = self.rest();
            let trimmed = rest.trim_start();
            self.advance(rest.len() - trimmed.len());
            if trimmed.starts_with("//") {
                self.advance(trimmed.find('\n').unwrap_or(trimmed.len()));
            } else if trimmed.starts_with("/*") {
                let end = trimmed.find("*/").ok_or_else(|| self.error("unterminated comment"))?;
                self.advance(end + 2);
            } else {
                return Ok(!trimmed.is_empty());
            }
        }
    }

    fn take_token(&mut self) -> Result<(), LoadError> {
        let rest = self.rest();
        let first = rest.chars().next().unwrap_or_default();
        let (kind, length) = if first == '"' {
            let end = rest[1..].find(['"', '\n']).filter(|&end| rest[1 + end..].starts_with('"'));
            (Kind::Text, end.ok_or_else(|| self.error("unterminated string"))? + 2)
        } else if first.is_ascii_digit() {
            (Kind::Number, number_length(rest))
        } else if is_word_start(first) && !is_remainder(rest) {
            (Kind::Word, word_length(rest))
        } else if first.is_ascii_graphic() {
            (Kind::Mark, 1)
        } else {
            return Err(self.error(format!("unexpected character {first:?}")));
        };
        let text = if kind == Kind::Text { &rest[1..length - 1] } else { &rest[..length] };
        self.tokens.push(Token { kind, text, line: self.line });
        self.advance(length);
        Ok(())
    }
}

fn is_word_start(character: char) -> bool {
    character.is_ascii_alphabetic() || "._$%".contains(character)
}

/// Returns whether a percent sign is the remainder operator, and not the first character of a register.
fn is_remainder(rest: &str) -> bool {
    rest.starts_with('%') && word_length(rest) == 1
}

/// Returns the length of a word. It may contain `::` (`.shared::cta`), but not a single colon, which ends a label.
fn word_length(rest: &str) -> usize {
    let bytes = rest.as_bytes();
    let mut end = 1;
    while let Some(&byte) = bytes.get(end) {
        if byte == b':' && bytes.get(end + 1) == Some(&b':') {
            end += 2;
        } else if byte.is_ascii_alphanumeric() || b"._$%".contains(&byte) {
            end += 1;
        } else {
            break;
        }
    }
    end
}

/// Returns the length of an integer, a hexadecimal float (`0f3F800000`, `0d…`), or a decimal float with an optional exponent.
fn number_length(rest: &str) -> usize {
    let bytes = rest.as_bytes();
    let hexadecimal = bytes.len() > 1 && matches!(bytes[1], b'x' | b'X' | b'f' | b'F' | b'd' | b'D');
    let mut end = 1;
    while let Some(&byte) = bytes.get(end) {
        let sign = matches!(byte, b'+' | b'-') && !hexadecimal && matches!(bytes[end - 1], b'e' | b'E');
        if !(byte.is_ascii_alphanumeric() || byte == b'.' || sign) {
            break;
        }
        end += 1;
    }
    end
}
