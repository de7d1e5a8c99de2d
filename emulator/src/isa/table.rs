//! The whole table: every instruction that the emulator executes.

use super::class::Class;
use super::compare::{Compare, Test};
use super::convert::Convert;
use super::float::Float;
use super::form::{Form, Modifiers, Shape};
use super::integer::Integer;
use super::logic::{Logic, Move, Select};
use super::memory::{Address, MemoryOperation};
use super::operation::Operation;
use super::{asynchronous, barrier, carry, convert, exchange, flow, half, matrix, mbarrier, memory, rounding};
use crate::ground::space::Space;
use std::collections::HashMap;
use std::sync::LazyLock;

/// An instruction that the emulator executes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instruction {
    /// How PTX spells it: `[.a|.b]` may stand, one of `{a|b}` must.
    pub spelling: &'static str,
    /// What it does; `d` or `p` is the result, `a`, `b`, `c` are the sources in order.
    pub equation: &'static str,
}

impl From<&Shape> for Instruction {
    fn from(shape: &Shape) -> Self {
        Self { spelling: shape.pattern, equation: shape.equation }
    }
}

/// Lists the instructions that the emulator executes, in the order of its table.
///
/// A comparison also takes `.and`, `.or` or `.xor` after its operator, and then a predicate as last source. Order, scope and
/// space of atomics may change places, `.sync` of votes may come after the kind, and `.sat` behind the type.
pub fn instructions() -> impl Iterator<Item = Instruction> {
    TABLE.rows.iter().map(|row| row.shape.into())
}

/// Returns the row of the table for an opcode with all of its modifiers, such as `fma.rn.ftz.f32`.
#[must_use]
pub fn instruction(opcode: &str) -> Option<Instruction> {
    find(opcode).map(|found| found.shape.into())
}

/// A row that an opcode matches, and what it does with these modifiers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found {
    pub(crate) shape: &'static Shape,
    pub(crate) operation: Operation,
}

impl Found {
    /// Which part of a multiprocessor executes it: that of its row, but for loads of parameters and constants.
    pub(crate) fn class(&self) -> Class {
        match self.operation {
            Operation::Memory(MemoryOperation::Load { space: Space::Constant | Space::Parameter, .. }) => {
                Class::Constant
            }
            _ => self.shape.class,
        }
    }
}

/// Memory orders, scopes and spaces that an atomic may name.
const ORDERS: [&str; 5] = ["relaxed", "acquire", "release", "acq_rel", "sc"];
const SCOPES: [&str; 4] = ["cta", "cluster", "gpu", "sys"];
const SPACES: [&str; 4] = ["global", "shared", "shared::cta", "shared::cluster"];

/// Puts the parts of an opcode into the order of the table, where assemblers leave the order open: order, scope and space of
/// atomics, `.sync` of votes, and `.sat` behind a type.
fn in_order<'a>(opcode: &str, mut parts: Vec<&'a str>) -> Vec<&'a str> {
    if opcode.starts_with("atom.") || opcode.starts_with("red.") {
        let groups: [&[&str]; 3] = [&ORDERS, &SCOPES, &SPACES];
        parts.sort_by_key(|part| groups.iter().position(|group| group.contains(part)).unwrap_or(groups.len()));
    } else if opcode.starts_with("vote.") {
        parts.sort_by_key(|part| *part != "sync");
    } else if let [.., before, last @ "sat"] = parts.as_mut_slice() {
        std::mem::swap(before, last);
    }
    parts
}

/// Returns the row that `opcode` matches; the first one counts.
pub(crate) fn find(opcode: &str) -> Option<Found> {
    let mut parts = opcode.split('.');
    let candidates = TABLE.by_name.get(parts.next()?)?;
    let parts = in_order(opcode, parts.collect());
    let row = candidates.iter().map(|&index| &TABLE.rows[index]).find(|row| row.shape.matches(&parts))?;
    Some(Found { shape: row.shape, operation: (row.build)(&Modifiers(&parts)) })
}

