//! What instructions do with integers and predicates.
//!
//! NVIDIA documents only the names of the instructions (CUDA Binary Utilities, instruction set reference). Their operands are
//! as published by disassemblers and seen in listings; warp instructions of the course's kernels then agree with the counters
//! of Nsight Compute.

use super::operand::{Operand, Signed, TRUE, ZERO};
use super::token::{One, Token, Two, signed, wide, word};

/// Returns the program of an instruction. It writes [`Token::Unknown`] for results that it does not compute.
pub(super) fn translate(opcode: &str, operands: &[Signed]) -> Vec<Token> {
    let mut parts = opcode.split('.');
    let name = parts.next().unwrap_or(opcode);
    let has = |part: &str| opcode.split('.').skip(1).any(|one| one == part);
    // Instructions of the uniform datapath have the same operands.
    let plain = name.strip_prefix('U').filter(|_| name != "UBLKCP").unwrap_or(name);
    let meaning = Meaning { operands, has: &has };
    meaning.translate(plain).unwrap_or_else(|| unknown(operands, &has))
}

/// Writes unknown values to the destinations: the predicates and registers that come first.
fn unknown(operands: &[Signed], has: &dyn Fn(&str) -> bool) -> Vec<Token> {
    let rows = if has("128") { 4 } else { 1 + u16::from(has("64") || has("WIDE")) };
    let mut tokens = Vec::new();
    for operand in operands {
        match operand.operand {
            Operand::Predicate(number) if number != TRUE => {
                tokens.extend([Token::Unknown, Token::WritePredicate(number)])
            }
            Operand::Predicate(_) => {}
            Operand::Register(row) => {
                let all = if row == ZERO { 0..0 } else { row..row + rows };
                tokens.extend(all.flat_map(|row| [Token::Unknown, Token::Write(row)]));
                break;
            }
            _ => break,
        }
    }
    tokens
}

struct Meaning<'a> {
    operands: &'a [Signed],
    has: &'a dyn Fn(&str) -> bool,
}

/// Joins parts of a program.
fn join(parts: impl IntoIterator<Item = Vec<Token>>) -> Vec<Token> {
    parts.into_iter().flatten().collect()
}

fn two(function: Two) -> Vec<Token> {
    vec![Token::Two(function)]
}

fn one(function: One) -> Vec<Token> {
    vec![Token::One(function)]
}

fn literal(value: u64) -> Vec<Token> {
    vec![Token::Literal(value)]
}

