//! Expressions in cards: sums, products and quotients of whole numbers and sizes, such as `4 * (n / 128)`. A quotient is rounded
//! up, because a number of blocks is.

use std::collections::BTreeMap;

/// Returns the value of an expression.
///
/// # Errors
/// It is invalid, names no size, divides by 0, or its value is too large; the message quotes it.
pub fn value(expression: &str, sizes: &BTreeMap<String, u64>) -> Result<u64, String> {
    let mut parser = Parser { rest: expression.trim(), sizes };
    let value = parser.sum().map_err(|reason| format!("`{{{expression}}}`: {reason}"))?;
    match parser.rest {
        "" => Ok(value),
        rest => Err(format!("`{{{expression}}}`: `{rest}` is left over; operators are + * /")),
    }
}

struct Parser<'a> {
    rest: &'a str,
    sizes: &'a BTreeMap<String, u64>,
}

impl Parser<'_> {
    fn sum(&mut self) -> Result<u64, String> {
        let mut value = self.product()?;
        while self.take('+') {
            value = value.checked_add(self.product()?).ok_or("the value is too large")?;
        }
        Ok(value)
    }

    fn product(&mut self) -> Result<u64, String> {
        let mut value = self.factor()?;
        loop {
            if self.take('*') {
                value = value.checked_mul(self.factor()?).ok_or("the value is too large")?;
            } else if self.take('/') {
                let divisor = self.factor()?;
                value = if divisor == 0 { Err("division by 0") } else { Ok(value.div_ceil(divisor)) }?;
            } else {
                return Ok(value);
            }
        }
    }

    fn factor(&mut self) -> Result<u64, String> {
        if self.take('(') {
            let value = self.sum()?;
            return if self.take(')') { Ok(value) } else { Err("`)` is missing".into()) };
        }
        let end = self.rest.find(|character: char| !character.is_alphanumeric() && character != '_');
        let (word, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        self.rest = rest.trim_start();
        match (self.sizes.get(word), word.parse()) {
            (Some(size), _) => Ok(*size),
            (None, Ok(number)) => Ok(number),
            (None, Err(_)) => Err(format!("`{word}` is neither a number nor one of the case's sizes")),
        }
    }

    fn take(&mut self, character: char) -> bool {
        let rest = self.rest.strip_prefix(character).map(str::trim_start);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }
}
