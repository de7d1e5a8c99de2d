//! Copies of values are other names for them.

use crate::ir::tree::{Access, End, Function, Id, Operation, Value};
use std::collections::HashMap;

/// Removes copies and `freeze`, and uses their sources instead.
pub(crate) fn remove(function: &mut Function) {
    let mut sources: HashMap<Id, Value> = HashMap::new();
    for inst in function.blocks.iter_mut().flat_map(|block| &mut block.body) {
        let Operation::Row { row, ty, operands, .. } = &inst.operation else { continue };
        let (true, [id], [(_, source)]) = (["copy", "freeze"].contains(&row.name), &inst.results[..], &operands[..])
        else {
            continue;
        };
        let source = match source {
            // All uses of a frozen value see the same bits.
            Value::Undefined if row.name == "freeze" && ty.is_real() => Value::Real(0.0),
            Value::Undefined if row.name == "freeze" => Value::Integer(0),
            source => source.clone(),
        };
        sources.insert(*id, source);
    }
    substitute(function, &sources);
}

/// Removes the instructions that make values, and uses others in their place.
pub(super) fn substitute(function: &mut Function, sources: &HashMap<Id, Value>) {
    let source = |value: &mut Value| {
        while let Value::Local(id) = value {
            let Some(source) = sources.get(id) else { return };
            *value = source.clone();
        }
    };
    for block in &mut function.blocks {
        block.body.retain(|inst| !matches!(&inst.results[..], [id] if sources.contains_key(id)));
        block.body.iter_mut().for_each(|inst| operands(&mut inst.operation, &source));
        match &mut block.end {
            End::Branch(value, ..) | End::Switch { value, .. } => source(value),
            End::Return(values) => values.iter_mut().for_each(|(_, value)| source(value)),
            End::Jump(_) | End::Unreachable => {}
        }
    }
}

/// Calls `change` for each operand.
fn operands(operation: &mut Operation, change: &impl Fn(&mut Value)) {
    let address = |access: &mut Access| change(&mut access.address);
    match operation {
        Operation::Row { operands, .. } | Operation::Call { operands, .. } | Operation::Assembly { operands, .. } => {
            operands.iter_mut().for_each(|(_, value)| change(value));
        }
        Operation::Pack { parts, .. } => parts.iter_mut().for_each(|(_, value)| change(value)),
        Operation::Unpack { of: (_, value), .. } => change(value),
        Operation::Element { base, terms, .. } => {
            change(base);
            terms.iter_mut().for_each(|(_, value, _)| change(value));
        }
        Operation::Load(access) => address(access),
        Operation::Store(access, value) | Operation::Atomic { access, value, .. } => {
            address(access);
            change(value);
        }
        Operation::Exchange { access, expected, new } => {
            address(access);
            change(expected);
            change(new);
        }
        Operation::Phi { from, .. } => from.iter_mut().for_each(|(value, _)| change(value)),
        Operation::Copy { to, from, .. } => {
            address(to);
            from.iter_mut().for_each(address);
        }
        Operation::Fence { .. } | Operation::Variable { .. } => {}
    }
}