/// A row of any of the tables.
struct Row {
    shape: &'static Shape,
    build: Box<dyn Fn(&Modifiers<'_>) -> Operation + Send + Sync>,
}

#[derive(Default)]
struct Table {
    rows: Vec<Row>,
    by_name: HashMap<&'static str, Vec<usize>>,
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let mut table = Table::default();
    table.add(Integer::FORMS);
    table.add(carry::FORMS);
    table.add(Logic::FORMS);
    table.add(Move::FORMS);
    table.add(Select::FORMS);
    table.add(Compare::FORMS);
    table.add(Test::FORMS);
    table.add(Float::FORMS);
    table.add(rounding::FORMS);
    table.add(Convert::FORMS);
    table.add(convert::FORMS);
    table.add(half::FORMS);
    table.add(half::COMPARISONS);
    table.add(half::SETS);
    table.add(half::PAIRS);
    table.add(Address::FORMS);
    table.add(memory::FORMS);
    table.add(flow::FORMS);
    table.add(barrier::FORMS);
    table.add(exchange::FORMS);
    table.add(asynchronous::FORMS);
    table.add(mbarrier::FORMS);
    table.add(matrix::FORMS);
    table
});

impl Table {
    fn add<T: Into<Operation>>(&mut self, forms: &'static [Form<T>]) {
        for form in forms {
            self.by_name.entry(form.shape.name()).or_default().push(self.rows.len());
            let build = |modifiers: &Modifiers<'_>| (form.build)(modifiers).into();
            self.rows.push(Row { shape: &form.shape, build: Box::new(build) });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::form::{alternatives, split_element};
    use super::*;

    #[test]
    fn every_row_is_reachable_by_its_own_spelling() {
        for Row { shape, .. } in &TABLE.rows {
            let mut opcode = shape.name().to_owned();
            let mut pattern = &shape.pattern[shape.name().len()..];
            while !pattern.is_empty() {
                let (element, tail) = split_element(pattern);
                pattern = tail;
                if !element.starts_with('[') {
                    opcode = format!("{opcode}.{}", alternatives(element).next().unwrap());
                }
            }
            let found = find(&opcode).unwrap_or_else(|| panic!("{opcode} is not found"));
            assert_eq!(found.shape.pattern, shape.pattern, "{opcode} is taken by an earlier row");
        }
    }

    #[test]
    fn parts_that_change_places_are_the_same_instruction() {
        for (written, listed) in [
            ("atom.global.sys.add.u32", "atom.sys.global.add.u32"),
            ("atom.or.acq_rel.cta.b32", "atom.acq_rel.cta.or.b32"),
            ("red.and.release.cta.b32", "red.release.cta.and.b32"),
            ("atom.add.global.gpu.relaxed.f32", "atom.relaxed.gpu.global.add.f32"),
            ("vote.ballot.sync.b32", "vote.sync.ballot.b32"),
            ("add.s32.sat", "add.sat.s32"),
        ] {
            let name = listed.split('.').next().unwrap();
            let ordered = in_order(written, written.split('.').skip(1).collect());
            assert_eq!(format!("{name}.{}", ordered.join(".")), listed);
            let [one, other] = [written, listed].map(|opcode| find(opcode).unwrap());
            assert_eq!(one.shape.pattern, other.shape.pattern);
        }
        // Each part once, the type at the end, and only where the order is open.
        for wrong in
            ["atom.sys.global.gpu.add.u32", "atom.add.u32.sys.", "atom.add.u32.u32", "sub.f32.rn", "sat.add.s32"]
        {
            assert!(find(wrong).is_none(), "{wrong}");
        }
    }

    #[test]
    fn opcodes_have_the_class_of_their_unit() {
        for (opcode, class) in [
            ("fma.rn.f32", Class::Float),
            ("add.f64", Class::Float),
            ("neg.f32", Class::Float),
            ("div.rn.f32", Class::Special),
            ("rsqrt.approx.ftz.f32", Class::Special),
            ("div.u32", Class::Integer),
            ("mad.lo.s32", Class::Integer),
            ("and.pred", Class::Integer),
            ("setp.lt.f32", Class::Comparison),
            ("max.f32", Class::Comparison),
            ("cvt.rn.f32.s32", Class::Conversion),
            ("mov.f32", Class::Move),
            ("cvta.to.global.u64", Class::Move),
            ("ld.param.f32", Class::Constant),
            ("ld.const.v4.f32", Class::Constant),
            ("ld.global.nc.v4.f32", Class::Memory),
            ("red.global.add.f32", Class::Memory),
            ("shfl.sync.bfly.b32", Class::Exchange),
            ("bar.sync", Class::Control),
            ("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", Class::Matrix),
        ] {
            assert_eq!(find(opcode).unwrap().class(), class, "{opcode}");
        }
    }
}
