//! The state space of each pointer. The IR has generic pointers nearly everywhere; where all that a pointer can be is in one
//! space, accesses through it name that space.

use crate::facts::Facts;
use crate::ir::tree::{Id, Module, Operation, Symbol, Value};
use crate::ir::types::Type;
use crate::space::Space;
use std::collections::HashMap;

/// The facts about a pointer so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Known {
    Nothing,
    /// Null, or another number.
    Number,
    In(Space),
}

impl Known {
    /// Returns what is known of a pointer that is either.
    fn join(self, other: Self) -> Self {
        match (self, other) {
            (Self::Nothing, known) | (known, Self::Nothing) => known,
            (a, b) if a == b => a,
            // Addresses of global memory are generic addresses, and null is none of them.
            (Self::Number, Self::In(Space::Global)) | (Self::In(Space::Global), Self::Number) => {
                Self::In(Space::Global)
            }
            _ => Self::In(Space::Generic),
        }
    }

    fn space(self) -> Space {
        if let Self::In(space) = self { space } else { Space::Generic }
    }
}

/// The spaces of the variables of a module.
pub(crate) struct Variables(HashMap<String, Space>);

impl Variables {
    pub(crate) fn new(module: &Module) -> Self {
        Self(module.globals.iter().map(|global| (global.name.clone(), global.space)).collect())
    }

    /// Returns the space of a variable; functions have generic addresses.
    pub(crate) fn space(&self, symbol: &Symbol) -> Space {
        self.0.get(&symbol.name).copied().unwrap_or(Space::Generic)
    }
}

/// The spaces of a function's pointers.
pub(crate) struct Spaces<'a> {
    variables: &'a Variables,
    known: Vec<Known>,
}

impl<'a> Spaces<'a> {
    /// Infers the spaces: starts with nothing known, and joins until nothing changes.
    pub(crate) fn infer(facts: &Facts, variables: &'a Variables) -> Self {
        let function = facts.function;
        let mut spaces = Self { variables, known: vec![Known::Nothing; function.ids] };
        for parameter in function.parameters.iter().filter(|parameter| parameter.ty.is_pointer()) {
            // What the host hands over lies in global memory.
            let of_kernel = if parameter.by_value.is_some() { Space::Parameter } else { Space::Global };
            spaces.known[parameter.id] = Known::In(if function.kernel { of_kernel } else { Space::Generic });
        }
        let mut changed = true;
        while changed {
            changed = false;
            for &block in &facts.flow.order {
                for inst in &function.blocks[block].body {
                    let Some(&id) = inst.results.first() else { continue };
                    let known = spaces.made(&inst.operation, function.kernel);
                    changed |= known != spaces.known[id];
                    spaces.known[id] = known;
                }
            }
        }
        spaces
    }

    fn made(&self, operation: &Operation, kernel: bool) -> Known {
        let join = |values: &mut dyn Iterator<Item = &Value>| {
            values.fold(Known::Nothing, |known, value| known.join(self.known(value)))
        };
        match operation {
            Operation::Element { base, .. } => self.known(base),
            Operation::Variable { .. } => Known::In(Space::Local),
            Operation::Phi { ty, from } if ty.is_pointer() => join(&mut from.iter().map(|(value, _)| value)),
            Operation::Row { row, ty: Type::Pointer(space), operands, .. } => match row.name {
                "select" => join(&mut operands[..2].iter().map(|(_, value)| value)),
                "addrspacecast" if *space == Space::Generic => self.known(&operands[0].1),
                _ => Known::In(*space),
            },
            Operation::Load(access) => match access.ty {
                // A pointer in a structure that the host hands over.
                Type::Pointer(Space::Generic) if kernel && self.space(&access.address) == Space::Parameter => {
                    Known::In(Space::Global)
                }
                Type::Pointer(space) => Known::In(space),
                _ => Known::Nothing,
            },
            _ => Known::In(Space::Generic),
        }
    }

    fn known(&self, value: &Value) -> Known {
        match value {
            Value::Local(id) => self.known[*id],
            Value::Global(symbol) => Known::In(self.variables.space(symbol)),
            Value::Undefined => Known::Nothing,
            Value::Integer(_) | Value::Real(_) => Known::Number,
        }
    }

    /// Returns the space of a pointer.
    pub(crate) fn space(&self, value: &Value) -> Space {
        self.known(value).space()
    }

    /// Returns the space of a pointer by its id.
    pub(crate) fn space_of(&self, id: Id) -> Space {
        self.known[id].space()
    }
}
