//! The integer part of an instruction as a program of a stack machine, for all lanes of a warp at once.

use super::operand::{Operand, PREDICATES, ROWS, Signed, TRUE, Term, ZERO};

/// A step of the stack machine. Values have 64 bits; those of registers are zero-extended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// Pushes a register.
    Row(u16),
    /// Pushes a pair of registers.
    Pair(u16),
    /// Pushes 0 or 1.
    Predicate(u8),
    /// Pushes a literal.
    Literal(u64),
    /// Pushes a constant of 4 or 8 bytes.
    Constant { bank: u8, offset: u16, bytes: u8 },
    /// Pushes a special register.
    Special(Special),
    /// Pushes a value that depends on memory or on floating-point arithmetic, which nothing computes here.
    Unknown,
    /// Pops one value and pushes a result.
    One(One),
    /// Pops two values and pushes a result.
    Two(Two),
    /// Pops three words and pushes their function by this truth table.
    Table(u8),
    /// Pops a word, four selectors of bytes and another word; pushes those bytes of both words.
    Permute,
    /// Pops a condition and two values; pushes the first value where the condition holds.
    Select,
    /// Pops a value into a register.
    Write(u16),
    /// Pops a value into a pair of registers.
    WritePair(u16),
    /// Pops a value into a predicate: whether it is not zero.
    WritePredicate(u8),
}

/// Special registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Special {
    /// The index of the thread along x, y or z.
    Thread(u8),
    /// The index of the block along x, y or z.
    Block(u8),
    /// The lane.
    Lane,
    /// Zero, such as the block's place in its cluster.
    Zero,
}

/// Functions of one value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum One {
    /// Extends the sign of a word.
    SignExtend,
    /// Takes the lower word.
    Low,
    /// Takes the upper word.
    High,
    /// 2^32 less a word: what a subtraction adds, with its carry.
    NegateWord,
    /// The complement of a word.
    InvertWord,
    /// 1 for 0, else 0.
    Not,
    /// The absolute value of a signed word.
    Absolute,
    /// The number of ones.
    Ones,
    /// The position of the highest one of a word.
    Highest,
    /// An integer as single-precision bits, rounded to nearest.
    ToFloat,
    /// The reciprocal of a single-precision value.
    Reciprocal,
    /// A single-precision value as unsigned integer, toward zero.
    ToInteger,
}

/// Functions of two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Two {
    Add,
    Multiply,
    And,
    Or,
    ShiftLeft,
    ShiftRight,
    /// Of a signed value.
    ShiftRightSigned,
    /// Signed comparisons.
    Less,
    LessOrEqual,
    Equal,
    /// The smaller signed value.
    Smaller,
    /// The larger signed value.
    Larger,
}

/// Pushes an operand as a word.
pub(super) fn word(signed: &Signed) -> Vec<Token> {
    let mut tokens = vec![match &signed.operand {
        Operand::Register(ZERO) => Token::Literal(0),
        Operand::Register(row) => Token::Row(*row),
        Operand::Predicate(TRUE) => Token::Literal(1),
        Operand::Predicate(number) => Token::Predicate(*number),
        Operand::Literal(value) => Token::Literal(*value as u64 & 0xffff_ffff),
        Operand::Constant { bank, offset } => Token::Constant { bank: *bank, offset: *offset, bytes: 4 },
        Operand::Special(name) => special(name).map_or(Token::Unknown, Token::Special),
        Operand::Address(_) | Operand::Label(_) | Operand::Other => Token::Unknown,
    }];
    let signs = [
        (signed.is_absolute, One::Absolute),
        (signed.is_negative, One::NegateWord),
        (signed.is_inverted, if signed.is_predicate() { One::Not } else { One::InvertWord }),
    ];
    tokens.extend(signs.into_iter().filter(|(has_sign, _)| *has_sign).map(|(_, sign)| Token::One(sign)));
    tokens
}

/// Pushes an operand as 64 bits.
pub(super) fn wide(signed: &Signed) -> Vec<Token> {
    match &signed.operand {
        Operand::Register(row) if *row != ZERO => vec![Token::Pair(*row)],
        Operand::Constant { bank, offset } => vec![Token::Constant { bank: *bank, offset: *offset, bytes: 8 }],
        Operand::Literal(value) => vec![Token::Literal(*value as u64)],
        _ => word(signed),
    }
}

/// Pushes an operand as a signed word.
pub(super) fn signed(operand: &Signed) -> Vec<Token> {
    let mut tokens = word(operand);
    tokens.push(Token::One(One::SignExtend));
    tokens
}

/// Pushes the address of an access.
pub(super) fn address(terms: &[Term]) -> Vec<Token> {
    let mut tokens = vec![Token::Literal(0)];
    for term in terms {
        match *term {
            Term::Literal(value) => tokens.push(Token::Literal(value as u64)),
            Term::Register { row: ZERO, .. } => continue,
            Term::Register { row, is_pair, factor } => {
                // A uniform register beside a pair of registers is a pair, too.
                let has_pair = terms.iter().any(|term| matches!(term, Term::Register { is_pair: true, .. }));
                let is_pair = is_pair || row > ZERO && has_pair;
                tokens.push(if is_pair { Token::Pair(row) } else { Token::Row(row) });
                if factor > 1 {
                    tokens.extend([Token::Literal(factor.into()), Token::Two(Two::Multiply)]);
                }
            }
        }
        tokens.push(Token::Two(Two::Add));
    }
    tokens
}

fn special(name: &str) -> Option<Special> {
    Some(match name {
        "SR_TID.X" => Special::Thread(0),
        "SR_TID.Y" => Special::Thread(1),
        "SR_TID.Z" => Special::Thread(2),
        "SR_CTAID.X" => Special::Block(0),
        "SR_CTAID.Y" => Special::Block(1),
        "SR_CTAID.Z" => Special::Block(2),
        "SR_LANEID" => Special::Lane,
        "SRZ" | "SR_CgaCtaId" => Special::Zero,
        _ => return None,
    })
}

/// Numbers what tokens read and write: rows, and predicates behind them.
impl Token {
    /// Returns the numbers of what a token reads.
    pub(super) fn reads(self) -> Vec<usize> {
        match self {
            Self::Row(row) => vec![row.into()],
            Self::Pair(row) => vec![row.into(), usize::from(row) + 1],
            Self::Predicate(number) => vec![ROWS + usize::from(number)],
            _ => Vec::new(),
        }
    }

    /// Returns the numbers of what a token writes.
    pub(super) fn writes(self) -> Vec<usize> {
        match self {
            Self::Write(row) => vec![row.into()],
            Self::WritePair(row) => vec![row.into(), usize::from(row) + 1],
            Self::WritePredicate(number) => vec![ROWS + usize::from(number)],
            _ => Vec::new(),
        }
    }
}

/// The number of what tokens can read or write.
pub(super) const PLACES: usize = ROWS + PREDICATES;
