//! A conversion of a format: flags, width, precision, size and kind, and the text of integers, characters and pointers.

use super::float::Float;

/// The largest width or precision, which fills the whole buffer of printed text.
const MAX_COUNT: usize = 1 << 20;

/// A width.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Count {
    #[default]
    None,
    Number(usize),
    /// `*`: the next argument.
    Argument,
}

/// A notation of unsigned integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Radix {
    Octal,
    Decimal,
    /// `x`, or `X` if `upper`.
    Hexadecimal {
        upper: bool,
    },
}

/// The last letter of a conversion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Percent,
    Signed,
    Unsigned(Radix),
    Float(Float),
    Character,
    Text,
    Pointer,
}

impl Kind {
    fn from_letter(letter: u8) -> Option<Self> {
        Some(match letter {
            b'%' => Self::Percent,
            b'd' | b'i' => Self::Signed,
            b'u' => Self::Unsigned(Radix::Decimal),
            b'o' => Self::Unsigned(Radix::Octal),
            b'x' | b'X' => Self::Unsigned(Radix::Hexadecimal { upper: letter == b'X' }),
            b'c' => Self::Character,
            b's' => Self::Text,
            b'p' => Self::Pointer,
            _ => return Float::from_letter(letter).map(Self::Float),
        })
    }
}

/// The flags of a conversion.
#[derive(Clone, Copy, Debug, Default)]
struct Flags {
    left: bool,
    plus: bool,
    space: bool,
    alternate: bool,
    zero: bool,
}

/// A conversion.
#[derive(Clone, Copy, Debug)]
pub(super) struct Conversion {
    flags: Flags,
    pub(super) width: Count,
    precision: Option<usize>,
    /// The number of bytes of an integer: 1, 2, 4 or 8.
    bytes: u64,
    pub(super) kind: Kind,
}

/// Splits a number off the beginning of a text.
fn number(text: &[u8]) -> (usize, &[u8]) {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let add = |number: usize, digit: &u8| (number * 10 + usize::from(digit - b'0')).min(MAX_COUNT);
    (text[..digits].iter().fold(0, add), &text[digits..])
}

/// Splits the flags off the beginning of a text.
fn flags(text: &[u8]) -> (Flags, &[u8]) {
    let mut flags = Flags::default();
    for (index, byte) in text.iter().enumerate() {
        match byte {
            b'-' => flags.left = true,
            b'+' => flags.plus = true,
            b' ' => flags.space = true,
            b'#' => flags.alternate = true,
            b'0' => flags.zero = true,
            _ => return (flags, &text[index..]),
        }
    }
    (flags, &[])
}

/// Splits the size of an integer in bytes off the beginning of a text. CUDA documents `h`, `l` and `ll` only.
fn size(text: &[u8]) -> (u64, &[u8]) {
    match text {
        [b'h', b'h', rest @ ..] => (1, rest),
        [b'h', rest @ ..] => (2, rest),
        [b'l', b'l', rest @ ..] | [b'l' | b'j' | b'z' | b't', rest @ ..] => (8, rest),
        _ => (4, text),
    }
}

impl Conversion {
    /// Parses what follows a percent sign. Returns the conversion and its length, or `None` if CUDA has no such conversion.
    pub(super) fn parse(text: &[u8]) -> Option<(Self, usize)> {
        let (flags, rest) = flags(text);
        let (width, rest) = match rest {
            [b'*', rest @ ..] => (Count::Argument, rest),
            [b'0'..=b'9', ..] => {
                let (width, rest) = number(rest);
                (Count::Number(width), rest)
            }
            _ => (Count::None, rest),
        };
        let (precision, rest) = match rest {
            [b'.', rest @ ..] => {
                let (precision, rest) = number(rest);
                (Some(precision), rest)
            }
            _ => (None, rest),
        };
        let (bytes, rest) = size(rest);
        let (&letter, rest) = rest.split_first()?;
        let conversion = Self { flags, width, precision, bytes, kind: Kind::from_letter(letter)? };
        Some((conversion, text.len() - rest.len()))
    }

