//! Constant expressions: `123 + 4 * (5 - 1)`, with the operators, the precedence and the types of the PTX manual.

use super::{Parsed, Parser};
use crate::ptx::lexer::Kind;
use crate::ptx::tree::Literal;

/// A constant with its type: `.s64`, `.u64` or `.f64`, or a single that only stands by itself.
#[derive(Clone, Copy)]
enum Constant {
    Signed(i64),
    Unsigned(u64),
    Double(f64),
    Single(u32),
}

/// Operators of two operands by precedence, the loosest first.
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

    /// The bits of an integer.
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

/// Applies an operator of one operand; `None` if it takes no such operand.
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

/// Applies an operator of two operands; `None` if it takes no such operands, as a division by zero.
fn binary(operator: &str, left: Constant, right: Constant) -> Option<Constant> {
    use Constant::{Double, Signed, Unsigned};
    match (operator, left, right) {
        ("&&", ..) => Some(Signed(i64::from(left.is_true() && right.is_true()))),
        ("||", ..) => Some(Signed(i64::from(left.is_true() || right.is_true()))),
        // The count of a shift has a type of its own.
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

/// Shifts by `count`; the inner result is `None` for a count beyond the register.
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
    /// Whether a constant expression begins here, and not the list of a call's arguments or a predicate.
    pub(super) fn at_constant(&self) -> bool {
        let opens = |text: &str| ["-", "+", "~", "!", "("].contains(&text);
        let tokens = &self.tokens[self.next.min(self.tokens.len())..];
        let inside = tokens.iter().find(|token| token.kind != Kind::Mark || !opens(token.text));
        let cast = |text: &str| matches!(text, ".s64" | ".u64");
        inside.is_some_and(|token| token.kind == Kind::Number || cast(token.text))
            && tokens.first().is_some_and(|token| token.kind == Kind::Number || opens(token.text))
    }

    /// A constant expression.
    pub(super) fn constant(&mut self) -> Parsed<Literal> {
        Ok(self.conditional_constant()?.literal())
    }

    /// A constant expression whose value is an integer.
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

    /// Takes one of the operators, if the longest operator that is here is among them.
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

#[cfg(test)]
mod tests {
    use crate::ptx::lexer::tokens;
    use crate::ptx::parser::Parser;
    use crate::ptx::tree::{Literal, Tree};
    use std::collections::HashSet;

    fn value(text: &str) -> Result<Literal, String> {
        let tokens = tokens(text).map_err(|error| error.to_string())?;
        let mut parser = Parser {
            tokens: &tokens,
            next: 0,
            depth: 0,
            declared_registers: 0,
            defined: HashSet::new(),
            tree: Tree::default(),
        };
        let constant = parser.constant().map_err(|error| error.to_string())?;
        if parser.next == tokens.len() { Ok(constant) } else { Err(format!("`{}` is left", tokens[parser.next].text)) }
    }

    #[test]
    fn expressions_have_the_precedence_of_c() {
        for (text, expected) in [
            ("123 + 123", 246),
            ("2 + 3 * 4 - 1", 13),
            ("(2 + 3) * 4", 20),
            ("-7 / 2", -3),
            ("-7 % 3", -1),
            ("1 << 4 | 3", 19),
            ("1 << 2 + 2", 16),
            ("6 & 3 == 3", 0),
            ("6 ^ 3 & 1", 7),
            ("~0", -1),
            ("!5 + !0", 1),
            ("- -3", 3),
            ("-8 >> 1", -4),
            ("1 << 64", 0),
            ("0xFFFFFFFFFFFFFFFF / 2", i64::MAX),
            ("-1 > 0U", 1),
            ("-1 > 0", 0),
            ("(.u64)-1 > 0", 1),
            ("(.s64)0xFFFFFFFFFFFFFFFF < 0", 1),
            ("3 <= 3 && 2 != 3 || 0", 1),
            ("1 ? 10 : 20", 10),
            ("0 ? 10 : 1 ? 30 : 40", 30),
            ("2 * (0 ? 1 : 3)", 6),
            ("1.5 < 2.0", 1),
        ] {
            assert_eq!(value(text), Ok(Literal::Integer(expected as u64)), "{text}");
        }
        assert_eq!(value("1.5 * 2.0 + 1.0"), Ok(Literal::Double(4.0_f64.to_bits())));
        assert_eq!(value("0f3F800000"), Ok(Literal::Single(0x3F80_0000)));
    }

    #[test]
    fn what_has_no_value_is_refused() {
        for text in [
            "1 / 0",
            "1 % 0",
            "1 +",
            "(1",
            "1 ? 2",
            "~1.5",
            "1 + 1.5",
            "0f3F800000 + 1",
            "1 2",
            "",
            &"-".repeat(100_000),
        ] {
            assert!(value(text).is_err(), "{}", &text[..text.len().min(20)]);
        }
    }
}
