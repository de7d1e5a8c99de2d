//! The instruction table: every instruction that the emulator supports.

use super::class::Class;
use super::compare::{Compare, Test};
use super::convert::Convert;
use super::float::Float;
use super::form::{Form, Modifiers, Shape};
use super::integer::Integer;
use super::logic::{Logic, Move, Select};
use super::memory::{Address, MemoryOperation};
use super::operation::Operation;
use super::{
    asynchronous, barrier, carry, cluster, convert, eighths, exchange, flow, half, matrix, mbarrier, memory, packed,
    rounding, texture, warpgroup,
};
use crate::ground::space::Space;
use std::collections::HashMap;
use std::sync::LazyLock;

/// An instruction that the emulator supports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instruction {
    /// The PTX spelling: `[.a|.b]` is optional, and `{a|b}` requires one alternative.
    pub spelling: &'static str,
    /// The equation: `d` or `p` is the result, and `a`, `b`, `c` are the sources in order.
    pub equation: &'static str,
}

impl From<&Shape> for Instruction {
    fn from(shape: &Shape) -> Self {
        Self { spelling: shape.pattern, equation: shape.equation }
    }
}

/// Returns the instructions that the emulator supports, in the order of its table.
///
/// A comparison also takes `.and`, `.or` or `.xor` after its operator, and then a predicate as its last source. The order, scope
/// and space of atomics may be in any order, the `.sync` of votes may follow their kind, and `.sat` may follow the type.
pub fn instructions() -> impl Iterator<Item = Instruction> {
    TABLE.rows.iter().map(|row| row.shape.into())
}

/// Returns the instruction that an opcode with all its modifiers denotes, such as `fma.rn.ftz.f32`.
#[must_use]
pub fn instruction(opcode: &str) -> Option<Instruction> {
    find(opcode).map(|found| found.shape.into())
}

/// The row that matches an opcode, and the operation for its modifiers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found {
    pub(crate) shape: &'static Shape,
    pub(crate) operation: Operation,
}

impl Found {
    /// Returns the class: that of the row, except for loads of parameters and constants.
    pub(crate) fn class(&self) -> Class {
        match self.operation {
            Operation::Memory(MemoryOperation::Load { space: Space::Constant | Space::Parameter, .. }) => {
                Class::Constant
            }
            _ => self.shape.class,
        }
    }
}

/// The memory orders, scopes and spaces of atomics.
const ORDERS: [&str; 5] = ["relaxed", "acquire", "release", "acq_rel", "sc"];
const SCOPES: [&str; 4] = ["cta", "cluster", "gpu", "sys"];
const SPACES: [&str; 4] = ["global", "shared", "shared::cta", "shared::cluster"];

/// Sorts the modifiers of an opcode as the table does, for instructions whose modifiers assemblers accept in different orders:
/// the order, scope and space of atomics, the `.sync` of votes, and `.sat` after a type.
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

/// Returns the first row that matches `opcode`.
pub(crate) fn find(opcode: &str) -> Option<Found> {
    let mut parts = opcode.split('.');
    let candidates = TABLE.by_name.get(parts.next()?)?;
    let parts = in_order(opcode, parts.collect());
    let row = candidates.iter().map(|&index| &TABLE.rows[index]).find(|row| row.shape.matches(&parts))?;
    Some(Found { shape: row.shape, operation: (row.build)(&Modifiers(&parts)) })
}

/// A row of any table.
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
    table.add(packed::FORMS);
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
    table.add(eighths::FORMS);
    table.add(Address::FORMS);
    table.add(memory::FORMS);
    table.add(flow::FORMS);
    table.add(barrier::FORMS);
    table.add(cluster::FORMS);
    table.add(exchange::FORMS);
    table.add(asynchronous::FORMS);
    table.add(mbarrier::FORMS);
    table.add(matrix::FORMS);
    table.add(texture::FORMS);
    table.add(warpgroup::FORMS);
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
