//! The operands of instructions as nvdisasm prints them.

/// The row of register `RZ`, which is zero. The rows of uniform registers follow.
pub(super) const ZERO: u16 = 255;

/// The number of rows: 256 registers and 64 uniform ones.
pub(super) const ROWS: usize = 320;

/// The number of uniform ones, which are the last.
pub(super) const UNIFORM_ROWS: usize = 64;

/// The predicate `PT`, which is true. Those of the uniform datapath follow.
pub(super) const TRUE: u8 = 7;

/// The number of predicates of both kinds.
pub(super) const PREDICATES: usize = 16;

/// An operand, without its sign.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Operand {
    /// A register; uniform ones are rows from 256.
    Register(u16),
    /// A predicate; uniform ones are numbers from 8.
    Predicate(u8),
    /// A literal. Literals of floating-point instructions are not read.
    Literal(i64),
    /// A word of a constant bank at a fixed offset.
    Constant {
        /// The bank.
        bank: u8,
        /// The offset in bytes.
        offset: u16,
    },
    /// A special register, such as `SR_TID.X`.
    Special(String),
    /// The address of an access, or of a constant at a computed offset: the sum of these terms.
    Address(Vec<Term>),
    /// The target of a branch.
    Label(String),
    /// What needs no value.
    Other,
}

/// A term of an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Term {
    /// A register times a factor.
    Register {
        /// The row.
        row: u16,
        /// Whether it is a pair of registers.
        is_pair: bool,
        /// The factor.
        factor: u8,
    },
    /// A constant.
    Literal(i64),
}

/// An operand with its sign.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Signed {
    pub(super) operand: Operand,
    /// A minus sign.
    pub(super) is_negative: bool,
    /// `~`, or `!` before a predicate.
    pub(super) is_inverted: bool,
    /// `|x|`.
    pub(super) is_absolute: bool,
}

/// Splits a list of operands at the commas outside of brackets.
pub(super) fn split(list: &str) -> Vec<&str> {
    let mut depth = 0;
    let mut start = 0;
    let mut parts = Vec::new();
    for (index, character) in list.char_indices() {
        match character {
            '[' | '(' => depth += 1,
            ']' | ')' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(list[start..index].trim());
                start = index + 1;
            }
            _ => {}
        }
    }
    parts.push(list[start..].trim());
    parts.retain(|part| !part.is_empty());
    parts
}

impl Signed {
    /// Reads an operand.
    pub(super) fn parse(text: &str) -> Self {
        let mut rest = text.trim();
        let is_literal = |text: &str| text.strip_prefix('-').unwrap_or(text).starts_with(|c: char| c.is_ascii_digit());
        let is_negative = rest.starts_with('-') && !is_literal(rest);
        rest = if is_negative { &rest[1..] } else { rest };
        let is_inverted = rest.starts_with(['~', '!']);
        rest = if is_inverted { &rest[1..] } else { rest };
        let is_absolute = rest.starts_with('|');
        Self { operand: operand(rest.trim_matches('|')), is_negative, is_inverted, is_absolute }
    }

    /// Returns the register, if it is one other than `RZ` and `URZ`.
    pub(super) fn row(&self) -> Option<u16> {
        match self.operand {
            Operand::Register(row) if row != ZERO => Some(row),
            _ => None,
        }
    }

    /// Returns whether it is a predicate.
    pub(super) fn is_predicate(&self) -> bool {
        matches!(self.operand, Operand::Predicate(_))
    }
}

fn operand(text: &str) -> Operand {
    let bare = text.strip_suffix(".reuse").unwrap_or(text);
    if let Some(inner) = bare.find('[').filter(|_| bare.starts_with("desc") || bare.starts_with('[')) {
        let inner = bare.rfind("][").map_or(inner + 1, |at| at + 2);
        return address(bare[inner..].trim_end_matches(']'));
    }
    if let Some((_, inner)) = bare.strip_prefix("c[").and_then(|rest| rest.split_once("][")) {
        return constant(bare).unwrap_or_else(|| address(inner.trim_end_matches(']')));
    }
    if let Some(label) = bare.strip_prefix("`(").map(|rest| rest.trim_end_matches(')')) {
        return Operand::Label(label.to_owned());
    }
    if bare.strip_prefix('L').is_some_and(|digits| digits.parse::<u32>().is_ok()) {
        return Operand::Label(bare.to_owned());
    }
    if bare.starts_with("SR") {
        return Operand::Special(bare.to_owned());
    }
    if let Some(number) = predicate(bare) {
        return Operand::Predicate(number);
    }
    let name = bare.split('.').next().unwrap_or(bare);
    register(name).map(Operand::Register).or_else(|| literal(bare).map(Operand::Literal)).unwrap_or(Operand::Other)
}

fn predicate(text: &str) -> Option<u8> {
    let (first, rest) = text.strip_prefix("UP").map_or_else(|| (0, text.strip_prefix('P')), |rest| (8, Some(rest)));
    match rest? {
        "T" => Some(TRUE),
        digits => digits.parse::<u8>().ok().filter(|number| *number < TRUE).map(|number| first + number),
    }
}

fn register(text: &str) -> Option<u16> {
    match text {
        "RZ" | "URZ" => Some(ZERO),
        _ => text
            .strip_prefix("UR")
            .map(|digits| (256, digits))
            .or_else(|| text.strip_prefix('R').map(|digits| (0, digits)))
            .and_then(|(first, digits)| digits.parse::<u16>().ok().map(|number| first + number)),
    }
    .filter(|row| usize::from(*row) < ROWS)
}

/// Reads a whole number, in hexadecimal as `0x10` or in decimal.
fn literal(text: &str) -> Option<i64> {
    let (sign, digits) = text.strip_prefix('-').map_or((1, text), |digits| (-1, digits));
    let value = match digits.strip_prefix("0x") {
        Some(hexadecimal) => i64::from_str_radix(hexadecimal, 16).ok()?,
        None => digits.parse().ok()?,
    };
    Some(sign * value)
}

/// Reads a constant at a fixed offset: `c[0x0][0x210]`.
fn constant(text: &str) -> Option<Operand> {
    let (bank, rest) = text.strip_prefix("c[")?.split_once("][")?;
    // Offset zero is that register.
    let offset =
        Some(rest.trim_end_matches(']')).filter(|rest| !matches!(*rest, "RZ" | "URZ")).map_or(Some(0), literal)?;
    Some(Operand::Constant { bank: literal(bank)?.try_into().ok()?, offset: offset.try_into().ok()? })
}

/// Reads an address without its brackets: `R4.64+UR6+-0x8`.
fn address(text: &str) -> Operand {
    let term = |part: &str| {
        if let Some(value) = literal(part) {
            return Some(Term::Literal(value));
        }
        let (name, suffixes) = part.split_once('.').unwrap_or((part, ""));
        let factor = suffixes.split('.').find_map(|suffix| suffix.strip_prefix('X')?.parse().ok()).unwrap_or(1);
        Some(Term::Register { row: register(name)?, is_pair: suffixes.split('.').any(|one| one == "64"), factor })
    };
    let terms: Option<Vec<Term>> = text.split('+').filter(|part| !part.is_empty()).map(term).collect();
    terms.map_or(Operand::Other, Operand::Address)
}
