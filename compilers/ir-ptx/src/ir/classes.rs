//! Tests whether a number is of some classes: `llvm.is.fpclass`.

use super::cursor::Parsed;
use super::reader::Reader;
use super::tree::{Flags, Value};
use super::types::{BIT, Type};

/// The bits of the classes: numbers that are none, and the two infinities.
const NAN: i64 = 0b11;
const INFINITE: i64 = 1 << 9 | 1 << 2;
const ALL: i64 = (1 << 10) - 1;
/// The positive classes, as ranges of bit patterns: zero, subnormal, normal, infinite. The negative ones mirror them.
const POSITIVE: [i64; 4] = [1 << 6, 1 << 7, 1 << 8, 1 << 9];
const NEGATIVE: [i64; 4] = [1 << 5, 1 << 4, 1 << 3, 1 << 2];

impl<'a> Reader<'a> {
    /// Appends a test.
    pub(super) fn class_test(&mut self, name: &'a str, operands: &[(Type, Value)]) -> Parsed<()> {
        let [(ty @ (Type::Float | Type::Double), value), (_, Value::Integer(classes))] = operands else {
            return Err("`llvm.is.fpclass`".into());
        };
        let row = match *classes {
            NAN => "fcmp uno",
            classes if classes == ALL - NAN => "fcmp ord",
            INFINITE => "fcmp oeq",
            classes if classes == INFINITE + NAN => "fcmp ueq",
            classes if classes == ALL - INFINITE => "fcmp une",
            classes if classes == ALL - INFINITE - NAN => "fcmp one",
            classes => return self.classes(name, ty, value, classes),
        };
        let size = self.made("llvm.fabs", ty, vec![(ty.clone(), value.clone())])?;
        let with_itself = row.ends_with("uno") || row.ends_with("ord");
        let other = if with_itself { size.clone() } else { Value::Real(f64::INFINITY) };
        let id = self.id(name, 0);
        self.row(Some(id), row, Flags::default(), &BIT, vec![(ty.clone(), size), (ty.clone(), other)])
    }

    /// Tests each class by the range of its bit patterns.
    fn classes(&mut self, name: &'a str, ty: &Type, value: &Value, classes: i64) -> Parsed<()> {
        let word = Type::Integer(ty.bits());
        let fraction = if *ty == Type::Float { 23 } else { 52 };
        let sign = if *ty == Type::Float { i64::from(i32::MIN) } else { i64::MIN };
        let infinity = (1_i64 << (ty.bits() - 1)).wrapping_sub(1) >> fraction << fraction;
        let starts = [0, 1, 1 << fraction, infinity, infinity + 1];
        let bits = self.made("bitcast", &word, vec![(ty.clone(), value.clone())])?;
        let mut any = Value::Integer(0);
        if classes & NAN == NAN {
            any = self.made("fcmp uno", &BIT, vec![(ty.clone(), value.clone()), (ty.clone(), value.clone())])?;
        } else if classes & NAN != 0 {
            return Err("`llvm.is.fpclass` of one kind of NaN".into());
        }
        for (list, sign) in [(POSITIVE, 0), (NEGATIVE, sign)] {
            for (number, _) in list.iter().enumerate().filter(|(_, class)| classes & **class != 0) {
                let start = starts[number];
                let end = starts[number + 1];
                let start_bits = Value::Integer(start ^ sign);
                let above = self.made("sub", &word, vec![(word.clone(), bits.clone()), (word.clone(), start_bits)])?;
                let length = (word.clone(), Value::Integer(end - start));
                let is_in = self.made("icmp ult", &BIT, vec![(word.clone(), above), length])?;
                any = self.made("or", &BIT, vec![(BIT, any), (BIT, is_in)])?;
            }
        }
        self.rename(name, vec![(BIT, any)])
    }
}