    /// Returns the number of arguments that it takes.
    pub(super) fn arguments(self) -> u64 {
        u64::from(self.kind != Kind::Percent) + u64::from(self.width == Count::Argument)
    }

    /// Returns the size of an integer's argument in bytes: smaller ones are passed as 4 bytes.
    pub(super) fn argument_bytes(self) -> u64 {
        self.bytes.max(4)
    }

    /// Sets the width to an argument. A negative one aligns to the left.
    pub(super) fn set_width(&mut self, width: i32) {
        self.flags.left |= width < 0;
        self.width = Count::Number((width.unsigned_abs() as usize).min(MAX_COUNT));
    }

    /// Returns the sign of a number, or what the flags put in its place.
    fn sign(self, negative: bool) -> &'static str {
        match (negative, self.flags) {
            (true, _) => "-",
            (false, Flags { plus: true, .. }) => "+",
            (false, Flags { space: true, .. }) => " ",
            _ => "",
        }
    }

    /// Returns `prefix` and `body`, extended to the width: by zeros between them if `zeros`, or by spaces.
    fn pad(self, prefix: &str, body: &[u8], zeros: bool) -> Vec<u8> {
        let Count::Number(width) = self.width else { return [prefix.as_bytes(), body].concat() };
        let missing = width.saturating_sub(prefix.len() + body.len());
        match (self.flags.left, zeros && self.flags.zero) {
            (true, _) => [prefix.as_bytes(), body, &vec![b' '; missing]].concat(),
            (false, true) => [prefix.as_bytes(), &vec![b'0'; missing], body].concat(),
            (false, false) => [&vec![b' '; missing], prefix.as_bytes(), body].concat(),
        }
    }

    pub(super) fn text(self, text: &[u8]) -> Vec<u8> {
        let length = self.precision.unwrap_or(text.len()).min(text.len());
        self.pad("", &text[..length], false)
    }

    pub(super) fn character(self, character: u8) -> Vec<u8> {
        self.pad("", &[character], false)
    }

    pub(super) fn pointer(self, address: u64) -> Vec<u8> {
        if address == 0 {
            self.pad("", b"(nil)", false)
        } else {
            self.pad("0x", format!("{address:x}").as_bytes(), true)
        }
    }

    pub(super) fn float(self, style: Float, value: f64) -> Vec<u8> {
        let (prefix, digits) = style.digits(value.abs(), self.precision, self.flags.alternate);
        let prefix = format!("{}{prefix}", self.sign(value.is_sign_negative()));
        let mut text = self.pad(&prefix, digits.as_bytes(), value.is_finite());
        if style.upper {
            text.make_ascii_uppercase();
        }
        text
    }

    /// Returns the text of an integer, of whose bits the lowest count.
    pub(super) fn signed(self, bits: u64) -> Vec<u8> {
        let unused = 64 - 8 * self.bytes;
        let value = (bits << unused) as i64 >> unused;
        self.integer(self.sign(value < 0), value.unsigned_abs().to_string())
    }

    /// Returns the text of an unsigned integer, of whose bits the lowest count.
    pub(super) fn unsigned(self, radix: Radix, bits: u64) -> Vec<u8> {
        let value = bits & u64::MAX >> (64 - 8 * self.bytes);
        let alternate = self.flags.alternate && value != 0;
        match radix {
            Radix::Decimal => self.integer("", value.to_string()),
            Radix::Octal => self.integer("", format!("{}{value:o}", if alternate { "0" } else { "" })),
            Radix::Hexadecimal { upper: false } => {
                self.integer(if alternate { "0x" } else { "" }, format!("{value:x}"))
            }
            Radix::Hexadecimal { upper: true } => self.integer(if alternate { "0X" } else { "" }, format!("{value:X}")),
        }
    }

    /// Returns the text of an integer. The precision is its smallest number of digits; zero has none with precision 0.
    fn integer(self, prefix: &str, digits: String) -> Vec<u8> {
        let digits = match self.precision {
            Some(0) if digits == "0" => String::new(),
            Some(precision) => format!("{}{digits}", "0".repeat(precision.saturating_sub(digits.len()))),
            None => digits,
        };
        self.pad(prefix, digits.as_bytes(), self.precision.is_none())
    }
}
