//! Constant expressions such as `123 + 4 * (5 - 1)`, with the operators, precedence and types of the PTX manual.

use super::{Parsed, Parser};
use crate::ptx::lexer::Kind;
use crate::ptx::tree::Literal;

/// A constant of type `.s64`, `.u64` or `.f64`, or an `.f32`, which no operator takes.
#[derive(Clone, Copy)]
enum Constant {
    Signed(i64),
    Unsigned(u64),
    Double(f64),
    Single(u32),
}

/// The binary operators by precedence, lowest first.
const OPERATORS: [&[&str]; 10] = [
    &["||"],
    &["&&"],
    &["|"],
    &["^"],
    &["&"],
    &["==", "!="],
    &["<=", ">=", "<", ">"],
    &["<<", ">>"],
    &["+", "-"],
    &["*", "/", "%"],
];

impl Constant {
    fn is_true(self) -> bool {
        match self {
            Self::Signed(value) => value != 0,
            Self::Unsigned(value) => value != 0,
            Self::Double(value) => value != 0.0,
            Self::Single(bits) => f32::from_bits(bits) != 0.0,
        }
    }

    /// Returns the bits of an integer.
    fn bits(self) -> Option<u64> {
        match self {
            Self::Signed(value) => Some(value as u64),
            Self::Unsigned(value) => Some(value),
            Self::Double(_) | Self::Single(_) => None,
        }
    }

    fn literal(self) -> Literal {
        match self {
            Self::Signed(value) => Literal::Integer(value as u64),
            Self::Unsigned(value) => Literal::Integer(value),
            Self::Double(value) => Literal::Double(value.to_bits()),
            Self::Single(bits) => Literal::Single(bits),
        }
    }
}

/// Applies a unary operator. Returns `None` if it does not take the operand.
fn unary(operator: &str, operand: Constant) -> Option<Constant> {
    use Constant::{Double, Signed, Unsigned};
    Some(match (operator, operand) {
        ("+", value) => value,
        ("-", Signed(value)) => Signed(value.wrapping_neg()),
        ("-", Unsigned(value)) => Unsigned(value.wrapping_neg()),
        ("-", Double(value)) => Double(-value),
        ("!", value) => Signed(i64::from(!value.is_true())),
        ("~", Signed(value)) => Signed(!value),
        ("~", Unsigned(value)) => Unsigned(!value),
        (".s64", value) => Signed(value.bits()? as i64),
        (".u64", value) => Unsigned(value.bits()?),
        _ => return None,
    })
}

/// Applies a binary operator. Returns `None` if it does not take the operands, and for a division by zero.
fn binary(operator: &str, left: Constant, right: Constant) -> Option<Constant> {
    use Constant::{Double, Signed, Unsigned};
    match (operator, left, right) {
        ("&&", ..) => Some(Signed(i64::from(left.is_true() && right.is_true()))),
        ("||", ..) => Some(Signed(i64::from(left.is_true() || right.is_true()))),
        // The operands of a shift may have different types.
        ("<<", Signed(value), _) => Some(Signed(shift(right, |count| value.checked_shl(count))?.unwrap_or(0))),
        ("<<", Unsigned(value), _) => Some(Unsigned(shift(right, |count| value.checked_shl(count))?.unwrap_or(0))),
        (">>", Signed(value), _) => {
            Some(Signed(shift(right, |count| value.checked_shr(count))?.unwrap_or(value >> 63)))
        }
        (">>", Unsigned(value), _) => Some(Unsigned(shift(right, |count| value.checked_shr(count))?.unwrap_or(0))),
        (_, Signed(a), Signed(b)) => signed(operator, a, b),
        (_, Double(a), Double(b)) => double(operator, a, b),
        _ => unsigned(operator, left.bits()?, right.bits()?),
    }
}

/// Shifts by `count`. The inner result is `None` if the count is not less than the number of bits.
fn shift<T>(count: Constant, by: impl Fn(u32) -> Option<T>) -> Option<Option<T>> {
    Some(u32::try_from(count.bits()?).ok().and_then(by))
}

fn signed(operator: &str, a: i64, b: i64) -> Option<Constant> {
    let value = match operator {
        "/" => a.checked_div(b).or_else(|| (b != 0).then(|| a.wrapping_div(b)))?,
        "%" => a.checked_rem(b).or_else(|| (b != 0).then_some(0))?,
        "<" => i64::from(a < b),
        ">" => i64::from(a > b),
        "<=" => i64::from(a <= b),
        ">=" => i64::from(a >= b),
        _ => {
            return unsigned(operator, a as u64, b as u64)
                .and_then(Constant::bits)
                .map(|bits| Constant::Signed(bits as i64));
        }
    };
    Some(Constant::Signed(value))
}

