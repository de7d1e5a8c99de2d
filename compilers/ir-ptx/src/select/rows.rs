//! Instructions that a row of the table describes.

use super::fusion::Fusion;
use super::selector::{Selected, Selector};
use crate::code::{Class, Operand, Register};
use crate::ir::tree::{Flags, Id, Value};
use crate::ir::types::{BIT, Type};
use crate::table::find;
use crate::table::row::{Effect, Row};
use std::collections::HashMap;

/// Returns the type in an opcode, with this letter for integers: `s32`, `f64`. A real number keeps its own, unless its bits are
/// asked for.
pub(super) fn suffix(ty: &Type, letter: char) -> String {
    match ty {
        &BIT => "pred".into(),
        Type::Half | Type::Float | Type::Double if letter != 'b' => format!("f{}", ty.bits()),
        Type::Half => "b16".into(),
        _ if ty.bits() <= 32 => format!("{letter}32"),
        _ => format!("{letter}64"),
    }
}

/// The operands of a row, and its registers so far.
struct Setting<'v> {
    name: &'static str,
    results: Vec<Register>,
    operands: &'v [(Type, Value)],
    spare: HashMap<(char, usize), Register>,
}

/// A placeholder in a step: `$1`, `$z1`, `%r1`.
struct Token {
    sign: char,
    letter: char,
    number: usize,
    start: usize,
    end: usize,
}

/// Finds the first placeholder. A special register such as `%tid.x` is none.
fn next_token(text: &str) -> Option<Token> {
    for (start, sign) in text.match_indices(['$', '%']) {
        let mut rest = text[start + 1..].chars().peekable();
        let letter = rest.next_if(char::is_ascii_lowercase);
        let Some(number) = rest.next().and_then(|c| c.to_digit(10)) else { continue };
        if sign == "%"
            && (!letter.is_some_and(|letter| "rdph".contains(letter))
                || rest.peek().is_some_and(char::is_ascii_alphanumeric))
        {
            continue;
        }
        let end = start + 2 + usize::from(letter.is_some());
        let sign = if sign == "$" { '$' } else { '%' };
        return Some(Token { sign, letter: letter.unwrap_or(' '), number: number as usize, start, end });
    }
    None
}