impl Meaning<'_> {
    fn translate(&self, name: &str) -> Option<Vec<Token>> {
        match name {
            "IMAD" if (self.has)("WIDE") => self.wide_product(),
            "IMAD" if (self.has)("HI") => self.high_product(),
            "IMAD" => self.product(),
            "IADD3" => self.sum(),
            "VIADD" => self.write(join([self.word(1)?, self.word(2)?, two(Two::Add)])),
            "LEA" if (self.has)("HI") => self.high_scaled_sum(),
            "LEA" => self.scaled_sum(),
            "LOP3" => self.logic(),
            "PLOP3" => self.predicate_logic(),
            "SHF" => self.shift(),
            "ISETP" => self.comparison(),
            "SEL" => self.write(join([self.word(1)?, self.word(2)?, self.word(3)?, vec![Token::Select]])),
            "VIMNMX" | "IMNMX" => {
                let values = join([self.extend(1)?, self.extend(2)?]);
                self.extremum(&values, 3)
            }
            "VIADDMNMX" => {
                let mut sum = join([self.word(1)?, self.word(2)?, two(Two::Add), one(One::Low)]);
                sum.extend(if (self.has)("U32") { Vec::new() } else { one(One::SignExtend) });
                self.extremum(&join([sum, self.extend(3)?]), 4)
            }
            "PRMT" if self.operands.len() == 4 => {
                self.write(join([self.word(1)?, self.word(2)?, self.word(3)?, vec![Token::Permute]]))
            }
            "P2R" => self.predicates(),
            "IABS" => self.write(join([self.word(1)?, one(One::Absolute)])),
            "MOV" | "S2R" | "S2UR" | "R2UR" => self.write(self.word(1)?),
            "LDC" => self.constant(),
            "CS2R" => self.zero(),
            // A move of two halves, which is how ptxas spreads moves over the pipes.
            "HFMA2" if (self.has)("MOV") => self.write(self.word(1)?),
            "POPC" => self.write(join([self.word(1)?, one(One::Ones)])),
            "FLO" if (self.has)("U32") => self.write(join([self.word(1)?, one(One::Highest)])),
            "I2F" | "I2FP" if !(self.has)("S64") && !(self.has)("U64") => self.to_float(),
            "MUFU" if (self.has)("RCP") => self.write(join([self.word(1)?, one(One::Reciprocal)])),
            "F2I" if (self.has)("U32") && (self.has)("TRUNC") => self.write(join([self.word(1)?, one(One::ToInteger)])),
            _ => None,
        }
    }

    fn at(&self, index: usize) -> Option<&Signed> {
        self.operands.get(index)
    }

    fn word(&self, index: usize) -> Option<Vec<Token>> {
        self.at(index).map(word)
    }

    /// Pushes an operand as a word, with its sign unless the instruction is of unsigned values.
    fn extend(&self, index: usize) -> Option<Vec<Token>> {
        self.at(index).map(if (self.has)("U32") { word } else { signed })
    }

    /// Writes the value on the stack to the first operand.
    fn write(&self, mut tokens: Vec<Token>) -> Option<Vec<Token>> {
        let Operand::Register(row) = self.at(0)?.operand else { return None };
        if row == ZERO {
            return Some(Vec::new());
        }
        tokens.push(Token::Write(row));
        Some(tokens)
    }

    fn write_pair(&self, mut tokens: Vec<Token>) -> Option<Vec<Token>> {
        let row = self.at(0)?.row()?;
        tokens.push(Token::WritePair(row));
        Some(tokens)
    }

    /// Returns the index of the first operand behind the destinations, and the predicates among those.
    fn behind_carries(&self) -> (usize, Vec<u8>) {
        let mut carries = Vec::new();
        for operand in self.operands.iter().skip(1) {
            match operand.operand {
                Operand::Predicate(number) if !operand.is_inverted => carries.push(number),
                _ => break,
            }
        }
        (1 + carries.len(), carries)
    }

    fn wide_product(&self) -> Option<Vec<Token>> {
        let (first, carries) = self.behind_carries();
        if carries.iter().any(|number| *number != TRUE) {
            return None;
        }
        let factors = join([self.extend(first)?, self.extend(first + 1)?, two(Two::Multiply)]);
        self.write_pair(join([factors, wide(self.at(first + 2)?), two(Two::Add)]))
    }

    fn high_product(&self) -> Option<Vec<Token>> {
        let product = join([self.extend(1)?, self.extend(2)?, two(Two::Multiply)]);
        self.write(join([product, wide(self.at(3)?), two(Two::Add), one(One::High)]))
    }

    fn product(&self) -> Option<Vec<Token>> {
        let (first, carries) = self.behind_carries();
        if carries.iter().any(|number| *number != TRUE) {
            return None;
        }
        let product = join([self.word(first)?, self.word(first + 1)?, two(Two::Multiply)]);
        let carry = self.word(first + 3).map_or(Vec::new(), |carry| join([carry, two(Two::Add)]));
        self.write(join([product, self.word(first + 2)?, two(Two::Add), carry]))
    }

    /// Adds three words and up to two carries, and writes up to two carries.
    fn sum(&self) -> Option<Vec<Token>> {
        let (first, carries) = self.behind_carries();
        let mut sum = self.word(first)?;
        for index in first + 1..self.operands.len() {
            sum.extend(join([self.word(index)?, two(Two::Add)]));
        }
        // Sources are read before a destination is written.
        let mut tokens = Vec::new();
        for (more, number) in carries.iter().enumerate().filter(|(_, number)| **number != TRUE) {
            tokens.extend(join([literal(more as u64), sum.clone(), one(One::High), two(Two::Less)]));
            tokens.push(Token::WritePredicate(*number));
        }
        tokens.extend(self.write(sum)?);
        Some(tokens)
    }

    fn scaled_sum(&self) -> Option<Vec<Token>> {
        let (first, carries) = self.behind_carries();
        let scaled = join([self.word(first)?, self.word(first + 2)?, two(Two::ShiftLeft), one(One::Low)]);
        let sum = join([scaled, self.word(first + 1)?, two(Two::Add)]);
        let mut tokens = Vec::new();
        if let Some(number) = carries.first().filter(|number| **number != TRUE) {
            tokens.extend(join([sum.clone(), one(One::High)]));
            tokens.push(Token::WritePredicate(*number));
        }
        tokens.extend(self.write(sum)?);
        Some(tokens)
    }

    /// Adds the upper word of a shifted pair to a word.
    fn high_scaled_sum(&self) -> Option<Vec<Token>> {
        let (first, _) = self.behind_carries();
        let (pair, shift, rest) = if (self.has)("SX32") {
            (signed(self.at(first)?), first + 2, first + 3)
        } else {
            let high = join([self.word(first + 2)?, literal(32), two(Two::ShiftLeft), two(Two::Or)]);
            (join([self.word(first)?, high]), first + 3, first + 4)
        };
        let high = join([pair, self.word(shift)?, two(Two::ShiftLeft), one(One::High)]);
        let carry = self.word(rest).filter(|_| (self.has)("X"));
        let carry = carry.map_or(Vec::new(), |carry| join([carry, two(Two::Add)]));
        self.write(join([high, self.word(first + 1)?, two(Two::Add), carry]))
    }

    fn logic(&self) -> Option<Vec<Token>> {
        let predicate = match self.at(0)?.operand {
            Operand::Predicate(number) => Some(number),
            _ => None,
        };
        let first = usize::from(predicate.is_some());
        let Operand::Literal(table) = self.at(first + 4)?.operand else { return None };
        let value = join([self.word(first + 1)?, self.word(first + 2)?, self.word(first + 3)?]);
        let value = join([value, vec![Token::Table(table as u8)]]);
        let mut tokens = Vec::new();
        if let Some(number) = predicate.filter(|number| *number != TRUE) {
            tokens.extend(value.iter().copied().chain([Token::WritePredicate(number)]));
        }
        if let Some(row) = self.at(first)?.row() {
            tokens.extend(value.into_iter().chain([Token::Write(row)]));
        }
        Some(tokens)
    }

    fn predicate_logic(&self) -> Option<Vec<Token>> {
        let Operand::Predicate(number) = self.at(0)?.operand else { return None };
        let Operand::Literal(table) = self.at(5)?.operand else { return None };
        if self.at(1)?.operand != Operand::Predicate(TRUE) {
            return None;
        }
        let inputs = join([self.word(2)?, self.word(3)?, self.word(4)?]);
        Some(join([
            inputs,
            vec![Token::Table(table as u8)],
            literal(1),
            two(Two::And),
            vec![Token::WritePredicate(number)],
        ]))
    }

    /// Collects those predicates in a word that a mask names; the other bits are those of a source.
    fn predicates(&self) -> Option<Vec<Token>> {
        let Operand::Literal(mask) = self.at(3)?.operand else { return None };
        let mut tokens = join([self.word(2)?, literal(!mask as u64 & 0xffff_ffff), two(Two::And)]);
        for number in (0..TRUE).filter(|number| mask >> number & 1 == 1) {
            tokens.extend([Token::Predicate(number), Token::Literal(number.into())]);
            tokens.extend(join([two(Two::ShiftLeft), two(Two::Or)]));
        }
        self.write(tokens)
    }

    /// Shifts the pair of the third and the first source by the second.
    fn shift(&self) -> Option<Vec<Token>> {
        let low = self.word(1)?;
        let by = self.word(2)?;
        let high = self.word(3)?;
        let pair = join([low.clone(), high.clone(), literal(32), two(Two::ShiftLeft), two(Two::Or)]);
        let value = match ((self.has)("L"), (self.has)("HI")) {
            (true, true) => join([pair, by, two(Two::ShiftLeft), one(One::High)]),
            (true, false) => join([low, by, two(Two::ShiftLeft)]),
            (false, true) if (self.has)("S32") => join([high, one(One::SignExtend), by, two(Two::ShiftRightSigned)]),
            (false, true) => join([high, by, two(Two::ShiftRight)]),
            (false, false) => join([pair, by, two(Two::ShiftRight)]),
        };
        self.write(value)
    }

    /// Compares, and combines the result with a predicate. With `EX`, the words are the upper ones, and the last operand is the
    /// result of the lower ones.
    fn comparison(&self) -> Option<Vec<Token>> {
        let a = self.extend(2)?;
        let b = self.extend(3)?;
        let compare = |function, swap| {
            if swap { join([b.clone(), a.clone(), two(function)]) } else { join([a.clone(), b.clone(), two(function)]) }
        };
        let equal = || compare(Two::Equal, false);
        let (plain, strict) = match () {
            () if (self.has)("LT") => (compare(Two::Less, false), compare(Two::Less, false)),
            () if (self.has)("LE") => (compare(Two::LessOrEqual, false), compare(Two::Less, false)),
            () if (self.has)("GT") => (compare(Two::Less, true), compare(Two::Less, true)),
            () if (self.has)("GE") => (compare(Two::LessOrEqual, true), compare(Two::Less, true)),
            () if (self.has)("EQ") => (equal(), literal(0)),
            () if (self.has)("NE") => (join([equal(), one(One::Not)]), join([equal(), one(One::Not)])),
            () => return None,
        };
        let result = if !(self.has)("EX") {
            plain
        } else if (self.has)("NE") {
            join([strict, self.word(5)?, two(Two::Or)])
        } else {
            join([equal(), self.word(5)?, two(Two::And), strict, two(Two::Or)])
        };
        let combine = if (self.has)("OR") { Two::Or } else { Two::And };
        let mut tokens = Vec::new();
        for (index, sign) in [(1, one(One::Not)), (0, Vec::new())] {
            let Operand::Predicate(number) = self.at(index)?.operand else { return None };
            if number != TRUE {
                tokens.extend(join([result.clone(), sign, self.word(4)?, two(combine)]));
                tokens.push(Token::WritePredicate(number));
            }
        }
        Some(tokens)
    }

    /// Writes the smaller of two values if a predicate holds, else the larger.
    fn extremum(&self, values: &[Token], predicate: usize) -> Option<Vec<Token>> {
        let of = |function| join([values.to_vec(), two(function)]);
        self.write(join([of(Two::Smaller), of(Two::Larger), self.word(predicate)?, vec![Token::Select]]))
    }

    fn constant(&self) -> Option<Vec<Token>> {
        let operand = self.at(1)?;
        if !matches!(operand.operand, Operand::Constant { .. }) {
            return None;
        }
        if (self.has)("64") { self.write_pair(wide(operand)) } else { self.write(word(operand)) }
    }

    fn zero(&self) -> Option<Vec<Token>> {
        if self.at(1)?.operand != Operand::Special("SRZ".into()) {
            return None;
        }
        if (self.has)("32") { self.write(literal(0)) } else { self.write_pair(literal(0)) }
    }

    fn to_float(&self) -> Option<Vec<Token>> {
        let value = self.at(1)?;
        let value = if (self.has)("U32") { word(value) } else { signed(value) };
        self.write(join([value, one(One::ToFloat)]))
    }
}