fn unsigned(operator: &str, a: u64, b: u64) -> Option<Constant> {
    let truth = |holds: bool| Some(Constant::Signed(i64::from(holds)));
    Some(Constant::Unsigned(match operator {
        "+" => a.wrapping_add(b),
        "-" => a.wrapping_sub(b),
        "*" => a.wrapping_mul(b),
        "/" => a.checked_div(b)?,
        "%" => a.checked_rem(b)?,
        "&" => a & b,
        "|" => a | b,
        "^" => a ^ b,
        "==" => return truth(a == b),
        "!=" => return truth(a != b),
        "<" => return truth(a < b),
        ">" => return truth(a > b),
        "<=" => return truth(a <= b),
        ">=" => return truth(a >= b),
        _ => return None,
    }))
}

fn double(operator: &str, a: f64, b: f64) -> Option<Constant> {
    let truth = |holds: bool| Some(Constant::Signed(i64::from(holds)));
    Some(Constant::Double(match operator {
        "+" => a + b,
        "-" => a - b,
        "*" => a * b,
        "/" => a / b,
        "==" => return truth(a == b),
        "!=" => return truth(a != b),
        "<" => return truth(a < b),
        ">" => return truth(a > b),
        "<=" => return truth(a <= b),
        ">=" => return truth(a >= b),
        _ => return None,
    }))
}

impl Parser<'_> {
    /// Returns whether a constant expression starts here, and not the arguments of a call or a predicate.
    pub(super) fn at_constant(&self) -> bool {
        let opens = |text: &str| ["-", "+", "~", "!", "("].contains(&text);
        let tokens = &self.tokens[self.next.min(self.tokens.len())..];
        let inside = tokens.iter().find(|token| token.kind != Kind::Mark || !opens(token.text));
        let cast = |text: &str| matches!(text, ".s64" | ".u64");
        inside.is_some_and(|token| token.kind == Kind::Number || cast(token.text))
            && tokens.first().is_some_and(|token| token.kind == Kind::Number || opens(token.text))
    }

    /// Parses a constant expression.
    pub(super) fn constant(&mut self) -> Parsed<Literal> {
        Ok(self.conditional_constant()?.literal())
    }

    /// Parses a constant expression whose value is an integer.
    pub(super) fn integer(&mut self, what: &str) -> Parsed<u64> {
        match self.constant()? {
            Literal::Integer(value) => Ok(value),
            _ => self.unexpected(what),
        }
    }

    fn conditional_constant(&mut self) -> Parsed<Constant> {
        let condition = self.binary_constant(0)?;
        if !self.accept("?") {
            return Ok(condition);
        }
        let taken = self.nested(Self::conditional_constant)?;
        self.expect(":")?;
        let other = self.nested(Self::conditional_constant)?;
        Ok(if condition.is_true() { taken } else { other })
    }

    fn binary_constant(&mut self, precedence: usize) -> Parsed<Constant> {
        let Some(operators) = OPERATORS.get(precedence) else { return self.unary_constant() };
        let mut left = self.binary_constant(precedence + 1)?;
        while let Some(operator) = self.accept_operator(operators) {
            let right = self.binary_constant(precedence + 1)?;
            left = match binary(operator, left, right) {
                Some(value) => value,
                None => return self.error(format!("`{operator}` does not take these constants")),
            };
        }
        Ok(left)
    }

    /// Takes one of the operators if it is the longest operator at this place: `<` does not match `<<`.
    fn accept_operator(&mut self, operators: &[&'static str]) -> Option<&'static str> {
        let stands = |operator: &&&str| {
            operator.char_indices().all(|(index, _)| {
                let token = self.tokens.get(self.next + index);
                token.is_some_and(|token| token.kind == Kind::Mark && token.text == &operator[index..=index])
            })
        };
        let longest = OPERATORS.iter().copied().flatten().filter(stands).max_by_key(|operator| operator.len())?;
        let found = operators.iter().find(|operator| *operator == longest)?;
        self.next += found.len();
        Some(found)
    }

    fn unary_constant(&mut self) -> Parsed<Constant> {
        if let Some(operator) = ["-", "+", "~", "!"].into_iter().find(|operator| self.at(operator)) {
            self.next += 1;
            return self.applied(operator);
        }
        if !self.accept("(") {
            return self.plain_constant();
        }
        if let Some(cast) = [".s64", ".u64"].into_iter().find(|cast| self.at(cast)) {
            self.next += 1;
            self.expect(")")?;
            return self.applied(cast);
        }
        let value = self.nested(Self::conditional_constant)?;
        self.expect(")")?;
        Ok(value)
    }

    fn applied(&mut self, operator: &str) -> Parsed<Constant> {
        let operand = self.nested(Self::unary_constant)?;
        unary(operator, operand).map_or_else(|| self.error(format!("`{operator}` does not take this constant")), Ok)
    }

    fn plain_constant(&mut self) -> Parsed<Constant> {
        let unsigned = self.peek().is_some_and(|token| token.text.ends_with(['u', 'U']));
        Ok(match self.literal()? {
            Literal::Integer(value) => match i64::try_from(value) {
                Ok(value) if !unsigned => Constant::Signed(value),
                _ => Constant::Unsigned(value),
            },
            Literal::Single(bits) => Constant::Single(bits),
            Literal::Double(bits) => Constant::Double(f64::from_bits(bits)),
        })
    }
}