impl Selector<'_> {
    /// Selects an instruction of the table.
    pub(super) fn row(
        &mut self,
        row: &'static Row,
        flags: Flags,
        ids: &[Id],
        ty: &Type,
        operands: &[(Type, Value)],
    ) -> Selected<()> {
        if self.special(row.name, flags, ids, ty, operands)? {
            return Ok(());
        }
        if let (true, &[id]) = (row.is_copy, ids) {
            return self.alias(row, id, operands);
        }
        let mut results = Vec::new();
        for (index, &id) in ids.iter().enumerate() {
            // The second result is a condition.
            let ty = if index == 0 { ty } else { &BIT };
            results.push(self.result(id, ty)?);
        }
        if ids.is_empty() && *ty != Type::Void {
            results.push(self.fresh(Self::class(ty)?));
        }
        self.steps(row, results, ty, operands)?;
        self.note_extension(row.name, ids, operands);
        Ok(())
    }

    /// Selects what depends on more than the row says; false for everything else.
    fn special(
        &mut self,
        name: &str,
        flags: Flags,
        ids: &[Id],
        ty: &Type,
        operands: &[(Type, Value)],
    ) -> Selected<bool> {
        let (Some(&id), Some((of, first))) = (ids.first(), operands.first()) else { return Ok(false) };
        let is_true = |value: &Value| matches!(value, Value::Integer(n) if n & 1 == 1);
        match name {
            "fadd" | "fsub" if self.fusions.contains_key(&id) => self.fuse(id, ty)?,
            "fdiv" if *first == Value::Real(1.0) && *ty != Type::Half => {
                let Some(row) = find("reciprocal", ty, ty) else { return Ok(false) };
                self.row(row, flags, ids, ty, &operands[1..])?;
            }
            "add" if *ty == Type::Integer(32) || *ty == Type::Integer(64) => {
                return self.multiply_add(id, ty, operands);
            }
            "xor" if *ty == BIT && is_true(&operands[1].1) => self.call_row("not", id, ty, &operands[..1])?,
            "select" if *ty == BIT && is_true(first) => {
                self.call_row("or", id, ty, &[operands[2].clone(), operands[1].clone()])?;
            }
            "select" if *ty == BIT && matches!(operands[1].1, Value::Integer(0)) => {
                self.call_row("and", id, ty, &[operands[2].clone(), operands[0].clone()])?;
            }
            "select" if ty.is_pointer() => {
                let space = self.spaces.space_of(id);
                let a = self.pointer_in(first, space)?;
                let b = self.pointer_in(&operands[1].1, space)?;
                let condition = self.operand(&operands[2].1, &BIT)?;
                let to = self.result(id, ty)?;
                self.make("selp.b64", to, &[a, b, condition]);
            }
            "addrspacecast" => self.space_cast(id, first)?,
            "ptrtoint" if *ty == Type::Integer(64) => {
                let pointer = self.generic_pointer(first, of)?;
                self.values.insert(id, pointer);
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Selects another row for the same value.
    fn call_row(&mut self, name: &str, id: Id, ty: &Type, operands: &[(Type, Value)]) -> Selected<()> {
        let row = find(name, ty, ty).ok_or_else(|| format!("`{name}` of `{ty}`"))?;
        self.row(row, Flags::default(), &[id], ty, operands)
    }

    /// Gives a value that only has another type, or is an extended one, the register of the operand.
    fn alias(&mut self, row: &'static Row, id: Id, operands: &[(Type, Value)]) -> Selected<()> {
        let [(of, value), ..] = operands else { return Err(format!("`{}` without operands", row.name)) };
        let signed = row.ptx.contains("$s1");
        let operand = if signed || row.ptx.contains("$z1") {
            self.extend_operand(value, of, signed)?
        } else if row.name == "inttoptr" {
            Operand::Register(self.register(value, of)?)
        } else {
            self.operand(value, of)?
        };
        self.values.insert(id, operand);
        Ok(())
    }

    /// Selects the steps of a row.
    fn steps(&mut self, row: &Row, results: Vec<Register>, ty: &Type, operands: &[(Type, Value)]) -> Selected<()> {
        let mut setting = Setting { name: row.name, results, operands, spare: HashMap::new() };
        let of = operands.first().map_or(ty, |(of, _)| of);
        for step in row.ptx.split("; ") {
            let mut step = step.trim().to_owned();
            for letter in ['s', 'u', 'b', 'f'] {
                step = step.replace(&format!("{{{letter}}}"), &suffix(of, letter));
                step = step.replace(&format!("{{{}}}", letter.to_ascii_uppercase()), &suffix(ty, letter));
            }
            self.step(&step, &mut setting, row.effect == Effect::None)?;
        }
        Ok(())
    }

    /// Selects one step: numbers its operands anew, results first.
    fn step(&mut self, step: &str, setting: &mut Setting, pure: bool) -> Selected<()> {
        let first = step.find(',').unwrap_or(step.len());
        let mut made = Vec::new();
        let mut used = Vec::new();
        let mut pieces = Vec::new();
        let mut rest = step;
        while let Some(token) = next_token(rest) {
            let at = step.len() - rest.len() + token.start;
            let is_spare = token.sign == '%';
            let is_result = token.sign == '$' && token.number < setting.results.len();
            let operand = if is_spare {
                Operand::Register(self.spare(token.letter, token.number, setting))
            } else if is_result {
                Operand::Register(setting.results[token.number])
            } else {
                self.row_operand(&token, setting)?
            };
            pieces.push((&rest[..token.start], (is_spare || is_result) && at < first, made.len(), used.len()));
            if (is_spare || is_result) && at < first {
                made.push(operand)
            } else {
                used.push(operand)
            }
            rest = &rest[token.end..];
        }
        let mut text = String::new();
        for (before, is_made, in_made, in_used) in pieces {
            let number = if is_made { in_made } else { made.len() + in_used };
            text += &format!("{before}${number}");
        }
        let results = made.len();
        self.append(format!("{text}{rest};"), results, [made, used].concat(), pure);
        Ok(())
    }

    fn row_operand(&mut self, token: &Token, setting: &Setting) -> Selected<Operand> {
        let index = token.number - setting.results.len();
        let (ty, value) = setting.operands.get(index).ok_or("an intrinsic with too few operands")?;
        let operand = match token.letter {
            'z' | 's' => self.extend_operand(value, ty, token.letter == 's')?,
            _ if ty.is_pointer() => self.generic_pointer(value, ty)?,
            _ => self.operand(value, ty)?,
        };
        // The count of a shift has 32 bits.
        let is_wide_count = index == 1 && ["shl", "lshr", "ashr"].contains(&setting.name) && ty.bits() > 32;
        Ok(match operand {
            Operand::Register(register) if is_wide_count => {
                Operand::Register(self.made("cvt.u32.u64", Class::B32, &[Operand::Register(register)]))
            }
            operand => operand,
        })
    }

    fn spare(&mut self, letter: char, number: usize, setting: &mut Setting) -> Register {
        let class = match letter {
            'r' => Class::B32,
            'd' => Class::B64,
            'p' => Class::Predicate,
            _ => Class::B16,
        };
        *setting.spare.entry((letter, number)).or_insert_with(|| self.fresh(class))
    }

    /// Notes which results have no arbitrary bits above their width.
    fn note_extension(&mut self, name: &str, ids: &[Id], operands: &[(Type, Value)]) {
        let (&[id], Some((of, _))) = (ids, operands.first()) else { return };
        let Some(Operand::Register(register)) = self.values.get(&id) else { return };
        let known = match (name, operands.get(1)) {
            ("lshr" | "udiv" | "urem" | "llvm.umin" | "llvm.umax" | "llvm.ctpop", _) => (of.bits(), false),
            ("ashr" | "srem" | "llvm.smin" | "llvm.smax", _) => (of.bits(), true),
            ("zext", _) => (of.bits(), false),
            ("and", Some((_, Value::Integer(mask @ 0..)))) => (64 - mask.leading_zeros(), false),
            _ => return,
        };
        self.extended.insert(*register, known);
    }

    /// Selects a fused multiplication and addition.
    pub(super) fn fuse(&mut self, id: Id, ty: &Type) -> Selected<()> {
        let Fusion { x, y, z, minus_product, minus_z } = self.fusions[&id].clone();
        // A constant is negated at once.
        let (x, y) = if matches!(y, Value::Real(_)) { (y, x) } else { (x, y) };
        let x = if minus_product { self.negative(&x, ty)? } else { self.operand(&x, ty)? };
        let y = self.operand(&y, ty)?;
        let z = if minus_z { self.negative(&z, ty)? } else { self.operand(&z, ty)? };
        let to = self.result(id, ty)?;
        self.make(&format!("fma.rn.{}", suffix(ty, 'f')), to, &[x, y, z]);
        Ok(())
    }

    /// Makes `mad` of an addition to a product that nothing else needs.
    pub(super) fn multiply_add(&mut self, id: Id, ty: &Type, operands: &[(Type, Value)]) -> Selected<bool> {
        let [(_, a), (_, b)] = operands else { return Ok(false) };
        for (product, other) in [(a, b), (b, a)] {
            let Value::Local(of) = product else { continue };
            let Some(made) = self.facts.made(product).filter(|made| {
                // In another block, it may be outside of a loop.
                made.name == "mul" && self.single[*of] && self.facts.home(*of) == self.block
            }) else {
                continue;
            };
            let [(_, x), (_, y)] = made.operands else { continue };
            let operands = [self.operand(x, ty)?, self.operand(y, ty)?, self.operand(other, ty)?];
            let to = self.result(id, ty)?;
            self.make(&format!("mad.lo.s{}", ty.bits()), to, &operands);
            return Ok(true);
        }
        Ok(false)
    }
}
