//! The state of the reader of a function: its names, and the instructions so far.

use super::constant::constant;
use super::cursor::{Cursor, Parsed};
use super::tree::{BlockId, Flags, Id, Instruction, Long, Operation, Place, Value};
use super::types::Type;
use crate::table;
use std::collections::HashMap;

/// The reader of a function.
pub(crate) struct Reader<'a> {
    /// The types that the module defines.
    pub(crate) named: &'a HashMap<String, Type>,
    values: HashMap<(&'a str, usize), Id>,
    labels: HashMap<String, BlockId>,
    /// The number of ids in use.
    pub(crate) ids: usize,
    /// The instructions of the block that is being read.
    pub(crate) body: Vec<Instruction>,
    /// Known alignments in bytes of what the operands of the last call point to.
    pub(crate) aligns: Vec<u64>,
    /// Values of 128 bits.
    pub(crate) longs: HashMap<&'a str, Long>,
    pub(crate) line: usize,
    pub(crate) place: Option<Place>,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(named: &'a HashMap<String, Type>) -> Self {
        let values = HashMap::new();
        let labels = HashMap::new();
        let body = Vec::new();
        Self { named, values, labels, ids: 0, body, aligns: Vec::new(), longs: HashMap::new(), line: 0, place: None }
    }

    /// Returns a new id.
    pub(crate) fn fresh(&mut self) -> Id {
        self.ids += 1;
        self.ids - 1
    }

    /// Returns the id of a scalar of a named value.
    pub(crate) fn id(&mut self, name: &'a str, part: usize) -> Id {
        if let Some(id) = self.values.get(&(name, part)) {
            return *id;
        }
        let id = self.fresh();
        self.values.insert((name, part), id);
        id
    }

    pub(crate) fn ids(&mut self, name: &'a str, ty: &Type) -> Vec<Id> {
        (0..ty.parts().len()).map(|part| self.id(name, part)).collect()
    }

    pub(crate) fn label(&mut self, name: &str) -> BlockId {
        let next = self.labels.len();
        *self.labels.entry(name.to_owned()).or_insert(next)
    }

    /// Takes `label %name`.
    pub(crate) fn target(&mut self, at: &mut Cursor<'a>) -> Parsed<BlockId> {
        at.eat("label");
        at.need("%")?;
        let name = at.name()?;
        Ok(self.label(name))
    }

    /// Takes a value of a type, as its scalars.
    pub(crate) fn values(&mut self, at: &mut Cursor<'a>, ty: &Type) -> Parsed<Vec<Value>> {
        if at.eat("%") {
            let name = at.name()?;
            return Ok(self.ids(name, ty).into_iter().map(Value::Local).collect());
        }
        constant(at, ty, self.named)
    }

    /// Takes a type and a value.
    pub(crate) fn typed_values(&mut self, at: &mut Cursor<'a>) -> Parsed<(Type, Vec<Value>)> {
        let ty = at.ty(self.named)?;
        at.attributes();
        let values = self.values(at, &ty)?;
        Ok((ty, values))
    }

    /// Takes a type and a value that is one scalar.
    pub(crate) fn scalar(&mut self, at: &mut Cursor<'a>) -> Parsed<(Type, Value)> {
        let (ty, mut values) = self.typed_values(at)?;
        match (values.pop(), values.is_empty()) {
            (Some(value), true) if !matches!(ty, Type::Vector(..) | Type::Structure(..)) => Ok((ty, value)),
            _ => Err(format!("a value of type `{ty}` here")),
        }
    }

    /// Appends an instruction.
    pub(crate) fn push(&mut self, results: Vec<Id>, operation: Operation) {
        self.body.push(Instruction { results, operation, line: self.line, place: self.place });
    }

    /// Appends what a row of the table does.
    pub(crate) fn row(
        &mut self,
        result: Option<Id>,
        name: &str,
        flags: Flags,
        ty: &Type,
        operands: Vec<(Type, Value)>,
    ) -> Parsed<()> {
        let of = operands.first().map_or(ty, |(of, _)| of);
        let fast = if flags.afn { table::find(&format!("{name} fast"), of, ty) } else { None };
        let row = fast.or_else(|| table::find(name, of, ty)).ok_or_else(|| refusal(name, of))?;
        self.push(result.into_iter().collect(), Operation::Row { row, flags, ty: ty.clone(), operands });
        Ok(())
    }

    /// Appends a row that makes a new value, and returns that.
    pub(crate) fn made(&mut self, name: &str, ty: &Type, operands: Vec<(Type, Value)>) -> Parsed<Value> {
        let id = self.fresh();
        self.row(Some(id), name, Flags::default(), ty, operands)?;
        Ok(Value::Local(id))
    }
}

/// Names a construct without a row.
fn refusal(name: &str, of: &Type) -> String {
    if *of == Type::Void { format!("`{name}`") } else { format!("`{name}` of `{of}`") }
}
