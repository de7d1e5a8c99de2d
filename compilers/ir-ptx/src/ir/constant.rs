//! Constants, each as its scalars.

use super::cursor::{Cursor, Parsed};
use super::tree::{Symbol, Value};
use super::types::Type;
use std::collections::HashMap;

type Named = HashMap<String, Type>;

/// Takes a constant of a type; a vector or structure has several scalars.
pub(crate) fn constant(at: &mut Cursor, ty: &Type, named: &Named) -> Parsed<Vec<Value>> {
    let parts = ty.parts();
    if at.eat("zeroinitializer") {
        return Ok(parts.iter().map(|(_, part)| zero(part)).collect());
    }
    if at.eat("undef") || at.eat("poison") {
        return Ok(vec![Value::Undefined; parts.len()]);
    }
    if at.eat("splat") {
        at.need("(")?;
        let of = at.ty(named)?;
        let value = scalar(at, &of, named)?;
        at.need(")")?;
        return Ok(vec![value; parts.len()]);
    }
    if !matches!(ty, Type::Vector(..) | Type::Structure(..) | Type::Array(..)) {
        return Ok(vec![scalar(at, ty, named)?]);
    }
    let close = ["<{", "{", "<", "["].into_iter().find(|open| at.eat(open));
    let close = match close {
        Some("<{") => "}>",
        Some("{") => "}",
        Some("<") => ">",
        Some(_) => "]",
        None => return at.fail("a constant"),
    };
    let mut values = Vec::new();
    while !at.eat(close) {
        let of = at.ty(named)?;
        values.extend(constant(at, &of, named)?);
        if !at.eat(",") {
            at.need(close)?;
            break;
        }
    }
    Ok(values)
}

fn zero(ty: &Type) -> Value {
    if ty.is_real() { Value::Real(0.0) } else { Value::Integer(0) }
}

/// Takes a constant that is one scalar.
fn scalar(at: &mut Cursor, ty: &Type, named: &Named) -> Parsed<Value> {
    if at.eat("@") {
        return Ok(Value::Global(Symbol { name: at.name()?.to_owned(), offset: 0, generic: false }));
    }
    if at.rest.trim_start().starts_with(|c: char| c.is_ascii_digit() || c == '-' || c == '+') {
        return number(at, ty);
    }
    match at.word() {
        "true" => Ok(Value::Integer(-1)),
        "false" | "null" => Ok(Value::Integer(0)),
        "zeroinitializer" => Ok(zero(ty)),
        "undef" | "poison" => Ok(Value::Undefined),
        word @ ("addrspacecast" | "ptrtoint" | "inttoptr") => cast(at, word, named),
        "getelementptr" => element(at, named),
        word => Err(format!("the constant `{word}`")),
    }
}

fn number(at: &mut Cursor, ty: &Type) -> Parsed<Value> {
    at.rest = at.rest.trim_start();
    let end = at.rest.find(|c: char| !(c.is_ascii_alphanumeric() || "+-.".contains(c))).unwrap_or(at.rest.len());
    let (word, rest) = at.rest.split_at(end);
    at.rest = rest;
    let value = match ty {
        Type::Half => word.strip_prefix("0xH").and_then(|bits| u16::from_str_radix(bits, 16).ok()).map(from_half),
        Type::Float | Type::Double => match word.strip_prefix("0x") {
            Some(bits) => u64::from_str_radix(bits, 16).ok().map(f64::from_bits),
            None => word.parse().ok(),
        },
        _ => return word.parse::<i64>().map(Value::Integer).map_err(|_| format!("the number {word}")),
    };
    value.map(Value::Real).ok_or_else(|| format!("the number {word}"))
}

/// Returns the value of a number of 16 bits.
fn from_half(bits: u16) -> f64 {
    let sign = bits >> 15;
    let exponent = i32::from(bits >> 10 & 31);
    let fraction = f64::from(bits & 0x3ff);
    let size = match exponent {
        0 => fraction * 2_f64.powi(-24),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1.0 + fraction / 1024.0) * 2_f64.powi(exponent - 15),
    };
    if sign == 1 { -size } else { size }
}

fn cast(at: &mut Cursor, word: &str, named: &Named) -> Parsed<Value> {
    at.need("(")?;
    let from = at.ty(named)?;
    let mut inner = scalar(at, &from, named)?;
    at.need("to")?;
    at.ty(named)?;
    at.need(")")?;
    if let (Value::Global(symbol), "ptrtoint") = (&mut inner, word) {
        symbol.generic = from == Type::Pointer(crate::space::Space::Generic);
    }
    Ok(inner)
}

/// Takes the rest of a constant address behind `getelementptr`.
fn element(at: &mut Cursor, named: &Named) -> Parsed<Value> {
    at.element_flags();
    at.need("(")?;
    let mut ty = at.ty(named)?;
    at.need(",")?;
    let pointer = at.ty(named)?;
    let base = scalar(at, &pointer, named)?;
    let mut bytes = 0;
    let mut first = true;
    while at.eat(",") {
        let of = at.ty(named)?;
        let Value::Integer(index) = scalar(at, &of, named)? else { return at.fail("a number as an index") };
        if first {
            bytes += index * ty.bytes() as i64;
        } else {
            let Some((offset, inner)) = ty.element(index as u64) else { return at.fail("an index into a structure") };
            bytes += offset as i64;
            ty = inner;
        }
        first = false;
    }
    at.need(")")?;
    match base {
        Value::Global(symbol) => Ok(Value::Global(Symbol { offset: symbol.offset + bytes, ..symbol })),
        Value::Integer(address) => Ok(Value::Integer(address + bytes)),
        _ => at.fail("a variable"),
    }
}
