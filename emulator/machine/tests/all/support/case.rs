//! Instruction cases: lines such as `add.s32  2147483647 1 -> -2147483648`.
//!
//! Operands are in the order of PTX. The expectation `nan` accepts any NaN. The expectation of an approximate result ends with
//! `within 2^-22.9` (relative), `within 2^-20.9 absolute` or `within 2 ulp`. `#` starts a comment.

use super::value::{Kind, Type};
use std::fmt;

/// The maximum error of a result.
#[derive(Clone, Copy, Debug)]
pub enum Tolerance {
    Relative(f64),
    Absolute(f64),
    /// In units in the last place of the expectation.
    Ulp(f64),
}

/// A case: an instruction with its operands and result.
#[derive(Clone, Debug)]
pub struct Case {
    pub line: usize,
    pub text: String,
    pub opcode: String,
    /// The bits of the operands.
    pub sources: Vec<u64>,
    pub expected: u64,
    any_nan: bool,
    tolerance: Option<Tolerance>,
}

/// The types of the result and of the operands of an instruction.
#[derive(Clone, Debug)]
pub struct Signature {
    pub result: Type,
    pub sources: Vec<Type>,
    /// Whether the last operand must be a constant.
    pub constant: bool,
}

impl Signature {
    /// Derives the signature from the opcode. The default for all types is its last modifier.
    pub fn from_opcode(opcode: &str) -> Option<Self> {
        let parts: Vec<&str> = opcode.trim_end_matches(".sat").split('.').collect();
        if parts[0].starts_with("vabsdiff") {
            return Some(Self { result: Type::U32, sources: vec![Type::U32; 3], constant: false });
        }
        let main = Type::from_name(parts[parts.len() - 1])?;
        let before = parts.get(parts.len() - 2).and_then(|name| Type::from_name(name));
        let count = Type::U32;
        let pred = Type::PREDICATE;
        let wide = if parts[1] == "wide" { main.with_bits(2 * main.bits) } else { main };
        let (result, sources) = match parts[0] {
            "setp" if ["and", "or", "xor"].contains(&parts[2]) => (pred, vec![main, main, pred]),
            "setp" => (pred, vec![main, main]),
            "testp" => (pred, vec![main]),
            "selp" => (main, vec![main, main, pred]),
            "set" => (before?, vec![main, main]),
            "slct" => (before?, vec![before?, before?, main]),
            // From one pair to another, or from two singles to a pair.
            "cvt" if parts[parts.len() - 1].ends_with("x2") => (before?, vec![main]),
            "cvt" if parts[parts.len() - 2].ends_with("x2") => (before?, vec![main, main]),
            // An 8-bit result is extended to 32 bits.
            "cvt" => (before?.with_bits(if before?.bits == 8 { 32 } else { before?.bits }), vec![main]),
            "popc" | "clz" | "bfind" => (count, vec![main]),
            "bfe" => (main, vec![main, count, count]),
            "bfi" => (main, vec![main, main, count, count]),
            "shl" | "shr" => (main, vec![main, count]),
            "shf" => (main, vec![main, main, count]),
            "prmt" => (main, vec![main; 3]),
            "lop3" => (main, vec![main; 4]),
            "dp2a" | "dp4a" => {
                let sum = if before?.kind == Kind::Signed { before? } else { main };
                (sum, vec![before?, main, sum])
            }
            "fma" | "mad" | "mad24" | "sad" => (wide, vec![main, main, wide]),
            "mov" | "not" | "cnot" | "neg" | "abs" | "brev" | "rcp" | "sqrt" | "rsqrt" | "sin" | "cos" | "lg2"
            | "ex2" | "tanh" => (main, vec![main]),
            _ => (wide, vec![main, main]),
        };
        Some(Self { result, sources, constant: parts[0] == "lop3" })
    }
}

/// Parses the cases of a file.
pub fn parse(text: &str) -> Result<Vec<Case>, String> {
    let mut cases = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default().trim();
        if !line.is_empty() {
            cases.push(parse_line(index + 1, line).map_err(|error| format!("line {}: {error}: {line}", index + 1))?);
        }
    }
    Ok(cases)
}

fn parse_line(line: usize, text: &str) -> Result<Case, String> {
    let (left, right) = text.split_once("->").ok_or("no `->`")?;
    let mut words = left.split_whitespace();
    let opcode = words.next().ok_or("no opcode")?;
    let signature = Signature::from_opcode(opcode).ok_or("no type")?;
    let words: Vec<&str> = words.collect();
    if words.len() != signature.sources.len() {
        return Err(format!("expected {} operands, found {}", signature.sources.len(), words.len()));
    }
    let sources = signature.sources.iter().zip(words).map(|(kind, word)| kind.parse(word)).collect::<Result<_, _>>()?;
    let (expected, tolerance) = match right.split_once("within") {
        Some((value, tolerance)) => (value.trim(), Some(parse_tolerance(tolerance)?)),
        None => (right.trim(), None),
    };
    let bits = signature.result.parse(expected)?;
    let any_nan = expected == "nan";
    Ok(Case { line, text: text.to_owned(), opcode: opcode.to_owned(), sources, expected: bits, any_nan, tolerance })
}

fn parse_tolerance(text: &str) -> Result<Tolerance, String> {
    let mut words = text.split_whitespace();
    let number = words.next().ok_or("no tolerance")?;
    let value = match number.strip_prefix("2^") {
        Some(exponent) => exponent.parse().map(f64::exp2),
        None => number.parse(),
    };
    let value = value.map_err(|_| format!("`{number}` is not a tolerance"))?;
    match words.next() {
        None => Ok(Tolerance::Relative(value)),
        Some("absolute") => Ok(Tolerance::Absolute(value)),
        Some("ulp") => Ok(Tolerance::Ulp(value)),
        Some(other) => Err(format!("`{other}` is not a kind of tolerance")),
    }
}

impl Tolerance {
    /// Returns whether `found` is close enough to `expected`. Both are finite values of the type.
    pub fn accepts(self, kind: Type, expected: f64, found: f64) -> bool {
        let bound = match self {
            Self::Relative(error) => error * expected.abs(),
            Self::Absolute(error) => error,
            Self::Ulp(count) => count * unit_in_the_last_place(kind, expected),
        };
        (expected - found).abs() <= bound
    }
}

/// Returns the distance between adjacent values of a type near `value`.
fn unit_in_the_last_place(kind: Type, value: f64) -> f64 {
    let (digits, least) = if kind.bits == 32 { (23, -126) } else { (52, -1022) };
    let exponent = (value.abs().log2().floor() as i32).max(least);
    f64::from(exponent - digits).exp2()
}

impl Case {
    /// Returns whether `found` is an accepted result.
    pub fn accepts(&self, kind: Type, found: u64) -> bool {
        let found = found & kind.mask();
        if self.any_nan {
            return kind.is_nan(found);
        }
        found == self.expected
            || self
                .tolerance
                .is_some_and(|tolerance| tolerance.accepts(kind, kind.to_f64(self.expected), kind.to_f64(found)))
    }
}

impl fmt::Display for Case {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "line {}: {}", self.line, self.text)
    }
}
